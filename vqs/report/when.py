"""The page on when jobs start: a range of times for each, why it waits till then, and what the times rest on."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from vqs.explain.amounts import lasting
from vqs.model.durations import write_seconds
from vqs.model.wording import count
from vqs.replay.when.outcome import JobStart, When
from vqs.report.formats import Next, View, of_title
from vqs.report.page import At, Cell, Column, Line, Page, Part, table
from vqs.report.phrases import caveats, notes
from vqs.report.simulation.summary import session_headline

_TO_THE_MINUTE = len("2026-03-02T14:05")


def page(result: When, view: View, /) -> Page:
    """Return the page on when jobs start."""
    stopped = f"{count(result.stopped, 'run')} of {result.runs:,} stopped before the end, as too much happened"
    return Page(
        headline=session_headline(result.volcano, result.snapshot, result.session),
        stops=[stopped] if result.stopped else [],
        parts=_parts(result),
        answer=[result.answer],
        next=_next(result, view),
        caveats=caveats(result.diagnostics),
        answer_at=At.FIRST,
    )


def _parts(result: When) -> Iterator[Part]:
    within = write_seconds(result.within)

    def clock(job: JobStart) -> Cell:
        first, last = job.earliest_at, job.latest_at or f"after {within}"
        return None if first is None else f"{_minute(first)} to {_minute(last) if job.latest_at else last}"

    def says(job: JobStart) -> str:
        fates = {"never": "never, as it is", "not-within": f"not within {within}", "running": "runs with fewer pods"}
        return ": ".join(filter(None, (fates.get(job.fate, ""), job.code, job.why)))

    columns: dict[Column, Callable[[JobStart], Cell]] = {
        Column("JOB", named=True): lambda job: job.display_name,
        Column("QUEUE", named=True): lambda job: job.queue,
        Column("EARLIEST", numeric=True): lambda job: lasting(job.earliest),
        Column("MEDIAN", numeric=True): lambda job: lasting(job.median),
        Column("LATEST", numeric=True): lambda job: lasting(job.latest),
        Column("IN RUNS", numeric=True): lambda job: f"{job.started:,} of {result.runs:,}",
    }
    if result.now is not None:
        columns[Column("CLOCK TIME (UTC)")] = clock
    if result.jobs:
        since = f"from now, {result.now}" if result.now is not None else "from now"
        legend = f"Times are {since}. A dash is a time that is not within {within}."
        yield Part("Starts", grid=table(result.jobs, columns, "WHY IT WAITS", says), legend=legend)
        yield Part("Assumptions", items=[Line(each.text) for each in result.assumptions])
    yield from notes(result.diagnostics)


def _minute(time: str) -> str:
    return time[:_TO_THE_MINUTE].replace("T", " ")


def _next(result: When, view: View) -> Next:
    """Name the command that says what would start the job that waits longest."""
    again = view.again or of_title(result.snapshot)
    waiting = [job for job in result.jobs if job.fate != "running"]
    if not waiting:
        return again.last(again.command("simulate", "shows every job and task"))
    slowest = min(waiting, key=lambda job: job.started)
    says = "explains why that job waits, and tries fixes"
    return again.last(again.command("explain-job", says, ("--job", slowest.display_name)))
