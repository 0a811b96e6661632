"""drf: among the jobs of a queue, the one with the smallest dominant share of the cluster is served first.

A job's dominant share is the largest part it holds of any one resource. A task may preempt those of jobs that would
still have a share no smaller than its own job's, after both changes.

With `enableHierarchy` (HDRF), queues are ordered as well, and reclaimed from, by their shares in a tree of their own:
the annotation `volcano.sh/hierarchy` of a queue is its path, `volcano.sh/hierarchy-weights` the weights along it (at
least 1). Where the paths of two queues part, the one with the smaller share by weight comes first, and one that is
saturated last. A task may be reclaimed where its queue would still come after the reclaimer's, after both changes. No
arguments.
Reference: pkg/scheduler/plugins/drf/drf.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial, total_ordering
from typing import Final

import numpy as np
import numpy.typing as npt

from vqs.config.scheduler_conf import PluginOption
from vqs.engine.framework import points
from vqs.engine.framework.points import DependsOn, EvictableFn
from vqs.engine.framework.session import Plugin, Session
from vqs.engine.framework.votes import Refusal, Victims
from vqs.engine.nodes.table import Floats, Masks
from vqs.engine.plugins.queue_account import PANIC
from vqs.model.cluster import Queue
from vqs.model.codes import EvictionCode
from vqs.model.job import Job, JobName, Task
from vqs.model.resource import CPU, EPSILON, MEMORY, Resource
from vqs.snapshot.cluster.hierarchy_paths import PATH, WEIGHTS, number

NAME = "drf"


SHARE_DELTA = 0.000001
"""Shares closer than this are equal."""


class DrfPlugin(Plugin):
    """Keep every job's dominant share."""

    refusals = (EvictionCode.QUEUE_NOT_AFTER_OTHER, EvictionCode.SHARE_WOULD_BE_SMALLER)

    def __init__(self, option: PluginOption) -> None:
        super().__init__(option)
        self.total: dict[str, float] = {}
        self.allocated: dict[str, Resource] = {}
        self.shares: dict[str, float] = {}
        self.followed: set[str] = set()
        self.names: dict[str, JobName] = {}
        self.tree: Hierarchy | None = None

    def on_session_open(self, session: Session) -> None:
        """Compute the shares and follow them."""
        self.jobs, self.vectors = session.jobs, session.nodes.vectors
        self.total = {name: session.total_resource.get(name) for name in session.total_resource.names()}
        self.names = {job.uid: job.called for job in session.jobs.values()}
        of_total = str(self.total)
        for uid, job in session.jobs.items():
            self.allocated[uid], self.shares[uid] = job.noted(NAME, partial(self._held_and_share, job), of_total)
        session.plugins.add(points.JOB_ORDER, NAME, lambda job: self.shares[job.uid])
        session.plugins.add(points.PREEMPTABLE, NAME, EvictableFn(self.vote, DependsOn.JOBS, self._share_with))
        if session.hierarchy_enabled(NAME):
            for name in sorted({job.queue for job in session.jobs.values()}):
                annotations = session.queues[name].object.metadata.annotations
                if annotations.get(PATH, "").count("/") > annotations.get(WEIGHTS, "").count("/"):
                    text = f"queue {name} has more levels in {PATH} than in {WEIGHTS}"
                    session.warn(PANIC, f"plugin {NAME}: {text}, and Volcano's process ends with a panic")
            self.tree = tree = Hierarchy(session)
            session.queue_order_is_live = True
            session.plugins.add(points.QUEUE_ORDER, NAME, tree.key)
            session.plugins.add(
                points.RECLAIMABLE,
                NAME,
                EvictableFn(partial(self.reclaimable, tree), DependsOn.EVERYTHING, lambda task: (task.job, task.shape)),
            )
        session.add_event_handler(lambda task: self._follow(task, 1), lambda task: self._follow(task, -1))

    def _held_and_share(self, job: Job) -> tuple[Resource, float]:
        held = job.allocated.clone()
        return held, self._share(held)

    def _share(self, allocated: Resource) -> float:
        total = self.total
        shares = [amount / total[name] for name, amount in allocated.scalars.items() if name in total]
        if CPU in total:
            shares.append(allocated.milli_cpu / total[CPU])
        if MEMORY in total:
            shares.append(allocated.memory / total[MEMORY])
        if len(shares) < len(total):
            shares.append(0.0)  # of all that the job has none of, which may be the resources of thousands of nodes
        return max(shares, default=0.0)

    def _share_with(self, task: Task) -> float:
        """The share that a task's job would have with it."""
        return self._share(self.allocated[task.job].clone().add(task.request))

    def vote(self, preemptor: Task, candidates: Sequence[Task]) -> Victims:
        """Compare shares as if all candidates so far were gone, also those that are spared."""
        votes = Victims()
        own = self._share_with(preemptor)
        held: dict[str, Resource] = {}
        for task in candidates:
            if task.job not in held:
                held[task.job] = self.allocated[task.job].clone()
            left = self._share(held[task.job].sub(task.request))
            if own < left or abs(own - left) <= SHARE_DELTA:
                votes.take(task)
            else:
                name = self.names[task.job].display
                votes.spare(task, Refusal(EvictionCode.SHARE_WOULD_BE_SMALLER, NAME, need=own, have=left, text=name))
        return votes

    def reclaimable(self, tree: Hierarchy, reclaimer: Task, candidates: Sequence[Task]) -> Victims:
        """Give up each task whose queue would still come after the reclaimer's, as if no other task was given up."""
        votes = Victims()
        queue = self.jobs[reclaimer.job].queue
        compared: dict[tuple[str, int], Comparison] = {}
        with tree.changed(reclaimer.job, self.vectors[reclaimer.shape]):
            for task in candidates:
                of = task.job, task.shape
                if of not in compared:
                    with tree.changed(task.job, -self.vectors[task.shape]):
                        compared[of] = tree.compare(queue, self.jobs[task.job].queue)
                if compared[of].order < 0:
                    votes.take(task)
                else:
                    votes.spare(task, _not_after(self.jobs[task.job].queue, compared[of]))
        return votes

    def _follow(self, task: Task, sign: int) -> None:
        """Keep up with a task that was given a node, or has lost it with a sign of -1."""
        job = task.job
        if job not in self.followed:  # what the job held at first is noted with it, and must not change
            self.followed.add(job)
            self.allocated[job] = self.allocated[job].clone()
        held = self.allocated[job]
        self.shares[job] = self._share(held.add(task.request) if sign > 0 else held.sub(task.request))
        if self.tree is not None:
            self.tree.change(job, sign * self.vectors[task.shape])


