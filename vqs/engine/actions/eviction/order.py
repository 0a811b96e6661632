"""Who is served, and who goes first: the jobs in whose favour an action evicts, and the order of their victims.

An action evicts for jobs that are in their queues, could run, and are starving. Of victims, the last to be served are
the first to go. Tasks of one job go against the order of tasks, those of jobs in one queue against the order of jobs;
since v1.15, against the order of tasks where the plugins take the jobs for equal. Those of different queues go as the
plugins order queues to reclaim from, and then against the order of queues. Each eviction may change these orders for
the rest.
Reference: pkg/scheduler/framework/session_plugins.go (BuildVictimsPriorityQueue, VictimQueueOrderFn).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from vqs.engine.framework import points
from vqs.engine.framework.dispatch import AGE_AND_NAME
from vqs.engine.framework.order import LiveQueue, TaskQueue, sort_tasks, task_before
from vqs.engine.framework.points import Key
from vqs.engine.framework.session import Session
from vqs.engine.framework.votes import Refusal
from vqs.model.cluster import Queue
from vqs.model.codes import EvictionCode
from vqs.model.job import Job, Task, TaskStatus
from vqs.model.keys import PREEMPTABLE


class Orders:
    """The orders of jobs and queues as they are now; keys are computed again only where something has changed."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._jobs: dict[str, Key] = {}
        self._queues: dict[str, Key] = {}
        self._tasks: dict[str, Key] = {}
        self._compares_tasks = session.profile.eviction.victims_of_equal_jobs == "task-order"
        session.add_event_handler(self._changed, self._changed)

    def _changed(self, task: Task) -> None:
        self._jobs.pop(task.job, None)
        self._queues.clear()  # the shares of other queues may be part of a key
        if self.session.task_order_is_live:
            self._tasks.clear()

    def job(self, job: Job) -> Key:
        """What jobs are sorted by now."""
        key = self._jobs.get(job.uid)
        if key is None:
            key = self._jobs[job.uid] = self.session.plugins.job_key(job)
        return key

    def queue(self, queue: Queue) -> Key:
        """What queues are sorted by now."""
        key = self._queues.get(queue.name)
        if key is None:
            key = self._queues[queue.name] = self.session.plugins.queue_key(queue)
        return key

    def task(self, task: Task) -> Key:
        """What the plugins sort tasks by now."""
        key = self._tasks.get(task.uid)
        if key is None:
            key = self._tasks[task.uid] = self.session.plugins.task_key(task)
        return key

    def jobs(self, jobs: Iterable[Job] = ()) -> LiveQueue[Job]:
        """Jobs in the order in which they are served."""
        return LiveQueue(lambda left, right: bool(self.job(left) < self.job(right)), jobs)

    def queues(self, queues: Iterable[Queue] = ()) -> LiveQueue[Queue]:
        """Queues in the order in which they are served."""
        return LiveQueue(lambda left, right: bool(self.queue(left) < self.queue(right)), queues)

    def victims(self, victims: Iterable[Task], preemptor: Task) -> LiveQueue[Task]:
        """Victims in the order in which they go."""
        session = self.session
        queue = session.queues[session.jobs[preemptor.job].queue]

        def goes_first(left: Task, right: Task) -> bool:
            if left.job == right.job:
                return not task_before(left, self.task(left), right, self.task(right))
            one, other = session.jobs[left.job], session.jobs[right.job]
            if one.queue == other.queue:
                first, second = self.job(one), self.job(other)
                of_plugins, others = first[:-AGE_AND_NAME], second[:-AGE_AND_NAME]
                if self._compares_tasks and not (of_plugins < others or others < of_plugins):
                    return not task_before(left, self.task(left), right, self.task(right))
                return not first < second
            owners = session.queues[one.queue], session.queues[other.queue]
            first, second = (session.plugins.victim_queue_key(each, queue) for each in owners)
            return bool(first < second) if first != second else not self.queue(owners[0]) < self.queue(owners[1])

        return LiveQueue(goes_first, victims)


def is_preemptable(session: Session, queue: Queue) -> bool:
    """True unless a queue says that its jobs take nothing from one another, and the scheduler looks at that."""
    ignored = session.profile.preempt.queue_preemptable == "ignored"
    return ignored or queue.object.metadata.annotations.get(PREEMPTABLE) != "false"


def considered(session: Session) -> Iterator[Job]:
    """Yield the jobs that are looked at, and note which of them are refused at once."""
    jobs: Iterable[Job] = session.jobs.values()
    for job in jobs if session.tie_breaker is None else session.tie_breaker.in_any_order("jobs", jobs):
        if job.is_pending():
            continue
        refusal = session.plugins.job_valid(job)
        if refusal is None:
            yield job
        else:
            session.trace.note_preemptor(job.uid, refusal)


def starving(session: Session, job: Job) -> bool:
    """True if a job is starving, and note it."""
    is_starving = session.plugins.job_starving(job)
    if is_starving:
        session.trace.note_preemptor(job.uid, None)
    elif not session.plugins.is_answered(points.JOB_STARVING):
        session.trace.note_preemptor(job.uid, Refusal(EvictionCode.NOBODY_STARVES))
    else:
        have = float(job.ready + job.waiting)
        session.trace.note_preemptor(job.uid, Refusal(EvictionCode.NOT_STARVING, need=float(job.total), have=have))
    return is_starving


def waiting_tasks(session: Session, job: Job) -> TaskQueue:
    """The tasks of a job that wait, also those that ask for nothing, in their order."""
    waiting = (task for task in job.having(TaskStatus.Pending).values() if not task.scheduling_gated)
    return sort_tasks(session, waiting)
