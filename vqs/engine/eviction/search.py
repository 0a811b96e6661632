"""What one action does to find victims for a task on one node after the other.

Reference: pkg/scheduler/util/scheduler_helper.go (ValidateVictims).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vqs.engine.eviction.index import ROOM, EvictionIndex
from vqs.engine.eviction.openings import Openings, RefusalMemory
from vqs.engine.eviction.polls import Polls
from vqs.engine.eviction.victims import Orders
from vqs.engine.nodes import ALL, Block
from vqs.engine.points import Reach
from vqs.engine.trace import Circle, Hunt
from vqs.model.resource import EPSILON

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from vqs.engine.nodes import Floats, Integers, Masks
    from vqs.engine.points import Point, Voter
    from vqs.engine.session import Session
    from vqs.engine.statement import Statement
    from vqs.engine.trace import Poll
    from vqs.model.job import Job
    from vqs.model.queue import Queue
    from vqs.model.task import Task

ERROR_CACHE = "predicateErrorCacheEnable"

FIRST_LOOK = 32
"""So many nodes are looked up at first; twice as many each time none of them helps, as most often an early one does."""

REMEMBERED = 100
"""For so many kinds of tasks, the nodes that did not help are remembered."""


@dataclass(frozen=True, slots=True)
class Prey:
    """Among whom victims are looked for in favour of a task.

    Attributes:
        key: stands for `allowed` on nodes where the task's job has nobody who may be evicted.
        own_key: stands for it on the others.
        allowed: whether a task that may be evicted is in the circle.
        sums: what those in the circle hold at most, and their number, by node.
    """

    key: Hashable
    own_key: Hashable
    allowed: Callable[[Task], bool]
    sums: Floats


@dataclass(frozen=True, slots=True)
class Attempt:
    """A try to make room for a task, as a part of a statement."""

    statement: Statement
    task: Task
    queue: Queue
    prey: Prey
    hunt: Hunt


class Need:
    """What a task needs, to be compared with what will be idle."""

    def __init__(self, session: Session, task: Task) -> None:
        self._nodes = session.nodes
        names = task.request.dimensions()
        self._lines: Integers = session.nodes.lines(Block.FUTURE_IDLE, names)
        self._rows = np.array([session.nodes.row[name] for name in names], dtype=np.intp)
        self._amounts: Floats = np.array([task.request.get(name) for name in names])[:, None]

    def met_with(self, more: Floats) -> Masks:
        """Tell which nodes will have enough with some more of each resource, (resources, nodes)."""
        idle = self._nodes.gather(self._lines, ALL) + more[self._rows]
        met: Masks = np.logical_not(np.any(self._amounts - idle >= EPSILON, axis=0))
        return met

    def met_without(self, column: int, gone: Sequence[Task]) -> bool:
        """Tell whether a node will have enough once some tasks are gone."""
        idle = self._nodes.future_idle[:, column]
        if gone:
            idle = idle + self._nodes.vectors[[task.shape for task in gone]].sum(axis=0)
        return not bool((self._amounts[:, 0] - idle[self._rows] >= EPSILON).any())


class Failures:
    """On which nodes victims were looked for in vain, since when, and the plugin that left nobody there."""

    def __init__(self, index: EvictionIndex, reach: Reach) -> None:
        self._index = index
        self._rows = np.array([max(reach, Reach.JOBS), ROOM])
        self._when = np.full(index.changed.shape[1], -1, np.int64)
        self._plugin = np.zeros(index.changed.shape[1], np.int64)
        self._plugins = [""]

    def add(self, column: int, plugin: str) -> None:
        """Remember a node."""
        if plugin not in self._plugins:
            self._plugins.append(plugin)
        self._when[column] = self._index.clock
        self._plugin[column] = self._plugins.index(plugin)

    def known(self, columns: Integers) -> Masks:
        """Tell of which of some nodes it is known, with nothing changed since, that they do not help."""
        changed = self._index.changed[self._rows[:, None], columns].max(axis=0)
        known: Masks = self._when[columns] >= changed
        return known

    def count(self, columns: Integers, hunt: Hunt) -> None:
        """Count some known nodes as if they had been asked again."""
        if not len(columns):
            return
        hunt.polled += len(columns)
        for number, times in enumerate(np.bincount(self._plugin[columns]).tolist()):
            if number and times:
                hunt.spared_by[self._plugins[number]] += times


class Search:
    """Looks for victims, for one action; `opened` tells the nodes that were open to the task it was asked for last."""

    opened: Masks

    def __init__(self, session: Session, action: str, point: Point[Voter]) -> None:
        self.session = session
        self.index = session.shared(EvictionIndex)
        self.orders = session.shared(Orders)
        self.openings = session.shared(Openings)
        self.polls = Polls(session, point, self.index)
        self.error_cache = session.conf.action_arguments(action).bool(ERROR_CACHE, default=True)
        self.reset_memory()
        self._needs: dict[int, Need] = {}
        self._failures: dict[Hashable, Failures] = {}

    def reset_memory(self) -> None:
        """Forget which nodes have refused which roles."""
        self.memory = RefusalMemory(self.session, self.openings, enabled=self.error_cache)

    def need(self, task: Task) -> Need:
        """Return what a task needs."""
        need = self._needs.get(task.shape)
        if need is None:
            need = self._needs[task.shape] = Need(self.session, task)
        return need

    def worth_a_look(self, attempt: Attempt) -> Masks:
        """Tell which nodes are open to the task and would have room without all who may be evicted; note the rest."""
        prey, hunt = attempt.prey, attempt.hunt
        opened = self.opened = self.memory.open_to(attempt.task)
        roomy = self.need(attempt.task).met_with(prey.sums[:-1])
        hunt.nodes = int(np.count_nonzero(opened))
        hunt.candidates = int(prey.sums[-1][opened].sum())
        hunt.too_small = hunt.nodes - int(np.count_nonzero(opened & roomy))
        if self._is_watched(attempt.task):
            self._poll_the_rest(attempt, opened & ~roomy)
        return opened & roomy

    def polls_on(self, attempt: Attempt, columns: Integers) -> Iterator[tuple[int, Poll]]:
        """Let the plugins vote on one node after the other; yield those where what they agree on makes room enough.

        Where the same was found not to be enough before, and nothing has changed, nobody is asked again.
        """
        failures = self._failures_of(attempt)
        at, width = 0, FIRST_LOOK
        while at < len(columns):
            ahead, width = columns[at : at + width], 2 * width
            clock, done = self.index.clock, 0
            for stop in np.flatnonzero(~failures.known(ahead)).tolist():
                failures.count(ahead[done:stop], attempt.hunt)
                done = stop + 1
                column = int(ahead[stop])
                poll = self._poll(attempt, column)
                if not self.need(attempt.task).met_without(column, poll.victims):
                    failures.add(column, poll.spared_by)
                    continue
                yield column, poll
                if clock != self.index.clock:
                    break  # somebody was evicted in vain, so that less may be known of the nodes ahead
            else:
                failures.count(ahead[done:], attempt.hunt)
                done = len(ahead)
            at += done

    def _poll(self, attempt: Attempt, column: int) -> Poll:
        poll, hunt = self._ask(attempt, column), attempt.hunt
        hunt.polled += 1
        if poll.spared_by:
            hunt.spared_by[poll.spared_by] += 1
        if self._is_watched(attempt.task):
            hunt.polls[self.session.nodes.names[column]] = poll
        return poll

    def _failures_of(self, attempt: Attempt) -> Failures:
        """Return what is remembered for tasks for which everything is the same; nothing for those that are watched."""
        task, index = attempt.task, self.index
        if self._is_watched(task):
            return Failures(index, self.polls.reach)
        own = task.job if index.has_any(task.job) else ""
        key = (attempt.prey.key, own, task.shape, self.polls.sees(task))
        failures = self._failures.pop(key, None) or Failures(index, self.polls.reach)
        self._failures[key] = failures  # the one that was used last is the last
        if len(self._failures) > REMEMBERED:
            del self._failures[next(iter(self._failures))]
        return failures

    def walked(self, task: Task, columns: Integers) -> Integers:
        """Return some nodes, given by name, in the order in which they are walked for a task.

        That is the order of the scheduler's list; where an earlier action has found nodes closed to the task for good,
        the reference picks the others out of its map of nodes.
        """
        luck = self.session.luck
        if luck is None:
            return columns
        closed = self.session.closed_to(task)
        return luck.in_list(columns) if closed is None or not closed.any() else luck.in_map(columns)

    def candidates(self, attempt: Attempt, column: int) -> list[Task]:
        """Return who may be evicted on a node, before the plugins are asked."""
        return self.polls.candidates(column, self._key(attempt, column), attempt.prey.allowed)

    def evict(self, attempt: Attempt, victim: Task, poll: Poll) -> None:
        """Evict a victim of a poll."""
        attempt.hunt.polls[victim.node or ""] = poll
        attempt.statement.evict(victim, attempt.hunt.action, attempt.hunt)

    def promise(self, attempt: Attempt, column: int, *, evicted: bool) -> None:
        """Promise the task the room on a node; where that fails, it waits on, and what was evicted stays so."""
        session, task = self.session, attempt.task
        attempt.hunt.node = session.nodes.names[column]
        failure = attempt.statement.pipeline(task, column, eviction_occurred=evicted, hunt=attempt.hunt)
        if failure is not None:
            session.displace(task)
        else:
            session.trace.place(task, 1)

    def _ask(self, attempt: Attempt, column: int) -> Poll:
        candidates = self.candidates(attempt, column)
        return self.polls.take(attempt.task, candidates, column, self._key(attempt, column))

    def _key(self, attempt: Attempt, column: int) -> Hashable:
        prey = attempt.prey
        return prey.own_key if self.index.has(attempt.task.job, column) else prey.key

    def _is_watched(self, task: Task) -> bool:
        watched = self.session.options.watch
        return bool(watched) and (f"{task.namespace}/{task.name}" in watched or task.job in watched)

    def _poll_the_rest(self, attempt: Attempt, mask: Masks) -> None:
        """For a task that is watched, keep the votes also on nodes where they do not matter."""
        for column in np.flatnonzero(mask).tolist():
            attempt.hunt.polls[self.session.nodes.names[column]] = self._ask(attempt, column)


def prey_in_queue(search: Search, task: Task, job: Job) -> Prey:
    """Return the tasks of the other jobs in a job's queue, as victims for one of its tasks."""
    jobs = search.session.jobs
    queue, uid, modest = job.queue, job.uid, task.best_effort

    def allowed(other: Task) -> bool:
        return jobs[other.job].queue == queue and other.job != uid and (other.best_effort or not modest)

    key = (Circle.QUEUE, queue, modest)
    return Prey(key, (*key, uid), allowed, search.index.sums_beside(job))


def prey_in_job(search: Search, task: Task, job: Job) -> Prey:
    """Return the other tasks of a task's job, as its victims."""
    uid, modest = job.uid, task.best_effort

    def allowed(other: Task) -> bool:
        return other.job == uid and (other.best_effort or not modest)

    key = (Circle.JOB, uid, modest)
    return Prey(key, key, allowed, search.index.sums_within(job))
