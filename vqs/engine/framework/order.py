"""Queues of things that are served in an order, and the order of tasks.

In a `PriorityQueue`, nothing changes its place while it waits: what changes a job's or a queue's key is placing one of
its own tasks, and for that it is taken out first. So keys are computed once, on the way in. An action that evicts the
tasks of others needs a `LiveQueue`, and so do queues whose order depends on the shares of others.
References: pkg/scheduler/util/priority_queue.go; pkg/controllers/job/helpers/helpers.go (CompareTask).
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cmp_to_key
from typing import Generic, TypeVar

from vqs.engine.framework.points import Key
from vqs.engine.framework.session import Session
from vqs.model.cluster import Queue
from vqs.model.job import Job, SubJob, Task, TaskCounts, TaskStatus

Item = TypeVar("Item")


class PriorityQueue(Generic[Item]):
    """Things to be served, the one with the smallest key first.

    Those that are there from the start are sorted once; those that come later wait in a heap.
    """

    def __init__(self, key: Callable[[Item], Key], items: Iterable[Item] = ()) -> None:
        self._key = key
        self._sorted: list[tuple[Key, int, Item]] = [(key(item), at, item) for at, item in enumerate(items)]
        self._sorted.sort(reverse=True)  # so that what comes first is at the end
        self._added = len(self._sorted)
        self._heap: list[tuple[Key, int, Item]] = []

    def __len__(self) -> int:
        return len(self._sorted) + len(self._heap)

    def __iter__(self) -> Iterator[Item]:
        return (item for _, _, item in (*self._sorted, *self._heap))

    def push(self, item: Item) -> None:
        """Add something; among equals, what came first is served first."""
        heapq.heappush(self._heap, (self._key(item), self._added, item))
        self._added += 1

    def pop(self) -> Item:
        """Take out what comes first."""
        if self._sorted and not (self._heap and self._heap[0] < self._sorted[-1]):
            return self._sorted.pop()[2]
        return heapq.heappop(self._heap)[2]


class LiveQueue(Generic[Item]):
    """A heap whose items are compared when it is worked on, so that it shows what has changed while they wait.

    Where an item's place changes meanwhile, what comes out depends on how the heap is laid out; so the steps are those
    of the reference's heap (container/heap of Go).
    """

    def __init__(self, before: Callable[[Item, Item], bool], items: Iterable[Item] = ()) -> None:
        self._before = before
        self._items: list[Item] = []
        for item in items:
            self.push(item)

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Item]:
        """Yield what waits, in any order."""
        return iter(self._items)

    def push(self, item: Item) -> None:
        """Add something."""
        items, before = self._items, self._before
        items.append(item)
        child = len(items) - 1
        while child:
            parent = (child - 1) // 2
            if not before(items[child], items[parent]):
                return
            items[child], items[parent] = items[parent], items[child]
            child = parent

    def pop(self) -> Item:
        """Take out what is at the top."""
        items, before = self._items, self._before
        items[0], items[-1] = items[-1], items[0]
        top = items.pop()
        parent, size = 0, len(items)
        while (child := 2 * parent + 1) < size:
            if child + 1 < size and before(items[child + 1], items[child]):
                child += 1
            if not before(items[child], items[parent]):
                break
            items[child], items[parent] = items[parent], items[child]
            parent = child
        return top

    def copy(self) -> LiveQueue[Item]:
        """Another heap of the same items, laid out alike."""
        made = LiveQueue(self._before)
        made._items = self._items.copy()
        return made


class SortedQueue(Generic[Item]):
    """Things that are served in the order in which they are given, as that does not change."""

    def __init__(self, items: list[Item]) -> None:
        self._items = items
        self._at = 0

    def __len__(self) -> int:
        return len(self._items) - self._at

    def __iter__(self) -> Iterator[Item]:
        """Yield what waits, in any order."""
        return iter(self._items[self._at :])

    def pop(self) -> Item:
        """Take out what comes next."""
        self._at += 1
        return self._items[self._at - 1]

    def copy(self) -> SortedQueue[Item]:
        """Another queue of the same items, to try something with."""
        made = SortedQueue(self._items)
        made._at = self._at
        return made


Waiting = PriorityQueue[Item] | LiveQueue[Item]
JobsByQueue = Mapping[str, PriorityQueue[Job]]
TaskQueue = SortedQueue[Task] | LiveQueue[Task]
"""The tasks of a job, whose order may change while they wait where that is a `LiveQueue`."""


def drained(waiting: Waiting[Item] | SortedQueue[Item]) -> Iterator[Item]:
    """Take out one thing after the other, and yield it."""
    while waiting:
        yield waiting.pop()


def queues_and_jobs(session: Session, jobs: Iterable[Job]) -> tuple[Waiting[Queue], JobsByQueue]:
    """The queues of some jobs, and the jobs of each, all in the order in which an action serves them."""
    jobs_of: defaultdict[str, list[Job]] = defaultdict(list)
    for job in jobs:
        jobs_of[job.queue].append(job)
    by_queue = {name: PriorityQueue(session.plugins.job_key, of_queue) for name, of_queue in jobs_of.items()}
    queues, key = [session.queues[name] for name in by_queue], session.plugins.queue_key
    if session.queue_order_is_live:
        return LiveQueue(lambda left, right: bool(key(left) < key(right)), queues), by_queue
    return PriorityQueue(key, queues), by_queue


def sort_tasks(session: Session, given: Iterable[Task]) -> TaskQueue:
    """Sort tasks: as the plugins say, then by the number at the end of the name, age and uid."""
    tasks = [*given]
    if len(tasks) == 1:
        return SortedQueue(tasks)
    ordered = sorted(tasks, key=lambda task: (task.created, task.uid))
    if session.task_order_is_live:
        key = session.plugins.task_key
        return LiveQueue(lambda left, right: task_before(left, key(left), right, key(right)), ordered)
    if all(task.index is not None for task in ordered):
        ordered.sort(key=lambda task: (session.plugins.task_key(task), task.index))
    else:
        keyed = [(session.plugins.task_key(task), task) for task in ordered]
        ordered = [task for _, task in sorted(keyed, key=cmp_to_key(_compare))]
    return SortedQueue(ordered)


def task_before(left: Task, left_key: Key, right: Task, right_key: Key) -> bool:
    """True if a task comes before another of its job; the keys are what the plugins sort them by."""
    order = _compare((left_key, left), (right_key, right))
    return order < 0 if order else (left.created, left.uid) < (right.created, right.uid)


def _compare(left: tuple[Key, Task], right: tuple[Key, Task]) -> int:
    """Compare two tasks; the numbers in their names count only where both have one."""
    (left_key, one), (right_key, other) = left, right
    if left_key == right_key and one.index is not None and other.index is not None:
        return one.index - other.index
    return -1 if left_key < right_key else int(left_key > right_key)


class PendingTasks:
    """The tasks of a job that are still to be tried: in one queue, or in one for each sub-job.

    `needed` names the sub-jobs without which the job cannot reach its minimum; they come first.
    Reference: pkg/scheduler/actions/allocate/allocate.go (organizeJobWorksheet).
    """

    def __init__(self, session: Session, job: Job) -> None:
        divided: Mapping[str, TaskCounts] = job.sub_jobs or {job.uid: job}
        pending = {uid: part.having(TaskStatus.Pending).values() for uid, part in divided.items()}
        parts = {
            uid: [task for task in tasks if not task.scheduling_gated and not task.best_effort]
            for uid, tasks in pending.items()
        }
        self.queues: dict[str, TaskQueue] = {uid: sort_tasks(session, tasks) for uid, tasks in parts.items() if tasks}
        self.needed = _needed_sub_jobs(session, job) if job.has_sub_group_policy else set()

    def __bool__(self) -> bool:
        return any(map(len, self.queues.values()))

    def key(self, session: Session, sub_job: SubJob) -> Key:
        """What sub-jobs are sorted by."""
        return (sub_job.uid not in self.needed, session.plugins.sub_job_key(sub_job))


def _needed_sub_jobs(session: Session, job: Job) -> set[str]:
    """The first unready sub-jobs, as many of each policy as it lacks to its minimum."""
    ready: list[SubJob] = []
    unready: list[SubJob] = []
    for each in job.sub_jobs.values():
        (ready if session.plugins.sub_job_ready(job, each) else unready).append(each)
    counts = Counter(each.group for each in ready)
    needed: set[str] = set()
    for sub_job in sorted(unready, key=session.plugins.sub_job_key):
        if counts[sub_job.group] < job.min_sub_groups.get(sub_job.group, 0):
            needed.add(sub_job.uid)
            counts[sub_job.group] += 1
    return needed
