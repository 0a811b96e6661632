"""PodGroups of the completed manifests: where what they say is written, and what their gangs need at least."""

from __future__ import annotations

from collections.abc import Iterator

from vqs.lint.rule import LintContext, Place
from vqs.model import kubernetes as k8s
from vqs.model.job import INQUEUE, PENDING, Job, Task
from vqs.model.keys import GROUP_NAME
from vqs.model.resource import CPU, MEMORY, PODS, Resource
from vqs.snapshot.reading.diagnostics import Path
from vqs.snapshot.reading.manifests import Manifests

WAITING = (PENDING, INQUEUE, "")
"""The phases of a PodGroup whose gang has not started."""

_IN_A_JOB: dict[Path, Path] = {
    ("spec", "minMember"): ("spec", "minAvailable"),
    ("spec", "queue"): ("spec", "queue"),
    ("spec", "priorityClassName"): ("spec", "priorityClassName"),
}
"""Where a Volcano Job says what its PodGroup says."""

_MAKERS = ("volcano_jobs", "deployments", "workloads", "jobs", "pods")


class GroupPlaces:
    """Finds the places of PodGroups, or of what they were made from."""

    def __init__(self, context: LintContext) -> None:
        manifests, completed = context.manifests, context.completed
        self._given = len(manifests.pod_groups)
        self._numbers = {group.metadata.key: number for number, group in enumerate(completed.pod_groups)}
        self._origins = completed.origins.get("pod_groups", [])
        self._makers = {
            origin: (list_name, index)
            for list_name in _MAKERS
            for index, origin in enumerate(manifests.origins.get(list_name, ()))
        }

    def at(self, key: str, *path: str | int) -> Place:
        """The place of a value in a PodGroup; for one that was made, the place it comes from."""
        number = self._numbers[key]
        if number < self._given:
            return Place("pod_groups", number, path)
        list_name, index = self._makers[self._origins[number]]
        known = _IN_A_JOB.get(path) if list_name == "volcano_jobs" else None
        return Place(list_name, index, known or ("metadata", "name"))

    def is_given(self, key: str) -> bool:
        """True if a PodGroup is among the objects that were written."""
        return self._numbers[key] < self._given


def controller_made(group: k8s.PodGroup) -> bool:
    """True if a controller made a PodGroup, and keeps it up to date."""
    return any(owner.controller for owner in group.metadata.owner_references)


def topologies(spec: k8s.VolcanoJobSpec | k8s.PodGroupSpec) -> Iterator[tuple[Path, k8s.NetworkTopology]]:
    """Yield the topologies that a Job or a PodGroup asks for, each with its path: its own, and those of its parts."""
    parts: list[tuple[Path, k8s.VolcanoJobSpec | k8s.PodGroupSpec | k8s.SubGroupPolicy | k8s.PartitionPolicy | None]]
    if isinstance(spec, k8s.PodGroupSpec):
        parts = [(("subGroupPolicy", number), each) for number, each in enumerate(spec.sub_group_policy)]
    else:
        parts = [
            (("tasks", number, "partitionPolicy"), each.partition_policy) for number, each in enumerate(spec.tasks)
        ]
    for path, part in [((), spec), *parts]:
        if part is not None and part.network_topology is not None:
            yield ("spec", *path, "networkTopology"), part.network_topology


def waiting_specs(context: LintContext) -> Iterator[tuple[str, k8s.VolcanoJobSpec | k8s.PodGroupSpec, Place]]:
    """Yield the specs of Volcano Jobs that have yet to start, and of PodGroups that no such Job owns; named, placed."""
    jobs = set()
    for job, place in context.objects("volcano_jobs"):
        jobs.add((job.metadata.namespace, job.metadata.name))
        if job.status.state.phase in WAITING:
            yield f"Job {job.metadata.key}", job.spec, place
    for group, place in context.objects("pod_groups"):
        owners = {(group.metadata.namespace, each.name) for each in group.metadata.owner_references}
        if group.status.phase in WAITING and owners.isdisjoint(jobs):
            yield context.named(group), group.spec, place


def pods_by_group(manifests: Manifests) -> dict[str, list[int]]:
    """The indexes of pods by the namespace and name of the PodGroup that they name."""
    found: dict[str, list[int]] = {}
    for index, pod in enumerate(manifests.pods):
        name = pod.metadata.annotations.get(GROUP_NAME)
        if name:
            found.setdefault(f"{pod.metadata.namespace}/{name}", []).append(index)
    return found


def waiting_jobs(context: LintContext) -> Iterator[Job]:
    """Yield the jobs whose gangs have not started."""
    return (job for job in context.session.jobs.values() if job.phase in WAITING and job.ready < job.min_available)


def gang_request(job: Job, *, largest: bool = False) -> Resource:
    """The least that the gang of a job needs, or the most: of each resource, what its least, or largest, pods need.

    Nothing is known of the least of a gang some of whose pods are not there.
    """
    if job.total < job.min_available and not largest:
        return Resource()
    tasks = list(job.tasks.values())
    names = sorted({CPU, MEMORY}.union(*(task.request.scalars for task in tasks)) - {PODS})
    amounts = {name: _sum_of_one(job, tasks, name, largest=largest) for name in names}
    scalars = {name: amount for name, amount in amounts.items() if name not in (CPU, MEMORY)}
    return Resource(amounts[CPU], amounts[MEMORY], scalars)


def _sum_of_one(job: Job, tasks: list[Task], name: str, *, largest: bool) -> float:
    if not job.min_task_member or job.min_available < job.min_task_total:
        return sum(sorted((task.request.get(name) for task in tasks), reverse=largest)[: max(job.min_available, 0)])
    ordered = sorted(tasks, key=lambda task: task.request.get(name), reverse=largest)
    chosen: list[Task] = []
    for role, number in job.min_task_member.items():
        chosen += [task for task in ordered if task.role == role][:number]
    uids = {task.uid for task in chosen}
    rest = [task for task in ordered if task.uid not in uids]
    chosen += rest[: max(job.min_available - len(chosen), 0)]
    return sum(task.request.get(name) for task in chosen)
