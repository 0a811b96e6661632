"""The answer about queues with the commands that go on from it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from vqs.explain.queues.answer import most_lacking
from vqs.explain.queues.causes import causes
from vqs.report.again import Next, of_title

if TYPE_CHECKING:
    from vqs.explain.queues.outcome import QueueReport
    from vqs.report.again import Again


_COMING: Final = "with the next session."
_SENTENCE: Final = re.compile(r"(?<=\.) ")


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
