"""The life of a job, for people at a terminal: the answer first, then what it rests on, stage by stage.

Colour repeats what a word already says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from vqs.report.formats import Detail
from vqs.report.grid import paragraph, written
from vqs.report.job.parts import next_step, parts
from vqs.report.phrases import standstill
from vqs.report.queues.table import note_lines, part_lines
from vqs.report.simulation.summary import said_of, sizes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vqs.explain.jobs.outcome import JobReport
    from vqs.report.formats import View


def job(result: JobReport, view: View, /) -> str:
    """Write the life of a job as text and tables."""
    return written(_lines(result, view), view)


def _lines(result: JobReport, view: View) -> Iterator[Text]:
    yield from paragraph(standstill(result), view.width, "bold red")
    yield from paragraph(result.answer, view.width, "bold")
    if view.detail is Detail.SUMMARY:
        return
    yield Text()
    yield from paragraph(said_of(result.volcano, result.scenario, result.session, sizes(result.session)), view.width)
    for part in parts(result, view):
        yield Text()
        yield from part_lines(part, view)
    yield from note_lines(result.diagnostics, view)
    yield Text()
    yield from next_step(result, view).lines(view.width)
