"""gang: a job starts with at least its minimum of tasks, or not at all. No arguments.

The minimum is the PodGroup's minMember; its minTaskMember adds one per role, unless their sum is above minMember; its
subGroupPolicy one per sub-group. Jobs that still lack their minimum are served before those that have it. From a job,
only what it has beyond minMember may be evicted, whatever its roles and sub-groups need; the actions gangpreempt and
gangreclaim see to that themselves, so that everything may be for them.
Reference: pkg/scheduler/plugins/gang/gang.go.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial

from vqs.engine.framework import points
from vqs.engine.framework.points import DependsOn, EvictableFn
from vqs.engine.framework.session import Plugin, Session, releasing_on_nodes
from vqs.engine.framework.votes import Refusal, Victims, Vote
from vqs.model.codes import EvictionCode, VerdictCode
from vqs.model.job import (
    ALLOCATED_STATUSES,
    READY_STATUSES,
    SCHEDULED_STATUSES,
    VALID_STATUSES,
    Job,
    SubJob,
    Task,
    TaskStatus,
)

NAME = "gang"


class GangPlugin(Plugin):
    """Decide whether a gang is large enough, ready, or ready once resources are released."""

    refusals = (VerdictCode.GANG_TOO_SMALL, EvictionCode.NEEDED_BY_ITS_GANG)

    def on_session_open(self, session: Session) -> None:
        """Add the gang's answers."""
        self.jobs = session.jobs
        session.plugins.add(points.JOB_VALID, NAME, valid)
        session.plugins.add(points.JOB_ORDER, NAME, lambda job: job.is_ready())
        session.plugins.add(points.SUB_JOB_ORDER, NAME, lambda sub_job: sub_job.is_ready())
        session.plugins.add(points.JOB_READY, NAME, ready)
        session.plugins.add(points.SUB_JOB_READY, NAME, lambda sub_job: sub_job.is_ready())
        session.plugins.add(points.JOB_PIPELINED, NAME, pipelined)
        session.plugins.add(points.SUB_JOB_PIPELINED, NAME, sub_job_pipelined)
        session.plugins.add(points.JOB_STARVING, NAME, lambda job: job.ready + job.waiting < job.min_available)
        voter = EvictableFn(self.vote, DependsOn.JOBS)
        session.plugins.add(points.PREEMPTABLE, NAME, voter)
        session.plugins.add(points.RECLAIMABLE, NAME, voter)
        session.plugins.add(points.UNIFIED_EVICTABLE, NAME, lambda _, tasks: Victims(tasks=[*tasks]))

    def on_session_close(self, session: Session) -> None:
        """Write the Unschedulable condition of every job that is not ready."""
        counts_releasing = session.profile.pods.releasing_pods == "counted"
        for job in session.jobs.values():
            if job.total and not job.is_ready() and not (counts_releasing and _is_only_releasing(job)):
                session.unschedulable.write_later(job.uid, partial(unschedulable_message, job))

    def vote(self, _: Task, candidates: Sequence[Task]) -> Victims:
        """Let tasks go, in the order given, as long as their job keeps its minimum."""
        votes = Victims()
        ready: dict[str, int] = {}
        for task in candidates:
            job = self.jobs[task.job]
            left = ready.get(job.uid, job.ready)
            if left > job.min_available:
                ready[job.uid] = left - 1
                votes.take(task)
            else:
                need = float(job.min_available)
                votes.spare(
                    task,
                    Refusal(EvictionCode.NEEDED_BY_ITS_GANG, NAME, need=need, have=float(left), text=job.display_name),
                )
        return votes


def _is_only_releasing(job: Job) -> bool:
    """True if a gang is complete with tasks that are on their way out.

    Reference: shouldSkipUnschedulableForReleasing.
    """
    releasing = releasing_on_nodes(job)
    if not releasing or job.having(TaskStatus.Pending) or job.having(TaskStatus.Pipelined):
        return False
    scheduled = sum(len(job.having(status)) for status in SCHEDULED_STATUSES)
    return scheduled + releasing >= job.min_available


def valid(job: Job) -> Refusal | None:
    """Why a job has too few tasks to ever be a gang."""
    if not job.roles_complete(VALID_STATUSES, best_effort_pending=False):
        counts = job.role_counts(VALID_STATUSES, best_effort_pending=False)
        role = min(role for role, minimum in job.min_task_member.items() if counts[role] < minimum)
        need = job.min_task_member[role]
        return Refusal(VerdictCode.GANG_TOO_SMALL, NAME, need=need, have=counts[role], text=f"tasks of role {role}")
    numbers = Counter(sub_job.group for sub_job in job.sub_jobs.values()) if job.min_sub_groups else {}
    for group, minimum in job.min_sub_groups.items():
        if numbers[group] < minimum:
            return Refusal(
                VerdictCode.GANG_TOO_SMALL, NAME, need=minimum, have=numbers[group], text=f"sub-groups of {group}"
            )
    if job.valid < job.min_available:
        return Refusal(VerdictCode.GANG_TOO_SMALL, NAME, need=job.min_available, have=job.valid, text="tasks")
    return None


def ready(job: Job) -> bool:
    """True if the gang is complete in total, in each role and in each sub-group."""
    return (
        job.is_ready()
        and job.roles_complete(READY_STATUSES)
        and (not job.min_sub_groups or job.sub_groups_complete(pipelined=False))
    )


def pipelined(job: Job) -> Vote:
    """Vote on whether the gang is complete counting what waits for releasing resources."""
    complete = (
        job.is_pipelined()
        and job.roles_complete(READY_STATUSES | {TaskStatus.Pipelined})
        and (not job.min_sub_groups or job.sub_groups_complete(pipelined=True))
    )
    return Vote.PERMIT if complete else Vote.REJECT


def sub_job_pipelined(sub_job: SubJob) -> Vote:
    """Vote on a sub-job as on a job."""
    return Vote.PERMIT if sub_job.is_pipelined() else Vote.REJECT


def unschedulable_message(job: Job) -> str:
    """The message of the PodGroup's condition. A task that a statement had placed counts as schedulable."""
    transactions = [task.last_transaction for task in job.having(TaskStatus.Pending).values()]
    schedulable = job.ready + sum(last is not None and last.status in ALLOCATED_STATUSES for last in transactions)
    return f"{job.min_available - schedulable}/{job.total} tasks in gang unschedulable: {job.fit_error()}"
