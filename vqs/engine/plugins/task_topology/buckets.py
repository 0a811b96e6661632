"""The buckets of a job: tasks that are to go to one node, as far as it has room for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from vqs.engine.plugins.task_topology.topology import Topology
from vqs.model.job import Job
from vqs.model.keys import TASK_SPEC
from vqs.model.resource import Resource
from vqs.model.task import Task

_MEBIBYTE = 1024 * 1024


class Bucket:
    """Some tasks of a job.

    Attributes:
        index: its number; older buckets have smaller ones.
        tasks: those that wait, by uid.
        roles: how many tasks of each role were put into it.
        bound: how many of its tasks have a node.
        on_node: how many of these are on each node.
        request: what the waiting tasks ask for.
        size: the same as one number: a thousandth of a core or a GPU counts as much as a MiB.
    """

    def __init__(self, index: int) -> None:
        self.index = index
        self.tasks: dict[str, Task] = {}
        self.roles: Counter[str] = Counter()
        self.bound = 0
        self.on_node: Counter[str] = Counter()
        self.request = Resource()
        self.size = 0.0

    def add(self, role: str, task: Task) -> None:
        """Put a task into the bucket."""
        self.roles[role] += 1
        if task.node:
            self.on_node[task.node] += 1
            self.bound += 1
            return
        self.tasks[task.uid] = task
        self.request.add(task.request)
        self.size += _size(task.request)

    def bind(self, task: Task) -> bool:
        """Give a task of the bucket its node; tell whether its request was among those of the waiting tasks."""
        self.on_node[task.node or ""] += 1
        self.bound += 1
        self.tasks.pop(task.uid, None)
        was_counted = task.request.less_equal(self.request)
        self.request.sub(task.request)
        self.size -= _size(task.request)
        return was_counted


class JobBuckets:
    """The buckets of a job, and what they are made by."""

    def __init__(self, job: Job, topology: Topology) -> None:
        self.topology = topology
        self.buckets: list[Bucket] = []
        self.bucket_of: dict[str, Bucket] = {}
        self.largest = 0
        self.roles_on_node: dict[str, Counter[str]] = {}
        self._fill(sorted((task for task in job.tasks.values() if self._is_placed(task)), key=self._rank))

    def _is_placed(self, task: Task) -> bool:
        role = role_of(task)
        return bool(role) and role in self.topology.weight

    def _rank(self, task: Task) -> tuple[object, ...]:
        """Sort those that have a node first, by its name, then by what the annotations say, and by name."""
        if task.node:
            return (0, task.node, task.name)
        return (1, *self.topology.rank(role_of(task)), task.name)

    def _fill(self, tasks: Iterable[Task]) -> None:
        of_node: dict[str, Bucket] = {}
        for task in tasks:
            bucket = of_node.get(task.node) if task.node else self._best(role_of(task))
            if bucket is None:
                bucket = Bucket(len(self.buckets))
                self.buckets.append(bucket)
                if task.node:
                    of_node[task.node] = bucket
            bucket.add(role_of(task), task)
            self.bucket_of[task.uid] = bucket
            self.largest = max(self.largest, len(bucket.tasks) + bucket.bound)

    def _best(self, role: str) -> Bucket | None:
        """Return the bucket that a task of a role fits best, of equals the smallest; None where all repel it."""
        best: Bucket | None = None
        most = 0
        for bucket in self.buckets:
            fits = self._attraction(role, bucket.roles)
            if fits > most or (fits == most and (best is None or bucket.size < best.size)):
                best, most = bucket, fits
        return best

    def _attraction(self, role: str, others: Counter[str]) -> int:
        near = sum(number for other, number in others.items() if (role, other) in self.topology.near)
        return near - self.repulsion(role, others)

    def repulsion(self, role: str, others: Counter[str]) -> int:
        """Count the tasks among some that a role is to be kept from."""
        return sum(number for other, number in others.items() if (role, other) in self.topology.apart)

    def bind(self, task: Task) -> bool:
        """Take note of a task that is given a node; tell whether that can be undone, see `Bucket.bind`."""
        role = role_of(task)
        if role:
            self.roles_on_node.setdefault(task.node or "", Counter())[role] += 1
        bucket = self.bucket_of.get(task.uid)
        return bucket is None or bucket.bind(task)


def role_of(task: Task) -> str:
    """Return a task's role as its annotation says it; a label does not count here."""
    return task.pod.metadata.annotations.get(TASK_SPEC, "")


def _size(request: Resource) -> float:
    return request.milli_cpu + request.memory / _MEBIBYTE + sum(request.scalars.values())
