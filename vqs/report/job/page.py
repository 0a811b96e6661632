"""The page on a job: the answer first, then each stage of the session."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Final

from vqs.explain.jobs.outcome import JobReport
from vqs.report.again import Next, Option, of_title
from vqs.report.formats import Detail, View
from vqs.report.job.eviction import eviction
from vqs.report.job.gate import gate
from vqs.report.job.pods import pods
from vqs.report.job.remedies import remedies
from vqs.report.job.tries import hyper_nodes, tries
from vqs.report.job.turn import turn
from vqs.report.page import Page, Part
from vqs.report.phrases import caveats, notes, standstill
from vqs.report.simulation.summary import session_headline, sizes

_VERBS: Final = ("add", "remove", "clone-node", "scale")
_FEW: Final = 3
"""A command with more edits than these is not read."""


def page(result: JobReport, view: View, /) -> Page:
    """Return the page on a job."""
    return Page(
        stops=standstill(result),
        headline=session_headline(result.volcano, result.scenario, result.session, sizes(result.session)),
        parts=chain(_parts(result, view), notes(result.diagnostics)),
        answer=[result.answer],
        next=next_step(result, view),
        caveats=caveats(result.diagnostics),
        answer_first=True,
    )


def _parts(report: JobReport, view: View) -> Iterator[Part]:
    """Yield the stages of a job in their order, then the fixes that work."""
    if report.session.standstill:
        return
    everything = view.detail is Detail.EVERYTHING
    yield gate(report)
    yield turn(report, everything=everything)
    yield tries(report, everything=everything)
    if report.hyper_nodes:
        yield hyper_nodes(report, everything=everything)
    yield from pods(report, everything=everything)
    yield from eviction(report, everything=everything)
    yield from remedies(report, everything=everything)


def next_step(report: JobReport, view: View) -> Next:
    """Name the command to go on with."""
    again = view.again or of_title(report.scenario)
    if report.session.standstill:
        return again.last(again.lint())
    job = report.job.called
    steps, fix = [], _first_fix(report)
    if report.cause is not None:
        steps.append(again.rule(report.cause.code, "says what to do"))
    if report.stopped_at in ("enqueue", "queue"):
        queue = report.cause.queue if report.cause is not None and report.cause.queue else report.job.queue
        steps.append(again.command("explain-queue", "shows the limits and the use of the queue", ("--queue", queue)))
    elif report.losses and not report.stopped_at:
        evictor = report.losses[0].evictor_display_name or report.losses[0].evictor_job
        steps.append(again.command("explain-job", "explains the job that evicts its tasks", ("--job", evictor)))
    elif not fix:
        sessions = report.session.sessions
        cycles = [("--cycles", str(sessions))] if sessions > 1 else []
        steps.append(again.command("simulate", "shows its tasks", ("--job", job), *cycles))
    if fix:
        steps.append(again.command("simulate", "shows the session with the first fix", *fix, ("--job", job)))
    return again.last(*steps)


def _first_fix(report: JobReport) -> list[Option]:
    """Return the options that make the first fix; none where there is none, it is long, or a file has to be written."""
    edits = report.remedies.remedies[0].edits if report.remedies and report.remedies.remedies else []
    options = [_option(edit) for edit in edits]
    return [] if len(options) > _FEW or any(name == "--add" for name, _ in options) else options


def _option(edit: str) -> Option:
    verb, _, rest = edit.partition(" ")
    return (f"--{verb}", rest) if verb in _VERBS else ("--set", edit)
