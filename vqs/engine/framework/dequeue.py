"""Jobs that leave their queue again, as is proposed for those that were admitted and cannot be placed.

No release does it: see the behaviour inqueue-jobs. A job that waited when the first session began counts as Inqueue
since it was created.
References: the pull requests 5777, 5101 and 5529 of volcano-sh/volcano.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from vqs.engine.nodes.sampling import ProcessState
from vqs.model.durations import parse_duration
from vqs.model.job import ALLOCATED_STATUSES, INQUEUE, Job, TaskStatus

_AWAY: Final = timedelta(minutes=5)
_TIMEOUT: Final = timedelta(minutes=10)
_TIMEOUT_FOR_OTHERS: Final = timedelta(minutes=5)
_OWN_TIMEOUT: Final = "volcano.sh/inqueue-timeout"
"""The annotation of a PodGroup: a duration in one of the proposals, whole seconds in the other."""
_SECONDS: Final = re.compile(r"\+?[0-9]{1,9}")


def may_enqueue(job: Job, process: ProcessState, now: datetime) -> bool:
    """True unless the job has left its queue too short a time ago."""
    left = process.left_queue.get(job.uid)
    return left is None or now - left >= _AWAY


def leaves_after_timeout(job: Job, process: ProcessState, now: datetime) -> bool:
    """True if a job that is Inqueue at the end of a session has been so for too long; since when is remembered."""
    since = _since(job, process, now)
    own = parse_duration(job.pod_group.metadata.annotations.get(_OWN_TIMEOUT, ""))
    timeout = timedelta(seconds=own) if own is not None and own > 0 else _TIMEOUT
    placed = any(job.having(status) for status in (*ALLOCATED_STATUSES, TaskStatus.Pipelined))
    leaves = now - since >= timeout and not placed
    kept = {uid: time for uid, time in process.inqueue_since.items() if uid != job.uid}
    process.inqueue_since = kept if leaves else {**kept, job.uid: since}
    return leaves


def leaves_to_others(job: Job, process: ProcessState, now: datetime) -> bool:
    """True if a job that is Inqueue when jobs are admitted has been so for too long."""
    own = job.pod_group.metadata.annotations.get(_OWN_TIMEOUT, "")
    seconds = int(own) if _SECONDS.fullmatch(own) else 0
    timeout = timedelta(seconds=seconds) if seconds > 0 else _TIMEOUT_FOR_OTHERS
    return now - _since(job, process, now) >= timeout


def _since(job: Job, process: ProcessState, now: datetime) -> datetime:
    began = datetime.fromtimestamp(job.created, UTC) if job.phase_before == INQUEUE else now
    return process.inqueue_since.get(job.uid, began)
