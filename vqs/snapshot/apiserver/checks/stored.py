"""Objects that are stored in a cluster: they passed all checks of their creation."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Final

from vqs.model import kubernetes as k8s
from vqs.model.devices import ResourceSlice
from vqs.snapshot.apiserver.checks.devices import of_resource_slice
from vqs.snapshot.apiserver.checks.pods import ephemeral_claims
from vqs.snapshot.apiserver.checks.scheduling import readable_patterns
from vqs.snapshot.apiserver.checks.values import (
    GROUP_PHASES,
    POD_PHASES,
    QUEUE_STATES,
    at_least,
    choice,
    countable_cpus,
    readable,
)
from vqs.snapshot.apiserver.checks.volumes import sizes_of
from vqs.snapshot.reading.diagnostics import Defect, Path
from vqs.snapshot.reading.reach import most_pods_of_one

_PHASE: Final[Path] = ("status", "phase")


def _stored_pod(pod: k8s.Pod) -> Iterator[Defect]:
    yield from choice(_PHASE, pod.status.phase, POD_PHASES)
    yield from readable(chain(_amounts_of_spec((), pod.spec), _amounts_of_status(pod.status)))


def stored_pod_status(status: k8s.PodStatus) -> Iterator[Defect]:
    """Yield what is wrong with the status of a stored pod."""
    yield from choice(_PHASE, status.phase, POD_PHASES)
    if status.container_statuses or status.init_container_statuses:
        yield from readable(_amounts_of_status(status))


def _amounts_of_status(status: k8s.PodStatus) -> Iterator[tuple[Path, k8s.ResourceList]]:
    for key, statuses in (
        ("containerStatuses", status.container_statuses),
        ("initContainerStatuses", status.init_container_statuses),
    ):
        for index, each in enumerate(statuses):
            path: Path = ("status", key, index)
            if each.allocated_resources:
                yield (*path, "allocatedResources"), each.allocated_resources
            if each.resources is not None:
                yield from _amounts_of((*path, "resources"), each.resources)


def _amounts_of_spec(at: Path, spec: k8s.PodSpec) -> Iterator[tuple[Path, k8s.ResourceList]]:
    for key, containers in (("containers", spec.containers), ("initContainers", spec.init_containers)):
        for index, container in enumerate(containers):
            yield from _amounts_of((*at, "spec", key, index, "resources"), container.resources)
    if spec.overhead:
        yield (*at, "spec", "overhead"), spec.overhead
    if spec.resources is not None:
        yield from _amounts_of((*at, "spec", "resources"), spec.resources)
    for path, resources in ephemeral_claims((*at, "spec", "volumes"), spec.volumes):
        yield from _amounts_of(path, resources)


def _amounts_of(path: Path, resources: k8s.ResourceRequirements) -> Iterator[tuple[Path, k8s.ResourceList]]:
    if resources.requests:
        yield (*path, "requests"), resources.requests
    if resources.limits:
        yield (*path, "limits"), resources.limits


def _stored_node(node: k8s.Node) -> Iterator[Defect]:
    status = node.status
    return readable(((("status", "allocatable"), status.allocatable), (("status", "capacity"), status.capacity)))


def _stored_queue(queue: k8s.Queue) -> Iterator[Defect]:
    spec = queue.spec
    yield from choice(("status", "state"), queue.status.state, QUEUE_STATES)
    yield from readable(
        (
            (("spec", "capability"), spec.capability),
            (("spec", "deserved"), spec.deserved),
            (("spec", "guarantee", "resource"), spec.guarantee.resource),
            (("status", "allocated"), queue.status.allocated),
        )
    )


def _stored_pod_group(group: k8s.PodGroup) -> Iterator[Defect]:
    yield from choice(("status", "phase"), group.status.phase, GROUP_PHASES)
    yield from readable(((("spec", "minResources"), group.spec.min_resources),))


def _stored_workload(workload: k8s.Deployment | k8s.ReplicaSet | k8s.StatefulSet) -> Iterator[Defect]:
    yield from at_least(("spec", "replicas"), workload.spec.replicas, 0, most_pods_of_one())
    yield from readable(_amounts_of_spec(("spec", "template"), workload.spec.template.spec))
    for index, wanted in enumerate(workload.spec.volume_claim_templates):
        path: Path = ("spec", "volumeClaimTemplates", index, "spec", "resources")
        yield from readable(_amounts_of(path, wanted.spec.resources))


def _stored_job(job: k8s.Job) -> Iterator[Defect]:
    yield from at_least(("spec", "parallelism"), job.spec.parallelism, 0, most_pods_of_one())
    yield from at_least(("spec", "completions"), job.spec.completions, 0, most_pods_of_one())
    yield from readable(_amounts_of_spec(("spec", "template"), job.spec.template.spec))


def _stored_volcano_job(job: k8s.VolcanoJob) -> Iterator[Defect]:
    for index, task in enumerate(job.spec.tasks):
        path: Path = ("spec", "tasks", index)
        yield from at_least((*path, "replicas"), task.replicas, 0, most_pods_of_one())
        yield from readable(_amounts_of_spec((*path, "template"), task.template.spec))
    for index, volume in enumerate(job.spec.volumes):
        if volume.volume_claim is not None:
            path = ("spec", "volumes", index, "volumeClaim", "resources")
            yield from readable(_amounts_of(path, volume.volume_claim.resources))


def _stored_quota(quota: k8s.ResourceQuota) -> Iterator[Defect]:
    status = quota.status
    return readable(
        (
            (("spec", "hard"), quota.spec.hard),
            (("status", "hard"), status.hard),
            (("status", "used"), status.used),
        )
    )


def _stored_limit_range(limit_range: k8s.LimitRange) -> Iterator[Defect]:
    for index, item in enumerate(limit_range.spec.limits):
        path: Path = ("spec", "limits", index)
        yield from readable((((*path, "default"), item.default), ((*path, "defaultRequest"), item.default_request)))
        yield from readable((((*path, "min"), item.min), ((*path, "max"), item.max)))


def _stored_claim(claim: k8s.PersistentVolumeClaim) -> Iterator[Defect]:
    return readable(_amounts_of(("spec", "resources"), claim.spec.resources))


def _stored_volume(volume: k8s.PersistentVolume) -> Iterator[Defect]:
    return readable(((("spec", "capacity"), volume.spec.capacity),))


STORED: Final[Mapping[type[Any], Callable[[Any], Iterable[Defect]]]] = {
    k8s.Pod: _stored_pod,
    k8s.Node: _stored_node,
    k8s.Queue: _stored_queue,
    k8s.PodGroup: _stored_pod_group,
    k8s.ResourceQuota: _stored_quota,
    k8s.LimitRange: _stored_limit_range,
    k8s.ReplicaSet: _stored_workload,
    k8s.StatefulSet: _stored_workload,
    k8s.Deployment: _stored_workload,
    k8s.Job: _stored_job,
    k8s.VolcanoJob: _stored_volcano_job,
    k8s.PersistentVolumeClaim: _stored_claim,
    k8s.PersistentVolume: _stored_volume,
    k8s.CSIStorageCapacity: lambda capacity: readable((((), sizes_of(capacity)),)),
    ResourceSlice: of_resource_slice,
    k8s.HyperNode: readable_patterns,
    k8s.Numatopology: countable_cpus,
}
"""What is wrong with a stored object, by type: only what cannot be calculated with."""
