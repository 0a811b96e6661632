"""reclaim: make room for starving jobs by evicting tasks of other queues, as far as these are reclaimable.

Nodes are not compared: the first one is taken on which what the plugins agree on makes room enough. Up to v1.14, at
least one task is evicted there, even where there is room already.

Arguments, under the configuration of the action: `predicateErrorCacheEnable` (default true): without effect, as each
task has an error cache of its own.
Reference: pkg/scheduler/actions/reclaim/reclaim.go.
"""

from __future__ import annotations

import numpy as np

from vqs.engine import points
from vqs.engine.eviction.finder import Attempt, VictimFinder, VictimPool
from vqs.engine.eviction.starving import considered, starving, waiting_tasks
from vqs.engine.order import LiveQueue, TaskQueue
from vqs.engine.session import Session
from vqs.engine.statement import Statement
from vqs.engine.trace import Scope, StatementResult, VictimDecision
from vqs.engine.votes import Refusal
from vqs.model.codes import EvictionCode
from vqs.model.job import Job
from vqs.model.queue import Queue
from vqs.model.task import Task, TaskStatus

NAME = "reclaim"


class Reclaim:
    """Go round the queues that hold less than they deserve; in each, serve one starving job after the other."""

    def execute(self, session: Session) -> None:
        """Run the action."""
        self.session = session
        self.finder = VictimFinder(session, NAME, points.RECLAIMABLE)
        behaviours = session.profile.eviction
        self.rolls_back = behaviours.reclaim_evictions_in_vain == "rolled-back"
        self.spares_on_roomy_nodes = behaviours.reclaim_from_roomy_nodes == "no-victim"
        self.tasks: dict[str, TaskQueue] = {}
        queues, starving_jobs = self._collect()
        total, done = len(self.tasks), 0
        while queues:
            queue = queues.pop()
            refusal = session.plugins.overused(queue)
            if refusal is not None:
                session.trace.exclude_queue(queue.name, refusal)
                continue
            jobs = starving_jobs.get(queue.name, ())
            while jobs:
                self._serve(queue, jobs.pop())
                done += 1
                session.report_progress(NAME, done, total)
                if jobs:
                    queues.push(queue)  # it comes again for nothing, but it changes how the queues are laid out

    def _collect(self) -> tuple[LiveQueue[Queue], dict[str, LiveQueue[Job]]]:
        """Return the queues with jobs, and their starving jobs."""
        session, orders = self.session, self.finder.orders
        queues = orders.queues()
        seen: set[str] = set()
        starving_jobs: dict[str, LiveQueue[Job]] = {}
        for job in considered(session):
            if job.queue not in seen:
                seen.add(job.queue)
                queues.push(session.queues[job.queue])
            if starving(session, job):
                starving_jobs.setdefault(job.queue, orders.jobs()).push(job)
                self.tasks[job.uid] = waiting_tasks(session, job)
        return queues, starving_jobs

    def _serve(self, queue: Queue, job: Job) -> None:
        """Reclaim for the tasks of a job until it starves no more; if its gang stays incomplete, give it all back."""
        session = self.session
        statement = Statement(session, job)
        tasks = self.tasks[job.uid]
        while session.plugins.job_starving(job) and tasks:
            task = tasks.pop()
            search = session.trace.begin_search(task, Scope.OTHER_QUEUES)
            search.refusal = self._refusal(queue, task)
            if search.refusal is None:
                self._reclaim(Attempt(statement, task, queue, _pool(self.finder, queue), search))
        complete = session.plugins.job_pipelined(job)
        statement.end(StatementResult.COMMIT if complete else StatementResult.DISCARD)

    def _refusal(self, queue: Queue, task: Task) -> Refusal | None:
        """Return why nothing is evicted for a task, on whatever node."""
        if task.pod.spec.preemption_policy == "Never":
            return Refusal(EvictionCode.PREEMPTION_POLICY_NEVER)
        return self.session.plugins.preemptive(queue, task.request) or self.session.pre_predicate(task)

    def _reclaim(self, attempt: Attempt) -> None:
        """Evict on the first node where that makes room, and promise the task the room."""
        finder = self.finder
        finder.reset_error_cache()
        mask = finder.nodes_where_eviction_may_help(attempt) & (attempt.pool.sums[-1] > 0)
        nodes = self.session.shard.in_order(finder.in_scan_order(attempt.task, np.flatnonzero(mask)))
        for node, decision in finder.decisions_on(attempt, nodes):
            if decision.candidates and self._settle(attempt, node, decision):
                return

    def _settle(self, attempt: Attempt, node: int, decision: VictimDecision) -> bool:
        """Take the victims on a node; tell whether no other node is to be tried."""
        if self.rolls_back:
            return attempt.on_trial(lambda trial: self._take(trial, node, decision))
        self._take(attempt, node, decision)
        return True

    def _take(self, attempt: Attempt, node: int, decision: VictimDecision) -> bool:
        """Evict on a node until the task fits there, and tell whether it was promised the room."""
        finder = self.finder
        fit = finder.future_fit(attempt.task)
        victims = finder.orders.victims(decision.victims, attempt.task)
        evicted = bool(victims) and not (self.spares_on_roomy_nodes and fit.has_room(node, ()))
        while evicted and victims:
            finder.evict(attempt, victims.pop(), decision)
            if fit.has_room(node, ()):
                break
        return finder.pipeline(attempt, node, evicted=evicted)


def _pool(finder: VictimFinder, queue: Queue) -> VictimPool:
    """Return the running tasks of the other queues that may be reclaimed from."""
    session, name = finder.session, queue.name
    jobs, queues = session.jobs, session.queues

    def allowed(other: Task) -> bool:
        owner = jobs[other.job].queue
        return owner != name and other.status is TaskStatus.Running and queues[owner].reclaimable

    key = (Scope.OTHER_QUEUES, name)
    return VictimPool(key, key, allowed, finder.index.sums_outside(name))
