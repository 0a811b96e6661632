"""PodGroups without pods that are admitted: what their minResources ask for is kept for them, and nothing takes it."""

from __future__ import annotations

from vqs.engine.framework.finished import FinishedSession
from vqs.explain.units import in_words
from vqs.model.job import INQUEUE, Job
from vqs.model.wording import count, first_names
from vqs.snapshot.controllers.world import controller_of


def stale_groups(session: FinishedSession, resource: str) -> list[Job]:
    """Return the jobs whose PodGroup was Inqueue and has no pods, nor any to come; those first that keep most.

    What a controller keeps up may get pods yet, unless it is a Volcano Job that has ended.
    """

    def found() -> list[Job]:
        stale = [
            job
            for job in session.jobs.values()
            if job.pod_group.status.phase == INQUEUE
            and not job.tasks
            and job.uid not in session.cluster.awaited
            and (job.uid in session.cluster.ended or controller_of(job.pod_group.metadata) is None)
            and job.minimum().get(resource)
        ]
        return sorted(stale, key=lambda job: (-job.minimum().get(resource), job.uid))

    return session.noted(f"stale groups: {resource}", found)


def kept_by_stale_groups(session: FinishedSession, resource: str) -> str:
    """Say how much of what admitted jobs wait for is that of PodGroups without pods; empty where it is nothing."""
    stale = stale_groups(session, resource)
    if not stale:
        return ""
    kept = in_words(resource, sum(job.minimum().get(resource) for job in stale))
    named = first_names([job.pod_group.metadata.key for job in stale])
    return f"; {kept} {resource} of what they request is kept for {count(len(stale), 'PodGroup')} without pods: {named}"
