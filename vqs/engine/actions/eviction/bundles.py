"""Which victims of a job go together: those that it can spare, and those without which its gang breaks.

A task is safe to evict as long as its job, its role and the sub-groups of its policy keep their minimum without it. The
others are evicted all together or not at all, as the rest of the job is of no use then. A job that lacks its minimum
already has nothing to lose: all its tasks are safe.
Reference: pkg/scheduler/actions/utils/bundle.go.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from math import inf

from vqs.model.job import READY_STATUSES, Job, Task
from vqs.model.resource import Resource


class BundleType(IntEnum):
    """What evicting a bundle does to its job; safe bundles go first."""

    SAFE = 0
    """The gang stays complete."""
    WHOLE = 1
    """The gang breaks."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """Victims of one job in a domain.

    Attributes:
        type: what evicting them does to their job.
        job: the job.
        tasks: the victims, those of the lowest priority first.
        freed: what they hold.
        disrupted: what all tasks of the job ask for where the gang breaks, else nothing.
    """

    type: BundleType
    job: Job
    tasks: Sequence[Task]
    freed: Resource
    disrupted: Resource

    def efficiency(self, need: Resource) -> float:
        """How much of a need the bundle covers for what it disrupts; infinite where it disrupts nothing."""
        disrupted = _score(self.disrupted, need)
        return _score(self.freed, need, at_most=1.0) / disrupted if disrupted else inf


def job_bundles(job: Job, tasks: Iterable[Task]) -> list[Bundle]:
    """Divide the victims of a job into what it can spare and the rest."""
    ordered = sorted(tasks, key=lambda task: (task.priority, task.uid))
    if job.ready < job.min_available:
        return [Bundle(BundleType.SAFE, job, ordered, total_request(ordered), Resource())]
    surplus = _Surplus(job)
    safe: list[Task] = []
    needed: list[Task] = []
    for task in ordered:
        (safe if surplus.spare(task) else needed).append(task)
    bundles = [Bundle(BundleType.SAFE, job, safe, total_request(safe), Resource())] if safe else []
    if needed:
        disrupted = total_request(job.tasks.values())
        bundles.append(Bundle(BundleType.WHOLE, job, needed, total_request(needed), disrupted))
    return bundles


def allowed_part(bundle: Bundle, allowed: Collection[str]) -> Bundle | None:
    """What is left of a bundle when only some tasks, by uid, may be evicted; None where nothing is.

    Of a bundle that breaks a gang, all tasks are left or none.
    """
    tasks = [task for task in bundle.tasks if task.uid in allowed]
    if bundle.type is BundleType.WHOLE:
        return bundle if len(tasks) == len(bundle.tasks) else None
    return replace(bundle, tasks=tasks, freed=total_request(tasks)) if tasks else None


def total_request(tasks: Iterable[Task]) -> Resource:
    """What some tasks ask for together."""
    return Resource.total(task.request for task in tasks)


def _score(amount: Resource, need: Resource, *, at_most: float = inf) -> float:
    """The sum of the shares that an amount has of each resource that is needed."""
    return sum(min(amount.get(name) / need.get(name), at_most) for name in need.names())


class _Surplus:
    """What a job has beyond its minimum: in total, in each role and of the sub-groups of each policy."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._tasks = job.ready - job.min_available
        ready = job.role_counts(READY_STATUSES, best_effort_pending=True)
        binding = job.min_task_member if job.min_available >= job.min_task_total else {}
        self._roles = {role: ready[role] - minimum for role, minimum in binding.items()}
        self._groups: Counter[str] = Counter(each.group for each in job.sub_jobs.values() if each.is_ready())
        self._groups.subtract(job.min_sub_groups)
        self._broken = {each.uid for each in job.sub_jobs.values() if not each.is_ready()}

    def spare(self, task: Task) -> bool:
        """True if a task can be spared, and count it as gone if so."""
        sub_job = self._job.sub_job_of[task.uid] if self._job.min_sub_groups else None
        if (
            self._tasks <= 0
            or self._roles.get(task.role, 1) <= 0
            or not (sub_job is None or sub_job.uid in self._broken or self._groups[sub_job.group] > 0)
        ):
            return False
        self._tasks -= 1
        if task.role in self._roles:
            self._roles[task.role] -= 1
        if sub_job is not None and sub_job.uid not in self._broken:
            self._broken.add(sub_job.uid)
            self._groups[sub_job.group] -= 1
        return True
