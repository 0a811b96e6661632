"""reclaim: make room for starving jobs by evicting tasks of other queues, as far as these are reclaimable.

Nodes are not compared: the first one is taken on which what the plugins agree on makes room enough. Up to v1.14, at
least one task is evicted there, even where there is room already. Jobs are served one after the other or, in old
releases, their tasks one at a time: then a queue is not served again once its first job has enough, or may not reclaim.

Arguments, under the configuration of the action: `predicateErrorCacheEnable` (default true): without effect, as each
task has an error cache of its own.
Reference: pkg/scheduler/actions/reclaim/reclaim.go.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from vqs.engine.actions.eviction.order import considered, starving, waiting_tasks
from vqs.engine.actions.eviction.search import Attempt, VictimFinder, VictimPool
from vqs.engine.framework import points
from vqs.engine.framework.order import LiveQueue, TaskQueue
from vqs.engine.framework.session import Session
from vqs.engine.framework.statement import Statement
from vqs.engine.framework.trace import Scope, StatementResult, VictimDecision
from vqs.engine.framework.votes import Refusal
from vqs.model.codes import EvictionCode
from vqs.model.job import Job
from vqs.model.queue import Queue
from vqs.model.resource import Resource
from vqs.model.task import Task, TaskStatus

NAME = "reclaim"


class Reclaim:
    """Go round the queues that hold less than they deserve; in each, serve starving jobs."""

    def execute(self, session: Session) -> None:
        """Run the action."""
        self.session = session
        self.finder = VictimFinder(session, NAME, points.RECLAIMABLE)
        behaviours = session.profile.reclaim
        self.rolls_back = behaviours.reclaim_evictions_in_vain == "rolled-back"
        self.spares_on_roomy_nodes = behaviours.reclaim_from_roomy_nodes == "no-victim"
        self.tasks: dict[str, TaskQueue] = {}
        self.nominates = behaviours.reclaim_unit == "gang"
        self.counts_idle = behaviours.room_after_reclaim == "with-idle"
        queues, starving_jobs = self._collect()
        if behaviours.reclaim_unit == "task":
            self._serve_by_tasks(queues, starving_jobs)
        else:
            self._serve_by_jobs(queues, starving_jobs)

    def _serve_by_jobs(self, queues: LiveQueue[Queue], starving_jobs: Mapping[str, LiveQueue[Job]]) -> None:
        """Serve all jobs of a queue before those of another one."""
        session, total, done = self.session, len(self.tasks), 0
        while queues:
            queue = queues.pop()
            if self._is_overused(queue):
                continue
            jobs = starving_jobs.get(queue.name, ())
            while jobs:
                self._serve(queue, jobs.pop())
                done += 1
                session.report_progress(NAME, done, total)
                if jobs:
                    queues.push(queue)  # it comes again for nothing, but it changes how the queues are laid out

    def _serve_by_tasks(self, queues: LiveQueue[Queue], starving_jobs: Mapping[str, LiveQueue[Job]]) -> None:
        """Serve a task of one job, then the next queue."""
        while queues:
            queue = queues.pop()
            jobs = starving_jobs.get(queue.name)
            if not self._is_overused(queue) and jobs and self._serve_task(queue, jobs):
                queues.push(queue)

    def _serve_task(self, queue: Queue, jobs: LiveQueue[Job]) -> bool:
        """Reclaim for a task of the first job; tell whether the queue comes again."""
        session, job = self.session, jobs.pop()
        tasks = self.tasks[job.uid]
        if not tasks or not session.plugins.job_starving(job):
            return False
        task = tasks.pop()
        search = session.trace.begin_search(task, Scope.OTHER_QUEUES)
        search.refusal = self._refusal(queue, task)
        if search.refusal is not None:
            comes_again = search.refusal.code is EvictionCode.PREEMPTION_POLICY_NEVER
            if comes_again:
                jobs.push(job)
            return comes_again
        statement = Statement(session, job)
        if self._reclaim(Attempt(statement, task, queue, _pool(self.finder, queue), search)):
            jobs.push(job)
        statement.end(StatementResult.COMMIT)
        return True

    def _is_overused(self, queue: Queue) -> bool:
        refusal = self.session.plugins.overused(queue)
        if refusal is not None:
            self.session.trace.exclude_queue(queue.name, refusal)
        return refusal is not None

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

    def _reclaim(self, attempt: Attempt) -> bool:
        """Evict on the first node where that makes room, and promise the task the room; tell whether there is any."""
        finder = self.finder
        finder.reset_error_cache()
        mask = finder.nodes_where_eviction_may_help(attempt) & (attempt.pool.sums[-1] > 0)
        nodes = self.session.shard.in_order(finder.in_scan_order(attempt.task, np.flatnonzero(mask)))
        return any(
            self._settle(attempt, node, decision)
            for node, decision in finder.decisions_on(attempt, nodes)
            if decision.candidates
        )

    def _settle(self, attempt: Attempt, node: int, decision: VictimDecision) -> bool:
        """Take the victims on a node, and promise the task the room; tell whether no other node is to be tried."""
        if self.rolls_back:
            return attempt.on_trial(lambda trial: self._take(trial, node, decision))
        enough, evicted = self._make_room(attempt, node, decision)
        if enough:
            self.finder.pipeline(attempt, node, evicted=evicted)
        return enough

    def _take(self, attempt: Attempt, node: int, decision: VictimDecision) -> bool:
        """Take the victims on a node, and tell whether the task was promised the room."""
        enough, evicted = self._make_room(attempt, node, decision)
        return enough and self.finder.pipeline(attempt, node, evicted=evicted)

    def _make_room(self, attempt: Attempt, node: int, decision: VictimDecision) -> tuple[bool, bool]:
        """Evict on a node until there is room for the task; tell whether there is, and whether to nominate the node."""
        finder, task = self.finder, attempt.task
        fit = finder.future_fit(task)
        victims = finder.orders.victims(decision.victims, task)
        evicted, freed = bool(victims) and not (self.spares_on_roomy_nodes and fit.has_room(node, ())), Resource()
        enough = self.counts_idle
        while evicted and victims:
            victim = victims.pop()
            finder.evict(attempt, victim, decision)
            freed.add(victim.request)
            enough = fit.has_room(node, ()) if self.counts_idle else task.request.less_equal(freed)
            if enough:
                break
        return enough, evicted and self.nominates


def _pool(finder: VictimFinder, queue: Queue) -> VictimPool:
    """Return the running tasks of the other queues that may be reclaimed from."""
    session, name = finder.session, queue.name
    jobs, queues = session.jobs, session.queues

    def allowed(other: Task) -> bool:
        owner = jobs[other.job].queue
        return owner != name and other.status is TaskStatus.Running and queues[owner].reclaimable

    key = (Scope.OTHER_QUEUES.value, name)
    return VictimPool(key, key, allowed, finder.index.sums_outside(name))
