"""The condition PodScheduled that a pod shows once a session is over, as `kubectl describe pod` has it.

When a session closes, the scheduler writes the condition of every task that is pending, allocated without being bound,
or pipelined. Where nothing in particular is known of a task, its message is the sentence about its job as a whole.
Reference: RecordJobStatusEvent in pkg/scheduler/cache/cache.go. Of a pod with scheduling gates the scheduler leaves
what the API server wrote when the pod was created: pkg/registry/core/pod/strategy.go of Kubernetes.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from vqs.engine.framework.finished import FinishedSession
from vqs.model.job import Job
from vqs.model.task import WAITING_STATUSES, Task


class PodCondition(NamedTuple):
    """The reason and the message of a condition PodScheduled whose status is False."""

    reason: str
    message: str


GATED: Final = PodCondition("SchedulingGated", "Scheduling is blocked due to non-empty scheduling gates")


def pod_condition(session: FinishedSession, job: Job, task: Task) -> PodCondition | None:
    """Return the condition that the pod of a task shows after a session, None where the session writes none."""
    if task.status not in WAITING_STATUSES:
        return None
    if task.scheduling_gated:
        return GATED
    reason, message = job.scheduling_reason(task)
    return PodCondition(reason, message or session.fit_error(job))
