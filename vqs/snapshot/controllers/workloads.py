"""The pods of Kubernetes' own workloads whose templates name the scheduler, and the claims that these pods get.

A workload that no cluster has seen stands for all of its pods. Any other gets those that are missing, as its controller
would make them now. Daemon sets and replication controllers are not among them: the pods of the former are
bound to a node each, and Volcano's controllers do not know the latter.
Reference: k8s.io/kubernetes pkg/controller/deployment, replicaset, statefulset and job.

A pod gets a claim from each ResourceClaimTemplate that it names. A pod that a cluster has stored is left as it is in
the first session: the scheduler waits for its claims as it finds it. Before the next one, the controller has made them.
Reference: k8s.io/kubernetes pkg/controller/resourceclaim/controller.go.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from msgspec import json
from msgspec.structs import replace

from vqs.model import kubernetes as k8s
from vqs.model.awaited import ORDER, REFUSED, AwaitedPods, PodRefusal, PodsOfRole
from vqs.model.devices import ResourceClaim, ResourceClaimTemplate
from vqs.model.keys import LAST_APPLIED, REPLICA_FAILURE, SCHEDULER_NAME
from vqs.model.quantity import part_of, whole_number
from vqs.model.rollout import Rollout
from vqs.snapshot.controllers.names import suffix, template_hash
from vqs.snapshot.controllers.world import (
    Maker,
    World,
    controller_of,
    group_name_of,
    is_active,
    is_controlled,
    reference,
)

_APPS = "apps/v1"
_BATCH = "batch/v1"
_REPLICA_SETS = "replicasets.apps"
_TEMPLATE_HASH = "pod-template-hash"
COMPLETION_INDEX: Final = "batch.kubernetes.io/job-completion-index"
"""The label and the annotation of a pod that have the index that it works on."""

_NO_MORE_PODS: Final = ("Complete", "Failed", "SuccessCriteriaMet", "FailureTarget")


def _is_ours(world: World, workload: k8s.Deployment | k8s.Workload | k8s.Job) -> bool:
    """True if the pods of a workload are for the simulated scheduler, and whether it still makes any.

    Where a snapshot was taken without pods, those of a workload that a cluster has seen are there, but not known.
    """
    if isinstance(workload, k8s.ReplicationController) or workload.metadata.deletion_timestamp is not None:
        return False
    if (world.lacks_pods and world.is_seen(workload.metadata)) or world.refuses_pods(workload):
        return False
    return workload.spec.template.spec.scheduler_name == SCHEDULER_NAME


def replicas_of(workload: k8s.Deployment | k8s.ReplicaSet | k8s.StatefulSet) -> int:
    """How many pods a workload is to have: one, where it does not say."""
    return 1 if workload.spec.replicas is None else workload.spec.replicas


# --- deployments ------------------------------------------------------------------------------------------------------


def sync_deployments(world: World) -> None:
    """Make the replica sets of deployments that have neither one nor pods."""
    for index, deployment in enumerate(world.given.deployments):
        namespace, selector = deployment.metadata.namespace, deployment.spec.selector
        has_replica_set = (namespace, deployment.metadata.name) in world.deployments_with_replica_sets or (
            # A dump may have the pods and not the replica set between.
            selector is not None and world.selects_given(selector, namespace)
        )
        if not has_replica_set and _is_ours(world, deployment):
            maker = world.maker("deployments", index, "Deployment", deployment.metadata)
            metadata, spec = deployment.metadata, deployment.spec
            mark = {_TEMPLATE_HASH: template_hash(json.encode(spec.template).decode())}
            template = spec.template.metadata
            selector = spec.selector or k8s.LabelSelector()
            made = k8s.ReplicaSet(
                metadata=k8s.ObjectMeta(
                    name=f"{metadata.name}-{mark[_TEMPLATE_HASH]}",
                    namespace=metadata.namespace,
                    labels=template.labels | mark,
                    annotations={name: value for name, value in metadata.annotations.items() if name != LAST_APPLIED},
                    creation_timestamp=world.born(metadata),
                    owner_references=[reference(_APPS, "Deployment", metadata)],
                ),
                spec=k8s.WorkloadSpec(
                    selector=replace(selector, match_labels=selector.match_labels | mark),
                    replicas=replicas_of(deployment),
                    template=replace(spec.template, metadata=replace(template, labels=template.labels | mark)),
                ),
            )
            if not (world.refuses(deployment, maker, "deployments.apps") or world.refuses(made, maker, _REPLICA_SETS)):
                world.add("workloads", made, maker)


_PART: Final = "25%"
"""How many pods more and fewer there may be where a Deployment does not say."""


def rollout_limits(strategy: k8s.DeploymentStrategy, replicas: int) -> tuple[int, int] | None:
    """How many pods more and fewer than its replicas a Deployment may have; None where that cannot be read.

    Reference: ``ResolveFenceposts`` in util/deployment_util.go.

    >>> rollout_limits(k8s.DeploymentStrategy(), 10), rollout_limits(k8s.DeploymentStrategy(), 1)
    ((3, 2), (1, 0))
    """
    given = strategy.rolling_update or k8s.RollingUpdate()
    surge = part_of(_PART if given.max_surge is None else given.max_surge, replicas, up=True)
    unavailable = part_of(_PART if given.max_unavailable is None else given.max_unavailable, replicas, up=False)
    if surge is None or unavailable is None:
        return None
    return surge, max(unavailable, int(not surge))


def rollouts(
    deployments: Sequence[k8s.Deployment], workloads: Sequence[k8s.Workload]
) -> dict[tuple[str, str], Rollout]:
    """Return the rollouts that replace pods a few at a time, by the namespace and name of the new ReplicaSet.

    The new one has the highest revision, which the controller writes, also where a template is rolled back to; without
    revisions, it is the last that was made.
    Reference: ``SetNewReplicaSetAnnotations`` in util/deployment_util.go.
    """
    sets_of: defaultdict[tuple[str, str], list[k8s.ReplicaSet]] = defaultdict(list)
    for each in workloads if deployments else ():
        owner = controller_of(each.metadata)
        if isinstance(each, k8s.ReplicaSet) and owner is not None and owner.kind == "Deployment":
            sets_of[each.metadata.namespace, owner.name].append(each)
    found = {}
    for deployment in deployments:
        sets = sets_of.get((deployment.metadata.namespace, deployment.metadata.name), [])
        sets = [each for each in sets if is_controlled(each.metadata, "Deployment", deployment.metadata)]
        replicas = replicas_of(deployment)
        limits = rollout_limits(deployment.spec.strategy, replicas)
        if len(sets) < 2 or not replicas or limits is None or deployment.spec.strategy.type == "Recreate":  # noqa: PLR2004 - old, new
            continue
        sets.sort(key=lambda each: each.metadata.creation_timestamp or _EARLIEST)
        new = max(reversed(sets), key=lambda each: whole_number(each.metadata.annotations.get(_REVISION, "")) or 0)
        older = tuple(each for each in sets if each is not new and replicas_of(each))
        if older:
            key = new.metadata.namespace, new.metadata.name
            found[key] = Rollout(deployment, replicas, limits[1], new, older)
    return found


_REVISION: Final = "deployment.kubernetes.io/revision"
_EARLIEST: Final = datetime.min.replace(tzinfo=UTC)


# --- replica sets -----------------------------------------------------------------------------------------------------


def sync_replica_sets(world: World) -> None:
    """Make the pods that replica sets miss."""
    for index, workload in enumerate(world.workloads):
        if isinstance(workload, k8s.ReplicaSet) and _is_ours(world, workload):
            active = sum(map(is_active, world.pods_of("ReplicaSet", workload.metadata)))
            missing = replicas_of(workload) - active
            if missing > 0:
                maker = world.maker("workloads", index, "ReplicaSet", workload.metadata)
                if maker.kind == "ReplicaSet" and world.refuses(workload, maker, _REPLICA_SETS):
                    continue
                world.ask_for(missing, maker)
                template = workload.spec.template
                spec = world.admitted(template.spec)
                owner = reference(_APPS, "ReplicaSet", workload.metadata)
                pods = [
                    _pod(world, workload.metadata, name, template.metadata, spec, owner=owner)
                    for name in _free_names(world, workload.metadata, missing)
                ]
                failure = _creation_failure(workload)
                for pod in pods if failure is None else ():
                    world.add_pod(pod, maker)
                _await_refused(world, pods, maker, failure)


def _creation_failure(workload: k8s.ReplicaSet) -> PodRefusal | None:
    """Why the API server refused the pods of a replica set when it was last asked, as its status says.

    Quotas and LimitRanges are asked themselves, as they may have room by now.
    Reference: ``calculateStatus`` in pkg/controller/replicaset/replica_set_utils.go of Kubernetes.
    """
    for each in workload.status.conditions:
        is_failure = (each.type, each.status, each.reason) == (REPLICA_FAILURE, "True", "FailedCreate")
        if is_failure and each.message and not any(text in each.message for text in _OF_LIMITS):
            key, message = workload.metadata.key, each.message
            said = message if len(message) <= _LONGEST else f"{message[:_LONGEST]}..."
            return PodRefusal(f"ReplicaSet {key}", "", None, "", "", f"{said} (condition {REPLICA_FAILURE} of {key})")
    return None


_OF_LIMITS: Final = ("exceeded quota", "failed quota", "usage per", "to request ratio")
"""What the API server says where a ResourceQuota or a LimitRange refuses a pod."""

_LONGEST: Final = 500
"""Of a message of the API server, no more characters than these are quoted."""


def _await_refused(world: World, pods: Sequence[k8s.Pod], maker: Maker, why: PodRefusal | None = None) -> None:
    """Note the pods that were to be made, and are not there."""
    refused = [pod for pod in pods if pod.metadata.key not in world.pods_by_key]
    if refused:
        role = PodsOfRole("", tuple(pod.metadata.name for pod in refused), refused[0].spec, REFUSED, why)
        world.awaits(f"{refused[0].metadata.namespace}/{group_name_of(refused[0])}", AwaitedPods(str(maker), (role,)))


def _free_names(world: World, owner: k8s.ObjectMeta, number: int) -> Iterator[str]:
    """Yield names that no pod has."""
    turn = 0
    while number > 0:
        name = f"{owner.name}-{suffix(owner.name, turn)}"
        turn += 1
        if f"{owner.namespace}/{name}" not in world.pods_by_key:
            number -= 1
            yield name


def _pod(
    world: World,
    made_from: k8s.ObjectMeta,
    name: str,
    template: k8s.ObjectMeta,
    spec: k8s.PodSpec,
    *,
    owner: k8s.OwnerReference,
) -> k8s.Pod:
    metadata = k8s.ObjectMeta(
        name=name,
        namespace=made_from.namespace,
        labels={**template.labels},
        annotations={**template.annotations},
        creation_timestamp=world.born(made_from),
        owner_references=[owner],
    )
    return k8s.Pod(metadata=metadata, spec=spec, status=k8s.PodStatus(phase="Pending"))


# --- stateful sets ----------------------------------------------------------------------------------------------------


def sync_stateful_sets(world: World) -> None:
    """Make the pods that stateful sets miss, and their claims."""
    for index, workload in enumerate(world.workloads):
        if isinstance(workload, k8s.StatefulSet) and _is_ours(world, workload):
            maker = world.maker("workloads", index, "StatefulSet", workload.metadata)
            if world.refuses(workload, maker, "statefulsets.apps"):
                continue
            first = workload.spec.ordinals.start
            keys = (f"{workload.metadata.key}-{first + number}" for number in range(replicas_of(workload)))
            world.ask_for(
                sum(key not in world.pods_by_key for key in keys),
                maker,
                claims=len(workload.spec.volume_claim_templates),
            )
            metadata, template = workload.metadata, workload.spec.template
            owner = reference(_APPS, "StatefulSet", metadata)
            for number in _due(world, workload, maker):
                name = f"{metadata.name}-{number}"
                volumes = {volume.name: volume for volume in template.spec.volumes}
                for wanted in workload.spec.volume_claim_templates:
                    claim_name = f"{wanted.metadata.name}-{name}"
                    claim = k8s.PersistentVolumeClaim(
                        metadata=replace(wanted.metadata, name=claim_name, namespace=metadata.namespace),
                        spec=wanted.spec,
                        status=k8s.PersistentVolumeClaimStatus(phase="Pending"),
                    )
                    world.add_claim(claim, maker)
                    source = k8s.PersistentVolumeClaimVolumeSource(claim_name=claim_name)
                    volumes[wanted.metadata.name] = k8s.Volume(wanted.metadata.name, source)
                spec = world.admitted(replace(template.spec, volumes=list(volumes.values())))
                pod = _pod(world, metadata, name, template.metadata, spec, owner=owner)
                pod.metadata.labels["statefulset.kubernetes.io/pod-name"] = name
                pod.metadata.labels["apps.kubernetes.io/pod-index"] = str(number)
                world.add_pod(pod, maker)
            # Note the pods that wait for those before them to run.
            names = (f"{metadata.name}-{first + number}" for number in range(replicas_of(workload)))
            missing = tuple(name for name in names if f"{metadata.namespace}/{name}" not in world.pods_by_key)
            if missing:
                pods = PodsOfRole("", missing, world.admitted(template.spec), ORDER)
                pod = _pod(world, metadata, missing[0], template.metadata, pods.spec, owner=owner)
                world.awaits(f"{metadata.namespace}/{group_name_of(pod)}", AwaitedPods(str(maker), (pods,)))


def _due(world: World, workload: k8s.StatefulSet, maker: Maker) -> list[int]:
    """The numbers of the pods to be made: all that are missing, or the next if each waits for the one before.

    Of a set that no cluster has seen all are made, whatever their order.
    """
    numbers = [workload.spec.ordinals.start + number for number in range(replicas_of(workload))]
    pods = [world.pods_by_key.get(f"{workload.metadata.key}-{number}") for number in numbers]
    missing = [number for number, pod in zip(numbers, pods, strict=True) if pod is None]
    if workload.spec.pod_management_policy == "Parallel":
        return missing
    if missing == numbers and not world.is_seen(workload.metadata):
        if len(missing) > 1:
            world.at_once.append(str(maker))
        return missing
    first = next((pod for pod in pods if pod is None or pod.status.phase != "Running"), None)
    return missing[:1] if first is None else []


# --- Jobs of Kubernetes -----------------------------------------------------------------------------------------------


def sync_jobs(world: World) -> None:
    """Make the pods that the Jobs of Kubernetes miss."""
    for index, job in enumerate(world.given.jobs):
        if (
            _is_ours(world, job)
            and not job.spec.suspend
            and not any(each.type in _NO_MORE_PODS and each.status == "True" for each in job.status.conditions)
        ):
            maker = world.maker("jobs", index, "Job", job.metadata)
            if world.refuses(job, maker, "jobs.batch"):
                continue
            pods = world.pods_of("Job", job.metadata)
            active = sum(map(is_active, pods))
            succeeded, completions = succeeded_of(job, pods), completions_of(job)
            parallelism = 1 if job.spec.parallelism is None else job.spec.parallelism
            # Without a number to be completed, the first success is the last start.
            failed = sum(map(len, ranges(job.status.failed_indexes)))
            most = parallelism if completions is None else min(parallelism, completions - succeeded - failed)
            missing = (0 if completions is None and succeeded else most) - active
            world.ask_for(missing, maker)
            indexes = free_indexes(job, pods) if job.spec.completion_mode == "Indexed" else None
            template = job.spec.template
            spec = world.admitted(template.spec)
            owner = reference(_BATCH, "Job", job.metadata)
            pods = []
            for name in _free_names(world, job.metadata, missing):
                pod = _pod(world, job.metadata, name, template.metadata, spec, owner=owner)
                pod.metadata.labels |= {
                    "batch.kubernetes.io/job-name": job.metadata.name,
                    "job-name": job.metadata.name,
                }
                if indexes is not None:
                    completion = next(indexes, None)
                    if completion is None:
                        break
                    pod.metadata.name = f"{job.metadata.name}-{completion}-{name.rpartition('-')[2]}"
                    pod.metadata.labels[COMPLETION_INDEX] = str(completion)
                    pod.metadata.annotations[COMPLETION_INDEX] = str(completion)
                pods.append(pod)
                world.add_pod(pod, maker)
            _await_refused(world, pods, maker)


def succeeded_of(job: k8s.Job, pods: Sequence[k8s.Pod]) -> int:
    """How many pods of a Job have succeeded, those included that are gone."""
    return max(job.status.succeeded, sum(pod.status.phase == "Succeeded" for pod in pods))


def completions_of(job: k8s.Job) -> int | None:
    """How many pods of a Job have to succeed; None where the first success is the last start."""
    return 1 if job.spec.completions is None and job.spec.parallelism is None else job.spec.completions


def free_indexes(job: k8s.Job, pods: Sequence[k8s.Pod]) -> Iterator[int]:
    """Yield the indexes that have neither been completed, nor failed, nor are being worked on."""
    completed = [*ranges(job.status.completed_indexes), *ranges(job.status.failed_indexes)]
    taken = {pod.metadata.annotations.get(COMPLETION_INDEX) for pod in pods if pod.status.phase != "Failed"}
    for index in range(job.spec.completions or 0):
        if str(index) not in taken and not any(index in each for each in completed):
            yield index


def ranges(text: str) -> Iterator[range]:
    """Yield the ranges that a text such as ``0-2,5`` stands for."""
    for part in text.split(","):
        begin, _, end = part.partition("-")
        first, last = whole_number(begin), whole_number(end or begin)
        if first is not None and last is not None:
            yield range(first, last + 1)


def sync_resource_claims(world: World) -> None:
    """Make the claims that new pods lack, where their templates are known."""
    templates = {each.metadata.key: each for each in world.given.resource_claim_templates}
    if not templates:
        return
    made = {claim.metadata.key for claim in world.resource_claims}
    for index, pod in enumerate(world.pods):
        is_late = bool(pod.metadata.uid) and not world.given.sessions
        if pod.spec.resource_claims and not is_late and is_active(pod):
            world.pods[index], claims = with_claims(pod, templates)
            maker = world.maker("pods", index, "Pod", pod.metadata)
            world.ask_for_devices(len(claims), maker)
            for claim in claims:
                if claim.metadata.key not in made:
                    made.add(claim.metadata.key)
                    world.add("resource_claims", claim, maker)


def with_claims(pod: k8s.Pod, templates: Mapping[str, ResourceClaimTemplate]) -> tuple[k8s.Pod, list[ResourceClaim]]:
    """A pod that knows its claims, and those that it lacks, given the templates by namespace/name."""
    known = {status.name for status in pod.status.resource_claim_statuses}
    claims = {
        wanted.name: _claim(pod, wanted.name, templates[key])
        for wanted in pod.spec.resource_claims
        if wanted.name not in known
        and (key := f"{pod.metadata.namespace}/{wanted.resource_claim_template_name}") in templates
    }
    if not claims:
        return pod, []
    statuses = [k8s.PodResourceClaimStatus(name, claim.metadata.name) for name, claim in claims.items()]
    every = [*pod.status.resource_claim_statuses, *statuses]
    return replace(pod, status=replace(pod.status, resource_claim_statuses=every)), list(claims.values())


def _claim(pod: k8s.Pod, name: str, template: ResourceClaimTemplate) -> ResourceClaim:
    metadata = replace(
        template.spec.metadata,
        name=f"{pod.metadata.name}-{name}",
        namespace=pod.metadata.namespace,
        owner_references=[reference("v1", "Pod", pod.metadata)],
    )
    return ResourceClaim(metadata, template.spec.spec)
