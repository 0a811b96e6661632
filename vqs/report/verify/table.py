"""How vqs and a cluster compare, for people at a terminal: how well they agree, each difference, what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from vqs.report.formats import Detail
from vqs.report.grid import paragraph, written
from vqs.report.verify.text import answer, differences_grid, headline, next_step, remarks, tallies_grid

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vqs.report.formats import View
    from vqs.verify.outcome import Verification


def verification(result: Verification, view: View, /) -> str:
    """Write how they compare as tables."""
    return written(_lines(result, view), view)


def _lines(result: Verification, view: View) -> Iterator[Text]:
    yield from paragraph(answer(result), view.width, "bold")
    if view.detail is Detail.SUMMARY:
        return
    everything = view.detail is Detail.EVERYTHING
    yield from paragraph(headline(result), view.width)
    yield Text()
    yield from tallies_grid(result).lines(view.width)
    if result.differences:
        grid, left_out = differences_grid(result, everything=everything)
        yield Text()
        yield from grid.lines(view.width)
        if left_out:
            yield from paragraph(f"... and {left_out:,} more; -v shows all", view.width)
    for line in remarks(result, everything=everything):
        yield Text()
        yield from paragraph(line, view.width)
    following = next_step(result, view)
    if following.steps:
        yield Text()
        yield from following.lines(view.width)
