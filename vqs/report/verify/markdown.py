"""How vqs and a cluster compare, for an issue or a chat: how well they agree, each difference, what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vqs.report.formats import Detail
from vqs.report.markdown import document, escaped, grid_table
from vqs.report.verify.text import answer, differences_grid, headline, next_step, remarks, tallies_grid

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vqs.report.formats import View
    from vqs.verify.outcome import Verification


def verification(result: Verification, view: View, /) -> str:
    """Write how they compare as markdown."""
    return document(_lines(result, view))


def _lines(result: Verification, view: View) -> Iterator[str]:
    yield f"**{escaped(answer(result))}**"
    if view.detail is Detail.SUMMARY:
        return
    everything = view.detail is Detail.EVERYTHING
    yield from ("", escaped(headline(result)), "")
    yield from grid_table(tallies_grid(result))
    if result.differences:
        grid, left_out = differences_grid(result, everything=everything)
        yield from ("", "### Differences", "")
        yield from grid_table(grid)
        if left_out:
            yield from ("", f"… and {left_out:,} more; `-v` writes all of them.")
    lines = [*remarks(result, everything=everything), next_step(result, view).text()]
    if any(lines):
        yield ""
        yield from (f"- {escaped(line)}" for line in lines if line)
