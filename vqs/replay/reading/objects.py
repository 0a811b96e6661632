"""From recordings to workloads: the objects of Kubernetes that logs and metrics stand for, and gangs of pods.

Objects that are made of a recording have the beginning of its file as their place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, Final, overload

from msgspec import structs

from vqs.explain.simulate import EPOCH
from vqs.model import kubernetes as k8s
from vqs.model.keys import DEFAULT_QUEUE, GROUP_NAME, SCHEDULER_NAME, TASK_SPEC
from vqs.model.moments import later
from vqs.replay.distribution import Distribution, Fixed, Recorded
from vqs.replay.reading.faults import LEFT_OUT, Faults
from vqs.replay.reading.recorded import RecordedJob, RecordedNode, RecordedTask, Recording, Requests
from vqs.replay.workload import Arrival, Gang, Timing, Workload
from vqs.snapshot.controllers.usage import total, usage_of_pod
from vqs.snapshot.reading.diagnostics import Path, Position, Problems
from vqs.snapshot.reading.documents import Advance, Document, Origin
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.sources import Source
from vqs.snapshot.scenario.jobs import MOST_ARRIVING


def pod_group_of(
    name: str, pods: Sequence[k8s.Pod], *, queue: str, role: str, min_member: int, group: k8s.PodGroup | None = None
) -> Gang:
    """Return pods with their PodGroup, which is made as the controller for pods without one does.

    Args:
        name: the name of the PodGroup.
        pods: one or more pods, of one namespace; they are told of the PodGroup and their role.
        queue: the queue of the PodGroup.
        role: the role of the pods that do not have one.
        min_member: how many pods it needs to start.
        group: the PodGroup, where there is one already.
    """
    first = pods[0]
    if group is None:
        group = k8s.PodGroup(
            metadata=k8s.ObjectMeta(
                name=name, namespace=first.metadata.namespace, creation_timestamp=first.metadata.creation_timestamp
            ),
            spec=k8s.PodGroupSpec(
                min_member=min_member,
                queue=queue,
                priority_class_name=first.spec.priority_class_name,
                min_resources=total([(usage_of_pod(first), min_member)]),
            ),
            status=k8s.PodGroupStatus(phase="Pending"),
        )
    members = []
    for pod in pods:
        annotations = {TASK_SPEC: role, **pod.metadata.annotations, GROUP_NAME: group.metadata.name}
        members.append(structs.replace(pod, metadata=structs.replace(pod.metadata, annotations=annotations)))
    return Gang(group, tuple(members))


class RecordedDocument(Document):
    """A file in which no object is written."""

    def __init__(self, source: Source) -> None:
        super().__init__(source, 0, len(source.text))

    def values(self, _: Problems, __: Advance) -> Iterator[tuple[Path, Any]]:
        """Yield nothing."""
        return iter(())

    def locate(self, _: Path) -> Position:
        """Return the beginning of the file."""
        return Position(1, 1)

    def locate_key(self, path: Path) -> Position:
        """Return the beginning of the file."""
        return self.locate(path)


MODEL_LABEL: Final = "alibabacloud.com/gpu-card-model"
"""The label of nodes that names the model of their GPUs, as the clusters of the openb trace have it."""

_HOST_NAME: Final = "kubernetes.io/hostname"
_PODS: Final = ("pods", "110")
_OWN_QUEUES: Final = (DEFAULT_QUEUE, "root")


def of_recording(recording: Recording, faults: Faults, name: str, start: Manifests | None = None) -> Workload:
    """Return the workload of a recording.

    Queues and nodes that the snapshot does not have are added to it; queues get a weight of 1. Where both have times of
    the calendar, the replay begins with the snapshot, and the jobs that had arrived by then are left out: the snapshot
    has them.
    """
    return _Maker(recording, faults, start or Manifests()).workload(name)


@dataclass(frozen=True)
class _Arrivals(Sequence[Arrival]):
    """The jobs of a recording as they arrive; their objects are made as they are asked for, since there may be many."""

    jobs: Sequence[RecordedJob]
    make: Callable[[RecordedJob], Arrival]

    @overload
    def __getitem__(self, index: int) -> Arrival: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Arrival]: ...

    def __getitem__(self, index: int | slice) -> Arrival | Sequence[Arrival]:
        return self.make(self.jobs[index]) if isinstance(index, int) else list(map(self.make, self.jobs[index]))

    def __iter__(self) -> Iterator[Arrival]:
        return map(self.make, self.jobs)

    def __len__(self) -> int:
        return len(self.jobs)


class _Maker:
    def __init__(self, recording: Recording, faults: Faults, start: Manifests) -> None:
        self.recording = recording
        self.faults = faults
        self.given = start
        self.origin = Origin(RecordedDocument(faults.source))
        self.classes = {each.metadata.name for each in start.priority_classes}
        self.specs: dict[tuple[str, Requests, tuple[str, ...], str], k8s.PodSpec] = {}

    @cached_property
    def begin(self) -> datetime:
        """The point in time of second 0."""
        recorded = self.recording.begin
        return self.given.now or (EPOCH if recorded is None else EPOCH + timedelta(seconds=recorded))

    def workload(self, name: str) -> Workload:
        """Return the workload."""
        jobs = self._jobs()
        if len(jobs) > MOST_ARRIVING:
            message = f"{len(jobs):,} jobs arrive, more than the {MOST_ARRIVING:,} of a replay"
            self.faults.refuse(message, code="too-large")
        for each in sorted({job.priority_class for job in jobs} - {*self.classes, ""}):
            hint = "give a snapshot that has it"
            self.faults.note(LEFT_OUT, f"there is no priority class {each!r}; its jobs have no priority", hint)
        return Workload(name=name, begin=self.begin, start=self._start(jobs), arrivals=_Arrivals(jobs, self._arrival))

    def _jobs(self) -> list[RecordedJob]:
        """Return the jobs that arrive after the start, at times that count from it."""
        jobs, recorded = self.recording.jobs, self.recording.begin
        if self.given.now is None or recorded is None:
            return jobs
        ahead = recorded - (self.given.now - EPOCH).total_seconds()
        shifted = [job._replace(arrival=job.arrival + ahead) for job in jobs if job.arrival + ahead >= 0]
        if len(shifted) < len(jobs):
            self.faults.leave_out(len(jobs) - len(shifted), "job", "submitted before the snapshot was taken")
        return shifted

    # --- the state at the start --------------------------------------------------------------------------------------

    def _start(self, jobs: Iterable[RecordedJob]) -> Manifests:
        given = self.given
        known = {node.metadata.name for node in given.nodes}
        nodes = [_node(node, self.begin) for node in self.recording.nodes if node.name not in known]
        named = {*_OWN_QUEUES, *(queue.metadata.name for queue in given.queues)}
        queues = [
            k8s.Queue(
                metadata=k8s.ObjectMeta(name=name),
                spec=k8s.QueueSpec(weight=1),
                status=k8s.QueueStatus(state="Open"),
            )
            for name in dict.fromkeys(job.queue for job in jobs)
            if name not in named
        ]
        origins = {
            **given.origins,
            "nodes": [*given.origins.get("nodes", ()), *[self.origin] * len(nodes)],
            "queues": [*given.origins.get("queues", ()), *[self.origin] * len(queues)],
        }
        return replace(
            given,
            nodes=[*given.nodes, *nodes],
            queues=[*given.queues, *queues],
            origins=origins,
            newest_timestamp=given.newest_timestamp or self.begin,
        )

    # --- jobs --------------------------------------------------------------------------------------------------------

    def _arrival(self, job: RecordedJob) -> Arrival:
        timing = {task.name: Timing(duration=_duration(job, task)) for task in job.tasks}
        created = later(self.begin, job.arrival)
        submitted = self._gang(job, created) if job.submits_pods else self._volcano_job(job, created)
        return Arrival(job.arrival, submitted, timing)

    def _volcano_job(self, job: RecordedJob, created: datetime) -> k8s.VolcanoJob:
        priority_class = self._class(job)
        return k8s.VolcanoJob(
            metadata=k8s.ObjectMeta(name=job.name, namespace=job.namespace, creation_timestamp=created),
            spec=k8s.VolcanoJobSpec(
                scheduler_name=SCHEDULER_NAME,
                min_available=job.min_available,
                queue=job.queue,
                priority_class_name=priority_class,
                tasks=[
                    k8s.TaskSpec(
                        name=task.name,
                        replicas=task.replicas,
                        template=k8s.PodTemplateSpec(spec=self._spec(task, priority_class)),
                    )
                    for task in job.tasks
                ],
            ),
        )

    def _gang(self, job: RecordedJob, created: datetime) -> Gang:
        """Return the pods of a job that submits them, which are alike, with their PodGroup."""
        [task] = job.tasks
        spec = self._spec(task, self._class(job))
        pods = [
            k8s.Pod(
                metadata=k8s.ObjectMeta(
                    name=_pod_name(job, task, index), namespace=job.namespace, creation_timestamp=created
                ),
                spec=spec,
                status=k8s.PodStatus(phase="Pending"),
            )
            for index in range(task.replicas)
        ]
        return pod_group_of(job.name, pods, queue=job.queue, role=task.name, min_member=job.min_available)

    def _class(self, job: RecordedJob) -> str:
        """Return the priority class of a job, empty where there is none of that name."""
        return job.priority_class if job.priority_class in self.classes else ""

    def _spec(self, task: RecordedTask, priority_class: str) -> k8s.PodSpec:
        """Return the spec of a task's pods; tasks that are alike share it."""
        key = task.name, task.requests, task.models, priority_class
        if key not in self.specs:
            requests: k8s.ResourceList = dict(task.requests)
            limits: k8s.ResourceList = {name: amount for name, amount in task.requests if "/" in name}
            resources = k8s.ResourceRequirements(requests=requests, limits=limits)
            model = k8s.NodeSelectorRequirement(key=MODEL_LABEL, operator="In", values=list(task.models))
            terms = k8s.NodeSelector(node_selector_terms=[k8s.NodeSelectorTerm(match_expressions=[model])])
            affinity = k8s.Affinity(node_affinity=k8s.NodeAffinity(required=terms)) if task.models else None
            self.specs[key] = k8s.PodSpec(
                scheduler_name=SCHEDULER_NAME,
                priority_class_name=priority_class,
                containers=[k8s.Container(name=task.name, resources=resources)],
                affinity=affinity,
            )
        return self.specs[key]


