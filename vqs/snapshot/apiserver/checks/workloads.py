"""Workloads, which controllers make pods of."""

from collections.abc import Iterator

from vqs.model import kubernetes as k8s
from vqs.snapshot.apiserver.checks.pods import pod_template
from vqs.snapshot.apiserver.checks.scheduling import network_topology
from vqs.snapshot.apiserver.checks.selectors import label_selector
from vqs.snapshot.apiserver.checks.values import at_least, choice
from vqs.snapshot.apiserver.checks.volumes import claim_spec
from vqs.snapshot.reading.diagnostics import Defect, Path
from vqs.snapshot.reading.reach import most_pods_of_one


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
