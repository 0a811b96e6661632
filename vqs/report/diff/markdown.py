"""A difference for a review: GitHub's markdown, the summary first."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
from vqs.report.markdown import document, escaped, grid_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vqs.diff.outcome import Diff
    from vqs.report.formats import View

_FOLDED = ("Tasks", "By luck", "Lint")


def diff(result: Diff, view: View, /) -> str:
    """Write a difference as markdown."""
    return document(_lines(result, view))


def _lines(result: Diff, view: View) -> Iterator[str]:
    yield f"**{escaped(sentence(result))}**"
    if result.failures:
        yield ""
        yield from (f"- ❌ {escaped(line)}" for line in failure_lines(result))
    if view.detail is Detail.SUMMARY:
        return
    yield from ("", escaped(headline(result)))
    for line in (*edit_lines(result), *configuration_lines(result), *warning_lines(result), *figure_lines(result)):
        yield from ("", escaped(line))
    for title, grid in parts(result, everything=view.detail is Detail.EVERYTHING):
        folded = title in _FOLDED
        yield from ("", f"<details><summary>{escaped(title)}</summary>" if folded else f"### {escaped(title)}", "")
        yield from grid_table(grid)
        if folded:
            yield from ("", "</details>")
    if result.parting:
        yield from ("", f"First decision that differs: {escaped(result.parting)}.")
