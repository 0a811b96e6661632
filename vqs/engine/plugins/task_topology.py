"""task-topology: place the tasks of a job that belong together on the same nodes, and keep others apart.

Annotations of the PodGroup name its roles: `volcano.sh/task-topology-affinity` and `-anti-affinity` have groups of
them, roles with commas and groups with semicolons between them (a group of one is about the pods of that role), and
`volcano.sh/task-topology-task-order` has those that go first. When the session opens, the tasks of such a job are put
into buckets, by what is next to what; the tasks of large buckets are served first, and a node scores by how many of a
bucket it holds or has room for, less those that are to be kept apart.

Arguments: `task-topology.weight` (a whole number, default 1): the score of a node is 100 times the weight where it
holds the whole of the largest bucket.
Reference: pkg/scheduler/plugins/task-topology.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import NamedTuple

import numpy as np

from vqs.config.scheduler_conf import PluginOption
from vqs.engine.framework import points
from vqs.engine.framework.equivalence import EquivalenceClass
from vqs.engine.framework.points import Key
from vqs.engine.framework.session import Plugin, Session
from vqs.engine.nodes.table import Floats, Integers, Masks
from vqs.engine.plugins.queue_account import PANIC
from vqs.model.job import Job, Task, TaskStatus
from vqs.model.keys import TASK_SPEC, TOPOLOGY_AFFINITY, TOPOLOGY_ANTI_AFFINITY, TOPOLOGY_ORDER
from vqs.model.resource import EPSILON, Resource

NAME = "task-topology"

MAX_SCORE = 100.0

_OUT_OF_BUCKETS = (1, 0, 0, (0, 0))


class TaskTopologyPlugin(Plugin):
    """Serve the tasks of a job bucket by bucket, and keep each bucket together."""

    def __init__(self, option: PluginOption) -> None:
        super().__init__(option)
        self.weight = option.arguments.int("task-topology.weight")
        self.jobs: dict[str, JobBuckets] = {}

    def on_session_open(self, session: Session) -> None:
        """Fill the buckets of the jobs that have annotations, and add the answers."""
        self.session, self.nodes = session, session.nodes
        jobs = session.jobs.values()
        for job in jobs:
            if not job.having(TaskStatus.Pending):
                continue
            try:
                topology = read_topology(job)
            except TopologyError as error:
                text = f"plugin {NAME}: the annotations of PodGroup {job.uid}: {error}"
                self.session.warn("topology-ignored", text, jobs=[job.uid])
                continue
            if topology is not None:
                self.jobs[job.uid] = JobBuckets(job, topology)
        session.plugins.add(points.TASK_ORDER, NAME, self.key)
        session.plugins.add(points.BATCH_NODE_ORDER, NAME, self)
        if self.jobs:
            self.releasing = self.nodes.future_idle - self.nodes.idle
            session.task_order_is_live = True
            session.classes.add_signature(self._signature)
            session.add_event_handler(self._allocated, self._deallocated)

    def _bucket_of(self, task: Task) -> _ClassBucket | None:
        buckets = self.jobs.get(task.job)
        bucket = None if buckets is None else buckets.bucket_of.get(task.uid)
        return None if buckets is None or bucket is None else _ClassBucket(buckets, bucket, role_of(task))

    def _signature(self, task: Task) -> Hashable:
        found = self._bucket_of(task)
        return None if found is None else (task.job, found.bucket.index, found.role)

    # --- the order of tasks ------------------------------------------------------------------------------------------

    def key(self, task: Task) -> Key:
        """What the tasks of a job are sorted by: large buckets first, and old ones; in one, as annotated."""
        found = self._bucket_of(task)
        if found is None:
            return _OUT_OF_BUCKETS
        return (0, -len(found.bucket.tasks), found.bucket.index, found.buckets.topology.rank(found.role))

    # --- the score of nodes ------------------------------------------------------------------------------------------

    def constant(self, task_class: EquivalenceClass) -> float | None:
        """The score of all nodes for tasks that are in no bucket; for others, each placement may change it."""
        return None if task_class.noted(NAME, lambda: self._bucket_of(task_class.task)) is not None else 0.0

    def scores(self, task_class: EquivalenceClass, candidates: Integers) -> Floats:
        """The score of each candidate: the part of the largest bucket that would be together there."""
        known = task_class.noted(NAME, lambda: self._bucket_of(task_class.task))
        if known is None:
            return np.zeros(len(candidates))
        room = self.nodes.idle[:, candidates] + self.releasing[:, candidates]
        request = self.nodes.vectors[task_class.task.shape][:, None]
        counts = np.zeros(len(self.nodes))
        for name, number in known.bucket.on_node.items():
            if name in self.nodes.index:
                counts[self.nodes.index[name]] += number
        for name, roles in known.buckets.roles_on_node.items():
            counts[self.nodes.index[name]] -= known.buckets.repulsion(known.role, roles)
        # Where a node has no room for all waiting tasks of the bucket, others than the task are left out until it has:
        fitting = np.full(room.shape[1], len(known.bucket.tasks))
        remains = self.session.nodes.vector(known.bucket.request)
        names = [0, 1, *(self.session.nodes.row[name] for name in known.bucket.request.scalars)]
        tasks = sorted(known.bucket.tasks.values(), key=lambda each: each.name)
        own = next(
            (
                each
                for each in tasks
                if each.shape == task_class.task.shape and role_of(each) == role_of(task_class.task)
            ),
            None,
        )
        left_out = [each for each in tasks if each is not own]
        short: Masks = np.any(remains[names][:, None] - room[names] >= EPSILON, axis=0)
        for other in left_out:
            if not short.any():
                break
            fitting[short] -= 1
            remains = remains - self.session.nodes.vectors[other.shape]
            np.logical_and(short, np.any(remains[names][:, None] - room[names] >= EPSILON, axis=0), out=short)
        together = counts[candidates] + fitting
        scores: Floats = together * self.weight * MAX_SCORE / known.buckets.largest
        scores[(room < request).any(axis=0)] = 0.0
        return scores

    # --- changes -----------------------------------------------------------------------------------------------------

    def _allocated(self, task: Task) -> None:
        """Take note of a task that was given a node; as in the reference, it stays so whatever becomes of it."""
        node = self.nodes.index.get(task.node or "")
        if task.status is TaskStatus.Running and node is not None:  # it is not evicted after all
            self.releasing[:, node] -= self.nodes.vectors[task.shape]
        buckets = self.jobs.get(task.job)
        if buckets is not None and not buckets.bind(task):
            text = f"{task.namespace}/{task.name} was given a node for a second time"
            message = f"plugin {NAME}: {text}, and Volcano's process ends here with a panic"
            self.session.warn(PANIC, message, once=True)

    def _deallocated(self, task: Task) -> None:
        node = self.nodes.index.get(task.node or "")
        if task.status is TaskStatus.Releasing and node is not None:
            self.releasing[:, node] += self.nodes.vectors[task.shape]


class _ClassBucket(NamedTuple):
    """What is known about a class of tasks in a bucket."""

    buckets: JobBuckets
    bucket: Bucket
    role: str


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
        self.size += task.request.milli_cpu + task.request.memory / _MEBIBYTE + sum(task.request.scalars.values())

    def bind(self, task: Task) -> bool:
        """Give a task of the bucket its node; tell whether its request was among those of the waiting tasks."""
        self.on_node[task.node or ""] += 1
        self.bound += 1
        self.tasks.pop(task.uid, None)
        was_counted = task.request.less_equal(self.request)
        self.request.sub(task.request)
        self.size -= task.request.milli_cpu + task.request.memory / _MEBIBYTE + sum(task.request.scalars.values())
        return was_counted


class JobBuckets:
    """The buckets of a job, and what they are made by."""

    def __init__(self, job: Job, topology: Topology) -> None:
        self.topology = topology
        self.buckets: list[Bucket] = []
        self.bucket_of: dict[str, Bucket] = {}
        self.largest = 0
        self.roles_on_node: dict[str, Counter[str]] = {}
        placed = [task for task in job.tasks.values() if role_of(task) and role_of(task) in topology.weight]
        waiting = [task for task in placed if not task.node]
        waiting.sort(key=lambda task: (*topology.rank(role_of(task)), task.name))
        of_node: dict[str, Bucket] = {}
        # Those that have a node come first, by its name, then the others by what the annotations say, and by name.
        for task in (
            *sorted((task for task in placed if task.node), key=lambda each: (each.node, each.name)),
            *waiting,
        ):
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
        """The bucket that a task of a role fits best, of equals the smallest; None where all repel it."""
        best: Bucket | None = None
        most = 0
        for bucket in self.buckets:
            near = sum(number for other, number in bucket.roles.items() if (role, other) in self.topology.near)
            fits = near - self.repulsion(role, bucket.roles)
            if fits > most or (fits == most and (best is None or bucket.size < best.size)):
                best, most = bucket, fits
        return best

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
    """A task's role as its annotation says it; a label does not count here."""
    return task.pod.metadata.annotations.get(TASK_SPEC, "")


