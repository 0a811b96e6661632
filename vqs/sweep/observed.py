"""What sessions have left, as far as figures ask for it: nothing of it is worked out before it is asked for."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache, cached_property
from operator import attrgetter
from typing import Final, NamedTuple

from vqs.diff.outcome import QueueSide
from vqs.diff.queues import sides_in
from vqs.diff.tasks import State, Statuses, state_of
from vqs.engine.framework.finished import FinishedSession
from vqs.explain.affected import lost_in
from vqs.explain.assemble import decisions, queue_results, utilisation
from vqs.explain.outcome import JobLoss, Utilisation
from vqs.explain.outlook import keeps_status
from vqs.explain.simulate import Finished
from vqs.explain.verdicts import job_verdict
from vqs.model.job import Job, Task, TaskStatus, jobs_called

_Pair = tuple[TaskStatus, TaskStatus]
"""The statuses of a task before the first session and after the last one."""
_statuses: Final[Callable[[Task], _Pair]] = attrgetter("status_before", "status")


class _Kept(NamedTuple):
    """A task as several sessions leave it."""

    job: str
    queue: str
    statuses: _Pair


class Group(NamedTuple):
    """The tasks of a job, counted by their statuses."""

    job: str
    queue: str
    statuses: Counter[_Pair]


class Observed:
    """What became of a snapshot in one session, or in several until all pods have been tried."""

    def __init__(self, finished: Sequence[Finished]) -> None:
        self.finished = finished

    def release(self) -> None:
        """Leave the clusters to the sessions that are run next; figures that were not read are gone then."""
        for each in reversed(self.finished):
            each.release()

    @property
    def session(self) -> FinishedSession:
        """The last session, which knows of all jobs and tasks."""
        return self.finished[-1].session

    @property
    def shares_known(self) -> bool:
        """Whether a plugin divides resources by queue."""
        return self.session.queue_ledger is not None and not self.session.standstill

    @cached_property
    def groups(self) -> Sequence[Group]:
        """The tasks of each job, and the orphans of each queue; those of several sessions as one would leave them."""
        if len(self.finished) == 1:
            orphans = (
                Group(each.task.job, each.queue, Counter([(each.task.status, each.task.status)]))
                for each in self.session.cluster.orphans
            )
            jobs = self.session.jobs.values()
            return [*(Group(job.uid, job.queue, _of_job(job)) for job in jobs), *orphans]
        found: defaultdict[tuple[str, str], Counter[_Pair]] = defaultdict(Counter)
        for task in self._tasks.values():
            found[task.job, task.queue][task.statuses] += 1
        return [Group(*key, counts) for key, counts in found.items()]

    @cached_property
    def totals(self) -> Counter[State]:
        """How many tasks are left in each state, with the pods that do not exist yet, which are pending."""
        found = Counter[State]()
        for counts in self._states.values():
            found.update(counts)
        return found

    @cached_property
    def held(self) -> int:
        """How many of the placed tasks had their node before."""
        return sum(
            number
            for group in self.groups
            for pair, number in group.statuses.items()
            if _state(pair) is State.PLACED and pair[0] is not TaskStatus.Pending
        )

    @cached_property
    def running(self) -> int:
        """How many tasks run."""
        return sum(
            number for group in self.groups for pair, number in group.statuses.items() if pair[1] is TaskStatus.Running
        )

    @cached_property
    def evicted(self) -> frozenset[str]:
        """The namespaces and names of the tasks that are evicted."""
        if len(self.finished) > 1:
            return frozenset(name for name, task in self._tasks.items() if _state(task.statuses) is State.EVICTED)
        jobs = self.session.jobs
        return frozenset(
            f"{task.namespace}/{task.name}"
            for group in self.groups
            if any(_state(pair) is State.EVICTED for pair in group.statuses)
            for task in jobs[group.job].tasks.values()
            if _state(_statuses(task)) is State.EVICTED
        )

    @cached_property
    def lost(self) -> Sequence[JobLoss]:
        """What jobs lose by evictions, in all sessions."""
        return [lost for each in self.finished for lost in lost_in(each.session, each.manifests)]

    @cached_property
    def by_queue(self) -> Mapping[str, Counter[State]]:
        """How many tasks are left in each state, by queue."""
        return self._by(1)

    @cached_property
    def by_job(self) -> Mapping[str, Counter[State]]:
        """How many tasks are left in each state, by job."""
        return self._by(0)

    def _by(self, part: int) -> Mapping[str, Counter[State]]:
        found: defaultdict[str, Counter[State]] = defaultdict(Counter)
        for key, counts in self._states.items():
            found[key[part]].update(counts)
        return found

    @cached_property
    def _states(self) -> Mapping[tuple[str, str], Counter[State]]:
        """How many tasks are left in each state, by job and queue."""
        found: defaultdict[tuple[str, str], Counter[State]] = defaultdict(Counter)
        for job, queue, statuses in self.groups:
            for pair, number in statuses.items():
                found[job, queue][_state(pair)] += number
        for uid, number in self._awaited.items():
            found[uid, self.session.jobs[uid].queue][State.PENDING] += number
        return found

    @cached_property
    def _tasks(self) -> Mapping[str, _Kept]:
        """The tasks of several sessions by namespace and name, merged as `vqs.explain.outlook.as_one` does."""
        first, *later = (dict(_kept(each.session)) for each in self.finished)
        for tasks in later:
            for name, task in tasks.items():
                before = first.get(name)
                if before is None:
                    first[name] = task
                elif not keeps_status(before.statuses[1].name, task.statuses[1].name):
                    first[name] = task._replace(statuses=(before.statuses[0], task.statuses[1]))
        return first

    @cached_property
    def shares(self) -> Mapping[str, float]:
        """The shares of the queues that the queue plugin looked at, by name, where they are known."""
        return {name: figures.share for name, figures in self.session.closed_queues.items()}

    @cached_property
    def queues(self) -> Mapping[str, QueueSide]:
        """All queues, by name."""
        return sides_in(self.session, queue_results(self.session))

    @cached_property
    def utilisation(self) -> Mapping[str, Utilisation]:
        """How full the cluster is, by resource, when the last session closes."""
        return {each.resource: each for each in utilisation(self.session, self.session.idle_at_open)}

    @cached_property
    def _awaited(self) -> Mapping[str, int]:
        """How many pods of a job do not exist yet, by job."""
        return {
            uid: sum(f"{job.namespace}/{name}" not in self._named[uid] for role in pods.roles for name in role.names)
            for uid, pods in self.finished[-1].manifests.awaited.items()
            if (job := self.session.jobs.get(uid)) is not None
        }

    @cached_property
    def _named(self) -> Mapping[str, Collection[str]]:
        """The tasks by name, for each job that awaits pods."""
        names: dict[str, set[str]] = {uid: set() for uid in self.finished[-1].manifests.awaited}
        for each in self.finished:
            for name, task in _kept(each.session):
                if task.job in names:
                    names[task.job].add(name)
        return names

    def job(self, name: str) -> Job | None:
        """Return the job that a name stands for; None where there is none, or there are several."""
        names = self.session.cluster.names
        found = [each.uid for each in jobs_called(name, names.values()) if each.uid in self.session.jobs]
        return self.session.jobs[found[0]] if len(found) == 1 else None

    def verdict(self, job: Job) -> str:
        """Return the code of what holds a job back; empty where nothing does."""
        verdict = job_verdict(self.session, job)
        return verdict.code if verdict is not None else ""

    @cached_property
    def decisions(self) -> Mapping[str, str]:
        """What became of each job in the last session."""
        return decisions(self.session)


def _kept(session: FinishedSession) -> Iterator[tuple[str, _Kept]]:
    for job in session.jobs.values():
        for task in job.tasks.values():
            yield f"{task.namespace}/{task.name}", _Kept(job.uid, job.queue, _statuses(task))
    for orphan in session.cluster.orphans:
        task = orphan.task
        yield f"{task.namespace}/{task.name}", _Kept(task.job, orphan.queue, (task.status, task.status))


def _of_job(job: Job) -> Counter[_Pair]:
    """Return the tasks of a job by their statuses: known already of one that the session has left as it was."""
    return job.noted("statuses", lambda: Counter(map(_statuses, job.tasks.values())))


@cache
def _state(pair: _Pair) -> State:
    before, after = pair
    return state_of(Statuses(before.name, after.name))
