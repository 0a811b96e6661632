"""An input that cannot be used, for people: what is wrong with it, each with its place, and how much that is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from vqs.explain.amounts import count
from vqs.report import markdown as md
from vqs.report.formats import Detail
from vqs.report.grid import cell, paragraph, written
from vqs.report.phrases import diagnostic_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vqs.explain.refusal import Refusal
    from vqs.report.formats import View


def sentence(result: Refusal) -> str:
    """Say that nothing was done, and how much is wrong."""
    return f"vqs {result.command}: {count(result.summary.errors, 'error')} in the input, nothing was done"


def table(result: Refusal, view: View, /) -> str:
    """Write what is wrong for a terminal."""
    return written(_lines(result, view), view)


def markdown(result: Refusal, view: View, /) -> str:
    """Write what is wrong as markdown."""
    lines = [f"**{md.escaped(sentence(result))}**"]
    if view.detail > Detail.SUMMARY:
        lines += ["", *(f"- {md.escaped(diagnostic_line(each))}" for each in result.diagnostics)]
    return md.document(lines)


def _lines(result: Refusal, view: View) -> Iterator[Text]:
    if view.detail > Detail.SUMMARY:
        for each in result.diagnostics:
            yield from paragraph(diagnostic_line(each), view.width, "red" if each.severity == "error" else "")
            yield from (Text("  ").append_text(cell(line)) for line in each.excerpt.splitlines())
    yield from paragraph(sentence(result), view.width, "bold")
