"""What an action still has to try of a job: its tasks, sub-job by sub-job.

Reference: pkg/scheduler/actions/allocate/allocate.go (organizeJobWorksheet).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from vqs.engine.framework.order import TaskQueue, sort_tasks
from vqs.engine.framework.points import Key
from vqs.engine.framework.session import Session
from vqs.model.job import Job, SubJob, TaskCounts
from vqs.model.task import Task, TaskStatus


class PendingTasks:
    """The tasks of a job that are still to be tried: in one queue, or in one for each sub-job.

    `needed` names the sub-jobs without which the job cannot reach its minimum; they come first.
    """

    def __init__(self, session: Session, job: Job) -> None:
        divided: Mapping[str, TaskCounts] = job.sub_jobs or {job.uid: job}
        parts = {uid: _waiting(part) for uid, part in divided.items()}
        self.queues: dict[str, TaskQueue] = {uid: sort_tasks(session, tasks) for uid, tasks in parts.items() if tasks}
        self.needed = _needed_sub_jobs(session, job) if job.has_sub_group_policy else set()

    def __bool__(self) -> bool:
        return any(map(len, self.queues.values()))

    def key(self, session: Session, sub_job: SubJob) -> Key:
        """What sub-jobs are sorted by."""
        return (sub_job.uid not in self.needed, session.plugins.sub_job_key(sub_job))


def _waiting(part: TaskCounts) -> list[Task]:
    return [t for t in part.having(TaskStatus.Pending).values() if not t.scheduling_gated and not t.best_effort]


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
