"""What a kubelet makes of a pod that is told to go: it stops the containers, the pod ends, and then it is deleted.

A pod is Failed by then, unless all of its containers exit with 0. Where nothing stops them, a pod is deleted as it is:
on nodes that KWOK simulates, and without a grace period. References: getPhase in pkg/kubelet/kubelet_pods.go and
TerminatePod in pkg/kubelet/status/status_manager.go in kubernetes/kubernetes.
"""

from __future__ import annotations

from typing import Final

from vqs.model import kubernetes as k8s

DEFAULT_GRACE: Final = 30
"""The seconds that containers have to stop, where the pod does not say."""

TERMINATED: Final = 143
"""What a process exits with that SIGTERM ends, as it does not handle it."""

KILLED: Final = 137
"""What a container exits with that is killed, as it has not stopped within the grace period."""

_SIMULATED: Final = "kwok.x-k8s.io/node"
"""The annotation of nodes that KWOK simulates: it deletes the pods there at once."""


def grace_of(pod: k8s.Pod) -> int:
    """The seconds that the containers of a pod have to stop."""
    given = pod.spec.termination_grace_period_seconds
    return DEFAULT_GRACE if given is None else max(given, 0)


def is_stopped_first(pod: k8s.Pod, node: k8s.Node | None) -> bool:
    """True if a pod that is deleted ends before it is gone; of a node that is not known, a kubelet is assumed."""
    is_simulated = node is not None and _SIMULATED in node.metadata.annotations
    return bool(pod.spec.node_name) and not is_simulated and grace_of(pod) > 0
