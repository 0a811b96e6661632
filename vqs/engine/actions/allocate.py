"""allocate: give pending tasks nodes, one job of one queue at a time.

Arguments, under the configuration of the action: `predicateErrorCacheEnable` (default true): once a node has refused a
task of a role, it is not asked again for that role in the same try.
Reference: pkg/scheduler/actions/allocate/allocate.go.
"""

from __future__ import annotations

from typing import Final

from vqs.engine.actions import enqueue
from vqs.engine.actions.hyper_nodes import HyperNodeSearch, TierSearch
from vqs.engine.actions.placer import Placer, place_nominated
from vqs.engine.framework.order import PendingTasks, queues_and_jobs
from vqs.engine.framework.session import Session, Statement
from vqs.engine.framework.trace import StatementResult
from vqs.engine.framework.votes import Refusal
from vqs.model.cluster import Queue
from vqs.model.codes import VerdictCode
from vqs.model.job import INQUEUE, Job, SubJob, TaskStatus

NAME = "allocate"
ERROR_CACHE = "predicateErrorCacheEnable"
_STRATEGY: Final = "volcano.sh/dequeue-strategy"
_FIFO: Final = "fifo"
_PRIORITY_FIFO: Final = "priorityfifo"


class Allocate:
    """Serve the queues in turn: each time, try one job, and keep what it got where its gang is or will be complete."""

    def execute(self, session: Session) -> None:
        """Run the action."""
        allocator, strategies = _JobAllocator(session), _DequeueStrategies(session)
        jobs_behind_failed = session.profile.dequeue.jobs_behind_failed
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
            if allocator.gives_up(job):
                continue
            if jobs_behind_failed == "by-strategy" and strategies.blocks(queue, job):
                queues.push(queue)
                continue
            result = allocator.allocate(job, pending[job])
            if jobs_behind_failed == "by-strategy":
                strategies.note(queue, job, result)
            if allocator.comes_again(job, pending[job], result):
                jobs.push(job)
            else:
                done += 1
                session.report_progress(NAME, done, len(pending))
            queues.push(queue)


def _pending_jobs(session: Session) -> dict[Job, PendingTasks]:
    """The jobs that may be tried and have something to try."""
    pending: dict[Job, PendingTasks] = {}
    needs_tree = session.profile.network_topology.hyper_node_search == "gradients"
    for job in session.jobs.values():
        if job.is_pending():
            if enqueue.NAME in session.conf.actions:
                continue
            job.phase = INQUEUE  # no other action would do so
        refusal = session.plugins.job_valid(job)
        if refusal is None and needs_tree and session.topology.fault and job.asks_for_topology:
            refusal = Refusal(VerdictCode.HYPER_NODES_NOT_READY, text=session.topology.fault)
        if refusal is not None:
            session.trace.refuse_job(job.uid, refusal)
            continue
        if job.sub_jobs or job.having(TaskStatus.Pending):
            tasks = PendingTasks(session, job)
            if tasks:
                pending[job] = tasks
    return pending


class _DequeueStrategies:
    """Which jobs of a queue are not tried after one that got no place, where what is proposed is switched on.

    Reference: pull request 4580 of volcano-sh/volcano.
    """

    def __init__(self, session: Session) -> None:
        self._trace = session.trace
        self._failed: dict[str, int] = {}

    def blocks(self, queue: Queue, job: Job) -> bool:
        """True if a job is not tried; that is noted."""
        failed = self._failed.get(queue.name)
        if failed is None or job.priority > failed or (job.priority == failed and _strategy(queue) == _PRIORITY_FIFO):
            return False
        text = f"{_strategy(queue)}, and a job of priority {failed} that was tried before got no place"
        self._trace.refuse_job(job.uid, Refusal(VerdictCode.BEHIND_FAILED_JOB, queue=queue.name, text=text))
        return True

    def note(self, queue: Queue, job: Job, result: StatementResult) -> None:
        """Note what came of a job."""
        if result is not StatementResult.COMMIT and _strategy(queue) in (_FIFO, _PRIORITY_FIFO):
            self._failed[queue.name] = max(job.priority, self._failed.get(queue.name, job.priority))


