"""The page on a replay: how long the jobs of each queue waited."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean

from vqs.explain.amounts import number
from vqs.model.wording import count
from vqs.replay.outcome import JobRecord, Replay, Replays
from vqs.report.formats import View
from vqs.report.grid import Column, Grid, Row, cell
from vqs.report.page import Page, Part


def page(result: Replay, _: View, /) -> Page:
    """Return the page on one run."""
    return Page(answer=[_answer(result)], headline=_headline(result), parts=[_queues(result)], answer_first=True)


def page_of_many(result: Replays, _: View, /) -> Page:
    """Return the page on several runs."""
    return Page(
        answer=[_answer(each) for each in result.runs],
        headline=f"Volcano {result.runs[0].volcano}, {result.workload}, {count(len(result.runs), 'run')}",
        parts=[],
        answer_first=True,
    )


def _answer(result: Replay) -> str:
    started = [job for job in result.jobs if job.started is not None]
    completed = sum(job.completed is not None for job in result.jobs)
    waits = f", after {number(fmean(map(_wait, started)))} s on average" if started else ""
    policy = f"{result.policy}: " if result.policy else ""
    return (
        f"{policy}{len(started):,} of {count(len(result.jobs), 'job')} started{waits}, {completed:,} completed, "
        f"{count(result.evictions, 'eviction')}"
    )


def _headline(result: Replay) -> str:
    return (
        f"Volcano {result.volcano}, {result.workload}: {number(result.end)} s, {count(result.sessions, 'session')}, "
        f"{count(result.events, 'event')}"
    )


def _queues(result: Replay) -> Part:
    columns = [Column("queue"), Column("jobs", numeric=True), Column("started", numeric=True)]
    columns += [Column("mean wait s", numeric=True), Column("evictions", numeric=True)]
    return Part(title="Queues", grid=Grid(tuple(columns), list(_rows(result))))


def _rows(result: Replay) -> Iterator[Row]:
    for queue in sorted({job.queue for job in result.jobs}):
        jobs = [job for job in result.jobs if job.queue == queue]
        waits = [_wait(job) for job in jobs if job.started is not None]
        mean = number(fmean(waits)) if waits else "-"
        evictions = sum(job.evictions for job in jobs)
        yield Row(tuple(map(cell, (queue, str(len(jobs)), str(len(waits)), mean, str(evictions)))))


def _wait(job: JobRecord) -> float:
    return (job.started or 0.0) - job.arrival
