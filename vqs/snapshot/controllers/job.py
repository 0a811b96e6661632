"""The PodGroup and the pods of a Volcano Job, and where jobs and PodGroups come from.

The controller creates the PodGroup first, and the pods once the PodGroup has left the phase Pending; tasks that depend
on others wait for these to run. The same holds here for a Job that a cluster has seen, which has a uid. A Job that no
cluster has seen is what the user asks about: all of its pods are there at once.

The plugins of a Job (svc, ssh, env, mpi and so on) add names, variables, files and ports, at which scheduling does not
look. Policies act on what happens later. An existing PodGroup is not brought up to date with a changed Job here: that
is part of an edit of the Job.
Reference: pkg/controllers/job/job_controller_actions.go, job_controller_util.go and state/ in volcano-sh/volcano.

CronJobs, JobTemplates and JobFlows stand for the Jobs that their controllers would create. Where a job comes from, the
controllers of its PodGroup tell, as far as the snapshot has them or names them.
References: pkg/controllers/cronjob and pkg/controllers/jobflow in volcano-sh/volcano.

Pods that name no PodGroup share one with those of the same controller. It needs one pod to start, unless the
controller's annotations say otherwise. A pod that names a PodGroup gets none, whether that exists or not.
Reference: pkg/controllers/podgroup/pg_controller.go and pg_controller_handler.go in volcano-sh/volcano.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from shlex import quote
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from vqs.model import keys
from vqs.model import kubernetes as k8s
from vqs.model.awaited import ADMISSION, DEPENDENCIES, AwaitedPods, Event, PodsOfRole
from vqs.model.job import NOT_ADMITTED, JobName, jobs_called, named_after_owners
from vqs.model.quantity import whole_number
from vqs.model.wording import first_names
from vqs.releases.controllers import ControllerBehaviours
from vqs.releases.profile import Profile
from vqs.snapshot.apiserver.admission import with_defaults
from vqs.snapshot.controllers.names import suffix
from vqs.snapshot.controllers.usage import as_counted, total, usage_of_pod, usage_of_template
from vqs.snapshot.controllers.world import Maker, World, controller_of, group_name_of, reference
from vqs.snapshot.reading.diagnostics import did_you_mean
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.json_text import decode
from vqs.snapshot.reading.kinds import KINDS, group_of, key_of
from vqs.snapshot.reading.manifests import Controlled, Made, Manifests

_API_VERSION = "batch.volcano.sh/v1alpha1"
_KIND = "Job"

SYNCED = ("", "Pending", "Running", "Restarting")
"""The phases in which a Job's pods are made; in all others they are being deleted, or have been."""

_INHERITED_ANNOTATIONS = (keys.PREEMPTABLE, keys.COOLDOWN_TIME, keys.REVOCABLE_ZONE)
_INHERITED_LABELS = (keys.PREEMPTABLE, keys.COOLDOWN_TIME)


def as_submitted(job: k8s.VolcanoJob) -> k8s.VolcanoJob:
    """Return a Volcano Job as it was before a controller saw it."""
    metadata = replace(job.metadata, uid="", deletion_timestamp=None, deletion_grace_period_seconds=None)
    return replace(job, metadata=metadata, status=k8s.VolcanoJobStatus())


def sync_volcano_jobs(world: World) -> None:
    """Make what is missing of all Volcano Jobs."""
    groups: dict[str, k8s.PodGroup] = {}
    for group in world.pod_groups if world.given.volcano_jobs else ():
        owner = controller_of(group.metadata)
        if owner is not None and (owner.api_version, owner.kind) == (_API_VERSION, _KIND):
            groups[f"{group.metadata.namespace}/{owner.name}"] = group
    for index, given in enumerate(world.given.volcano_jobs):
        metadata = given.metadata
        if metadata.deletion_timestamp is None and given.status.state.phase in SYNCED:
            maker = world.maker("volcano_jobs", index, _KIND, metadata)
            if world.refuses(given, maker, "jobs.batch.volcano.sh"):
                continue
            _Sync(world, with_defaults(given, world.given.profile), maker, groups.get(metadata.key)).run()


