"""What is wrong with an object by itself; whether its queue or priority class exists is a matter of scheduling.

References: k8s.io/kubernetes pkg/apis/core/validation; the custom resource definitions of volcano-sh/volcano.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Final

from vqs.model import devices
from vqs.model import kubernetes as k8s
from vqs.releases.profile import Profile
from vqs.snapshot.apiserver.admission import refusals
from vqs.snapshot.apiserver.checks.devices import of_resource_claim, of_resource_claim_template, of_resource_slice
from vqs.snapshot.apiserver.checks.pods import of_pod, of_pod_status, pod_template, tolerations
from vqs.snapshot.apiserver.checks.scheduling import (
    network_topology,
    of_disruption_budget,
    of_hyper_node,
    of_limit_range,
    of_numa_topology,
    of_pod_group,
    of_priority_class,
    of_queue,
    of_resource_quota,
)
from vqs.snapshot.apiserver.checks.selectors import label_selector
from vqs.snapshot.apiserver.checks.stored import STORED, stored_pod_status
from vqs.snapshot.apiserver.checks.values import POD_PHASES, TAINT_EFFECTS, at_least, choice, present, quantities
from vqs.snapshot.apiserver.checks.volumes import claim_spec, of_claim, of_storage_capacity, of_storage_class, of_volume
from vqs.snapshot.reading.diagnostics import Defect, Path
from vqs.snapshot.reading.reach import most_pods_of_one


def of_node(node: k8s.Node) -> Iterator[Defect]:
    """Yield what is wrong with a node."""
    yield from quantities(("status", "allocatable"), node.status.allocatable)
    yield from quantities(("status", "capacity"), node.status.capacity)
    for index, taint in enumerate(node.spec.taints):
        yield from present(("spec", "taints", index, "key"), taint.key)
        yield from choice(("spec", "taints", index, "effect"), taint.effect, TAINT_EFFECTS, required=True)
    for index, condition in enumerate(node.status.conditions):
        path = ("status", "conditions", index, "status")
        yield from choice(path, condition.status, ("True", "False", "Unknown"))


def of_runtime_class(runtime_class: k8s.RuntimeClass) -> Iterator[Defect]:
    """Yield what is wrong with a RuntimeClass."""
    if runtime_class.overhead is not None:
        yield from quantities(("overhead", "podFixed"), runtime_class.overhead.pod_fixed)
    if runtime_class.scheduling is not None:
        for defect in tolerations(runtime_class.scheduling.tolerations):
            yield defect._replace(path=("scheduling", *defect.path[1:]))


def of_workload(workload: k8s.Deployment | k8s.ReplicaSet | k8s.StatefulSet) -> Iterator[Defect]:
    """Yield what is wrong with a Deployment, a ReplicaSet or a StatefulSet."""
    spec = workload.spec
    yield from label_selector(("spec", "selector"), spec.selector)
    yield from at_least(("spec", "replicas"), spec.replicas, 0, most_pods_of_one())
    yield from pod_template(("spec", "template"), spec.template)
    yield from choice(("spec", "podManagementPolicy"), spec.pod_management_policy, ("OrderedReady", "Parallel"))
    for index, wanted in enumerate(spec.volume_claim_templates):
        yield from claim_spec(("spec", "volumeClaimTemplates", index, "spec"), wanted.spec)


def of_job(job: k8s.Job) -> Iterator[Defect]:
    """Yield what is wrong with a Job of Kubernetes."""
    spec = job.spec
    yield from at_least(("spec", "parallelism"), spec.parallelism, 0, most_pods_of_one())
    yield from at_least(("spec", "completions"), spec.completions, 0, most_pods_of_one())
    yield from choice(("spec", "completionMode"), spec.completion_mode, ("NonIndexed", "Indexed"))
    yield from pod_template(("spec", "template"), spec.template)


def of_volcano_job(job: k8s.VolcanoJob) -> Iterator[Defect]:
    """Yield what is wrong with a Job of Volcano."""
    spec = job.spec
    yield from at_least(("spec", "minAvailable"), spec.min_available, 0)
    yield from network_topology(("spec", "networkTopology"), spec.network_topology)
    for index, task in enumerate(spec.tasks):
        path: Path = ("spec", "tasks", index)
        yield from at_least((*path, "replicas"), task.replicas, 0, most_pods_of_one())
        yield from at_least((*path, "minAvailable"), task.min_available, 0)
        yield from pod_template((*path, "template"), task.template)
        if task.partition_policy is not None:
            at = (*path, "partitionPolicy")
            yield from at_least((*at, "minPartitions"), task.partition_policy.min_partitions, 0)
            yield from network_topology((*at, "networkTopology"), task.partition_policy.network_topology)
    for index, volume in enumerate(spec.volumes):
        if volume.volume_claim is not None:
            yield from claim_spec(("spec", "volumes", index, "volumeClaim"), volume.volume_claim)


_CHECKS: Final[Mapping[type[Any], Callable[[Any], Iterable[Defect]]]] = {
    k8s.Pod: of_pod,
    k8s.Node: of_node,
    k8s.Queue: of_queue,
    k8s.PodGroup: of_pod_group,
    k8s.PriorityClass: of_priority_class,
    k8s.RuntimeClass: of_runtime_class,
    k8s.ResourceQuota: of_resource_quota,
    k8s.LimitRange: of_limit_range,
    k8s.ReplicaSet: of_workload,
    k8s.StatefulSet: of_workload,
    k8s.Deployment: of_workload,
    k8s.Job: of_job,
    k8s.VolcanoJob: of_volcano_job,
    k8s.PodDisruptionBudget: of_disruption_budget,
    k8s.PersistentVolumeClaim: of_claim,
    k8s.PersistentVolume: of_volume,
    k8s.StorageClass: of_storage_class,
    k8s.CSIStorageCapacity: of_storage_capacity,
    devices.ResourceSlice: of_resource_slice,
    devices.ResourceClaim: of_resource_claim,
    devices.ResourceClaimTemplate: of_resource_claim_template,
    k8s.HyperNode: of_hyper_node,
    k8s.Numatopology: of_numa_topology,
}


def judged(obj: Any, profile: Profile) -> Iterator[Defect]:
    """Yield what is wrong with a new object, and why a webhook of a release denies it."""
    yield from defects(obj)
    yield from denials(obj, profile)


def denials(obj: Any, profile: Profile) -> Iterator[Defect]:
    """Yield why a webhook of a release denies a new object, where that is no matter of other objects."""
    if isinstance(obj, k8s.VolcanoJob):
        yield from refusals(obj, profile)


def defects(obj: Any, *, stored: bool = False) -> Iterator[Defect]:
    """Yield what is wrong with an object.

    Of one that is stored in a cluster, only what cannot be calculated with: it has passed all checks of its creation.
    """
    yield from _nameless(obj.metadata)
    check = (STORED if stored else _CHECKS).get(type(obj))
    if check is not None:
        yield from check(obj)


def defects_beside_spec(pod: k8s.Pod, *, stored: bool) -> Iterable[Defect]:
    """Return what is wrong with a pod, as `defects` does, where its spec is known to be sound."""
    status = pod.status
    says_little = not (status.container_statuses or status.init_container_statuses)
    if says_little and status.phase in POD_PHASES and pod.metadata.name:
        return ()
    return chain(_nameless(pod.metadata), stored_pod_status(status) if stored else of_pod_status(status))


def _nameless(metadata: k8s.ObjectMeta) -> Iterator[Defect]:
    if not metadata.name:
        hint = "metadata.generateName is not a name" if metadata.generate_name else ""
        yield Defect("missing-name", ("metadata", "name"), "metadata.name is missing", hint)
