"""Session after session, for an issue or a chat: a line for each, then how the last one ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vqs.report.cycles.text import cycles_grid, final, headline, warnings
from vqs.report.formats import Detail
from vqs.report.markdown import document, escaped, grid_table
from vqs.report.simulation import markdown as as_markdown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vqs.explain.cycles import Cycles
    from vqs.report.formats import View


def cycles(result: Cycles, view: View, /) -> str:
    """Write sessions as markdown."""
    return document(_lines(result, view)) + as_markdown.simulation(final(result), view)


def _lines(result: Cycles, view: View) -> Iterator[str]:
    for warning in warnings(result):
        yield from (f"**{escaped(warning)}**", "")
    yield from (f"{escaped(headline(result))}.", "")
    if view.detail > Detail.SUMMARY:
        yield from ("### Cycles", "")
        yield from grid_table(cycles_grid(result, everything=view.detail is Detail.EVERYTHING))
        yield from ("", f"Session {len(result.cycles)} is this:", "")
