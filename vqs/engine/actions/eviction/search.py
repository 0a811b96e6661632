"""Search for victims for a task, on one node after the other, for one action.

Evictions may help on the nodes that refuse the task for no unresolvable reason; their room does not count. Nodes
outside the scheduler's shard are none in hard mode. A node that an earlier action has found unresolvable for a task
stays so, even where the reason is gone by now.
References: pkg/scheduler/util/scheduler_helper.go (ValidateVictims), pkg/scheduler/util/predicate_helper.go,
pkg/scheduler/framework/session.go (FilterOutUnschedulableAndUnresolvableNodesForTask, PredicateForPreemptAction).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vqs.engine.actions.eviction.order import Orders
from vqs.engine.actions.eviction.votes import ROOM, EvictionIndex, VictimDecisions
from vqs.engine.framework.equivalence import EquivalenceClass
from vqs.engine.framework.points import DependsOn, EvictableFn, Point
from vqs.engine.framework.session import Session, Statement
from vqs.engine.framework.trace import Op, Scope, VictimDecision, VictimSearch
from vqs.engine.nodes.reasons import FITS, Codes
from vqs.engine.nodes.table import ALL, Block, Floats, Integers, Masks, Nodes
from vqs.model.cluster import Queue
from vqs.model.job import Job, Task, TaskStatus
from vqs.model.resource import EPSILON

ERROR_CACHE = "predicateErrorCacheEnable"

FIRST_BATCH = 32
"""The number of nodes that are looked up first. It doubles each time none of them helps; mostly an early one does."""

MAX_FAILURES = 100
"""The number of keys for which the nodes that did not help are remembered."""


@dataclass(frozen=True, slots=True)
class VictimPool:
    """The tasks among which victims are looked for in favour of a preemptor.

    Attributes:
        key: stands for `allowed` on nodes where the preemptor's job has no task that may be evicted.
        own_key: stands for it on the others.
        allowed: whether a task that may be evicted is in the scope.
        sums: what those in the scope hold at most, and their number, by node.
    """

    key: Hashable
    own_key: Hashable
    allowed: Callable[[Task], bool]
    sums: Floats


@dataclass(frozen=True, slots=True)
class EvictionAttempt:
    """An attempt to make room for a task, as a part of a statement."""

    statement: Statement
    task: Task
    queue: Queue
    pool: VictimPool
    search: VictimSearch

    def begin_trial(self) -> EvictionAttempt:
        """The same attempt with a statement of its own, for `end_trial` to take over or to roll back."""
        return replace(self, statement=Statement(self.statement.session, self.statement.job))

    def end_trial(self, trial: EvictionAttempt, *, succeeds: bool) -> bool:
        """Make the steps of a trial a part of this attempt where it succeeds, else roll them back."""
        if succeeds:
            self.statement.merge(trial.statement)
        else:
            trial.statement.undo()
            evicted = sum(step.op is Op.EVICT for step in trial.statement.operations)
            del self.search.victims[len(self.search.victims) - evicted :]
        return succeeds


class FutureFit:
    """Whether a task fits into what will be idle on the nodes: Volcano's FutureIdle."""

    def __init__(self, session: Session, task: Task) -> None:
        self._nodes = session.nodes
        names = task.request.dimensions()
        self._state_rows: Integers = session.nodes.rows(Block.FUTURE_IDLE, names)
        self._resource_rows = np.array([session.nodes.row[name] for name in names], dtype=np.intp)
        self._amounts: Floats = np.array([task.request.get(name) for name in names])[:, None]
        self._needs = [*zip(self._amounts[:, 0].tolist(), self._state_rows.tolist(), strict=True)]

    def nodes_with_room(self, more: Floats) -> Masks:
        """The nodes that will have enough with some more of each resource, (resources, nodes)."""
        idle = self._nodes.gather(self._state_rows, ALL) + more[self._resource_rows]
        met: Masks = np.logical_not(np.any(self._amounts - idle >= EPSILON, axis=0))
        return met

    def has_room(self, node: int, gone: Sequence[Task]) -> bool:
        """True if a node will have enough once some tasks are gone."""
        if not gone:
            state = self._nodes.amounts(node)
            return all(need - state[row] < EPSILON for need, row in self._needs)
        idle = self._nodes.future_idle[:, node] + self._nodes.vectors[[task.shape for task in gone]].sum(axis=0)
        return not bool((self._amounts[:, 0] - idle[self._resource_rows] >= EPSILON).any())


