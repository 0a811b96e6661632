"""The jobs in whose favour an action evicts: those that are in their queues, could run, and are starving."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from vqs.engine.framework import points
from vqs.engine.framework.order import TaskQueue, sort_tasks
from vqs.engine.framework.session import Session
from vqs.engine.framework.votes import Refusal
from vqs.model.codes import EvictionCode
from vqs.model.job import Job
from vqs.model.task import TaskStatus


def considered(session: Session) -> Iterator[Job]:
    """Yield the jobs that are looked at, and note which of them are refused at once."""
    jobs: Iterable[Job] = session.jobs.values()
    for job in jobs if session.tie_breaker is None else session.tie_breaker.in_any_order("jobs", jobs):
        if job.is_pending():
            continue
        refusal = session.plugins.job_valid(job)
        if refusal is None:
            yield job
        else:
            session.trace.note_preemptor(job.uid, refusal)


def starving(session: Session, job: Job) -> bool:
    """Tell whether a job is starving, and note it."""
    is_starving = session.plugins.job_starving(job)
    if is_starving:
        session.trace.note_preemptor(job.uid, None)
    elif not session.plugins.is_answered(points.JOB_STARVING):
        session.trace.note_preemptor(job.uid, Refusal(EvictionCode.NOBODY_STARVES))
    else:
        have = float(job.ready + job.waiting)
        session.trace.note_preemptor(job.uid, Refusal(EvictionCode.NOT_STARVING, need=float(job.total), have=have))
    return is_starving


def waiting_tasks(session: Session, job: Job) -> TaskQueue:
    """Return the tasks of a job that wait, also those that ask for nothing, in their order."""
    waiting = (task for task in job.having(TaskStatus.Pending).values() if not task.scheduling_gated)
    return sort_tasks(session, waiting)
