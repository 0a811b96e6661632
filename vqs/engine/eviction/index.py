"""Which tasks on which nodes may be evicted at all, before any plugin is asked.

That is a running task, or one that is bound and about to run, that is not marked as not preemptable. Of the tasks of
each queue and job on each node, the amounts are kept summed up, so that nodes where not even all of them together make
room are passed over without a look. `changed` tells since when what was found out about a node still holds.

References: pkg/scheduler/actions/preempt/preempt.go and reclaim/reclaim.go (what they pass on to the plugins),
pkg/scheduler/api/helpers.go (PreemptableStatus).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator

import numpy as np

from vqs.engine.nodes import Floats, Integers
from vqs.engine.points import DependsOn
from vqs.engine.session import Session
from vqs.model.job import Job
from vqs.model.task import Task, TaskStatus

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
        changed: for each node, the change after which a vote may differ, by what it depends on, and in the last row
            the change after which the node's room may, (dependencies + 1, nodes).
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.clock = 0
        self._on = _tasks_on_nodes(session)
        tasks = [task for on in self._on for task in on]
        self._node_of = np.repeat(np.arange(len(self._on)), [len(on) for on in self._on])
        self._shapes = np.array([task.shape for task in tasks], dtype=np.intp)
        self._tasks = tasks
        self._numbers: defaultdict[str, list[int]] = defaultdict(list)
        self._nodes: dict[str, frozenset[int]] = {}
        self._node_lists: dict[str, Integers] = {}
        self._sums: dict[str, Floats] = {}
        self.changed = np.zeros((len(DependsOn) + 1, len(self._on)), np.int64)
        self._sort_in()
        session.add_event_handler(self._given, self._taken)

    def _sort_in(self) -> None:
        """Note the numbers of the tasks of each job and queue, and the nodes of each job."""
        jobs, queues = self.session.jobs, self.session.queues
        numbers = self._numbers
        for number, task in enumerate(self._tasks):
            numbers[task.job].append(number)
        for uid in list(numbers):
            nodes = self._node_of[numbers[uid]].tolist()
            self._nodes[uid] = frozenset(nodes)
            self._node_lists[uid] = np.array(sorted(self._nodes[uid]), dtype=np.intp)
            queue = jobs[uid].queue
            numbers[_queue_key(queue)] += numbers[uid]
            if queues[queue].reclaimable:
                numbers[RECLAIMABLE] += numbers[uid]
        for name in {_queue_key(job.queue) for job in jobs.values()} & numbers.keys():
            self._node_lists[name] = np.unique(self._node_of[numbers[name]])

    # --- what is there -----------------------------------------------------------------------------------------------

    def candidates(self, node: int, allowed: Callable[[Task], bool]) -> list[Task]:
        """Return the tasks on a node that may still be evicted, of those that are allowed."""
        return [task for task in self._on[node] if task.status in EVICTABLE and allowed(task)]

    def tasks_of(self, job: Job) -> Iterator[tuple[int, Task]]:
        """Yield the tasks of a job that could be evicted when the session opened, with the number of their node."""
        return ((int(self._node_of[number]), self._tasks[number]) for number in self._numbers.get(job.uid, ()))

    def has(self, job: str, node: int) -> bool:
        """Tell whether a job had an evictable task on a node."""
        nodes = self._nodes.get(job)
        return nodes is not None and node in nodes

    def has_any(self, job: str) -> bool:
        """Tell whether a job had an evictable task."""
        return job in self._nodes

    def sums_outside(self, queue: str) -> Floats:
        """Return what the evictable tasks of all other queues that may be reclaimed from hold, (resources + 1, nodes).

        The last row is their number.
        """
        total = self._sum(RECLAIMABLE)
        return total - self._sum(_queue_key(queue)) if self.session.queues[queue].reclaimable else total

    def sums_beside(self, job: Job) -> Floats:
        """Return the same for the tasks of the other jobs in a job's queue."""
        sums = self._sum(_queue_key(job.queue))
        return sums - self._sum(job.uid) if job.uid in self._nodes else sums

    def sums_within(self, job: Job) -> Floats:
        """Return the same for the tasks of a job."""
        return self._sum(job.uid)

    def _sum(self, owner: str) -> Floats:
        sums = self._sums.get(owner)
        if sums is None:
            table = self.session.nodes
            numbers = [each for each in self._numbers.get(owner, ()) if self._tasks[each].status in EVICTABLE]
            sums = self._sums[owner] = np.zeros((len(table.resources) + 1, len(table)))
            nodes = self._node_of[numbers]
            np.add.at(sums[:-1].T, nodes, table.vectors[self._shapes[numbers]])
            np.add.at(sums[-1], nodes, 1.0)
        return sums

    # --- what changes ------------------------------------------------------------------------------------------------

    def _given(self, task: Task) -> None:
        if task.status is TaskStatus.Running:  # it is not evicted after all
            self._count(task, 1.0)
        self._touch(task)

    def _taken(self, task: Task) -> None:
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
        vector = self.session.nodes.vectors[task.shape]
        for owner in owners:
            sums = self._sums.get(owner)
            if sums is not None:
                sums[:-1, node] += sign * vector
                sums[-1, node] += sign

    def _touch(self, task: Task) -> None:
        self.clock += 1
        self.changed[ROOM, self.session.nodes.index[task.node or ""]] = self.clock
        nodes = self._node_lists.get(task.job)
        if nodes is not None:
            self.changed[DependsOn.NOTHING : ROOM, nodes] = self.clock
        nodes = self._node_lists.get(_queue_key(self.session.jobs[task.job].queue))
        if nodes is not None:
            self.changed[DependsOn.QUEUES, nodes] = self.clock
        self.changed[DependsOn.EVERYTHING] = self.clock


def _tasks_on_nodes(session: Session) -> list[list[Task]]:
    on: list[list[Task]] = [[] for _ in range(len(session.nodes))]
    for job in session.jobs.values():
        for status in EVICTABLE:
            for task in job.having(status).values():
                node = session.nodes.index.get(task.node or "")
                if task.preemptable and node is not None:
                    on[node].append(task)
    for tasks in on:
        tasks.sort(key=lambda task: (task.namespace, task.name))
    if session.tie_breaker is None:
        return on
    # By the node's place, not by its name: a snapshot under other names draws the same.
    return [session.tie_breaker.in_any_order(f"tasks of node {node}", tasks) for node, tasks in enumerate(on)]


def _queue_key(queue: str) -> str:
    """Return the key of a queue among those of jobs, which are namespace/name."""
    return f"queue {queue}"