def _not_after(queue: str, compared: Comparison) -> Refusal:
    """Say that a queue would not come after another one, and where in the tree that is decided."""
    other, own = compared.branches
    if compared.saturated[0] and not compared.saturated[1]:
        return Refusal(EvictionCode.QUEUE_NOT_AFTER_OTHER, NAME, queue=queue, text=f"{other} would be saturated")
    text = f"{own} would have no larger share by weight than {other}"
    own_share, other_share = compared.shares[1], compared.shares[0]
    return Refusal(EvictionCode.QUEUE_NOT_AFTER_OTHER, NAME, need=other_share, have=own_share, queue=queue, text=text)


ROOT: Final = "root"


@dataclass(frozen=True, slots=True)
class Comparison:
    """How two queues compare: at which branches, by what, and who comes first.

    Attributes:
        order: below zero where the left one comes first, above zero where the right one does.
        branches: the paths of the two branches where the order was found.
        shares: their shares by weight.
        saturated: whether each is saturated.
    """

    order: float
    branches: tuple[str, str]
    shares: tuple[float, float]
    saturated: tuple[bool, bool]


class Branch:
    """A step on the paths of queues, with what stands below it: branches, and the jobs of queues that end here.

    The parts below are rows of arrays, in the order in which they came.
    """

    def __init__(self, name: str, weight: float, parent: Branch | None) -> None:
        self.weight = weight
        self.parent = parent
        self.path: str = f"{parent.path}/{name}" if parent else name
        self.row = -1 if parent is None else parent.add()
        self.parts = 0
        self.children: dict[str, Branch] = {}
        self.jobs: dict[str, int] = {}
        self.weighted_share = 0.0
        self.saturated = True

    def add(self) -> int:
        """Make room for one more part, and return its row."""
        self.parts += 1
        return self.parts - 1

    def prepare(self, width: int) -> None:
        """Create the arrays; `width` is the number of resources."""
        self.allocated: Floats = np.zeros((self.parts, width))
        self.request: Floats = np.zeros((self.parts, width))
        self.shares: Floats = np.zeros(self.parts)
        self.done: Masks = np.ones(self.parts, np.bool_)

    def total(self) -> Floats:
        """What the parts hold together, those that are not saturated scaled down to the smallest share."""
        active = self.shares != 0
        growing = active & ~self.done
        smallest = min(1.0, self.shares[growing].min(initial=1.0))
        scale = np.divide(smallest, self.shares, out=np.ones(self.parts), where=growing)
        held: Floats = (self.allocated * scale[:, None])[active].sum(axis=0)
        return held

    def __iter__(self) -> Iterator[Branch]:
        for child in self.children.values():
            yield from child
        yield self