KEPT_FROM_EACH_OTHER, NEAR_OTHERS, NEAR_EACH_OTHER, KEPT_FROM_OTHERS = 4, 3, 2, 1
"""How much the placement of a role matters, by what is said of it."""


@dataclass(slots=True)
class Topology:
    """Which roles belong together and which apart, as pairs; a role with itself is a pair as well.

    `order` says which roles go first by a number, the highest first, `weight` how much the placement of each matters.
    """

    near: set[tuple[str, str]] = field(default_factory=set)
    apart: set[tuple[str, str]] = field(default_factory=set)
    order: dict[str, int] = field(default_factory=dict)
    weight: dict[str, int] = field(default_factory=dict)

    def place(self, roles: Sequence[str], *, apart: bool) -> None:
        """Take note of a group of roles that belong together, or are kept apart."""
        pairs = self.apart if apart else self.near
        if len(roles) == 1:
            weight = KEPT_FROM_EACH_OTHER if apart else NEAR_EACH_OTHER
        else:
            weight = KEPT_FROM_OTHERS if apart else NEAR_OTHERS
        pairs.update(permutations(roles, 2) if len(roles) > 1 else [(roles[0], roles[0])])
        for role in roles:
            self.weight[role] = max(weight, self.weight.get(role, 0))

    def rank(self, role: str) -> tuple[int, int]:
        """What roles are sorted by, smallest first."""
        return -self.order.get(role, 0), -self.weight.get(role, 0)