class Failures:
    """The nodes where evictions did not help, when that was found, and the plugin that left no victim there.

    On some of them, there was room even so: these help where the preemptor's queue may take it.
    """

    def __init__(self, index: EvictionIndex, depends_on: DependsOn) -> None:
        self._index = index
        self._rows = np.array([depends_on, ROOM])
        self._when = np.full(index.changed.shape[1], -1, np.int64)
        self._plugin = np.zeros(index.changed.shape[1], np.int64)
        self._has_room: Masks = np.zeros(index.changed.shape[1], np.bool_)
        self._plugins = [""]

    def add(self, node: int, plugin: str, *, has_room: bool = False) -> None:
        """Remember a node, and whether it has room without a victim."""
        if plugin not in self._plugins:
            self._plugins.append(plugin)
        self._when[node] = self._index.clock
        self._plugin[node] = self._plugins.index(plugin)
        self._has_room[node] = has_room

    def known(self, nodes: Integers, *, room_helps: bool = True) -> Masks:
        """Those of some nodes that are known not to help, with nothing changed since."""
        changed = self._index.changed[self._rows[:, None], nodes].max(axis=0)
        known: Masks = self._when[nodes] >= changed
        return known & ~self._has_room[nodes] if room_helps else known

    def count(self, nodes: Integers, search: VictimSearch) -> None:
        """Count some known nodes as if they had been asked again."""
        if not len(nodes):
            return
        search.asked += len(nodes)
        for number, times in enumerate(np.bincount(self._plugin[nodes]).tolist()):
            if number and times:
                search.spared_by[self._plugins[number]] += times


