"""What jobs that were admitted to their queues still wait for. Reference: pkg/scheduler/plugins/util/util.go."""

from __future__ import annotations

from vqs.engine.framework.session import Session
from vqs.model.job import Job
from vqs.model.quantity import value
from vqs.model.resource import EPHEMERAL_STORAGE, PODS, Resource


def inqueue_of_running(session: Session, job: Job) -> Resource:
    """What the minResources of a job that has places reserve beyond what it holds.

    A scalar that the job holds none of is listed even where nothing of it is reserved; others are left out then, and
    ephemeral storage always is.
    """
    minimum, held = job.minimum(), job.allocated
    if session.profile.queues.reserved_devices == "in-wrong-unit":
        _count_in_wholes(minimum, job)
    reserved = Resource(max(minimum.milli_cpu - held.milli_cpu, 0.0), max(minimum.memory - held.memory, 0.0))
    for name, amount in minimum.scalars.items():
        left = amount - held.scalars.get(name, 0.0)
        if name != EPHEMERAL_STORAGE and (left > 0 or name not in held.scalars):
            reserved.scalars[name] = left
    return reserved


def _count_in_wholes(minimum: Resource, job: Job) -> None:
    """Take whole devices for thousandths, and forget pods."""
    quantities = job.pod_group.spec.min_resources or {}
    minimum.leave_out([PODS])
    for name in minimum.scalars:
        minimum.scalars[name] = float(value(quantities[name]))
