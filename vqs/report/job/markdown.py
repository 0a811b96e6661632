"""The life of a job, for an issue or a chat: the answer first, what is rarely read folded away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vqs.report.formats import Detail
from vqs.report.job.parts import next_step, parts
from vqs.report.markdown import document, escaped
from vqs.report.phrases import diagnostic_line, standstill
from vqs.report.queues.markdown import part_lines
from vqs.report.simulation.summary import said_of, sizes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vqs.explain.jobs.outcome import JobReport
    from vqs.report.formats import View


def job(result: JobReport, view: View, /) -> str:
    """Write the life of a job as markdown."""
    return document(_lines(result, view))


def _lines(result: JobReport, view: View) -> Iterator[str]:
    if stopped := standstill(result):
        yield from (f"**{escaped(stopped)}**", "")
    yield f"**{escaped(result.answer)}**"
    if view.detail is Detail.SUMMARY:
        return
    yield from ("", escaped(said_of(result.volcano, result.scenario, result.session, sizes(result.session))))
    for part in parts(result, view):
        yield from part_lines(part)
    if result.diagnostics:
        yield from ("", "### Notes", "")
        yield from (f"- {escaped(diagnostic_line(diagnostic))}" for diagnostic in result.diagnostics)
    yield from ("", escaped(next_step(result, view).text()))