def _strategy(queue: Queue) -> str:
    """The dequeueStrategy of a queue; for the value that no schema has, the annotation stands."""
    return queue.object.metadata.annotations.get(_STRATEGY, queue.object.spec.dequeue_strategy)


class _JobAllocator:
    """Places the tasks of jobs, one job at a time."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.placer = Placer(session, error_cache=session.conf.action_arguments(NAME).bool(ERROR_CACHE))
        self.search = HyperNodeSearch(session, self.placer)
        self.tiers = TierSearch(session, self.placer)
        self.behaviours = session.profile.network_topology
        self.retries = session.profile.allocate.incomplete_gangs == "tried-again"

    def gives_up(self, job: Job) -> bool:
        """True if a queue is not served any more, as a job of it has a tier limit and there is no HyperNode."""
        topology = self.session.topology
        if not self._walks_tiers(job) or (topology.tiers and not topology.fault):
            return False
        text = topology.fault or "there is none"
        self.session.trace.refuse_job(job.uid, Refusal(VerdictCode.HYPER_NODES_NOT_READY, text=text))
        return True

    def comes_again(self, job: Job, pending: PendingTasks, result: StatementResult) -> bool:
        """True if a job is tried again: it has tasks that were not tried, and that a try would place."""
        if self._walks_tiers(job) or self._chooses_below(job):
            return result is StatementResult.COMMIT and bool(pending)
        # Tasks of sub-groups are none of these where sub-groups are not scheduled.
        return (result is StatementResult.COMMIT or self.retries) and bool(pending.queues.get(job.uid))

    def _walks_tiers(self, job: Job) -> bool:
        return job.has_topology_limit and self.behaviours.hyper_node_search == "tier-by-tier"

    def _chooses_below(self, job: Job) -> bool:
        """True if HyperNodes are chosen for a job or its sub-jobs; if none serves, the next try finds the same."""
        divided = job.has_sub_group_policy and self.behaviours.sub_groups_without_tier_limit == "scheduled"
        return divided or self.session.topology.has_limit(job)

    def allocate(self, job: Job, pending: PendingTasks) -> StatementResult:
        """Place the tasks of a job, until its gang is complete or no task is left to try; tell what came of it."""
        if self._walks_tiers(job):
            return self.tiers.allocate(job, pending)
        if self._chooses_below(job):
            statement = self.search.allocate(job, pending)
            # Without a step, trying again would place nothing either.
            result = self._result(job) if statement.operations else StatementResult.DISCARD
            statement.end(result)
            if result is StatementResult.COMMIT:
                self.search.settle(job)
            return result
        if job.uid not in pending.queues:
            refusal = Refusal(VerdictCode.NO_HYPER_NODE, text="sub-groups without a hard tier limit are not scheduled")
            self.session.trace.refuse_job(job.uid, refusal)
            return StatementResult.DISCARD
        statement = Statement(self.session, job)
        whole, tasks = job.sub_jobs.get(job.uid), pending.queues[job.uid]
        if whole is not None and whole.nominated_hyper_node and place_nominated(statement, whole, tasks):
            result = StatementResult.COMMIT if self.session.plugins.job_ready(job) else StatementResult.KEEP
        else:
            self.placer.place(statement, whole or job, tasks)
            result = self._result(job, whole or job)
        statement.end(result)
        if whole is not None and result is StatementResult.COMMIT:
            whole.nominated_hyper_node = ""
        return result

    def _result(self, job: Job, sub_job: SubJob | Job | None = None) -> StatementResult:
        """Commit where the gang is complete, keep where it will be once resources are released, else discard.

        Where only a sub-job was tried, keep what it has if that is enough for the sub-job.
        """
        plugins = self.session.plugins
        if plugins.job_ready(job):
            return StatementResult.COMMIT
        if sub_job is None or not job.has_sub_group_policy:
            return StatementResult.KEEP if plugins.job_pipelined(job) else StatementResult.DISCARD
        stands = plugins.sub_job_ready(job, sub_job) or plugins.sub_job_pipelined(job, sub_job)
        return StatementResult.KEEP if stands else StatementResult.DISCARD
