"""Which jobs of a queue are served first when a session opens, and which comparison decided."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

from vqs.engine.framework.session import Session
from vqs.engine.plugins import drf, gang, priority, sla
from vqs.explain.jobs.outcome import JobPlace
from vqs.explain.units import timestamp
from vqs.model.job import Job
from vqs.model.task import TaskStatus

_COMPARED: Final = {
    priority.NAME: "priority",
    gang.NAME: "has its minimum",
    drf.NAME: "share of the cluster",
    sla.NAME: "end of its sla-waiting-time",
}
"""What the plugins that order jobs look at."""


def job_order(session: Session, queue: str) -> list[JobPlace]:
    """Return the jobs of a queue that wait for something, the first to be served first; the session was just opened."""
    waiting = [job for job in session.jobs.values() if job.queue == queue and _waits(job)]
    ordered = sorted(waiting, key=session.plugins.job_key)
    places = [
        JobPlace(job=job.uid, display_name=job.display_name, position=number) for number, job in enumerate(ordered, 1)
    ]
    for (first, second), place in zip(pairwise(ordered), places[1:], strict=True):
        place.by, place.what, place.values = _decided(session, first, second)
    return places


def _waits(job: Job) -> bool:
    return job.is_pending() or any(not task.scheduling_gated for task in job.having(TaskStatus.Pending).values())


def _decided(session: Session, first: Job, second: Job) -> tuple[str, str, list[str]]:
    """Tell which plugin put one job before another, what it compares, and what it found."""
    for (plugin, mine), (_, theirs) in zip(
        session.plugins.job_orders(first), session.plugins.job_orders(second), strict=True
    ):
        if mine != theirs:
            return plugin, _COMPARED.get(plugin, "order"), [_value(plugin, mine), _value(plugin, theirs)]
    if first.created != second.created:
        return "created", "age", [timestamp(first.created), timestamp(second.created)]
    return "uid", "name", [first.uid, second.uid]


def _value(plugin: str, key: Any) -> str:
    """Write what a plugin sorts by as one would say it."""
    if plugin == priority.NAME:
        return str(-key)
    if plugin == sla.NAME:
        forever, until = key
        return "never" if forever else timestamp(until)
    if isinstance(key, bool):
        return "yes" if key else "no"
    return f"{key:.4g}" if isinstance(key, float) else str(key)
