"""Which tasks on a node may be evicted: those that could go at all, and on which of them the plugins agree.

A task could go that is running, or bound and about to run, and not marked as not preemptable. Of these tasks of each
queue and job on each node, the amounts are kept summed up, so that nodes where not even all of them together make room
are passed over without a look. `changed` tells since when what was found out about a node still holds.

Within a tier, a task is a victim where every plugin agrees on it; a plugin that agrees on none ends the tier. The
first tier that agrees on a task decides, and later ones are not asked. As in the reference, where plugins of a tier
have no task in common, the next of that tier starts over, as if those before it had not voted. A plugin votes again
only where something that its vote depends on has changed.

References: pkg/scheduler/framework/session_plugins.go (Preemptable, Reclaimable),
pkg/scheduler/actions/preempt/preempt.go and reclaim/reclaim.go (what they pass on to the plugins),
pkg/scheduler/api/helpers.go (PreemptableStatus).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from operator import attrgetter
from typing import TypeVar

import numpy as np

from vqs.engine.framework.points import DependsOn, EvictableFn, Point
from vqs.engine.framework.session import Session
from vqs.engine.framework.trace import PluginVote, VictimDecision
from vqs.engine.framework.votes import Victims, Vote
from vqs.engine.nodes.table import Floats, Integers
from vqs.model.job import Job, Task, TaskStatus

Voter = TypeVar("Voter")


class VictimDecisions:
    """The decisions of one action, on the nodes it comes across."""

    def __init__(self, session: Session, point: Point[EvictableFn], index: EvictionIndex) -> None:
        self.index = index
        self._tiers = session.plugins.by_plugin(point)
        self._voters = [voter for tier in self._tiers for _, voter in tier]
        # Votes that are counted are given anew whenever something has changed for a job.
        self._least = DependsOn.NOTHING if session.options.tally is None else DependsOn.JOBS
        self.depends_on = max((self._least, *(voter.depends_on for voter in self._voters)))
        index.watch(self.depends_on)
        self._votes: dict[Hashable, tuple[Hashable, int, Victims]] = {}
        self._candidates: dict[Hashable, tuple[int, list[Task]]] = {}

    def cache_key(self, preemptor: Task) -> Hashable:
        """What all votes together depend on of the preemptor."""
        return tuple([voter.cache_key(preemptor) for voter in self._voters])

    def candidates(self, node: int, scope: Hashable, allowed: Callable[[Task], bool]) -> list[Task]:
        """The tasks on a node that may be evicted, within a scope that is known by a key."""
        key = (scope, node)
        known = self._candidates.get(key)
        if known is not None and known[0] >= self.index.changed[DependsOn.NOTHING, node]:
            return known[1]
        tasks = self.index.candidates(node, allowed)
        self._candidates[key] = (self.index.clock, tasks)
        return tasks

    def decide(self, preemptor: Task, candidates: Sequence[Task], node: int, scope: Hashable) -> VictimDecision:
        """Let the plugins vote on the candidates on a node."""

        def ask(plugin: str, voter: EvictableFn) -> Victims:
            key, cache_key = (plugin, node, scope), voter.cache_key(preemptor)
            depends_on = max(voter.depends_on, self._least)
            known = self._votes.get(key)
            if known is not None and known[0] == cache_key and known[1] >= self.index.changed[depends_on, node]:
                return known[2]
            victims = voter.vote(preemptor, candidates)
            self._votes[key] = (cache_key, self.index.clock, victims)
            return victims

        return decide(self._tiers, candidates, ask)


def decide(
    tiers: Sequence[Sequence[tuple[str, Voter]]],
    candidates: Sequence[Task],
    ask: Callable[[str, Voter], Victims],
) -> VictimDecision:
    """Count the votes on some candidates, tier by tier."""
    votes: list[PluginVote] = []
    spared_by = ""
    for number, tier in enumerate(tiers):
        agreed: list[Task] | None = None
        for plugin, voter in tier:
            victims = ask(plugin, voter)
            if victims.vote is Vote.ABSTAIN:
                continue
            votes.append(PluginVote(number, plugin, victims))
            if not victims.tasks:
                agreed, spared_by = None, plugin
                break
            taken = {task.uid for task in victims.tasks}
            agreed = victims.tasks if agreed is None else [task for task in agreed if task.uid in taken] or None
            if agreed is None:
                spared_by = plugin
        if agreed is not None:
            return VictimDecision(candidates, tuple(votes), number, agreed, "")
    return VictimDecision(candidates, tuple(votes), None, (), spared_by if candidates else "")


EVICTABLE = frozenset({TaskStatus.Bound, TaskStatus.Running})


ROOM = len(DependsOn)
"""The row of changes in a node's room."""

