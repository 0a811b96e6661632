"""The plugin itself: the shares of jobs, and what is answered by them and by the tree of queues."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from vqs.config.scheduler_conf import PluginOption
from vqs.engine.framework import points
from vqs.engine.framework.points import DependsOn, EvictableFn
from vqs.engine.framework.session import Plugin, Session
from vqs.engine.framework.votes import Refusal, Victims
from vqs.engine.plugins.drf.hierarchy import Comparison, Hierarchy, lacks_weights
from vqs.engine.plugins.queue_account import PANIC
from vqs.model.codes import EvictionCode
from vqs.model.job import Job
from vqs.model.job_name import JobName
from vqs.model.resource import CPU, MEMORY, Resource
from vqs.model.task import Task
from vqs.snapshot.cluster.hierarchy_paths import PATH, WEIGHTS

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
            self.allocated[uid], self.shares[uid] = job.noted(NAME, partial(self._held, job), of_total)
        session.plugins.add(points.JOB_ORDER, NAME, lambda job: self.shares[job.uid])
        session.plugins.add(points.PREEMPTABLE, NAME, EvictableFn(self.vote, DependsOn.JOBS, self._share_with))
        if session.hierarchy_enabled(NAME):
            self._add_hierarchy(session)
        session.add_event_handler(self._allocated, self._deallocated)

    def _held(self, job: Job) -> tuple[Resource, float]:
        held = job.allocated.clone()
        return held, self._share(held)

    def _add_hierarchy(self, session: Session) -> None:
        """Make the tree of queues, and add what is answered by it."""
        self._warn_of_panic(session)
        self.tree = tree = Hierarchy(session)
        session.queue_order_is_live = True
        session.plugins.add(points.QUEUE_ORDER, NAME, tree.key)
        session.plugins.add(
            points.RECLAIMABLE,
            NAME,
            EvictableFn(partial(self.reclaimable, tree), DependsOn.EVERYTHING, lambda task: (task.job, task.shape)),
        )

    def _warn_of_panic(self, session: Session) -> None:
        """Say where the real scheduler would not come to the end of this session."""
        for name in sorted({job.queue for job in session.jobs.values()}):
            if lacks_weights(session.queues[name]):
                text = f"queue {name} has more levels in {PATH} than in {WEIGHTS}"
                session.warn(PANIC, f"plugin {NAME}: {text}, and Volcano's process ends with a panic")

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
        """Return the share that a task's job would have with it."""
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
                    votes.spare(task, _comes_first(self.jobs[task.job].queue, compared[of]))
        return votes

    def _own(self, job: str) -> Resource:
        """Return what a job holds, to be changed: what it held at first is noted, and is copied for that."""
        if job not in self.followed:
            self.followed.add(job)
            self.allocated[job] = self.allocated[job].clone()
        return self.allocated[job]

    def _allocated(self, task: Task) -> None:
        self.shares[task.job] = self._share(self._own(task.job).add(task.request))
        if self.tree is not None:
            self.tree.change(task.job, self.vectors[task.shape])

    def _deallocated(self, task: Task) -> None:
        self.shares[task.job] = self._share(self._own(task.job).sub(task.request))
        if self.tree is not None:
            self.tree.change(task.job, -self.vectors[task.shape])


def _comes_first(queue: str, compared: Comparison) -> Refusal:
    """Say that a queue would not come after another one, and where in the tree that is decided."""
    other, own = compared.branches
    if compared.saturated[0] and not compared.saturated[1]:
        return Refusal(EvictionCode.QUEUE_NOT_AFTER_OTHER, NAME, queue=queue, text=f"{other} would be saturated")
    text = f"{own} would have no larger share by weight than {other}"
    own_share, other_share = compared.shares[1], compared.shares[0]
    return Refusal(EvictionCode.QUEUE_NOT_AFTER_OTHER, NAME, need=other_share, have=own_share, queue=queue, text=text)
