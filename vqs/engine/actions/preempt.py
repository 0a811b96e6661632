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
on the outcome, but that below 1 no candidates are looked for. These five exist from v1.13 on.
Reference: pkg/scheduler/actions/preempt/preempt.go.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from vqs.config.known_arguments import Arguments
from vqs.engine.actions.eviction.order import considered, is_preemptable, starving, waiting_tasks
from vqs.engine.actions.eviction.search import EvictionAttempt, VictimFinder, pool_in_job, pool_in_queue
from vqs.engine.framework import points
from vqs.engine.framework.order import LiveQueue, TaskQueue
from vqs.engine.framework.session import Session, Statement
from vqs.engine.framework.trace import Scope, StatementResult, VictimDecision
from vqs.engine.framework.votes import Refusal
from vqs.engine.nodes.reasons import FITS
from vqs.engine.nodes.table import Integers, Masks
from vqs.model.cluster import Queue
from vqs.model.codes import EvictionCode
from vqs.model.job import COMPLETED_STATUSES, Job, Task
from vqs.model.kubernetes import Pod
from vqs.model.resource import Resource

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
        self.limits = Limits.of(arguments)
        self.behaviours = session.profile.preempt
        is_known = self.behaviours.topology_aware_preemption != "unknown"
        self.topology_aware = is_known and arguments.bool("enableTopologyAwarePreemption")
        self.rolls_back = self.behaviours.preempt_evictions_in_vain == "rolled-back"
        self.tasks: dict[str, TaskQueue] = {}
        self.queues: dict[str, None] = {}
        self.starving_jobs: defaultdict[str, list[Job]] = defaultdict(list)
        # The pods on each node that leave it for preemptors of earlier sessions.
        parts = [*(job.tasks.values() for job in self.session.jobs.values()), self.session.cluster.other_tasks]
        leaving = [task for tasks in parts for task in tasks if task.pod.metadata.deletion_timestamp is not None]
        self.on_nodes: dict[str, list[Pod]] = {}
        for task in leaving:
            target = next((each for each in task.pod.status.conditions if each.type == DISRUPTION_TARGET), None)
            evicted = target is not None and target.status == "True" and target.reason == BY_SCHEDULER
            if task.node and task.status not in COMPLETED_STATUSES and evicted:
                self.on_nodes.setdefault(task.node, []).append(task.pod)
        waiting = self._collect()
        self.total, self.done = len(self.tasks), 0
        for queue in filter(partial(is_preemptable, session), self._queues_in_turn(waiting)):
            if queue.name in waiting:
                self._between_jobs(queue, waiting[queue.name])
            if self.behaviours.intra_job_preemption == "after-own-queue":
                jobs = self.starving_jobs[queue.name]
            else:
                jobs = [session.jobs[uid] for uid in self.tasks]
            for job in jobs:
                self._within(session.queues[job.queue], job)

    def _queues_in_turn(self, waiting: Mapping[str, LiveQueue[Job]]) -> Iterator[Queue]:
        """The queues that are served, one after the other; by name where any order would do."""
        session = self.session
        if self.behaviours.preempt_queue_order == "any":
            breaker = session.tie_breaker
            names = sorted(self.queues)
            yield from (session.queues[name] for name in (breaker.in_any_order(NAME, names) if breaker else names))
            return
        queues = self.finder.orders.queues(session.queues[name] for name in waiting)
        while queues:
            yield queues.pop()

    def _collect(self) -> dict[str, LiveQueue[Job]]:
        """The starving jobs by queue."""
        session = self.session
        waiting: dict[str, LiveQueue[Job]] = {}
        leaves_out = self.behaviours.preemptors_with_network_topology == "left-out"
        for job in considered(session):
            self.queues[job.queue] = None
            if not starving(session, job):
                continue
            spec = job.pod_group.spec
            topologies = [spec.network_topology, *(each.network_topology for each in spec.sub_group_policy)]
            if leaves_out and any(topologies):
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
                assigned = self._preempt(EvictionAttempt(statement, task, queue, pool, search))
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
            assigned = self._preempt(EvictionAttempt(statement, task, queue, pool, search))
            stands = assigned or self.behaviours.preempt_within_job == "always-committed"
            statement.end(StatementResult.COMMIT if stands else StatementResult.DISCARD)

    # --- one task -----------------------------------------------------------------------------------------------------

    def _preempt(self, attempt: EvictionAttempt) -> bool:
        """Look for room for a task; True if there is some."""
        attempt.search.refusal = self._refusal(attempt.task)
        if attempt.search.refusal is not None:
            return False
        mask = self.finder.nodes_where_eviction_may_help(attempt)
        preempt_on = self._preempt_on_best if self.topology_aware else self._preempt_on_first
        # In soft sharding mode, what was evicted in the shard in vain stays evicted when the other nodes are tried.
        groups = self.session.shard.preferred(self.finder.potential)
        return any(preempt_on(attempt, mask & group, group) for group in groups)

    def _preempt_on_first(self, attempt: EvictionAttempt, mask: Masks, group: Masks) -> bool:
        """Evict on the first node of a mask, best first, where that makes room; True if there is such a node."""
        nodes = self._in_order(attempt.task, mask, group)
        allocatable, queue, task = self.session.plugins.allocatable, attempt.queue, attempt.task
        for node, decision in self.finder.nodes_with_victims(
            attempt, nodes, room_helps=lambda: allocatable(queue, task) is None
        ):
            if self.rolls_back:
                trial = attempt.begin_trial()
                done = attempt.end_trial(trial, succeeds=self._evict(trial, node, decision) is True)
            else:
                done = self._evict(attempt, node, decision) is not None
            if done:
                return True
        return False

    def _evict(self, attempt: EvictionAttempt, node: int, decision: VictimDecision) -> bool | None:
        """Evict on a node until the task fits there and into its queue.

        Returns:
            Whether the task was promised the room; None where it does not fit.
        """
        finder, task = self.finder, attempt.task
        fit = finder.future_fit(task)
        victims = finder.orders.victims(decision.victims, task)
        evicted = False
        while True:
            fits = self.session.plugins.allocatable(attempt.queue, task) is None and fit.has_room(node, ())
            if fits and self.behaviours.evictions_end == "with-predicates":
                fits = self.finder.potential_nodes.codes(task, np.array([node]))[0] == FITS
            if fits or not victims:
                break
            victim = victims.pop()
            finder.evict(attempt, victim, decision)
            evicted |= not victim.best_effort
        return finder.pipeline(attempt, node, evicted=evicted) if fits else None

    def _in_order(self, task: Task, mask: Masks, group: Masks) -> Integers:
        """The nodes of a mask, best first. They are compared with all nodes of their group."""
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

    def _preempt_on_best(self, attempt: EvictionAttempt, mask: Masks, group: Masks) -> bool:
        """Try out the nodes of a mask, from anywhere on, until there are candidates enough; evict on the best.

        How many candidates are enough depends on the number of nodes that are open to the task.
        """
        finder, breaker = self.finder, self.session.tie_breaker
        attempt.search.refusal = self.session.plugins.simulate_remove_task()
        enough = self.limits.enough(int(np.count_nonzero(group)))
        if attempt.search.refusal is not None or not enough:
            return False
        nodes = finder.in_scan_order(attempt.task, np.flatnonzero(mask))
        candidates: list[Candidate] = []
        for node, decision in finder.nodes_with_victims(attempt, breaker.from_anywhere(nodes) if breaker else nodes):
            candidate = dry_run(finder, attempt, node, decision)
            if candidate is not None:
                candidates.append(candidate)
            if len(candidates) >= enough:
                break
        if not candidates:
            return False
        equals = best(sorted(candidates, key=lambda each: each.node), self.session.options.now.timestamp())
        chosen = breaker.pick(equals) if breaker else equals[0]
        trial = attempt.begin_trial() if self.rolls_back else attempt
        for victim in chosen.victims:
            finder.evict(trial, victim, chosen.decision)
        promised = finder.pipeline(trial, chosen.node, evicted=True)
        return attempt.end_trial(trial, succeeds=promised) if self.rolls_back else True

    # --- who may preempt ----------------------------------------------------------------------------------------------

    def _refusal(self, task: Task) -> Refusal | None:
        """Why nothing is evicted for a task, on whatever node.

        A task that an earlier session chose a node for preempts again only where no eviction will ever open that node,
        or where the node is not open and nothing on it is on its way out in its favour. A task that no earlier action
        of the session has looked at takes it for not open, as the reference asks a predicate then that is not prepared;
        of reasons, it comes to those alone then that are seen in the node's description.
        """
        if task.pod.spec.preemption_policy == "Never":
            return Refusal(EvictionCode.PREEMPTION_POLICY_NEVER)
        session, name = self.session, task.nominated_node
        if not name or self.behaviours.nominated_preemptors == "served":
            return session.pre_predicate(task)
        node = session.nodes.index.get(name)
        if node is None:
            return Refusal(EvictionCode.NOMINATED_NODE_MISSING, node=name)
        codes = self.finder.potential_nodes.codes(task, np.array([node]))
        session.note_search(task, np.arange(len(session.nodes)) == node)
        fails = session.kubernetes.fails(task)
        if codes[0] == FITS and not fails:
            return Refusal(EvictionCode.NOMINATED_NODE_OPEN, node=name)
        described = not fails or session.reasons.is_described(int(codes[0]))
        priority = task.pod.spec.priority or 0
        leaves_room = any((pod.spec.priority or 0) < priority for pod in self.on_nodes.get(name, ()))
        if leaves_room and not (session.reasons.unresolvable(codes)[0] and described):
            return Refusal(EvictionCode.NOMINATED_NODE_BEING_EMPTIED, node=name)
        return session.pre_predicate(task)


