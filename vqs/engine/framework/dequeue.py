"""Jobs that leave their queue again, as is proposed for those that were admitted and cannot be placed.

No release does it: see the behaviour inqueue-jobs. A job that waited when the first session began counts as Inqueue
since it was created.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final

from vqs.engine.nodes.sampling import ProcessState
from vqs.model.job import INQUEUE, Job
from vqs.model.task import ALLOCATED_STATUSES, TaskStatus

_AWAY: Final = timedelta(minutes=5)
_TIMEOUT: Final = timedelta(minutes=10)


def may_enqueue(job: Job, process: ProcessState, now: datetime) -> bool:
    """True unless the job has left its queue too short a time ago."""
    left = process.left_queue.get(job.uid)
    return left is None or now - left >= _AWAY


def leaves_at_once(job: Job, process: ProcessState, now: datetime, makes_progress: Callable[[Job], bool]) -> bool:
    """True if a job that is Inqueue at the end of a session has pods and no place for them; it is remembered."""
    if not job.tasks or makes_progress(job):
        return False
    process.left_queue = {**process.left_queue, job.uid: now}
    return True


def leaves_after_timeout(job: Job, process: ProcessState, now: datetime) -> bool:
    """True if a job that is Inqueue at the end of a session has been so for too long; since when is remembered."""
    began = datetime.fromtimestamp(job.created, UTC) if job.phase_before == INQUEUE else now
    since = process.inqueue_since.get(job.uid, began)
    placed = any(job.having(status) for status in (*ALLOCATED_STATUSES, TaskStatus.Pipelined))
    leaves = now - since >= _TIMEOUT and not placed
    kept = {uid: time for uid, time in process.inqueue_since.items() if uid != job.uid}
    process.inqueue_since = kept if leaves else {**kept, job.uid: since}
    return leaves
