"""Session after session, for people at a terminal: a line for each, then how the last one ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from vqs.report.cycles.text import cycles_grid, final, headline, warnings
from vqs.report.formats import Detail
from vqs.report.grid import paragraph, written
from vqs.report.simulation import table as as_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vqs.explain.cycles import Cycles
    from vqs.report.formats import View


def cycles(result: Cycles, view: View, /) -> str:
    """Write sessions as tables; what leads nowhere is the first thing said, and the last."""
    end = written(_warnings(result, view), view)
    return written(_lines(result, view), view) + as_table.simulation(final(result), view) + (f"\n{end}" if end else "")


def _lines(result: Cycles, view: View) -> Iterator[Text]:
    if view.detail is Detail.SUMMARY:
        yield from paragraph(headline(result), view.width)
        return
    yield from _warnings(result, view)
    yield from paragraph(headline(result), view.width, "bold")
    yield from cycles_grid(result, everything=view.detail is Detail.EVERYTHING).lines(view.width)
    yield Text()
    yield from paragraph(f"Session {len(result.cycles)} is this:", view.width, "bold")


def _warnings(result: Cycles, view: View) -> Iterator[Text]:
    for warning in warnings(result):
        yield from paragraph(warning, view.width, "bold red")
