"""The pods that Kubernetes evicts because of taints of their nodes with the effect NoExecute.

It does so beside the scheduler, and soon after: the session that comes first still finds these pods running. A pod that
tolerates every such taint stays, for good or as many seconds as its tolerations say. Pods that a kubelet runs by itself
are not evicted. What is only marked unschedulable keeps its pods.
References: pkg/controller/tainteviction (processPodOnNode, getMinTolerationTime) and
plugin/pkg/admission/defaulttolerationseconds in kubernetes/kubernetes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from vqs.model.kubernetes import Pod, Taint, Toleration
from vqs.model.selectors import tolerates
from vqs.snapshot.apiserver.new_pods import TOLERATED_FOR_A_WHILE, with_default_tolerations
from vqs.snapshot.controllers.world import is_active
from vqs.snapshot.reading.manifests import Manifests

NO_EXECUTE: Final = "NoExecute"
_MIRROR: Final = "kubernetes.io/config.mirror"


class TaintEviction(NamedTuple):
    """A pod that will be evicted: by what taint of its node, and after how many seconds."""

    pod: Pod
    taint: Taint
    seconds: int


def taint_evictions(manifests: Manifests) -> Iterator[TaintEviction]:
    """Yield the pods that Kubernetes evicts of some manifests, in the order of these."""
    tainted = {
        node.metadata.name: taints
        for node in manifests.nodes
        if (taints := [each for each in node.spec.taints if each.effect == NO_EXECUTE])
    }
    if not tainted:
        return
    for pod in manifests.pods:
        if pod.spec.node_name in tainted and is_active(pod) and _MIRROR not in pod.metadata.annotations:
            spec = with_default_tolerations(pod.spec, TOLERATED_FOR_A_WHILE)
            taint, seconds = _first_to_act(tainted[pod.spec.node_name], spec.tolerations)
            if taint is not None:
                yield TaintEviction(pod, taint, seconds)


def written(taint: Taint) -> str:
    """Write a taint as kubectl does.

    >>> written(Taint("gpu", "broken", "NoExecute")), written(Taint("drained", effect="NoExecute"))
    ('gpu=broken:NoExecute', 'drained:NoExecute')
    """
    return f"{taint.key}={taint.value}:{taint.effect}" if taint.value else f"{taint.key}:{taint.effect}"


def _first_to_act(taints: Sequence[Taint], tolerations: Sequence[Toleration]) -> tuple[Taint | None, int]:
    """The taint that a pod is evicted for, and after how many seconds; None where it stays."""
    acting: list[tuple[int, Taint]] = []
    for taint in taints:
        used = next((each for each in tolerations if tolerates([each], taint)), None)
        if used is None:
            return taint, 0
        if used.toleration_seconds is not None:
            acting.append((max(used.toleration_seconds, 0), taint))
    if not acting:
        return None, 0
    seconds, taint = min(acting, key=lambda each: each[0])
    return taint, seconds
