"""The plugin itself: the order of tasks, and the score of nodes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from vqs.config.scheduler_conf import PluginOption
from vqs.engine.framework import points
from vqs.engine.framework.equivalence import EquivalenceClass
from vqs.engine.framework.points import Key
from vqs.engine.framework.session import Plugin, Session
from vqs.engine.nodes.table import Floats, Integers, Masks
from vqs.engine.plugins.queue_account import PANIC
from vqs.engine.plugins.task_topology.buckets import Bucket, JobBuckets, role_of
from vqs.engine.plugins.task_topology.topology import TopologyError, read_topology
from vqs.model.job import Job
from vqs.model.resource import EPSILON
from vqs.model.task import Task, TaskStatus

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
        self._fill(session.jobs.values())
        session.plugins.add(points.TASK_ORDER, NAME, self.key)
        session.plugins.add(points.BATCH_NODE_ORDER, NAME, self)
        if self.jobs:
            self.releasing = self.nodes.future_idle - self.nodes.idle
            session.task_order_is_live = True
            session.classes.add_signature(self._signature)
            session.add_event_handler(self._given, self._taken)

    def _fill(self, jobs: Iterable[Job]) -> None:
        for job in jobs:
            if not job.having(TaskStatus.Pending):
                continue
            try:
                topology = read_topology(job)
            except TopologyError as error:
                self.session.warn("topology-ignored", f"plugin {NAME}: the annotations of PodGroup {job.uid}: {error}")
                continue
            if topology is not None:
                self.jobs[job.uid] = JobBuckets(job, topology)

    def _signature(self, task: Task) -> Hashable:
        buckets = self.jobs.get(task.job)
        bucket = None if buckets is None else buckets.bucket_of.get(task.uid)
        return None if bucket is None else (task.job, bucket.index, role_of(task))

    # --- the order of tasks ------------------------------------------------------------------------------------------

    def key(self, task: Task) -> Key:
        """Return what the tasks of a job are sorted by: large buckets first, and old ones; in one, as annotated."""
        buckets = self.jobs.get(task.job)
        bucket = None if buckets is None else buckets.bucket_of.get(task.uid)
        if buckets is None or bucket is None:
            return _OUT_OF_BUCKETS
        return (0, -len(bucket.tasks), bucket.index, buckets.topology.rank(role_of(task)))

    # --- the score of nodes ------------------------------------------------------------------------------------------

    def constant(self, task_class: EquivalenceClass) -> float | None:
        """Return the score of all nodes for tasks that are in no bucket; for others, each placement may change it."""
        return None if self._note(task_class) is not None else 0.0

    def scores(self, task_class: EquivalenceClass, candidates: Integers) -> Floats:
        """Return the score of each candidate: the part of the largest bucket that would be together there."""
        note = self._note(task_class)
        if note is None:
            return np.zeros(len(candidates))
        room = self.nodes.idle[:, candidates] + self.releasing[:, candidates]
        request = self.nodes.vectors[task_class.task.shape][:, None]
        together = self._beside(note, candidates) + _fitting(note.bucket, task_class.task, room, self.session)
        scores: Floats = together * self.weight * MAX_SCORE / note.buckets.largest
        scores[(room < request).any(axis=0)] = 0.0
        return scores

    def _beside(self, note: _Note, candidates: Integers) -> Floats:
        """Count, on each candidate, the bucket's own tasks, less those that were placed and that the task repels."""
        counts = np.zeros(len(self.nodes))
        for name, number in note.bucket.on_node.items():
            if name in self.nodes.index:
                counts[self.nodes.index[name]] += number
        for name, roles in note.buckets.roles_on_node.items():
            counts[self.nodes.index[name]] -= note.buckets.repulsion(note.role, roles)
        return counts[candidates]

    def _note(self, task_class: EquivalenceClass) -> _Note | None:
        if NAME not in task_class.notes:
            task = task_class.task
            buckets = self.jobs.get(task.job)
            bucket = None if buckets is None else buckets.bucket_of.get(task.uid)
            found = None if buckets is None or bucket is None else _Note(buckets, bucket, role_of(task))
            task_class.notes[NAME] = found
        note: _Note | None = task_class.notes[NAME]
        return note

    # --- changes -----------------------------------------------------------------------------------------------------

    def _given(self, task: Task) -> None:
        """Take note of a task that was given a node; as in the reference, it stays so whatever becomes of it."""
        node = self.nodes.index.get(task.node or "")
        if task.status is TaskStatus.Running and node is not None:  # it is not evicted after all
            self.releasing[:, node] -= self.nodes.vectors[task.shape]
        buckets = self.jobs.get(task.job)
        if buckets is not None and not buckets.bind(task) and not any(n.code == PANIC for n in self.session.notices):
            text = f"{task.namespace}/{task.name} was given a node for a second time"
            self.session.warn(PANIC, f"plugin {NAME}: {text}, and Volcano's process ends here with a panic")

    def _taken(self, task: Task) -> None:
        node = self.nodes.index.get(task.node or "")
        if task.status is TaskStatus.Releasing and node is not None:
            self.releasing[:, node] += self.nodes.vectors[task.shape]


class _Note(NamedTuple):
    """What is known about a class of tasks in a bucket."""

    buckets: JobBuckets
    bucket: Bucket
    role: str


def _fitting(bucket: Bucket, task: Task, room: Floats, session: Session) -> Integers:
    """Count the waiting tasks of a bucket that a node has room for together.

    Where it has not for all, others than the task itself are left out until it has: here in the order of their names,
    in the reference in any.
    """
    fitting = np.full(room.shape[1], len(bucket.tasks))
    remains = session.nodes.vector(bucket.request)
    names = [0, 1, *(session.nodes.row[name] for name in bucket.request.scalars)]
    left_out = _others(bucket, task)
    short: Masks = ~_has_room(remains, room, names)
    for other in left_out:
        if not short.any():
            break
        fitting[short] -= 1
        remains = remains - session.nodes.vectors[other.shape]
        np.logical_and(short, ~_has_room(remains, room, names), out=short)
    return fitting


def _others(bucket: Bucket, task: Task) -> Sequence[Task]:
    """Return the waiting tasks of a bucket by name, without the task or, where it stands for a class, one like it."""
    tasks = sorted(bucket.tasks.values(), key=lambda each: each.name)
    own = next((each for each in tasks if each.shape == task.shape and role_of(each) == role_of(task)), None)
    return [each for each in tasks if each is not own]


def _has_room(amounts: Floats, room: Floats, rows: Sequence[int]) -> Masks:
    """Tell which nodes have room for some amounts of the resources in some rows."""
    enough: Masks = np.logical_not(np.any(amounts[rows][:, None] - room[rows] >= EPSILON, axis=0))
    return enough
