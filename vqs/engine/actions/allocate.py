"""allocate: give pending tasks nodes, one job of one queue at a time.

Arguments, under the configuration of the action: `predicateErrorCacheEnable` (default true): once a node has refused a
task of a role, it is not asked again for that role in the same try.
Reference: pkg/scheduler/actions/allocate/allocate.go.
"""

from __future__ import annotations

from collections import Counter

from vqs.engine.actions import enqueue
from vqs.engine.actions.choice import Choice, ErrorCache, best_node, refused_by_all
from vqs.engine.actions.watch import watch
from vqs.engine.node_fit import NodeFit
from vqs.engine.nodes import Masks
from vqs.engine.order import PriorityQueue, TaskQueue, queues_and_jobs, sort_tasks
from vqs.engine.points import Key
from vqs.engine.reasons import FITS, Codes
from vqs.engine.session import Session
from vqs.engine.shortage import Barrier, shortage
from vqs.engine.statement import Statement
from vqs.engine.trace import StatementResult
from vqs.engine.votes import Refusal
from vqs.model.codes import VerdictCode
from vqs.model.job import INQUEUE, FitErrors, Job, SubJob
from vqs.model.task import Task, TaskStatus

NAME = "allocate"
ERROR_CACHE = "predicateErrorCacheEnable"


class Allocate:
    """Serve the queues in turn: each time, try one job, and keep what it got where its gang is or will be complete."""

    def execute(self, session: Session) -> None:
        """Run the action."""
        allocator = _JobAllocator(session)
        pending = _pending_jobs(session)
        queues, jobs_by_queue = queues_and_jobs(session, pending)
        done = 0
        while queues:
            queue = queues.pop()
            refusal = session.plugins.overused(queue)
            if refusal is not None:
                session.trace.refuse_queue(queue.name, refusal)
                continue
            jobs = jobs_by_queue[queue.name]
            if not jobs or not len(session.nodes):
                continue
            job = jobs.pop()
            statement = Statement(session, job)
            allocator.allocate(statement, pending[job])
            result = _result(session, statement)
            statement.end(result)
            if result is StatementResult.COMMIT and pending[job]:
                jobs.push(job)
            else:
                done += 1
                session.report_progress(NAME, done, len(pending))
            queues.push(queue)


def _result(session: Session, statement: Statement) -> StatementResult:
    """Commit where the gang is complete, keep where it will be once resources are released, else discard."""
    job = statement.job
    if job.has_sub_group_policy and not statement.operations:
        return StatementResult.DISCARD  # trying again would place nothing either
    if session.plugins.job_ready(job):
        return StatementResult.COMMIT
    return StatementResult.KEEP if session.plugins.job_pipelined(job) else StatementResult.DISCARD


class PendingTasks:
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


def _pending_jobs(session: Session) -> dict[Job, PendingTasks]:
    """Return the jobs that may be tried and have something to try."""
    pending: dict[Job, PendingTasks] = {}
    for job in session.jobs.values():
        if job.is_pending():
            if enqueue.NAME in session.conf.actions:
                continue
            job.phase = INQUEUE  # no other action would do so
        refusal = session.plugins.job_valid(job)
        if refusal is not None:
            session.trace.refuse_job(job.uid, refusal)
            continue
        tasks = PendingTasks(session, job)
        if tasks:
            pending[job] = tasks
    return pending


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


class _JobAllocator:
    """Places the tasks of jobs, one job at a time."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.error_cache = session.conf.action_arguments(NAME).bool(ERROR_CACHE)

    def allocate(self, statement: Statement, pending: PendingTasks) -> None:
        """Place the tasks of the statement's job, until its gang is complete or no task is left to try."""
        job = statement.job
        if job.has_sub_group_policy:
            self._allocate_sub_jobs(statement, pending)
        else:
            self._allocate_tasks(statement, job, pending.queues[job.uid])

    # --- sub-jobs ----------------------------------------------------------------------------------------------------

    def _allocate_sub_jobs(self, statement: Statement, pending: PendingTasks) -> None:
        """Try the sub-jobs in order until the job is ready; what an incomplete one got is rolled back at once."""
        session, job = self.session, statement.job
        job.forget_fit_errors()
        waiting = PriorityQueue(lambda each: pending.key(session, each), [job.sub_jobs[uid] for uid in pending.queues])
        while waiting:
            sub_job = waiting.pop()
            job.forget_fit_errors(sub_job)
            part = Statement(session, job)
            self._allocate_tasks(part, sub_job, pending.queues[sub_job.uid])
            if not self._is_complete(job, sub_job):
                part.end(StatementResult.DISCARD)
                continue
            if not part.operations:
                continue
            statement.operations += part.operations
            if pending.queues[sub_job.uid]:
                waiting.push(sub_job)
            if session.plugins.job_ready(job):
                break
        pending.queues = {sub_job.uid: pending.queues[sub_job.uid] for sub_job in waiting}

    def _is_complete(self, job: Job, sub_job: SubJob) -> bool:
        plugins = self.session.plugins
        return plugins.sub_job_ready(job, sub_job) or plugins.sub_job_pipelined(job, sub_job)

    # --- tasks -------------------------------------------------------------------------------------------------------

    def _allocate_tasks(self, statement: Statement, sub_job: SubJob | Job, tasks: TaskQueue) -> None:
        """Place tasks one by one until the sub-job is ready, or cannot become so any more."""
        session, job = self.session, statement.job
        queue = session.queues[job.queue]
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
                return
            if self._place(statement, task, choice) and session.plugins.sub_job_ready(job, sub_job):
                return

    def _place(self, statement: Statement, task: Task, choice: Choice) -> bool:
        """Give a task the node that was chosen; tell whether nothing failed."""
        step = statement.allocate if choice.idle else statement.pipeline
        failure = step(task, choice.node)
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
            session.refuse(job, task, _no_node(session, fit), session.fit_errors(codes), codes)
        return choice

    def _nominated(self, task: Task, fit: NodeFit, caches: dict[str, ErrorCache]) -> Choice | None:
        """Return the node that an earlier session chose for a task, if it fits there.

        No other node is asked then, so that the role's error cache learns nothing.
        """
        node = self.session.nodes.index.get(task.nominated_node or "")
        if node is None or fit.codes[node] != FITS:
            return None
        cache = caches.get(task.role)
        if cache is not None and cache.codes[node] != FITS:
            return None
        return Choice(node, 1, bool(fit.idle[node]))

    def _feasible(self, task: Task, fit: NodeFit, caches: dict[str, ErrorCache]) -> tuple[Masks | None, Codes]:
        """Return which nodes count, None where it is those that fit, and the reasons of the others.

        Tasks without a role would all share one error cache, so they have none.
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
        self.session.refuse(job, task, Refusal(VerdictCode.ROLE_FAILED, text=task.role), FitErrors(error=message))


def _no_node(session: Session, fit: NodeFit) -> Refusal:
    """Tell what keeps the task from the closest node: what that lacks, or a predicate."""
    lack = shortage(fit)
    if lack is None:
        return Refusal(VerdictCode.NO_NODE_FITS)
    if isinstance(lack, Barrier):
        return Refusal(VerdictCode.NO_NODE_FITS, node=lack.node, text=", ".join(session.reasons.texts(lack.code)))
    code = VerdictCode.FRAGMENTED if lack.in_total else VerdictCode.NO_NODE_FITS
    if lack.too_large:
        code = VerdictCode.LARGER_THAN_ANY_NODE
    return Refusal(code, resource=lack.resource, need=lack.need, have=lack.have, node=lack.node)
