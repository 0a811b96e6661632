"""What shows that a cluster has an autoscaler, and whether it is asked for the nodes that a job lacks.

An autoscaler adds nodes for pods that are pending and marked as unschedulable. The Job controller of Volcano creates
the pods of a Job only once its PodGroup is admitted, so one that enqueue does not admit asks for no node.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from vqs.model.awaited import ADMISSION
from vqs.model.job import Job
from vqs.snapshot.controllers.world import controller_of
from vqs.snapshot.reading.manifests import Manifests

_STATUS: Final = "cluster-autoscaler-status"
_KINDS: Final = ("NodePool", "NodeClaim", "Provisioner")
_LABELS: Final = ("karpenter.sh/nodepool", "karpenter.sh/provisioner-name")
_ANNOTATIONS: Final = "cluster-autoscaler.kubernetes.io/"
_VOLCANO_JOBS: Final = "batch.volcano.sh/"


class AutoscalerSign(NamedTuple):
    """What shows that a cluster has an autoscaler: `path` of the object at `number` of a list; no list for a kind."""

    text: str
    list_name: str = ""
    number: int = 0
    path: tuple[Any, ...] = ()


def autoscaler_of(manifests: Manifests) -> AutoscalerSign | None:
    """The first thing in a snapshot that shows an autoscaler; None where nothing does."""
    for number, each in enumerate(manifests.config_maps):
        if each.metadata.name == _STATUS:
            return AutoscalerSign(f"ConfigMap {each.metadata.key}", "config_maps", number, ("metadata", "name"))
    for number, node in enumerate(manifests.nodes):
        labels = [("labels", name) for name in _LABELS if name in node.metadata.labels]
        names = [("annotations", name) for name in node.metadata.annotations if name.startswith(_ANNOTATIONS)]
        for path in (*labels, *names):
            what = f"{path[0].removesuffix('s')} {path[1]} of node {node.metadata.name}"
            return AutoscalerSign(what, "nodes", number, ("metadata", *path))
    kind = next((each for each in _KINDS if manifests.ignored.get(each)), None)
    return None if kind is None else AutoscalerSign(f"a {kind} of Karpenter")


def pods_await_admission(manifests: Manifests, job: Job) -> bool:
    """True if the pods that a job waits with do not exist in the cluster before enqueue admits it."""
    awaited = manifests.awaited.get(job.uid)
    if awaited is not None:
        return awaited.waits_for == ADMISSION
    made, tasks = manifests.created_from.get("pods", {}), job.unplaced()
    owners = (controller_of(task.pod.metadata) for task in tasks if task.pod.metadata.key in made)
    by_the_job_controller = sum(owner is not None and owner.api_version.startswith(_VOLCANO_JOBS) for owner in owners)
    return 0 < len(tasks) == by_the_job_controller