class VictimFinder:
    """Looks for victims, for one action; `potential` are the nodes where eviction may help the last preemptor.

    With `forgets_errors`, a task does not know which nodes have refused the one before it.
    """

    potential: Masks

    def __init__(
        self, session: Session, action: str, point: Point[EvictableFn], *, forgets_errors: bool = False
    ) -> None:
        self.session = session
        self.index = session.shared(EvictionIndex)
        self.orders = session.shared(Orders)
        self.potential_nodes = session.shared(PotentialNodes)
        self.decisions = VictimDecisions(session, point, self.index)
        caches_errors = session.conf.action_arguments(action).bool(ERROR_CACHE) and not forgets_errors
        self.error_cache = PredicateErrorCache(session, self.potential_nodes, enabled=caches_errors)
        self._future_fits: dict[int, FutureFit] = {}
        self._failures: dict[Hashable, Failures] = {}
        self._passes_over = session.options.tally is None and not session.plugins.checks

    def future_fit(self, task: Task) -> FutureFit:
        """The check of whether a task fits once resources are released."""
        fit = self._future_fits.get(task.shape)
        if fit is None:
            fit = self._future_fits[task.shape] = FutureFit(self.session, task)
        return fit

    def nodes_where_eviction_may_help(self, attempt: EvictionAttempt) -> Masks:
        """The potential nodes that would have room without all that may be evicted there; the others are counted."""
        pool, search = attempt.pool, attempt.search
        potential = self.potential = self.error_cache.potential_for(attempt.task)
        roomy = self.future_fit(attempt.task).nodes_with_room(pool.sums[:-1])
        search.nodes = int(np.count_nonzero(potential))
        search.candidates = int(pool.sums[-1][potential].sum())
        search.too_small = search.nodes - int(np.count_nonzero(potential & roomy))
        if self._is_watched(attempt.task):  # its votes are kept also where they do not matter
            for node in np.flatnonzero(potential & ~roomy).tolist():
                search.decisions[self.session.nodes.names[node]] = self._ask(attempt, node)
        return potential & roomy

    def nodes_with_victims(
        self, attempt: EvictionAttempt, nodes: Integers, *, room_helps: Callable[[], bool] = lambda: True
    ) -> Iterator[tuple[int, VictimDecision]]:
        """Let the plugins vote on one node after the other; yield those where the victims make enough room.

        Where that was found not to be so before, and nothing has changed, the plugins are not asked again.

        Args:
            attempt: what room is looked for.
            nodes: the nodes.
            room_helps: tells whether a node is of use now that has the room without a victim; others are passed over,
                unless answers are counted, or come from outside the package.
        """
        failures, fit, search = self._known_failures(attempt), self.future_fit(attempt.task), attempt.search
        at, width = 0, FIRST_BATCH
        while at < len(nodes):
            ahead, width = nodes[at : at + width], 2 * width
            clock, done, takes = self.index.clock, 0, not self._passes_over or room_helps()
            for stop in np.flatnonzero(~failures.known(ahead, room_helps=takes)).tolist():
                failures.count(ahead[done:stop], search)
                done = stop + 1
                node = int(ahead[stop])
                decision = self._ask(attempt, node)
                search.asked += 1
                if decision.spared_by:
                    search.spared_by[decision.spared_by] += 1
                if self._is_watched(attempt.task):
                    search.decisions[self.session.nodes.names[node]] = decision
                if not fit.has_room(node, decision.victims):
                    failures.add(node, decision.spared_by)
                    continue
                if not decision.victims:
                    failures.add(node, decision.spared_by, has_room=True)
                    if not takes:
                        continue
                yield node, decision
                if clock != self.index.clock:
                    break  # evictions there did not help, and have changed what is known of the nodes ahead
            else:
                failures.count(ahead[done:], search)
                done = len(ahead)
            at += done

    def _known_failures(self, attempt: EvictionAttempt) -> Failures:
        """The failures of preemptors with the same key; for a task that is watched, all nodes are asked."""
        task, index = attempt.task, self.index
        if self._is_watched(task):
            return Failures(index, self.decisions.depends_on)
        own = task.job if index.has_any(task.job) else ""
        key = (attempt.pool.key, own, task.shape, self.decisions.cache_key(task))
        failures = self._failures.pop(key, None) or Failures(index, self.decisions.depends_on)
        self._failures[key] = failures  # the one that was used last is the last
        if len(self._failures) > MAX_FAILURES:
            del self._failures[next(iter(self._failures))]
        return failures

    def in_scan_order(self, task: Task, nodes: Integers) -> Integers:
        """Some nodes, given by name, in the order in which they are scanned for a task.

        That is the order of the scheduler's list; where an earlier action has found nodes unresolvable for the task,
        the reference picks the others out of its map of nodes.
        """
        if self.session.sampler is not None:
            return self.session.sampler.in_order(nodes)
        tie_breaker = self.session.tie_breaker
        if tie_breaker is None:
            return nodes
        unresolvable = self.session.unresolvable_nodes(task)
        return (
            tie_breaker.in_list(nodes) if unresolvable is None or not unresolvable.any() else tie_breaker.in_map(nodes)
        )

    def evict(self, attempt: EvictionAttempt, victim: Task, decision: VictimDecision) -> None:
        """Evict a victim of a decision."""
        attempt.search.decisions[victim.node or ""] = decision
        attempt.statement.evict(victim, attempt.search.action, attempt.search)

    def pipeline(self, attempt: EvictionAttempt, node: int, *, evicted: bool) -> bool:
        """Pipeline the task onto a node; where that fails, it stays pending. True if it did not fail."""
        session, task = self.session, attempt.task
        failure = attempt.statement.pipeline(task, node, eviction_occurred=evicted, search=attempt.search)
        if failure is None:
            attempt.search.node = session.nodes.names[node]
            session.trace.place(task, 1)
        elif task.node is not None:
            session.displace(task)
        return failure is None

    def _ask(self, attempt: EvictionAttempt, node: int) -> VictimDecision:
        """What the plugins decide about the tasks on a node that are in the attempt's pool."""
        pool = attempt.pool
        key = pool.own_key if self.index.has(attempt.task.job, node) else pool.key
        candidates = self.decisions.candidates(node, key, pool.allowed)
        return self.decisions.decide(attempt.task, candidates, node, key)

    def _is_watched(self, task: Task) -> bool:
        watched = self.session.options.watch
        return bool(watched) and (f"{task.namespace}/{task.name}" in watched or task.job in watched)


def pool_in_queue(finder: VictimFinder, task: Task, job: Job) -> VictimPool:
    """The tasks of the other jobs in a job's queue, as victims for one of its tasks."""
    jobs = finder.session.jobs
    queue, uid, is_best_effort = job.queue, job.uid, task.best_effort
    key = (Scope.QUEUE.value, queue, is_best_effort)
    return VictimPool(
        key,
        (*key, uid),
        lambda other: jobs[other.job].queue == queue and other.job != uid and (other.best_effort or not is_best_effort),
        finder.index.sums_beside(job),
    )