def _duration(job: RecordedJob, task: RecordedTask) -> Distribution | None:
    """Return how long the pods of a task run; None where one of them never ended."""
    seconds = [each for each in task.seconds if each is not None]
    if len(seconds) < len(task.seconds):
        return None
    if len(set(seconds)) == 1:
        return Fixed(seconds[0])
    return Recorded({f"{job.namespace}/{_pod_name(job, task, index)}": each for index, each in enumerate(seconds)})


def _pod_name(job: RecordedJob, task: RecordedTask, index: int) -> str:
    """Return the name that a pod gets: that of a Volcano Job has the name of its task in it."""
    return f"{job.name}-{index}" if job.submits_pods else f"{job.name}-{task.name}-{index}"


def _node(node: RecordedNode, created: datetime) -> k8s.Node:
    labels = {_HOST_NAME: node.name, **({MODEL_LABEL: node.model} if node.model else {})}
    allocatable: k8s.ResourceList = dict([_PODS, *node.allocatable])
    return k8s.Node(
        metadata=k8s.ObjectMeta(name=node.name, labels=labels),
        status=k8s.NodeStatus(
            allocatable=allocatable,
            capacity=allocatable,
            conditions=[k8s.Condition(type="Ready", status="True", last_transition_time=created)],
        ),
    )