class TopologyError(ValueError):
    """An annotation that Volcano does not take; it then ignores all three."""


def read_topology(job: Job) -> Topology | None:
    """Read the annotations of a job's PodGroup; None where there are none.

    Raises:
        TopologyError: one of them names a role that the job has no pod of, or one twice in a group.
    """
    annotations = job.pod_group.metadata.annotations
    if not {TOPOLOGY_AFFINITY, TOPOLOGY_ANTI_AFFINITY, TOPOLOGY_ORDER} & annotations.keys():
        return None
    roles = {task.role for task in job.tasks.values()}
    topology = Topology()
    for key in (TOPOLOGY_AFFINITY, TOPOLOGY_ANTI_AFFINITY):
        if key in annotations:
            groups = [group.split(",") for group in annotations[key].split(";")]
            _check(key, groups, roles)
            for group in groups:
                topology.place(group, apart=key == TOPOLOGY_ANTI_AFFINITY)
    if TOPOLOGY_ORDER in annotations:
        order = annotations[TOPOLOGY_ORDER].split(",")
        _check(TOPOLOGY_ORDER, [order], roles)
        topology.order = {role: len(order) - place for place, role in enumerate(order)}
    return topology


def _check(key: str, groups: Iterable[Sequence[str]], roles: set[str]) -> None:
    for group in groups:
        named = [role for role in group if role]
        unknown = next((role for role in named if role not in roles), None)
        if unknown is not None:
            text = f"{key} names the role {unknown!r}, and the job has no pod of it"
            raise TopologyError(text)
        twice = next((role for role in named if named.count(role) > 1), None)
        if twice is not None:
            text = f"{key} names the role {twice!r} twice in a group"
            raise TopologyError(text)
