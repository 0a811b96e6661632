"""From the objects that people write to those that a scheduler finds, and the pods that taints evict from these.

PodGroups and pods are made where they are missing, as the controllers would make them.

Kubernetes evicts pods because of taints of their nodes with the effect NoExecute. It does so beside the scheduler, and
soon after: the session that comes first still finds these pods running. A pod that tolerates every such taint stays,
for good or as many seconds as its tolerations say. Pods that a kubelet runs by itself are not evicted. What is only
marked unschedulable keeps its pods.
References: pkg/controller/tainteviction (processPodOnNode, getMinTolerationTime) and
plugin/pkg/admission/defaulttolerationseconds in kubernetes/kubernetes.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from vqs.model.kubernetes import Pod, Taint, Toleration
from vqs.model.selectors import tolerates
from vqs.model.wording import count
from vqs.snapshot.apiserver.admission import TOLERATED_FOR_A_WHILE, served, with_default_tolerations
from vqs.snapshot.controllers.job import controllers, sync_pod_groups, sync_volcano_jobs
from vqs.snapshot.controllers.workloads import (
    rollouts,
    sync_deployments,
    sync_jobs,
    sync_replica_sets,
    sync_resource_claims,
    sync_stateful_sets,
)
from vqs.snapshot.controllers.world import World, is_active
from vqs.snapshot.reading.diagnostics import Diagnostic
from vqs.snapshot.reading.manifests import Manifests

Controller = Callable[[World], None]

CONTROLLERS: Final[tuple[Controller, ...]] = (
    sync_deployments,
    sync_replica_sets,
    sync_stateful_sets,
    sync_jobs,
    sync_volcano_jobs,
    sync_pod_groups,
    sync_resource_claims,
)
"""In the order in which they run: each finds what those before it made."""


def complete(manifests: Manifests, known: Container[int] = ()) -> Manifests:
    """Manifests to which the controllers have added what is missing; the given ones stay as they are.

    Nothing that exists is made again, so that completing a second time changes nothing.

    Args:
        manifests: what is given.
        known: the identities of pods that are in completed manifests already: these need no PodGroup.

    Raises:
        InputErrors: what is given stands for more pods than can be made.
    """
    world = World(served(manifests), known)
    for controller in CONTROLLERS:
        controller(world)
    # What makes pods is left out, and jobs are still called after it.
    of_deployments = rollouts(manifests.deployments, world.workloads) or manifests.rollouts
    manifests = served(replace(world.finish(), controlled=controllers(manifests), rollouts=of_deployments))
    if not manifests.flags.node_selector:
        return manifests
    # The scheduler knows no other nodes.
    pairs = [pair for pair in manifests.with_origins("nodes") if manifests.flags.selects(pair[0].metadata.labels)]
    left_out = len(manifests.nodes) - len(pairs)
    selector = " ".join(manifests.flags.node_selector)
    text = f"{count(left_out, 'node')} left out, with none of the labels of --node-selector: {selector}"
    note = Diagnostic(code="scheduler-flags", severity="note", message=text)
    return replace(
        manifests,
        nodes=[node for node, _ in pairs],
        origins={**manifests.origins, "nodes": [origin for _, origin in pairs]},
        notes=[*manifests.notes, *([note] if left_out else [])],
    )


def with_makers(completed: Manifests, given: Manifests) -> Manifests:
    """Completed manifests together with what they were made from, so that what goes later is made again."""
    names = ("deployments", "jobs", "volcano_jobs")
    origins = {name: given.origins[name] for name in names if name in given.origins}
    return replace(
        completed,
        deployments=given.deployments,
        jobs=given.jobs,
        volcano_jobs=given.volcano_jobs,
        origins={**completed.origins, **origins},
    )


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
