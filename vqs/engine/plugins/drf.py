"""drf: among the jobs of a queue, the one with the smallest dominant share of the cluster is served first.

A job's dominant share is the largest part it holds of any one resource. A task may preempt those of jobs that would
still have a share no smaller than its own job's, after both changes. No arguments; with `enableHierarchy` queues
would be ordered by their shares as well, which is not modelled yet.
Reference: pkg/scheduler/plugins/drf/drf.go.
"""

from __future__ import annotations

from collections.abc import Sequence

from vqs.config.scheduler_conf import PluginOption
from vqs.engine import points
from vqs.engine.points import DependsOn, EvictableFn
from vqs.engine.session import Plugin, Session
from vqs.engine.votes import Refusal, Victims
from vqs.model.codes import EvictionCode
from vqs.model.job_name import JobName
from vqs.model.resource import CPU, MEMORY, Resource, share
from vqs.model.task import Task

NAME = "drf"


SHARE_DELTA = 0.000001
"""Shares closer than this are equal."""


class DrfPlugin(Plugin):
    """Keep every job's dominant share."""

    def __init__(self, option: PluginOption) -> None:
        super().__init__(option)
        self.total: dict[str, float] = {}
        self.allocated: dict[str, Resource] = {}
        self.shares: dict[str, float] = {}
        self.names: dict[str, JobName] = {}

    def on_session_open(self, session: Session) -> None:
        """Compute the shares and follow them."""
        if session.hierarchy_enabled(NAME):
            session.warn(
                "not-built", f"plugin {NAME}: enableHierarchy is not modelled: queues are not ordered by their shares"
            )
        self.total = {name: session.total_resource.get(name) for name in session.total_resource.names()}
        self.names = {job.uid: job.called for job in session.jobs.values()}
        for job in session.jobs.values():
            self.allocated[job.uid] = job.allocated.clone()
            self.shares[job.uid] = self._share(self.allocated[job.uid])
        session.plugins.add(points.JOB_ORDER, NAME, lambda job: self.shares[job.uid])
        session.plugins.add(points.PREEMPTABLE, NAME, EvictableFn(self.vote, DependsOn.JOBS, self._share_with))
        session.add_event_handler(self._allocated, self._deallocated)

    def _share(self, allocated: Resource) -> float:
        held = [name for name in (CPU, MEMORY, *allocated.scalars) if name in self.total]
        shares = [share(allocated.get(name), self.total[name]) for name in held]
        if len(held) < len(self.total):
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

    def _allocated(self, task: Task) -> None:
        self.shares[task.job] = self._share(self.allocated[task.job].add(task.request))

    def _deallocated(self, task: Task) -> None:
        self.shares[task.job] = self._share(self.allocated[task.job].sub(task.request))
