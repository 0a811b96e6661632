"""The second stage of a job's life: who is served before it, and which comparison decided that."""

from __future__ import annotations

from typing import Final

from vqs.explain.amounts import exact_percent
from vqs.explain.jobs.outcome import JobPlace, JobReport
from vqs.model.wording import count
from vqs.report.grid import Column, Grid, Row, cell
from vqs.report.page import MARK, Part
from vqs.report.queues.parts import comparison

TITLE: Final = "Scheduling order"


def turn(report: JobReport, *, everything: bool) -> Part:
    """Tell when the job's queue is served, and when the job is within that queue."""
    lines = [*_queue(report), *_job(report)]
    return Part(TITLE, lines, _order(report) if everything else None)


def _queue(report: JobReport) -> list[str]:
    places = report.standing.queues
    at = next((number for number, place in enumerate(places) if place.queue == report.job.queue), None)
    if at is None:
        return []
    if len(places) == 1:
        return [f"Queue {report.job.queue} is the only queue with jobs."]
    lines = [f"Queue {report.job.queue} is number {at + 1:,} of {count(len(places), 'queue')} with jobs."]
    if at > 0:
        lines.append(f"It comes after queue {places[at - 1].queue}: {comparison(places[at])}.")
    if at + 1 < len(places):
        lines.append(f"It comes before queue {places[at + 1].queue}: {comparison(places[at + 1])}.")
    return lines


def _job(report: JobReport) -> list[str]:
    places, name = report.standing.jobs, report.job.called
    at = _position(report)
    if at is None:
        return [f"No task of {name} waits when the session opens."]
    if len(places) == 1:
        return [f"{name} is the only job of the queue that waits."]
    lines = [f"{name} is number {at + 1:,} of {count(len(places), 'job')} of the queue that wait."]
    if at > 0:
        lines.append(f"It comes after {places[at - 1].called}: {decided(places[at - 1], places[at])}.")
    if at + 1 < len(places):
        lines.append(f"It comes before {places[at + 1].called}: {decided(places[at], places[at + 1])}.")
    return lines


def _order(report: JobReport) -> Grid | None:
    """Return the jobs of the queue in their order, where there are others."""
    places, at = report.standing.jobs, _position(report)
    if at is None or len(places) < 2:  # noqa: PLR2004 - an order is of two at least
        return None
    rows = []
    for number, place in enumerate(places):
        why = decided(places[number - 1], place) if number else ""
        name = f"{MARK}{place.called}" if number == at else f"  {place.called}"
        rows.append(Row((cell(f"{place.position:,}"), cell(name, "bold" if number == at else "")), why))
    return Grid((Column("#", numeric=True), Column("  JOB")), rows, "WHY AFTER THE JOB ABOVE")


def _position(report: JobReport) -> int | None:
    return next((number for number, place in enumerate(report.standing.jobs) if place.job == report.job.uid), None)


def decided(before: JobPlace, place: JobPlace) -> str:
    """Say what put a job behind the one before it."""
    mine, theirs = place.values
    match place.by:
        case "priority":
            return f"{before.called} has priority {mine}, {place.called} {theirs}"
        case "gang":
            having, lacking = (before, place) if mine == "yes" else (place, before)
            return f"{having.called} has its minimum number of tasks placed, {lacking.called} does not"
        case "sla":
            return f"the {place.what} of {before.called} is {mine}, that of {place.called} {theirs}"
        case "drf":
            shares = exact_percent(mine), exact_percent(theirs)
            return f"{before.called} holds {shares[0]} of the cluster (dominant resource), {place.called} {shares[1]}"
        case "created":
            return f"{before.called} is older: created {mine}, {place.called} {theirs}"
        case "uid":
            if (before.job, place.job) == (before.called, place.called):
                return f"all else is equal, and {before.job} sorts before {place.job} by name"
            return f"all else is equal, and the PodGroup of {before.called} sorts before that of {place.called} by name"
        case _:
            return f"{place.what}: {mine} goes before {theirs}"
