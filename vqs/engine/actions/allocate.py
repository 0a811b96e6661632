"""allocate: give pending tasks nodes, one job of one queue at a time.

Arguments, under the configuration of the action: `predicateErrorCacheEnable` (default true): once a node has refused a
task of a role, it is not asked again for that role in the same try.
Reference: pkg/scheduler/actions/allocate/allocate.go.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from vqs.engine.actions import enqueue
from vqs.engine.actions.choice import Choice, ErrorCache, best_node, refused_by_all
from vqs.engine.actions.watch import watch
from vqs.engine.order import PriorityQueue, TaskQueue, queues_and_jobs, sort_tasks
from vqs.engine.reasons import FITS
from vqs.engine.shortage import shortage
from vqs.engine.statement import Statement
from vqs.engine.trace import StatementResult
from vqs.engine.votes import Refusal
from vqs.model.job import INQUEUE, FitErrors, Job, SubJob
from vqs.model.task import TaskStatus

if TYPE_CHECKING:
    from vqs.engine.node_fit import NodeFit
    from vqs.engine.nodes import Masks
    from vqs.engine.points import Key
    from vqs.engine.reasons import Codes
    from vqs.engine.session import Session
    from vqs.engine.trace import Operation
    from vqs.model.task import Task

NAME = "allocate"
ERROR_CACHE = "predicateErrorCacheEnable"

ROLE_FAILED = "role-failed"
NO_NODE_FITS = "no-node-fits"
FRAGMENTED = "fragmented"


class Allocate:
    """Go round the queues; in each, try one job; put both back as long as there is something left to try."""

    def execute(self, session: Session) -> None:
        """Run the action."""
        works = _collect(session)
        queues, waiting = queues_and_jobs(session, works)
        attempt = _Attempt(session)
        done = 0
        while queues:
            queue = queues.pop()
            refusal = session.plugins.overused(queue)
            if refusal is not None:
                session.trace.refuse_queue(queue.name, refusal)
                continue
            jobs = waiting[queue.name]
            if not jobs:
                continue
            job = jobs.pop()
            if attempt.place(job, works[job]):
                jobs.push(job)
            else:
                done += 1
                session.report_progress(NAME, done, len(works))
            queues.push(queue)


class Work:
    """The tasks of a job that are still to be tried: in one queue, or in one for each sub-job.

    `needed` names the sub-jobs without which the job cannot reach its minimum; they come first.
    """

    def __init__(self, session: Session, job: Job) -> None:
        tasks = [t for t in job.having(TaskStatus.Pending).values() if not t.scheduling_gated and not t.best_effort]
        by_sub_job: dict[str, list[Task]] = {}
        for task in tasks:
            by_sub_job.setdefault(job.sub_job_uid(task), []).append(task)
        self.queues = {uid: sort_tasks(session, part) for uid, part in by_sub_job.items()}
        self.needed = _needed_sub_jobs(session, job) if job.has_sub_group_policy else set()

    def __bool__(self) -> bool:
        return any(map(len, self.queues.values()))

    def key(self, session: Session, sub_job: SubJob) -> Key:
        """Return what sub-jobs are sorted by."""
        return (sub_job.uid not in self.needed, session.plugins.sub_job_key(sub_job))


def _collect(session: Session) -> dict[Job, Work]:
    """Return the jobs that may be tried and have something to try."""
    works: dict[Job, Work] = {}
    for job in session.jobs.values():
        if job.is_pending():
            if enqueue.NAME in session.conf.actions:
                continue
            job.phase = INQUEUE  # nobody else would let it in
        refusal = session.plugins.job_valid(job)
        if refusal is not None:
            session.trace.refuse_job(job.uid, refusal)
            continue
        work = Work(session, job)
        if work:
            works[job] = work
    return works


def _needed_sub_jobs(session: Session, job: Job) -> set[str]:
    """Return the first unready sub-jobs, as many of each policy as it lacks to its minimum."""
    ready: list[SubJob] = []
    unready: list[SubJob] = []
    for each in job.sub_jobs.values():
        (ready if session.plugins.sub_job_ready(job, each) else unready).append(each)
    counts = Counter(each.group for each in ready)
    needed: set[str] = set()
    for sub_job in sorted(unready, key=session.plugins.sub_job_key):
        if counts[sub_job.group] < job.min_sub_groups.get(sub_job.group, 0):
            needed.add(sub_job.uid)
            counts[sub_job.group] += 1
    return needed


class _Attempt:
    """Tries jobs, one at a time."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.error_cache = session.conf.action_arguments(NAME).bool(ERROR_CACHE, default=True)

    def place(self, job: Job, work: Work) -> bool:
        """Try a job once; tell whether it is worth another try: it got its minimum, and tasks are left."""
        if not len(self.session.nodes):
            return False
        if job.has_sub_group_policy:
            statement = self._place_sub_jobs(job, work)
        else:
            statement = self._place_tasks(job, job, work.queues[job.uid])
        if statement is None:
            return False
        if not self.session.plugins.job_ready(job):
            statement.keep()
            return False
        statement.commit()
        return bool(work)

    # --- sub-jobs ----------------------------------------------------------------------------------------------------

    def _place_sub_jobs(self, job: Job, work: Work) -> Statement | None:
        """Try the sub-jobs in order until the job is ready; all of it takes effect, or nothing."""
        session = self.session
        job.forget_fit_errors()
        trial = {uid: tasks.clone() for uid, tasks in work.queues.items()}
        waiting = PriorityQueue(lambda each: work.key(session, each), [job.sub_jobs[uid] for uid in trial])
        steps: list[Statement] = []
        while waiting:
            sub_job = waiting.pop()
            job.forget_fit_errors(sub_job)
            statement = self._place_tasks(job, sub_job, trial[sub_job.uid])
            if statement is None or not statement.operations:
                continue
            steps.append(statement)
            if trial[sub_job.uid]:
                waiting.push(sub_job)
            if session.plugins.job_ready(job):
                break
        operations = [operation for step in steps for operation in step.operations]
        if not operations or not (session.plugins.job_ready(job) or session.plugins.job_pipelined(job)):
            self._undo(job, steps, operations)
            return None
        work.queues = {sub_job.uid: trial[sub_job.uid] for sub_job in waiting}
        merged = Statement(session, job)
        merged.operations = operations
        return merged

    def _undo(self, job: Job, steps: list[Statement], operations: list[Operation]) -> None:
        for step in reversed(steps):
            step.undo()
        self.session.trace.finish(job.uid, StatementResult.DISCARD, operations)

    # --- tasks -------------------------------------------------------------------------------------------------------

    def _place_tasks(self, job: Job, sub_job: SubJob | Job, tasks: TaskQueue) -> Statement | None:
        """Place tasks one by one until the gang is complete; without a complete gang, place none."""
        session = self.session
        queue = session.queues[job.queue]
        statement = Statement(session, job)
        caches: dict[str, ErrorCache] = {}
        while tasks:
            task = tasks.pop()
            refusal = session.plugins.allocatable(queue, task)
            if refusal is not None:
                session.trace.refuse_task(task, refusal)
                continue
            if job.role_has_failed(task):
                self._refuse_role(job, task)
                continue
            choice = self._choose(job, task, caches)
            if choice is None:
                if job.may_continue(sub_job):
                    continue
                break
            if self._place(statement, task, choice) and session.plugins.sub_job_ready(job, sub_job):
                break
        if session.plugins.sub_job_ready(job, sub_job) or session.plugins.sub_job_pipelined(job, sub_job):
            return statement
        statement.discard()
        return None

    def _place(self, statement: Statement, task: Task, choice: Choice) -> bool:
        """Give a task the node that was chosen; tell whether nothing failed."""
        step = statement.allocate if choice.idle else statement.pipeline
        failure = step(task, choice.column)
        if failure is not None:
            self.session.trace.refuse_task(task, failure)
            return False
        self.session.trace.place(task, choice.ties)
        return True

    def _choose(self, job: Job, task: Task, caches: dict[str, ErrorCache]) -> Choice | None:
        """Choose a node for a task, or note why there is none."""
        session = self.session
        if refused_by_all(session, job, task):
            return None
        fit = session.fit(task)
        codes = fit.codes
        choice = self._nominated(task, fit, caches)
        if choice is None:
            feasible, codes = self._feasible(task, fit, caches)
            choice = best_node(session, fit, feasible)
        watch(session, task, fit, codes, choice)
        if choice is None:
            session.refuse(job, task, _no_node(fit), session.fit_errors(codes), codes)
        return choice

    def _nominated(self, task: Task, fit: NodeFit, caches: dict[str, ErrorCache]) -> Choice | None:
        """Return the node that an earlier session chose for a task, if it fits there.

        No other node is asked then, so that the role's memory of errors learns nothing.
        """
        column = self.session.nodes.column.get(task.nominated_node or "")
        if column is None or fit.codes[column] != FITS:
            return None
        cache = caches.get(task.role)
        if cache is not None and cache.codes[column] != FITS:
            return None
        return Choice(column, 1, bool(fit.idle[column]))

    def _feasible(self, task: Task, fit: NodeFit, caches: dict[str, ErrorCache]) -> tuple[Masks | None, Codes]:
        """Return which nodes count, None where it is those that fit, and the reasons of the others.

        Tasks without a role would all share one memory of errors, so they have none.
        """
        if not self.error_cache or not task.role:
            return None, fit.codes
        cache = caches.get(task.role)
        if cache is None:
            cache = caches[task.role] = ErrorCache(fit)
        elif cache.remember(fit):
            return cache.codes == FITS, cache.codes
        return None, cache.codes

    def _refuse_role(self, job: Job, task: Task) -> None:
        message = f"Task {task.name} with role spec {task.role} has already predicated failed, skip"
        self.session.refuse(job, task, Refusal(ROLE_FAILED, text=task.role), FitErrors(error=message))


def _no_node(fit: NodeFit) -> Refusal:
    """Tell what the closest node lacks, and whether it is only that the room is in pieces."""
    lack = shortage(fit)
    if lack is None:
        return Refusal(NO_NODE_FITS)
    code = FRAGMENTED if lack.in_total else NO_NODE_FITS
    return Refusal(code, resource=lack.resource, need=lack.need, have=lack.have, node=lack.node)
