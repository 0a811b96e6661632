"""priority: jobs and tasks of higher priority come first, and may preempt those of lower priority. No arguments.

A job is starving as long as not all of its tasks have a place.

Reference: pkg/scheduler/plugins/priority/priority.go.
"""

from __future__ import annotations

from collections.abc import Sequence

from vqs.engine.framework import points
from vqs.engine.framework.points import DependsOn, EvictableFn, EvictionContext, EvictionKind
from vqs.engine.framework.session import Plugin, Session
from vqs.engine.framework.votes import Refusal, Victims
from vqs.model.codes import EvictionCode
from vqs.model.job import Task

NAME = "priority"


class PriorityPlugin(Plugin):
    """Order by priority, highest first."""

    refusals = (EvictionCode.PRIORITY_NOT_LOWER,)

    def on_session_open(self, session: Session) -> None:
        """Add the orders and the vote."""
        self.jobs = session.jobs
        session.plugins.add(points.TASK_ORDER, NAME, lambda task: -task.priority)
        session.plugins.add(points.JOB_ORDER, NAME, lambda job: -job.priority)
        session.plugins.add(points.SUB_JOB_ORDER, NAME, lambda sub_job: -sub_job.priority)
        session.plugins.add(points.JOB_STARVING, NAME, lambda job: job.ready + job.waiting < job.total)
        voter = EvictableFn(
            self.vote, DependsOn.NOTHING, lambda preemptor: (preemptor.priority, self.jobs[preemptor.job].priority)
        )
        session.plugins.add(points.PREEMPTABLE, NAME, voter)
        session.plugins.add(points.UNIFIED_EVICTABLE, NAME, self.evictable)

    def vote(self, preemptor: Task, candidates: Sequence[Task]) -> Victims:
        """Let tasks of jobs of lower priority go; within a job, tasks of lower priority."""
        votes = Victims()
        own = self.jobs[preemptor.job].priority
        for task in candidates:
            within = task.job == preemptor.job
            have, need = (task.priority, preemptor.priority) if within else (self.jobs[task.job].priority, own)
            if have < need:
                votes.take(task)
            else:
                text = "task" if within else "job"
                votes.spare(
                    task, Refusal(EvictionCode.PRIORITY_NOT_LOWER, NAME, need=float(need), have=float(have), text=text)
                )
        return votes

    def evictable(self, context: EvictionContext, candidates: Sequence[Task]) -> Victims:
        """Let tasks of jobs of lower priority go in favour of a gang; where other queues reclaim, let all go."""
        votes = Victims()
        need = context.job.priority
        for task in candidates:
            have = self.jobs[task.job].priority
            if context.kind is EvictionKind.GANG_RECLAIM or have < need:
                votes.take(task)
            else:
                votes.spare(
                    task, Refusal(EvictionCode.PRIORITY_NOT_LOWER, NAME, need=float(need), have=float(have), text="job")
                )
        return votes
