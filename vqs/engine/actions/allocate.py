"""allocate: give pending tasks nodes, one job of one queue at a time.

Arguments, under the configuration of the action: `predicateErrorCacheEnable` (default true): once a node has refused a
task of a role, it is not asked again for that role in the same try.
Reference: pkg/scheduler/actions/allocate/allocate.go.
"""

from __future__ import annotations

from vqs.engine.actions import enqueue
from vqs.engine.actions.hyper_nodes import HyperNodeSearch
from vqs.engine.actions.nomination import place_nominated
from vqs.engine.actions.pending import PendingTasks
from vqs.engine.actions.placer import Placer
from vqs.engine.order import queues_and_jobs
from vqs.engine.session import Session
from vqs.engine.statement import Statement
from vqs.engine.trace import StatementResult
from vqs.engine.votes import Refusal
from vqs.model.codes import VerdictCode
from vqs.model.job import INQUEUE, Job

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
            result = allocator.allocate(job, pending[job])
            if result is StatementResult.COMMIT and pending[job]:
                jobs.push(job)
            else:
                done += 1
                session.report_progress(NAME, done, len(pending))
            queues.push(queue)


def _pending_jobs(session: Session) -> dict[Job, PendingTasks]:
    """Return the jobs that may be tried and have something to try."""
    pending: dict[Job, PendingTasks] = {}
    for job in session.jobs.values():
        if job.is_pending():
            if enqueue.NAME in session.conf.actions:
                continue
            job.phase = INQUEUE  # no other action would do so
        refusal = session.plugins.job_valid(job)
        if refusal is None and session.topology.fault and job.asks_for_topology:
            refusal = Refusal(VerdictCode.HYPER_NODES_NOT_READY, text=session.topology.fault)
        if refusal is not None:
            session.trace.refuse_job(job.uid, refusal)
            continue
        tasks = PendingTasks(session, job)
        if tasks:
            pending[job] = tasks
    return pending


class _JobAllocator:
    """Places the tasks of jobs, one job at a time."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.placer = Placer(session, error_cache=session.conf.action_arguments(NAME).bool(ERROR_CACHE))
        self.search = HyperNodeSearch(session, self.placer)

    def allocate(self, job: Job, pending: PendingTasks) -> StatementResult:
        """Place the tasks of a job, until its gang is complete or no task is left to try; tell what came of it."""
        if job.has_sub_group_policy or job.has_topology_limit:
            return self._in_hyper_nodes(job, pending)
        statement = Statement(self.session, job)
        whole, tasks = job.sub_jobs.get(job.uid), pending.queues[job.uid]
        if whole is not None and whole.nominated_hyper_node and place_nominated(statement, whole, tasks):
            result = StatementResult.COMMIT if self.session.plugins.job_ready(job) else StatementResult.KEEP
        else:
            self.placer.place(statement, whole or job, tasks)
            result = self._result(job)
        statement.end(result)
        if whole is not None and result is StatementResult.COMMIT:
            whole.nominated_hyper_node = ""
        return result

    def _in_hyper_nodes(self, job: Job, pending: PendingTasks) -> StatementResult:
        statement = self.search.allocate(job, pending)
        # Without a step, trying again would place nothing either.
        result = self._result(job) if statement.operations else StatementResult.DISCARD
        statement.end(result)
        if result is StatementResult.COMMIT:
            self.search.settle(job)
        return result

    def _result(self, job: Job) -> StatementResult:
        """Commit where the gang is complete, keep where it will be once resources are released, else discard."""
        if self.session.plugins.job_ready(job):
            return StatementResult.COMMIT
        return StatementResult.KEEP if self.session.plugins.job_pipelined(job) else StatementResult.DISCARD
