"""The page on queues: the tree, or one queue with the answer first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from vqs.explain.queues.answer import causes, most_lacking
from vqs.explain.queues.outcome import QueueReport
from vqs.report.again import Again, Next, of_title
from vqs.report.formats import View
from vqs.report.page import Page, Part
from vqs.report.phrases import caveats, notes, standstill
from vqs.report.queues import tree
from vqs.report.queues.parts import parts
from vqs.report.queues.tree import Branch
from vqs.report.simulation.summary import session_headline, sizes

_COMING: Final = "before the next session."
_SENTENCE: Final = re.compile(r"(?<=\.) ")


def page(result: QueueReport, view: View, /) -> Page:
    """Return the page on queues."""
    return Page(
        stops=standstill(result),
        headline=session_headline(result.volcano, result.scenario, result.session, sizes(result.session)),
        parts=_parts(result, view),
        answer=answer_lines(result, view.again),
        next=next_step(result, view.again),
        caveats=caveats(result.diagnostics),
        answer_first=bool(result.explained or result.spec),
    )


def _parts(result: QueueReport, view: View) -> Iterator[Part]:
    explained = result.explained
    if explained is not None:
        line = tree.line(result, explained.line)
        yield _tree(result, line, view, "The queue and its ancestors" if len(line) > 1 else "The queue")
        yield from parts(result, explained, view)
    elif result.spec is None and (branches := tree.branches(result, view)):
        yield _tree(result, branches, view)
    yield from notes(result.diagnostics)


def _tree(result: QueueReport, shown: Sequence[Branch], view: View, title: str = "") -> Part:
    left_out, grid = tree.grid(result, shown, view)
    return Part(
        title or f"Queues, by {result.plugin}{left_out}", legend=tree.LEGEND if grid.has_rows else "", grid=grid
    )


def answer_lines(report: QueueReport, given: Again | None = None) -> list[str]:
    """Return the sentences of the answer; where pods come with the next session, the last says how to see that."""
    lines = _SENTENCE.split(report.answer)
    awaited = report.explained.awaited if report.explained else report.awaited
    if any(each.next for each in awaited) and lines[-1].endswith(_COMING):
        command = (given or of_title(report.scenario)).command("simulate", "", ("--cycles", "2")).command
        lines[-1] = f"{lines[-1].removesuffix('.')} ({command})."
    return lines


def next_step(report: QueueReport, given: Again | None = None) -> Next:
    """Name the command to go on with, if there is one."""
    again = given or of_title(report.scenario)
    if report.session.standstill:
        return again.last(again.lint())
    if report.explained is None:
        if report.spec is not None:
            shows = again.command("explain-queue", "shows the queues that have jobs")
            return again.last(shows) if report.queues else Next()
        name = most_lacking(report)
        return again.last(again.command("explain-queue", "says why", ("--queue", name))) if name else Next()
    jobs = again.command("simulate", "shows its jobs", ("--queue", report.explained.name))
    code = next((cause.code for cause in causes(report.explained) if cause.code), "")
    return again.last(*([again.rule(code, "says what to do")] if code else []), jobs)