def brought_up_to_date(
    group: k8s.PodGroup, job: k8s.VolcanoJob, priority: Callable[[str], int], profile: Profile
) -> k8s.PodGroup:
    """An existing PodGroup as the controller changes it when its Job has changed.

    Args:
        group: the PodGroup.
        job: the Job as it is now.
        priority: returns the priority of a class.
        profile: how the release decides that is modelled.
    """
    spec = with_defaults(job, profile).spec
    changed = replace(
        group.spec,
        min_member=spec.min_available,
        min_task_member=group.spec.min_task_member | {task.name: task.min_available or 0 for task in spec.tasks},
        priority_class_name=spec.priority_class_name,
        min_resources=_min_resources(spec, priority, profile.controllers),
    )
    return replace(group, spec=changed)


class _Sync:
    """One round of the controller for one Job."""

    def __init__(self, world: World, job: k8s.VolcanoJob, maker: Maker, group: k8s.PodGroup | None) -> None:
        self.world = world
        self.job = job
        self.maker = maker
        named = (
            f"{job.metadata.namespace}/{name}" for name in (group_name(job), job.metadata.name)
        )  # until Volcano 1.5
        known = (world.pod_groups_by_key.get(name) for name in named)
        self.existing = group or next((each for each in known if each is not None), None)
        self.group_name = self.existing.metadata.name if self.existing else group_name(job)

    def run(self) -> None:
        """Make the PodGroup, if there is none, and the pods that are due."""
        if not any(task.replicas for task in self.job.spec.tasks):
            self.world.without_pods.append(str(self.maker))
        claims = self._claims()
        if self.existing is None:
            self.world.add_pod_group(self._pod_group(), self.maker)
        if self.world.lacks_pods and self.world.is_seen(self.job.metadata) and not self._waits_for_admission:
            return  # the pods are there, but not known
        wanted = [task for task in self.job.spec.tasks if task.replicas]
        if self.existing and wanted and all(next(self._missing(task), None) is None for task in wanted):
            return  # each pod is there: mostly so in sessions that follow one another
        tasks = [task for task in self.job.spec.tasks if not self.world.refuses_pods(self.job, task.name)]
        for task in tasks:
            self.world.ask_for(sum(1 for _ in self._missing(task)), self.maker)
        due = [task for task in self._due() if not self.world.refuses_pods(self.job, task.name)]
        for task in due:
            spec = self._pod_spec(task, claims)
            for index in range(task.replicas):
                key = f"{self.job.metadata.namespace}/{self._pod_name(task, index)}"
                if key in self.world.pods_by_key:
                    continue
                template = task.template.metadata
                labels = {**template.labels, **self._labels(task, index)}
                annotations = {**template.annotations, **self._annotations(task, index)}
                pod = k8s.Pod(
                    metadata=self._metadata(self._pod_name(task, index), labels, annotations),
                    spec=spec,
                    status=k8s.PodStatus(phase="Pending"),
                )
                self.world.add_pod(pod, self.maker)
        made = set() if self.world.has_quotas else set(map(id, due))
        roles = []
        for task in tasks:
            if id(task) not in made:
                event: Event = ADMISSION if self._waits_for_admission and self._may_start(task) else DEPENDENCIES
                spec, names = self._pod_spec(task, claims), tuple(self._missing(task))
                roles.append(PodsOfRole(task.name, names, spec, event, depends_on=task.depends_on))
        ours = tuple(role for role in roles if role.names and role.spec.scheduler_name == keys.SCHEDULER_NAME)
        if ours:
            group = f"{self.job.metadata.namespace}/{self.group_name}"
            self.world.awaits(group, AwaitedPods(str(self.maker), ours))

    def _due(self) -> list[k8s.TaskSpec]:
        """The tasks whose missing pods are made."""
        tasks = self.job.spec.tasks
        if not self.world.is_seen(self.job.metadata) and not any(self._pods(task) for task in tasks):
            self.world.before_admission.append(str(self.maker))
            if any(task.depends_on for task in tasks):
                self.world.at_once.append(str(self.maker))
            return tasks
        return [] if self._waits_for_admission else [task for task in tasks if self._may_start(task)]

    @property
    def _waits_for_admission(self) -> bool:
        if self.existing is None:
            return self.world.is_seen(self.job.metadata)
        return self.existing.status.phase in NOT_ADMITTED

    def _may_start(self, task: k8s.TaskSpec) -> bool:
        """True if the tasks that a task depends on run."""
        if task.depends_on is None:
            return True
        names = task.depends_on.name
        running = [self._runs(other) for other in self.job.spec.tasks if other.name in names]
        return any(running) if task.depends_on.iteration == "any" and len(names) > 1 else all(running)

    def _runs(self, task: k8s.TaskSpec) -> bool:
        behaviour = self.world.given.profile.controllers.succeeded_dependencies
        ready = 0  # reference: isDependsOnPodsReady
        for pod in self._pods(task):
            is_up = pod.status.phase in ("Running", "Succeeded")
            counts = is_up and all(each.ready for each in pod.status.container_statuses)
            ready += counts or (pod.status.phase == "Succeeded" and behaviour == "count")
        return ready >= (task.min_available or 0)

    def _missing(self, task: k8s.TaskSpec) -> Iterator[str]:
        """Yield the names of the pods of a task that are not there."""
        names = (self._pod_name(task, index) for index in range(task.replicas))
        return (name for name in names if f"{self.job.metadata.namespace}/{name}" not in self.world.pods_by_key)

    def _pods(self, task: k8s.TaskSpec) -> list[k8s.Pod]:
        namespace = self.job.metadata.namespace
        names = (f"{namespace}/{self._pod_name(task, index)}" for index in range(task.replicas))
        return [pod for name in names if (pod := self.world.pods_by_key.get(name)) is not None]

    # --- the PodGroup ------------------------------------------------------------------------------------------------

    def _pod_group(self) -> k8s.PodGroup:
        job = self.job
        spec, topology = job.spec, job.spec.network_topology
        if topology is not None and topology.highest_tier_allowed is not None:
            topology = replace(topology, highest_tier_name="")  # it names its tier in one way only
        return k8s.PodGroup(
            metadata=self._metadata(self.group_name, {**job.metadata.labels}, {**job.metadata.annotations}),
            spec=k8s.PodGroupSpec(
                min_member=spec.min_available,
                min_task_member={task.name: task.min_available or 0 for task in spec.tasks},
                queue=spec.queue,
                priority_class_name=spec.priority_class_name,
                min_resources=_min_resources(spec, self.world.class_priority, self.world.given.profile.controllers),
                network_topology=topology,
                sub_group_policy=[
                    k8s.SubGroupPolicy(
                        name=task.name,
                        label_selector=k8s.LabelSelector(match_labels={keys.TASK_SPEC: task.name}),
                        match_label_keys=[keys.PARTITION_ID],
                        sub_group_size=parts.partition_size,
                        min_sub_groups=parts.min_partitions,
                        network_topology=parts.network_topology,
                    )
                    for task in spec.tasks
                    if (parts := task.partition_policy) is not None
                ],
            ),
            status=k8s.PodGroupStatus(phase="Pending"),
        )

    def _metadata(self, name: str, labels: dict[str, str], annotations: dict[str, str]) -> k8s.ObjectMeta:
        return k8s.ObjectMeta(
            name=name,
            namespace=self.job.metadata.namespace,
            labels=labels,
            annotations=annotations,
            creation_timestamp=self.world.born(self.job.metadata),
            owner_references=[owned_by(self.job)],
        )

    # --- pods --------------------------------------------------------------------------------------------------------

    def _pod_name(self, task: k8s.TaskSpec, index: int) -> str:
        return f"{self.job.metadata.name}-{task.name}-{index}"

    def _pod_spec(self, task: k8s.TaskSpec, claims: list[k8s.Volume]) -> k8s.PodSpec:
        spec = task.template.spec
        return self.world.admitted(
            replace(
                spec,
                scheduler_name=spec.scheduler_name or self.job.spec.scheduler_name,
                priority_class_name=spec.priority_class_name or self.job.spec.priority_class_name,
                volumes=[*spec.volumes, *claims],
            )
        )

    def _labels(self, task: k8s.TaskSpec, index: int) -> dict[str, str]:
        job = self.job.metadata
        labels = {
            keys.TASK_INDEX: str(index),
            keys.JOB_NAME: job.name,
            keys.TASK_SPEC: task.name,
            keys.JOB_NAMESPACE: job.namespace,
            keys.QUEUE_NAME: self.job.spec.queue,
        }
        labels |= {name: job.labels[name] for name in _INHERITED_LABELS if name in job.labels}
        if task.partition_policy is not None:
            size = task.partition_policy.partition_size
            labels[keys.PARTITION_ID] = str(index // size if size > 0 else 0)
        return labels

    def _annotations(self, task: k8s.TaskSpec, index: int) -> dict[str, str]:
        job, status = self.job.metadata, self.job.status
        annotations = {
            keys.TASK_INDEX: str(index),
            keys.TASK_SPEC: task.name,
            keys.GROUP_NAME: self.group_name,
            keys.JOB_NAME: job.name,
            keys.QUEUE_NAME: self.job.spec.queue,
            keys.JOB_VERSION: str(status.version),
            keys.TEMPLATE: f"{job.name}-{task.name}",
            keys.JOB_RETRY_COUNT: str(status.retry_count),
        }
        if task.topology_policy:
            annotations[keys.NUMA_POLICY] = task.topology_policy
        annotations |= {name: job.annotations[name] for name in _INHERITED_ANNOTATIONS if name in job.annotations}
        return annotations | disruption_limit(job.annotations)

    # --- volumes -----------------------------------------------------------------------------------------------------

    def _claims(self) -> list[k8s.Volume]:
        """Make the claims that the Job describes, and return the volumes that all of its pods get."""
        job = self.job.metadata.name
        volumes: dict[str, k8s.Volume] = {}
        for index, volume in enumerate(self.job.spec.volumes):
            name = volume.volume_claim_name or f"{job}-pvc-{suffix(job, index, length=12)}"
            if volume.volume_claim is not None and not volume.volume_claim_name:
                claim = k8s.PersistentVolumeClaim(
                    metadata=self._metadata(name, {}, {}),
                    spec=volume.volume_claim,
                    status=k8s.PersistentVolumeClaimStatus(phase="Pending"),
                )
                self.world.add_claim(claim, self.maker)
            source = k8s.PersistentVolumeClaimVolumeSource(claim_name=name)
            volumes.setdefault(name, k8s.Volume(f"{job}-{suffix(name, index, length=12)}", source))
        return list(volumes.values())


# --- parts of a PodGroup ----------------------------------------------------------------------------------------------


def group_name(job: k8s.VolcanoJob) -> str:
    """The name of a Job's PodGroup; a Job that no API server has seen has no uid to add to it."""
    return f"{job.metadata.name}-{job.metadata.uid}" if job.metadata.uid else job.metadata.name


def owned_by(job: k8s.VolcanoJob) -> k8s.OwnerReference:
    """The reference to a Job in what its controller makes."""
    return reference(_API_VERSION, _KIND, job.metadata)


def _min_resources(
    spec: k8s.VolcanoJobSpec, priority: Callable[[str], int], controllers: ControllerBehaviours
) -> k8s.ResourceList:
    """What as many pods need as the Job needs to start, those of higher priority first."""
    tasks = sorted(spec.tasks, key=lambda task: priority(task.template.spec.priority_class_name), reverse=True)
    usages = {task.name: usage_of_template(task.template.spec, controllers) for task in tasks}
    return total((usages[task.name], number) for task, number in _first_pods(tasks, spec.min_available))


def _first_pods(tasks: list[k8s.TaskSpec], wanted: int) -> Iterator[tuple[k8s.TaskSpec, int]]:
    """Choose a number of pods, task by task: of each its minimum, unless the Job asks for less than all of these."""
    if wanted < sum(task.min_available or 0 for task in tasks):
        shares = [task.replicas for task in tasks]
    else:
        shares = [task.min_available or 0 for task in tasks]
    rest = [task.replicas - share for task, share in zip(tasks, shares, strict=True)]
    for task, share in zip((*tasks, *tasks), (*shares, *rest), strict=True):
        number = min(share, wanted)
        yield task, number
        wanted -= number


def disruption_limit(annotations: dict[str, str]) -> dict[str, str]:
    """The annotation that limits disruptions: how many must stay, or else how many may go."""
    for name in (keys.MIN_AVAILABLE, keys.MAX_UNAVAILABLE):
        if name in annotations:
            return {name: annotations[name]}
    return {}


_HIGHEST: Final = 16
"""More controllers are not looked for above a job."""

_CONTROLLERS: Final = frozenset({"deployments", "jobs", "volcano_jobs", "workloads"})


def job_names(manifests: Manifests) -> dict[str, JobName]:
    """What the jobs of a snapshot are called, by the namespace and name of their PodGroups."""
    owners = Owners(manifests)
    return named_after_owners(
        {each.metadata.key: tuple(owners.above(each.metadata))[::-1] for each in manifests.pod_groups}
    )


def controllers(manifests: Manifests) -> dict[Controlled, k8s.OwnerReference]:
    """What controls the objects that may control a PodGroup, but for pods."""
    return {**manifests.controlled, **dict(_known(manifests, _CONTROLLERS))}


def controller_in(value: dict[str, Any]) -> tuple[Controlled, k8s.OwnerReference] | None:
    """An object of a kind that is not used, and what controls it; None where nothing does."""
    try:
        each = msgspec.convert(value, _Unused)
    except msgspec.ValidationError:
        return None
    owner = _owner(each.metadata.owner_references)
    if owner is None:
        return None
    return (group_of(each.api_version), each.kind, each.metadata.namespace, each.metadata.name), owner


def unknown_job(name: str, names: Iterable[JobName]) -> str:
    """What was probably meant by the name of a job that there is not; empty where nothing is much like it."""
    known = list(names)
    elsewhere = jobs_called(name.partition("/")[2], known) if "/" in name else []
    if elsewhere:
        return f"it is in another namespace: {first_names(sorted({quote(each.display) for each in elsewhere}))}"
    spellings = (text for each in known for text in (each.display, each.uid))
    short = (text.partition("/")[2] for each in known for text in (each.display, each.uid))
    return did_you_mean(name, dict.fromkeys(spellings if "/" in name else short))


class _UnusedMeta(msgspec.Struct, rename="camel"):
    name: str
    namespace: str = ""
    owner_references: list[k8s.OwnerReference] = []


class _Unused(msgspec.Struct, rename="camel"):
    """What matters of an object of a kind that is not used: who made it."""

    api_version: str
    kind: str
    metadata: _UnusedMeta


def _owner(references: list[k8s.OwnerReference]) -> k8s.OwnerReference | None:
    """The controller among the owners; some operators mark none, and mean the first."""
    return next((each for each in references if each.controller), references[0] if references else None)


class Owners:
    """Finds the controllers above an object."""

    def __init__(self, manifests: Manifests) -> None:
        self._manifests = manifests

    def above(self, metadata: k8s.ObjectMeta) -> Iterator[k8s.OwnerReference]:
        """Yield the controllers of an object, the nearest first; of those that own one another, each once."""
        owner = _owner(metadata.owner_references)
        seen: set[Controlled] = set()
        while owner is not None and len(seen) < _HIGHEST:
            key = group_of(owner.api_version), owner.kind, metadata.namespace, owner.name
            if key in seen:
                return
            seen.add(key)
            yield owner
            owner = (self._of_pods if owner.kind == "Pod" else self._of_controllers).get(key)

    @cached_property
    def _of_controllers(self) -> dict[Controlled, k8s.OwnerReference]:
        return controllers(self._manifests)

    @cached_property
    def _of_pods(self) -> dict[Controlled, k8s.OwnerReference]:
        return dict(_known(self._manifests, frozenset({"pods"})))


def _known(manifests: Manifests, list_names: frozenset[str]) -> Iterator[tuple[Controlled, k8s.OwnerReference]]:
    """Yield the objects of some lists that something controls, with what does."""
    kinds = {kind.type: kind for kind in KINDS.values() if kind.list_name in list_names}
    for list_name in sorted(list_names):
        for each in getattr(manifests, list_name):
            owner, kind = _owner(each.metadata.owner_references), kinds[type(each)]
            if owner is not None:
                yield (kind.group, kind.name, each.metadata.namespace, each.metadata.name), owner


_BATCH: Final = "batch.volcano.sh/v1alpha1"
_FLOW: Final = "flow.volcano.sh/v1alpha1"
_MINUTE: Final = 60


def next_runs(manifests: Manifests) -> Iterator[Made]:
    """Yield the Job of each CronJob, as if its next run began now."""
    if manifests.profile.schemas.volcano_cron_jobs == "unknown":
        return
    minutes = int(manifests.now.timestamp()) // _MINUTE if manifests.now else 0
    for cron, origin in manifests.with_origins("cron_jobs"):
        template, metadata = cron.spec.job_template, cron.metadata
        made = k8s.ObjectMeta(
            name=f"{metadata.name}-{minutes:08}",
            labels={**template.metadata.labels},
            annotations={**template.metadata.annotations},
            owner_references=[reference(_BATCH, "CronJob", metadata)],
        )
        yield from _job(made, metadata, template.spec, origin.inside("spec", "jobTemplate"))


def template_jobs(manifests: Manifests) -> Iterator[Made]:
    """Yield the Job of each JobTemplate, under its own name: that of a JobFlow comes before it."""
    for template, origin in manifests.with_origins("job_templates"):
        metadata = template.metadata
        made = k8s.ObjectMeta(name=metadata.name, owner_references=[reference(_FLOW, "JobTemplate", metadata)])
        yield from _job(made, metadata, template.spec, origin)


def first_jobs(manifests: Manifests) -> Iterator[Made]:
    """Yield the Jobs that new JobFlows create at once: the controller stops at the first template that is missing."""
    templates = {each.metadata.key: (each, origin) for each, origin in manifests.with_origins("job_templates")}
    for flow in manifests.job_flows:
        metadata = flow.metadata
        for step in () if metadata.uid or key_of(flow) in manifests.stored_without_uid else flow.spec.flows:
            if step.depends_on is not None and step.depends_on.targets:
                continue
            template = templates.get(f"{metadata.namespace}/{step.name}")
            if template is None:
                break
            owners = [reference(_FLOW, "JobFlow", metadata)]
            made = k8s.ObjectMeta(name=f"{metadata.name}-{step.name}", owner_references=owners)
            yield from _job(made, metadata, template[0].spec, template[1])


def _job(made: k8s.ObjectMeta, owner: k8s.ObjectMeta, spec: dict[str, Any], origin: Origin) -> Iterator[Made]:
    """Yield a Job, unless its spec has values of the wrong type, which the API server refuses."""
    typed, errors = decode({"spec": spec}, k8s.VolcanoJob)
    if typed is not None and not errors:
        job = replace(typed, metadata=replace(made, namespace=owner.namespace))
        yield Made(job, origin, f"{made.owner_references[0].kind} {owner.key}")


_INHERITED = "volcano.sh/"
_INT32_MAX = 2**31 - 1
_KEPT_ANNOTATIONS = (keys.PREEMPTABLE, keys.COOLDOWN_TIME, keys.REVOCABLE_ZONE)
_KEPT_LABELS = (keys.PREEMPTABLE, keys.COOLDOWN_TIME)


def sync_pod_groups(world: World) -> None:
    """Make the PodGroups that are missing, and write their names on the pods."""
    # The annotations of the objects whose pods inherit them, by kind and by namespace and name.
    objects = [*world.workloads, *world.given.jobs]
    kinds = (k8s.ReplicaSet, k8s.StatefulSet, k8s.Job)
    owners = {(type(o).__name__, o.metadata.key): o.metadata.annotations for o in objects if isinstance(o, kinds)}
    for index, pod in world.unknown_pods():
        if pod.spec.scheduler_name != keys.SCHEDULER_NAME or pod.metadata.annotations.get(keys.GROUP_NAME):
            continue
        name = group_name_of(pod)
        if f"{pod.metadata.namespace}/{name}" not in world.pod_groups_by_key:
            inherited: dict[str, str] = {}
            for owner in pod.metadata.owner_references:
                inherited = owners.get((owner.kind, f"{pod.metadata.namespace}/{owner.name}"), {}) | inherited
            maker = world.maker("pods", index, "Pod", pod.metadata)
            own, topology = pod.metadata, None
            mode, tier = own.annotations.get(keys.TOPOLOGY_MODE), own.annotations.get(keys.TOPOLOGY_TIER)
            reads_topology = world.given.profile.controllers.pod_network_topology == "read"
            if reads_topology and (mode is not None or tier is not None):  # what cannot be read is as good as not there
                mode = "soft" if (mode or "").lower() == "soft" else "hard"
                topology = k8s.NetworkTopology(mode, highest_tier_allowed=whole_number(tier or ""))
            minimum = min_member(inherited)
            annotations = {name: value for name, value in inherited.items() if name.startswith(_INHERITED)}
            annotations |= {name: own.annotations[name] for name in _KEPT_ANNOTATIONS if name in own.annotations}
            world.add_pod_group(
                k8s.PodGroup(
                    metadata=k8s.ObjectMeta(
                        name=name,
                        namespace=own.namespace,
                        labels={name: own.labels[name] for name in _KEPT_LABELS if name in own.labels},
                        annotations=annotations | disruption_limit(own.annotations),
                        creation_timestamp=world.born(own),
                        owner_references=own.owner_references if controller_of(own) else [reference("v1", "Pod", own)],
                    ),
                    spec=k8s.PodGroupSpec(
                        min_member=minimum,
                        queue=own.annotations.get(keys.GROUP_QUEUE) or keys.DEFAULT_QUEUE,
                        priority_class_name=pod.spec.priority_class_name,
                        min_resources=total(
                            [(usage_of_pod(as_counted(pod, world.given.profile.controllers)), minimum)]
                        ),
                        network_topology=topology,
                    ),
                    status=k8s.PodGroupStatus(phase="Pending"),
                ),
                maker,
            )
        annotations = {**pod.metadata.annotations, keys.GROUP_NAME: name}
        world.pods[index] = replace(pod, metadata=replace(pod.metadata, annotations=annotations))


def min_member(annotations: Mapping[str, str]) -> int:
    """How many pods a workload with some annotations needs to start."""
    number = whole_number(annotations.get(keys.GROUP_MIN_MEMBER, ""))
    return 1 if number is None or not 0 <= number <= _INT32_MAX else number