class Hierarchy:
    """The tree of queues by their annotations in a session, kept up to date.

    Jobs are the leaves. A job is saturated once it holds all that it asks for of some resource, or once some resource
    that it asks for is used up in the whole cluster; a branch, once everything below it is. Only what is not saturated
    can make use of more, and so a branch counts with what its parts would hold if all that are not saturated had shares
    as small as the smallest of theirs: a branch is not held responsible for what one of its parts has more than the
    others.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        nodes = session.nodes
        self._capacity = nodes.vector(session.total_resource)
        self._counted: Masks = self._capacity >= EPSILON
        self._used = np.zeros(len(nodes.resources))
        self._branch_of: dict[str, Branch] = {}
        self._paths = {
            name: queue.object.metadata.annotations.get(PATH, "").split("/") for name, queue in session.queues.items()
        }
        self.root = Branch(ROOT, 1.0, None)
        for job in session.jobs.values():
            queue = self._session.queues[job.queue]
            weights = queue.object.metadata.annotations.get(WEIGHTS, "").split("/")
            branch = self.root
            # The first job on a path decides on the weights along it.
            for level, name in enumerate(self._paths[job.queue][1:], 1):
                child = branch.children.get(name)
                if child is None:
                    weight = number(weights[level]) if level < len(weights) else None
                    child = branch.children[name] = Branch(
                        name, 1.0 if weight is None or weight < 1 else weight, branch
                    )
                branch = child
            branch.jobs[job.uid] = branch.add()
            self._branch_of[job.uid] = branch
        for branch in self.root:
            branch.prepare(len(nodes.resources))
        for uid, branch in self._branch_of.items():
            job, row = session.jobs[uid], branch.jobs[uid]
            branch.allocated[row] = nodes.vector(job.allocated)
            for task in job.tasks.values():
                branch.request[row] += nodes.vector(task.request)
            self._used += branch.allocated[row]
        self._demanded: Masks = self._counted & (self._used < self._capacity)
        self._refresh_all()

    # --- changes -----------------------------------------------------------------------------------------------------

    def change(self, job: str, amount: Floats) -> None:
        """Let a job hold some more, or less, than before."""
        branch = self._branch_of[job]
        row = branch.jobs[job]
        branch.allocated[row] += amount
        self._used += amount
        demanded: Masks = self._counted & (self._used < self._capacity)
        if np.array_equal(demanded, self._demanded):
            self._refresh_jobs(branch, np.array([row]))
            above: Branch | None = branch
            while above is not None:
                self._refresh(above)
                above = above.parent
        else:
            self._demanded = demanded
            self._refresh_all()

    @contextmanager
    def changed(self, job: str, amount: Floats) -> Iterator[None]:
        """Let a job hold some more, or less, for a while."""
        self.change(job, amount)
        try:
            yield
        finally:
            self.change(job, -amount)

    def _refresh_all(self) -> None:
        for branch in self.root:  # those below come before those above
            self._refresh_jobs(branch, np.array(list(branch.jobs.values()), np.intp))
            self._refresh(branch)

    def _refresh_jobs(self, branch: Branch, rows: npt.NDArray[np.intp]) -> None:
        held, asked = branch.allocated[rows], branch.request[rows]
        branch.shares[rows] = self._shares(held)
        full = (held >= asked) | ~self._demanded
        branch.done[rows] = ((held >= EPSILON) & (asked != 0) & full).any(axis=1)

    def _refresh(self, branch: Branch) -> None:
        """Bring a branch up to date with its parts, and its row in the branch above with it."""
        held = branch.total()
        share = float(self._shares(held[None])[0])
        branch.weighted_share = share / branch.weight
        branch.saturated = bool(branch.done.all())
        above = branch.parent
        if above is not None:
            above.allocated[branch.row] = held
            above.shares[branch.row] = share
            above.done[branch.row] = branch.saturated

    def _shares(self, amounts: Floats) -> Floats:
        """The dominant share of each row."""
        shares: Floats = (amounts[:, self._counted] / self._capacity[self._counted]).max(axis=1, initial=0.0)
        return shares

    # --- order -------------------------------------------------------------------------------------------------------

    def key(self, queue: Queue) -> HierarchyKey:
        """What a queue is sorted by."""
        return HierarchyKey(self, queue.name)

    def order(self, left: str, right: str) -> float:
        """Compare two queues with jobs: below zero where the left one comes first."""
        return _order(*self._parting(left, right))

    def compare(self, left: str, right: str) -> Comparison:
        """Compare two queues with jobs, and tell where they part."""
        one, other = self._parting(left, right)
        return Comparison(
            _order(one, other),
            (one.path, other.path),
            (one.weighted_share, other.weighted_share),
            (one.saturated, other.saturated),
        )

    def _parting(self, left: str, right: str) -> tuple[Branch, Branch]:
        """The first branches from the root on that differ in order, else those where the shorter path ends."""
        one = other = self.root
        for mine, theirs in zip(self._paths[left][1:], self._paths[right][1:], strict=False):
            one, other = one.children[mine], other.children[theirs]
            if one.saturated is not other.saturated or one.weighted_share != other.weighted_share:
                break
        return one, other


@total_ordering
class HierarchyKey:
    """A queue's place in the order of service as it is at the moment; shares of others are a part of it."""

    __slots__ = ("queue", "tree")

    def __init__(self, tree: Hierarchy, queue: str) -> None:
        self.tree = tree
        self.queue = queue

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, HierarchyKey):
            return NotImplemented
        order = self.tree.order(self.queue, other.queue)
        return not order < 0 and not order > 0

    __hash__ = None  # type: ignore[assignment]

    def __lt__(self, other: HierarchyKey) -> bool:
        return self.tree.order(self.queue, other.queue) < 0

    def compare(self, other: HierarchyKey) -> Comparison:
        """Compare with another queue of the tree."""
        return self.tree.compare(self.queue, other.queue)


def _order(left: Branch, right: Branch) -> float:
    """Compare two branches of one level: what is saturated comes last, then the larger share by weight."""
    if left.saturated is not right.saturated:
        return 1.0 if left.saturated else -1.0
    return left.weighted_share - right.weighted_share
