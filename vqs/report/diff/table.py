"""A difference for people at a terminal: what was changed, then what comes of it; the summary is the last line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from vqs.report.diff.parts import parts
from vqs.report.diff.phrases import (
    configuration_lines,
    edit_lines,
    failure_lines,
    figure_lines,
    headline,
    sentence,
    warning_lines,
)
from vqs.report.formats import Detail
from vqs.report.grid import paragraph, written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vqs.diff.outcome import Diff
    from vqs.report.formats import View


def diff(result: Diff, view: View, /) -> str:
    """Write a difference as tables."""
    return written(_lines(result, view), view)


def _lines(result: Diff, view: View) -> Iterator[Text]:
    if view.detail > Detail.SUMMARY:
        yield from paragraph(headline(result), view.width, "bold")
        for line in (*edit_lines(result), *configuration_lines(result)):
            yield from paragraph(line, view.width)
        for line in warning_lines(result):
            yield from paragraph(line, view.width, "yellow")
        for title, grid in parts(result, everything=view.detail is Detail.EVERYTHING):
            yield Text()
            yield from paragraph(title, view.width, "bold")
            yield from grid.lines(view.width)
        yield Text()
        if result.parting:
            yield from paragraph(f"First decision that differs: {result.parting}.", view.width)
        for line in figure_lines(result):
            yield from paragraph(line, view.width)
    yield from paragraph(sentence(result), view.width, "bold")
    for line in failure_lines(result):
        yield from paragraph(line, view.width, "bold red")