def pool_outside_queue(finder: VictimFinder, queue: Queue) -> VictimPool:
    """The running tasks of the other queues that may be reclaimed from."""
    session, name = finder.session, queue.name
    jobs, queues = session.jobs, session.queues

    def allowed(other: Task) -> bool:
        owner = jobs[other.job].queue
        return owner != name and other.status is TaskStatus.Running and queues[owner].reclaimable

    key = (Scope.OTHER_QUEUES.value, name)
    return VictimPool(key, key, allowed, finder.index.sums_outside(name))


def pool_in_job(finder: VictimFinder, task: Task, job: Job) -> VictimPool:
    """The other tasks of a task's job, as its victims."""
    uid, is_best_effort = job.uid, task.best_effort
    key = (Scope.JOB.value, uid, is_best_effort)
    return VictimPool(
        key,
        key,
        lambda other: other.job == uid and (other.best_effort or not is_best_effort),
        finder.index.sums_of(uid),
    )


class PotentialNodes:
    """The potential nodes of each equivalence class, brought up to date where nodes were changed."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._classes: dict[int, _ClassNodes] = {}

    def codes(self, task: Task, nodes: Nodes) -> Codes:
        """For some nodes, the code of the reasons against a task, its room aside."""
        return _codes(self.session, self.session.classes.of(task), nodes)

    def for_task(self, task: Task) -> Masks:
        """The nodes where evictions may help a task."""
        task_class = self.session.classes.of(task)
        of_class = self._classes.get(task_class.number)
        if of_class is None:
            of_class = self._classes[task_class.number] = _ClassNodes(task_class, self.session)
        return self.session.shard.open(of_class.refreshed())


class _ClassNodes:
    """The potential nodes of a class."""

    __slots__ = ("mask", "seen", "session", "task_class", "volatile")

    def __init__(self, task_class: EquivalenceClass, session: Session) -> None:
        self.task_class = task_class
        self.session = session
        self.volatile = any(predicate.volatile(task_class) for predicate in session.node_plugins.predicates)
        self.mask: Masks = np.zeros(len(session.nodes), np.bool_)
        self.seen = -1

    def refreshed(self) -> Masks:
        log = self.session.nodes.log
        if self.seen < len(log):
            changed = np.array(sorted(set(log[max(self.seen, 0) :])), dtype=np.intp)
            nodes: Nodes = ALL if self.volatile or self.seen < 0 else changed
            self.mask[nodes] = ~self.session.reasons.against_eviction(_codes(self.session, self.task_class, nodes))
        self.seen = len(log)
        return self.mask


def _codes(session: Session, task_class: EquivalenceClass, nodes: Nodes) -> Codes:
    codes: Codes = np.full(len(session.nodes) if isinstance(nodes, slice) else len(nodes), FITS, np.int32)
    return session.node_plugins.refusals(task_class, nodes, codes)


class PredicateErrorCache:
    """The nodes that have refused a task of a role; for the rest of an action, they are not asked for it again.

    Tasks without a role would all share one entry, so they have none.
    """

    def __init__(self, session: Session, potential_nodes: PotentialNodes, *, enabled: bool) -> None:
        self._session = session
        self._potential_nodes = potential_nodes
        self._enabled = enabled
        self._refused: dict[tuple[str, str], Masks] = {}

    def potential_for(self, task: Task) -> Masks:
        """The nodes where evictions may help a task, of those that are asked for it."""
        potential = self._potential_nodes.for_task(task)
        unresolvable = self._session.unresolvable_nodes(task)
        key = (task.job, task.role)
        refused = self._refused.get(key)
        sampler = self._session.sampler
        if self._session.search_listeners or sampler is not None:
            to_ask: Masks = np.ones_like(potential) if unresolvable is None else ~unresolvable
            self._session.note_search(task, to_ask if refused is None else to_ask & ~refused)
        remembers = self._enabled and bool(task.role)
        if sampler is not None:  # only those nodes that a search examines can refuse the role
            fitting = potential & ~refused if remembers and refused is not None else potential
            search = sampler.search(fitting, self._session.in_list(np.flatnonzero(to_ask)))
            if remembers:
                refusing = search.examined & ~potential
                self._refused[key] = refusing if refused is None else refusing | refused
            return search.found
        asked = potential if unresolvable is None else potential & ~unresolvable
        if not remembers:
            return asked
        refusing = ~potential if unresolvable is None else ~(potential | unresolvable)  # these are not asked
        self._refused[key] = refusing if refused is None else refusing | refused
        return asked if refused is None else asked & ~refused