RECLAIMABLE = ""
"""Stands for all queues that may be reclaimed from together; no queue has an empty name."""


class EvictionIndex:
    """The evictable tasks of a session by node, in the order of their names.

    The reference walks them as a map, in another order each time; a seed draws one order for the session.

    Attributes:
        clock: counts the changes of the session.
        changed: for each node, the change after which a vote may differ, by what it depends on besides which tasks of
            the node may be evicted, and in the last row the change after which the node's room may,
            (dependencies + 1, nodes).
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.clock = 0
        self._tasks: list[Task] = []
        self._numbers: defaultdict[str, list[int]] = defaultdict(list)
        self._nodes: dict[str, frozenset[int]] = {}
        self._node_lists: dict[str, Integers] = {}
        self._sums: dict[str, Floats] = {}
        vectors = session.nodes.vectors
        self._holdings: Floats = np.hstack([vectors, np.ones((len(vectors), 1))])
        self._depth = DependsOn.NOTHING
        self.changed = np.zeros((len(DependsOn) + 1, len(session.nodes)), np.int64)
        self._node_of = np.array(self._collect(), dtype=np.intp)
        self._by_node = np.argsort(self._node_of, kind="stable")
        self._starts = np.searchsorted(self._node_of[self._by_node], np.arange(len(session.nodes) + 1)).tolist()
        self._on: dict[int, list[Task]] = {}
        session.add_event_handler(self._on_allocate, self._on_deallocate)

    def _collect(self) -> list[int]:
        """Take in the tasks job by job, those of each queue and all that are reclaimable; return their nodes."""
        session, index, numbers = self.session, self.session.nodes.index, self._numbers
        node_of: list[int] = []
        for job in session.jobs.values():
            first = len(node_of)
            tasks = [task for status in EVICTABLE for task in job.having(status).values() if task.preemptable]
            tasks = [task for task in tasks if task.node in index]
            if not tasks:
                continue
            self._tasks += tasks
            node_of += [index[task.node or ""] for task in tasks]
            self._nodes[job.uid] = frozenset(node_of[first:])
            own = range(first, len(node_of))
            numbers[job.uid] += own
            numbers[_queue_key(job.queue)] += own
            if session.queues[job.queue].reclaimable:
                numbers[RECLAIMABLE] += own
        return node_of

    def watch(self, depends_on: DependsOn) -> None:
        """Keep up to date from now on when votes may differ that depend on so much."""
        self._depth = max(self._depth, depends_on)

    # --- what is there -----------------------------------------------------------------------------------------------

    def candidates(self, node: int, allowed: Callable[[Task], bool]) -> list[Task]:
        """The tasks on a node that may still be evicted, of those that are allowed."""
        return [task for task in self._tasks_on(node) if task.status in EVICTABLE and allowed(task)]

    def tasks_of(self, job: Job) -> Iterator[tuple[int, Task]]:
        """Yield the tasks of a job that could be evicted when the session opened, with the number of their node."""
        nodes = sorted(self._nodes.get(job.uid, ()))
        return ((node, task) for node in nodes for task in self._tasks_on(node) if task.job == job.uid)

    def _tasks_on(self, node: int) -> list[Task]:
        """The tasks on a node that could be evicted when the session opened, in their order."""
        tasks = self._on.get(node)
        if tasks is None:
            numbers = self._by_node[self._starts[node] : self._starts[node + 1]].tolist()
            tasks = sorted([self._tasks[number] for number in numbers], key=attrgetter("namespace", "name"))
            if self.session.tie_breaker is not None:
                # By the node's place, not by its name: a snapshot under other names draws the same.
                tasks = self.session.tie_breaker.in_any_order(f"tasks of node {node}", tasks)
            self._on[node] = tasks
        return tasks

    def has(self, job: str, node: int) -> bool:
        """True if a job had an evictable task on a node."""
        nodes = self._nodes.get(job)
        return nodes is not None and node in nodes

    def has_any(self, job: str) -> bool:
        """True if a job had an evictable task."""
        return job in self._nodes

    def sums_outside(self, queue: str) -> Floats:
        """What the evictable tasks of all other queues that may be reclaimed from hold, (resources + 1, nodes).

        The last row is their number.
        """
        total = self.sums_of(RECLAIMABLE)
        return total - self.sums_of(_queue_key(queue)) if self.session.queues[queue].reclaimable else total

    def sums_beside(self, job: Job) -> Floats:
        """The same for the tasks of the other jobs in a job's queue."""
        sums = self.sums_of(_queue_key(job.queue))
        return sums - self.sums_of(job.uid) if job.uid in self._nodes else sums

    def sums_of(self, owner: str) -> Floats:
        """The same for the tasks of a job, or of another owner."""
        sums = self._sums.get(owner)
        if sums is None:
            table = self.session.nodes
            numbers = [each for each in self._numbers.get(owner, ()) if self._tasks[each].status in EVICTABLE]
            sums = self._sums[owner] = np.zeros((len(table.resources) + 1, len(table)))
            holdings = self._holdings[[self._tasks[each].shape for each in numbers]]
            np.add.at(sums.T, self._node_of[numbers], holdings)
        return sums

    # --- what changes ------------------------------------------------------------------------------------------------

    def _on_allocate(self, task: Task) -> None:
        if task.status is TaskStatus.Running:  # it is not evicted after all
            self._count(task, 1.0)
        self._touch(task)

    def _on_deallocate(self, task: Task) -> None:
        if task.node not in self.session.nodes.index:
            return
        if task.status is TaskStatus.Releasing:
            self._count(task, -1.0)
        self._touch(task)

    def _count(self, task: Task, sign: float) -> None:
        if not task.preemptable:
            return
        queue = self.session.jobs[task.job].queue
        owners = [task.job, _queue_key(queue)]
        if self.session.queues[queue].reclaimable:
            owners.append(RECLAIMABLE)
        node = self.session.nodes.index[task.node or ""]
        change = sign * self._holdings[task.shape]
        for owner in owners:
            sums = self._sums.get(owner)
            if sums is not None:
                sums[:, node] += change

    def _touch(self, task: Task) -> None:
        self.clock += 1
        node = self.session.nodes.index[task.node or ""]
        self.changed[DependsOn.NOTHING, node] = self.changed[ROOM, node] = self.clock
        if self._depth >= DependsOn.JOBS:
            self.changed[DependsOn.JOBS : ROOM, self._nodes_of(task.job)] = self.clock
        if self._depth >= DependsOn.QUEUES:
            self.changed[DependsOn.QUEUES, self._nodes_of(_queue_key(self.session.jobs[task.job].queue))] = self.clock
        if self._depth >= DependsOn.EVERYTHING:
            self.changed[DependsOn.EVERYTHING] = self.clock

    def _nodes_of(self, owner: str) -> Integers:
        """The nodes where a job or queue had evictable tasks when the session opened."""
        nodes = self._node_lists.get(owner)
        if nodes is None:
            numbers = np.bincount(self._node_of[self._numbers.get(owner, [])], minlength=1)
            nodes = self._node_lists[owner] = np.flatnonzero(numbers)
        return nodes


def _queue_key(queue: str) -> str:
    """The key of a queue among those of jobs, which are namespace/name."""
    return f"queue {queue}"
