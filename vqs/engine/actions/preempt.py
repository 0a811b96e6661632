"""preempt: make room for starving jobs by evicting tasks of their own queue, and of the jobs themselves.

For each queue, first come the starving jobs: a job takes from other jobs of the queue, one task after the other, until
it starves no more; where its gang would be complete then, that stands, else all of it is rolled back. Then tasks of one
job take from each other, each for itself.

A task tries the nodes in the order of their scores. On each, as few victims are evicted as it takes to make room on the
node and in the queue. Up to v1.14, what was evicted where that did not help stays evicted, if the statement stands.

Arguments, under the configuration of the action: `predicateErrorCacheEnable` (default true): a node that has refused a
task of a role is not asked for that role again. `enableTopologyAwarePreemption` (default false): nodes are not scored;
evictions are tried out first: on a node, victims are taken away until the task fits, and put back one by one as long as
it does. That is done on as many nodes as it takes to find `minCandidateNodesPercentage` (default 10) of 100 of them as
candidates, but no fewer than `minCandidateNodesAbsolute` (default 1) and no more than `maxCandidateNodesAbsolute`
(default 100); the one whose victims matter least is taken. `topologyAwarePreemptWorkerNum` (default 16) has no effect
on the outcome, but that below 1 no candidates are looked for.
Reference: pkg/scheduler/actions/preempt/preempt.go.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from vqs.engine.actions.eviction import dry_run
from vqs.engine.actions.eviction.dry_run import Candidate, DryRun, Limits
from vqs.engine.actions.eviction.order import considered, starving, waiting_tasks
from vqs.engine.actions.eviction.search import Attempt, VictimFinder, pool_in_job, pool_in_queue
from vqs.engine.framework import points
from vqs.engine.framework.order import LiveQueue, TaskQueue
from vqs.engine.framework.session import Session
from vqs.engine.framework.statement import Statement
from vqs.engine.framework.trace import Scope, StatementResult, VictimDecision
from vqs.engine.framework.votes import Refusal
from vqs.engine.nodes.reasons import FITS
from vqs.engine.nodes.table import Integers, Masks
from vqs.model.codes import EvictionCode
from vqs.model.job import Job
from vqs.model.kubernetes import Pod
from vqs.model.queue import Queue
from vqs.model.task import COMPLETED_STATUSES, Task

NAME = "preempt"


DISRUPTION_TARGET = "DisruptionTarget"
BY_SCHEDULER = "PreemptionByScheduler"


class Preempt:
    """Go round the queues; in each, serve its starving jobs, then the tasks within them."""

    def execute(self, session: Session) -> None:
        """Run the action."""
        self.session = session
        self.finder = VictimFinder(session, NAME, points.PREEMPTABLE)
        arguments = session.conf.action_arguments(NAME)
        self.topology_aware = arguments.bool(dry_run.ENABLED)
        self.limits = Limits.of(arguments)
        self.behaviours = session.profile.preempt
        self.rolls_back = self.behaviours.preempt_evictions_in_vain == "rolled-back"
        self.always_commits = self.behaviours.preempt_within_job == "always-committed"
        self.tasks: dict[str, TaskQueue] = {}
        self.queues: dict[str, None] = {}
        self.starving_jobs: defaultdict[str, list[Job]] = defaultdict(list)
        self.on_nodes = _pods_on_nodes(session)
        waiting = self._collect()
        self.total, self.done = len(self.tasks), 0
        for queue in self._queues_in_turn(waiting):
            if queue.name in waiting:
                self._between_jobs(queue, waiting[queue.name])
            for job in self._after(queue):
                self._within(session.queues[job.queue], job)

    def _queues_in_turn(self, waiting: Mapping[str, LiveQueue[Job]]) -> Iterator[Queue]:
        """Yield the queues that are served, one after the other; by name where any order would do."""
        session = self.session
        if self.behaviours.preempt_queue_order == "any":
            breaker = session.tie_breaker
            names = sorted(self.queues)
            yield from (session.queues[name] for name in (breaker.in_any_order(NAME, names) if breaker else names))
            return
        queues = self.finder.orders.queues(session.queues[name] for name in waiting)
        while queues:
            yield queues.pop()

    def _after(self, queue: Queue) -> Sequence[Job]:
        """Return the jobs whose tasks take from each other after a queue was served."""
        if self.behaviours.intra_job_preemption == "after-own-queue":
            return self.starving_jobs[queue.name]
        return [self.session.jobs[uid] for uid in self.tasks]

    def _collect(self) -> dict[str, LiveQueue[Job]]:
        """Return the starving jobs by queue."""
        session = self.session
        waiting: dict[str, LiveQueue[Job]] = {}
        leaves_out = self.behaviours.preemptors_with_network_topology == "left-out"
        for job in considered(session):
            self.queues[job.queue] = None
            if not starving(session, job):
                continue
            if leaves_out and _has_topology(job):
                session.trace.note_preemptor(job.uid, Refusal(EvictionCode.JOB_WITH_NETWORK_TOPOLOGY))
                continue
            waiting.setdefault(job.queue, self.finder.orders.jobs()).push(job)
            self.starving_jobs[job.queue].append(job)
            self.tasks[job.uid] = waiting_tasks(session, job)
        return waiting

    # --- between jobs, and within one ---------------------------------------------------------------------------------

    def _between_jobs(self, queue: Queue, jobs: LiveQueue[Job]) -> None:
        """Serve the starving jobs of a queue; one that got something comes again."""
        session = self.session
        while jobs:
            job = jobs.pop()
            statement = Statement(session, job)
            tasks = self.tasks[job.uid]
            assigned = False
            while session.plugins.job_starving(job) and tasks:
                task = tasks.pop()
                search = session.trace.begin_search(task, Scope.QUEUE)
                pool = pool_in_queue(self.finder, task, job)
                assigned = self._preempt(Attempt(statement, task, queue, pool, search))
            complete = session.plugins.job_pipelined(job)
            statement.end(StatementResult.COMMIT if complete else StatementResult.DISCARD)
            if complete and assigned:
                jobs.push(job)
            else:
                self.done += 1
                session.report_progress(NAME, self.done, self.total)

    def _within(self, queue: Queue, job: Job) -> None:
        """Let the tasks of a job take from each other, until one of them gets nothing."""
        session = self.session
        tasks = waiting_tasks(session, job)
        if self.behaviours.intra_job_preemption == "after-every-queue":
            self.tasks[job.uid] = tasks  # the job's own queue may still have to be served, with what is left of them
        assigned = True
        while assigned and tasks:
            task = tasks.pop()
            statement = Statement(session, job)
            search = session.trace.begin_search(task, Scope.JOB)
            pool = pool_in_job(self.finder, task, job)
            assigned = self._preempt(Attempt(statement, task, queue, pool, search))
            stands = assigned or self.always_commits
            statement.end(StatementResult.COMMIT if stands else StatementResult.DISCARD)

    def _preempt(self, attempt: Attempt) -> bool:
        """Look for room for a task; tell whether there is some."""
        attempt.search.refusal = self._refusal(attempt.task)
        if attempt.search.refusal is not None:
            return False
        mask = self.finder.nodes_where_eviction_may_help(attempt)
        # In soft sharding mode, what was evicted in the shard in vain stays evicted when the other nodes are tried.
        groups = self.session.shard.preferred(self.finder.potential)
        return any(self._preempt_on(attempt, mask & group, group) for group in groups)

    def _preempt_on(self, attempt: Attempt, mask: Masks, group: Masks) -> bool:
        """Look for room on those nodes of a group where evictions may help; tell whether there is some."""
        if self.topology_aware:
            return self._take_best(attempt, mask, int(np.count_nonzero(group)))
        nodes = self._in_order(attempt.task, mask, group)
        allocatable, queue, task = self.session.plugins.allocatable, attempt.queue, attempt.task
        decisions = self.finder.decisions_on(attempt, nodes, room_helps=lambda: allocatable(queue, task) is None)
        return any(self._try(attempt, node, decision) for node, decision in decisions)

    def _in_order(self, task: Task, mask: Masks, group: Masks) -> Integers:
        """Return some nodes, best first. They are compared with all nodes of their group."""
        potential = np.flatnonzero(group)
        for listener in self.session.score_listeners:
            listener(task, potential)
        nodes = np.flatnonzero(mask)
        if not len(nodes):
            return nodes
        fit = self.session.fit(task)
        fit.score(nodes)
        if not (fit.batch or self.session.remembered_scores) and fit.scores[nodes].max() > -np.inf:
            nodes = self.finder.in_scan_order(task, nodes)
            return nodes[np.argsort(-fit.scores[nodes], kind="stable")]
        totals = np.zeros(len(mask))
        fit.score(potential)
        totals[potential] = fit.totals(potential)
        for remembered in self.session.remembered_scores:
            totals[potential] += remembered(self.session.classes.of(task), potential)
        if totals[potential].max() == -np.inf:
            return potential[:0]
        nodes = self.finder.in_scan_order(task, nodes)
        return nodes[np.argsort(-totals[nodes], kind="stable")]

    def _try(self, attempt: Attempt, node: int, decision: VictimDecision) -> bool:
        """Evict on a node until the task fits there and into its queue; tell whether it does in the end."""
        if not self.rolls_back:
            return self._evict_for(attempt, node, decision) is not None
        return attempt.on_trial(lambda trial: self._evict_for(trial, node, decision) is True)

    def _evict_for(self, attempt: Attempt, node: int, decision: VictimDecision) -> bool | None:
        """Evict likewise; tell whether the task was promised the room, None where it does not fit."""
        finder, task = self.finder, attempt.task
        fit = finder.future_fit(task)
        victims = finder.orders.victims(decision.victims, task)
        evicted = False
        while True:
            fits = self.session.plugins.allocatable(attempt.queue, task) is None and fit.has_room(node, ())
            if fits or not victims:
                break
            victim = victims.pop()
            finder.evict(attempt, victim, decision)
            evicted |= not victim.best_effort
        return finder.pipeline(attempt, node, evicted=evicted) if fits else None

    # --- the topology-aware way ---------------------------------------------------------------------------------------

    def _take_best(self, attempt: Attempt, mask: Masks, number: int) -> bool:
        """Try out nodes until there are candidates enough; evict on the best, and promise the task the room.

        How many candidates are enough depends on the number of nodes that are open to the task.
        """
        trial = DryRun(self.finder, attempt)
        attempt.search.refusal = self.session.plugins.simulate_remove_task()
        if attempt.search.refusal is not None:
            return False
        candidates: list[Candidate] = []
        enough = self.limits.enough(number)
        for node, decision in (
            self.finder.decisions_on(attempt, self._from_anywhere(attempt.task, mask)) if enough else ()
        ):
            candidate = trial.candidate(node, decision)
            if candidate is not None:
                candidates.append(candidate)
            if len(candidates) >= enough:
                break
        if not candidates:
            return False
        equals = dry_run.best(sorted(candidates, key=lambda each: each.node), self.session.options.now.timestamp())
        best = equals[0] if self.session.tie_breaker is None else self.session.tie_breaker.pick(equals)
        if self.rolls_back:
            return attempt.on_trial(lambda trial: self._take(trial, best))
        self._take(attempt, best)
        return True

    def _take(self, attempt: Attempt, candidate: Candidate) -> bool:
        """Evict the victims of a candidate; tell whether the task was promised the room."""
        for victim in candidate.victims:
            self.finder.evict(attempt, victim, candidate.decision)
        return self.finder.pipeline(attempt, candidate.node, evicted=True)

    def _from_anywhere(self, task: Task, mask: Masks) -> Integers:
        """Return the nodes of a mask as they are walked, beginning anywhere, and with no seed at the first."""
        nodes, tie_breaker = self.finder.in_scan_order(task, np.flatnonzero(mask)), self.session.tie_breaker
        return nodes if tie_breaker is None else tie_breaker.from_anywhere(nodes)

    # --- who may preempt ----------------------------------------------------------------------------------------------

    def _refusal(self, task: Task) -> Refusal | None:
        """Return why nothing is evicted for a task, on whatever node."""
        if task.pod.spec.preemption_policy == "Never":
            return Refusal(EvictionCode.PREEMPTION_POLICY_NEVER)
        refusal = self._nominated(task) if task.nominated_node else None
        return refusal or self.session.pre_predicate(task)

    def _nominated(self, task: Task) -> Refusal | None:
        """Return why a task that an earlier session chose a node for does not preempt again.

        It does only where no eviction will ever open that node, or where the node is not open and nothing on it is on
        its way out in its favour. A task that no earlier action of the session has looked at takes it for not open, as
        the reference asks a predicate then that is not prepared; of reasons, it comes to those alone then that are seen
        in the node's description.
        """
        name = task.nominated_node or ""
        node = self.session.nodes.index.get(name)
        if node is None:
            return Refusal(EvictionCode.NOMINATED_NODE_MISSING, node=name)
        codes = self.finder.potential_nodes.codes(task, np.array([node]))
        fails = self.session.needs_pre_predicate and task.uid not in self.session.pre_predicated
        if codes[0] == FITS and not fails:
            return Refusal(EvictionCode.NOMINATED_NODE_OPEN, node=name)
        if self.session.reasons.unresolvable(codes)[0] and (
            not fails or self.session.reasons.is_described(int(codes[0]))
        ):
            return None
        priority = task.pod.spec.priority or 0
        leaving = (pod for pod in self.on_nodes.get(name, ()) if _is_leaving(pod))
        if any((pod.spec.priority or 0) < priority for pod in leaving):
            return Refusal(EvictionCode.NOMINATED_NODE_BEING_EMPTIED, node=name)
        return None


def _has_topology(job: Job) -> bool:
    """Tell whether a job, or a part of it, asks for nodes that are near to each other."""
    spec = job.pod_group.spec
    return spec.network_topology is not None or any(each.network_topology for each in spec.sub_group_policy)


def _pods_on_nodes(session: Session) -> dict[str, list[Pod]]:
    """Return the pods that are being deleted and have not ended, by node."""
    parts = [*(job.tasks.values() for job in session.jobs.values()), session.cluster.other_tasks]
    leaving = [task for tasks in parts for task in tasks if task.pod.metadata.deletion_timestamp is not None]
    pods: defaultdict[str, list[Pod]] = defaultdict(list)
    for task in leaving:
        if task.node and task.status not in COMPLETED_STATUSES:
            pods[task.node].append(task.pod)
    return pods


def _is_leaving(pod: Pod) -> bool:
    """Tell whether a scheduler has evicted a pod that is not gone yet."""
    if pod.metadata.deletion_timestamp is None:
        return False
    target = next((each for each in pod.status.conditions if each.type == DISRUPTION_TARGET), None)
    return target is not None and target.status == "True" and target.reason == BY_SCHEDULER
