"""What sessions have left, as far as figures ask for it: nothing of it is worked out before it is asked for."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from vqs.diff.changes import State, state_of
from vqs.diff.outcome import QueueSide
from vqs.diff.queues import sides_in
from vqs.engine.finished import FinishedSession
from vqs.explain.assemble import decisions, queue_results
from vqs.explain.outcome import Utilisation
from vqs.explain.sequence import keeps_status
from vqs.explain.simulate import Finished
from vqs.explain.utilisation import utilisation
from vqs.explain.verdicts import job_verdict
from vqs.model.job import Job
from vqs.model.job_name import jobs_called
from vqs.model.task import TaskStatus

_NAMES = {status: status.name for status in TaskStatus}


class TaskSeen(NamedTuple):
    """A task with its statuses before the first session and after the last one."""

    job: str
    queue: str
    status_before: str
    status: str


class Observed:
    """What became of a snapshot in one session, or in several until all pods have been tried."""

    def __init__(self, finished: Sequence[Finished]) -> None:
        self.finished = finished

    @property
    def session(self) -> FinishedSession:
        """The last session, which knows of all jobs and tasks."""
        return self.finished[-1].session

    @property
    def shares_known(self) -> bool:
        """Whether a plugin divides resources by queue."""
        return self.session.queue_ledger is not None and not self.session.standstill

    @cached_property
    def tasks(self) -> Mapping[str, TaskSeen]:
        """The tasks by namespace and name; those of several sessions as `vqs.explain.sequence.as_one` has them."""
        first, *later = (dict(_tasks(each.session)) for each in self.finished)
        for tasks in later:
            for name, task in tasks.items():
                before = first.get(name)
                if before is None:
                    first[name] = task
                elif not keeps_status(before.status, task.status):
                    first[name] = task._replace(status_before=before.status_before)
        return first

    @cached_property
    def states(self) -> Mapping[str, State]:
        """How the tasks are left, by name."""
        return {name: state_of(task) for name, task in self.tasks.items()}

    @cached_property
    def totals(self) -> Counter[State]:
        """How many tasks are left in each state, with the pods that do not exist yet, which are pending."""
        found = Counter(self.states.values())
        found[State.PENDING] += sum(self._awaited.values())
        return found

    @cached_property
    def held(self) -> int:
        """How many of the placed tasks had their node before."""
        tasks = self.tasks
        return sum(
            state is State.PLACED and tasks[name].status_before != "Pending" for name, state in self.states.items()
        )

    @cached_property
    def evicted(self) -> frozenset[str]:
        """The names of the tasks that are evicted."""
        return frozenset(name for name, state in self.states.items() if state is State.EVICTED)

    @cached_property
    def by_queue(self) -> Mapping[str, Counter[State]]:
        """How many tasks are left in each state, by queue."""
        return self._counted("queue")

    @cached_property
    def by_job(self) -> Mapping[str, Counter[State]]:
        """How many tasks are left in each state, by job."""
        return self._counted("job")

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
        tasks = self.tasks
        return {
            uid: sum(f"{job.namespace}/{name}" not in tasks for role in pods.roles for name in role.names)
            for uid, pods in self.finished[-1].manifests.awaited.items()
            if (job := self.session.jobs.get(uid)) is not None
        }

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

    def _counted(self, by: str) -> Mapping[str, Counter[State]]:
        counts: defaultdict[str, Counter[State]] = defaultdict(Counter)
        tasks = self.tasks
        for name, state in self.states.items():
            counts[getattr(tasks[name], by)][state] += 1
        for uid, number in self._awaited.items():
            key = uid if by == "job" else self.session.jobs[uid].queue
            counts[key][State.PENDING] += number
        return counts


def _tasks(session: FinishedSession) -> Iterator[tuple[str, TaskSeen]]:
    names = _NAMES
    for job in session.jobs.values():
        uid, queue, namespace = job.uid, job.queue, job.namespace
        for task in job.tasks.values():
            seen = TaskSeen(uid, queue, names[task.status_before], names[task.status])
            yield f"{namespace}/{task.name}", seen
    for orphan in session.cluster.orphans:
        task = orphan.task
        status = names[task.status]
        yield f"{task.namespace}/{task.name}", TaskSeen(task.job, orphan.queue, status, status)
