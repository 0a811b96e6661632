"""reclaim: make room for starving jobs by evicting tasks of other queues, as far as these are reclaimable.

Nodes are not compared: the first one is taken on which what the plugins agree on makes room enough. Up to v1.14, at
least one task is evicted there, even where there is room already. Jobs are served one after the other or, in old
releases, their tasks one at a time: then a queue is not served again once its first job has enough, or may not reclaim.

Arguments, under the configuration of the action: `predicateErrorCacheEnable` (default true): without effect, as each
task has an error cache of its own.
Reference: pkg/scheduler/actions/reclaim/reclaim.go.
"""

from __future__ import annotations

import numpy as np

from vqs.engine.actions.eviction.order import considered, starving, waiting_tasks
from vqs.engine.actions.eviction.search import EvictionAttempt, VictimFinder, pool_outside_queue
from vqs.engine.framework import points
from vqs.engine.framework.order import LiveQueue, TaskQueue
from vqs.engine.framework.session import Session, Statement
from vqs.engine.framework.trace import Scope, StatementResult, VictimDecision, VictimSearch
from vqs.engine.framework.votes import Refusal
from vqs.model.cluster import Queue
from vqs.model.codes import EvictionCode
from vqs.model.job import Job, Task
from vqs.model.resource import Resource

NAME = "reclaim"


class Reclaim:
    """Go round the queues that hold less than they deserve; in each, serve starving jobs."""

    def execute(self, session: Session) -> None:
        """Run the action: all jobs of a queue before those of another one or, in old releases, task by task."""
        self.session = session
        self.finder = VictimFinder(session, NAME, points.RECLAIMABLE, forgets_errors=True)
        self.behaviours = session.profile.reclaim
        self.tasks: dict[str, TaskQueue] = {}
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
        total, done = len(self.tasks), 0
        while queues:
            queue = queues.pop()
            refusal = session.plugins.overused(queue)
            if refusal is not None:
                session.trace.exclude_queue(queue.name, refusal)
                continue
            jobs = starving_jobs.get(queue.name)
            if self.behaviours.reclaim_unit == "task":
                if jobs and self._serve_task(queue, jobs):
                    queues.push(queue)
                continue
            while jobs:
                self._serve_job(queue, jobs.pop())
                done += 1
                session.report_progress(NAME, done, total)
                if jobs:
                    queues.push(queue)  # it comes again for nothing, but it changes how the queues are laid out

    def _serve_job(self, queue: Queue, job: Job) -> None:
        """Reclaim for the tasks of a job until it starves no more; if its gang stays incomplete, give it all back."""
        session, tasks = self.session, self.tasks[job.uid]
        statement = Statement(session, job)
        while session.plugins.job_starving(job) and tasks:
            task = tasks.pop()
            search = session.trace.begin_search(task, Scope.OTHER_QUEUES)
            search.refusal = self._refusal(queue, task)
            if search.refusal is None:
                self._reclaim(statement, queue, task, search)
        complete = session.plugins.job_pipelined(job)
        statement.end(StatementResult.COMMIT if complete else StatementResult.DISCARD)

    def _serve_task(self, queue: Queue, jobs: LiveQueue[Job]) -> bool:
        """Reclaim for a task of the first job, and commit that; True if the queue comes again."""
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
        if self._reclaim(statement, queue, task, search):
            jobs.push(job)
        statement.end(StatementResult.COMMIT)
        return True

    def _refusal(self, queue: Queue, task: Task) -> Refusal | None:
        """Why nothing is evicted for a task, on whatever node."""
        if task.pod.spec.preemption_policy == "Never":
            return Refusal(EvictionCode.PREEMPTION_POLICY_NEVER)
        return self.session.plugins.preemptive(queue, task.request) or self.session.pre_predicate(task)

    def _reclaim(self, statement: Statement, queue: Queue, task: Task, search: VictimSearch) -> bool:
        """Evict on the first node where that makes room, and promise the task the room; True if there is any."""
        finder = self.finder
        attempt = EvictionAttempt(statement, task, queue, pool_outside_queue(finder, queue), search)
        mask = finder.nodes_where_eviction_may_help(attempt) & (attempt.pool.sums[-1] > 0)
        nodes = self.session.shard.in_order(finder.in_scan_order(task, np.flatnonzero(mask)))
        for node, decision in finder.nodes_with_victims(attempt, nodes):
            if not decision.candidates:
                continue
            if self.behaviours.reclaim_evictions_in_vain == "rolled-back":
                trial = attempt.begin_trial()
                _, promised = self._evict(trial, node, decision)
                done = attempt.end_trial(trial, succeeds=promised)
            else:
                done, _ = self._evict(attempt, node, decision)
            if done:
                return True
        return False

    def _evict(self, attempt: EvictionAttempt, node: int, decision: VictimDecision) -> tuple[bool, bool]:
        """Evict on a node until there is room for the task; whether there is, and whether it was promised the task."""
        finder, task, behaviours = self.finder, attempt.task, self.behaviours
        fit, freed = finder.future_fit(task), Resource()
        victims = finder.orders.victims(decision.victims, task)
        spared = behaviours.reclaim_from_roomy_nodes == "no-victim" and fit.has_room(node, ())
        evicted, counts_idle = bool(victims) and not spared, behaviours.room_after_reclaim == "with-idle"
        enough = counts_idle
        while evicted and victims:
            victim = victims.pop()
            finder.evict(attempt, victim, decision)
            freed.add(victim.request)
            enough = fit.has_room(node, ()) if counts_idle else task.request.less_equal(freed)
            if enough:
                break
        nominates = evicted and behaviours.reclaim_unit == "gang"
        return enough, enough and finder.pipeline(attempt, node, evicted=nominates)
