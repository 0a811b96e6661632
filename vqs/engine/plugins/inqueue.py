"""What jobs that were admitted to their queues still wait for. Reference: pkg/scheduler/plugins/util/util.go."""

from __future__ import annotations

from vqs.model.job import Job
from vqs.model.resource import EPHEMERAL_STORAGE, Resource


def inqueue_of_running(job: Job) -> Resource:
    """Return what the minResources of a job that has places reserve beyond what it holds.

    A scalar that the job holds none of is listed even where nothing of it is reserved; others are left out then, and
    ephemeral storage always is.
    """
    minimum, held = job.minimum(), job.allocated
    reserved = Resource(max(minimum.milli_cpu - held.milli_cpu, 0.0), max(minimum.memory - held.memory, 0.0))
    for name, amount in minimum.scalars.items():
        left = amount - held.scalars.get(name, 0.0)
        if name != EPHEMERAL_STORAGE and (left > 0 or name not in held.scalars):
            reserved.scalars[name] = left
    return reserved
