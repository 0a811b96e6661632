"""The page on the jobs that wait: how many there are, then a line each with its cause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from vqs.explain.jobs.waiting_outcome import WaitingJob, WaitingJobs
from vqs.explain.texts.headline import prospect
from vqs.model.codes import VerdictCode
from vqs.report.again import Next, of_title
from vqs.report.formats import View
from vqs.report.grid import Column, Grid, Row, cell
from vqs.report.page import Page, Part
from vqs.report.phrases import caveats, notes, standstill
from vqs.report.simulation.summary import session_headline, sizes

TITLE: Final = "Jobs that wait"


def page(result: WaitingJobs, view: View, /) -> Page:
    """Return the page on the jobs that wait."""
    return Page(
        stops=standstill(result),
        headline=session_headline(result.volcano, result.scenario, result.session, sizes(result.session)),
        parts=_parts(result),
        answer=[result.answer],
        next=next_step(result, view),
        caveats=caveats(result.diagnostics),
        answer_first=True,
    )


def _parts(result: WaitingJobs) -> Iterator[Part]:
    if result.jobs and not result.session.standstill:
        columns = (Column("JOB", named=True), Column("QUEUE", named=True), Column("TASKS WAITING", numeric=True))
        yield Part(TITLE, grid=Grid(columns, [_row(job) for job in result.jobs], "CAUSE"))
    yield from notes(result.diagnostics)


def _row(job: WaitingJob) -> Row:
    cells = (cell(job.display_name), cell(job.queue), cell(f"{job.waiting:,} of {job.tasks:,}"))
    starts = job.outlook is not None and bool(job.outlook.starts_in_session)
    why = f"{job.code}: {job.why}" if job.code and not starts else ""
    return Row(cells, "; ".join(filter(None, [prospect(job.outlook), why])) or job.decision)


def next_step(result: WaitingJobs, view: View) -> Next:
    """Name the command that explains a job, one with the most frequent cause first."""
    again = view.again or of_title(result.scenario)
    if result.session.standstill:
        return again.last(again.lint())
    if not result.jobs:
        return again.last(again.command("simulate", "shows every job and task"))
    causes = Counter(job.code for job in result.jobs)
    first = max(result.jobs, key=lambda job: (job.code != VerdictCode.UNKNOWN_QUEUE, causes[job.code]))
    code, steps = first.code, []
    if code != VerdictCode.UNKNOWN_QUEUE:  # the scheduler ignores the others, so that there is nothing to explain
        steps.append(again.command("explain-job", "explains that job, and tries fixes", ("--job", first.display_name)))
    if code:
        steps.append(again.rule(code, "says what to do"))
    return again.last(*steps)