# --- topology-aware preemption ----------------------------------------------------------------------------------------
# On a node, victims are taken away one by one until the task would fit, into its queue as well. Then they are put back
# one by one, in the order of the release, as long as the task still fits: who can stay is reprieved. Neither the
# session's state nor any ledger is changed. As in the reference, of all that may keep a task from a node only
# affinities between pods and room are looked at again, and a task that does not fit into its queue even with all
# victims gone still takes all of them.


@dataclass(frozen=True, slots=True)
class Limits:
    """How many candidates are enough; how many workers look for them only matters where there are none."""

    percent: int
    least: int
    most: int
    workers: int

    @classmethod
    def of(cls, arguments: Arguments) -> Limits:
        """The limits that the arguments of the action set."""
        return cls(
            percent=arguments.int("minCandidateNodesPercentage"),
            least=arguments.int("minCandidateNodesAbsolute"),
            most=arguments.int("maxCandidateNodesAbsolute"),
            workers=arguments.int("topologyAwarePreemptWorkerNum"),
        )

    def enough(self, nodes: int) -> int:
        """How many candidates are enough for a number of potential nodes; with 0, none is looked for."""
        if self.workers < 1:
            return 0
        return max(min(max(nodes * self.percent // 100, self.least), self.most, nodes), 0)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A node, the votes on it, and who would have to go there, the most important one first."""

    node: int
    decision: VictimDecision
    victims: Sequence[Task]


def dry_run(finder: VictimFinder, attempt: EvictionAttempt, node: int, decision: VictimDecision) -> Candidate | None:
    """Who would have to go on a node; None where evicting does not help, or is not needed.

    Reference: pkg/scheduler/actions/preempt/preempt.go (SelectVictimsOnNode).
    """
    plugins, task = finder.session.plugins, attempt.task
    future_fit = finder.future_fit(task)

    def fits(gone: Sequence[Task]) -> bool:
        return (
            plugins.simulate_allocatable(attempt.queue, task, Resource.total(each.request for each in gone))
            and future_fit.has_room(node, gone)
            and plugins.simulate_predicate(task, node, gone)
        )

    waiting = finder.orders.victims(decision.victims, task)
    taken: list[Task] = []
    while waiting:
        taken.append(waiting.pop())
        if fits(taken):
            break
    if not taken or not plugins.simulate_predicate(task, node, taken):
        return None
    gone, victims = list(taken), []
    last_first = finder.session.profile.preempt.reprieve_order == "last-victim-first"
    for each in reversed(taken) if last_first else taken:
        gone.remove(each)
        if not fits(gone):
            gone.append(each)
            victims.append(each)
    return Candidate(node, decision, victims) if victims else None


def best(candidates: Sequence[Candidate], now: float) -> list[Candidate]:
    """The candidates whose victims matter least; the reference (SelectCandidate) takes any of them.

    What counts, in this order: the priority of the first victim, the sum of all priorities, the number of victims, and
    how late the victims of the highest priority were started, by the one that was first. One that was not started yet
    is taken to start now.
    """

    def weight(candidate: Candidate) -> tuple[int, int, int, float]:
        victims = [(task.pod.spec.priority or 0, task.pod.status.start_time) for task in candidate.victims]
        highest = max(priority for priority, _ in victims)
        started = min(start.timestamp() if start else now for priority, start in victims if priority == highest)
        return victims[0][0], sum(priority + 2**31 for priority, _ in victims), len(victims), -started

    weights = [weight(each) for each in candidates]
    least = min(weights, default=None)
    return [each for each, weighed in zip(candidates, weights, strict=True) if weighed == least]
