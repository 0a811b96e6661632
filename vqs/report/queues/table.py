"""What is to be said of queues, for people at a terminal: the tree, or one queue with the answer first.

Colour repeats what a word or a sign already says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from vqs.report.formats import Detail
from vqs.report.grid import Row, Span, paragraph, written
from vqs.report.phrases import diagnostic_line, standstill
from vqs.report.queues import tree as queues_tree
from vqs.report.queues.answer import answer_lines, next_step
from vqs.report.queues.parts import parts
from vqs.report.simulation.summary import said_of, sizes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from vqs.explain.outcome import DiagnosticResult
    from vqs.explain.queues.outcome import QueueExplanation, QueueReport
    from vqs.report.formats import View
    from vqs.report.grid import Grid
    from vqs.report.page import Part
    from vqs.report.queues.tree import Branch


def queues(result: QueueReport, view: View, /) -> str:
    """Write the queues as tables."""
    return written(_lines(result, view), view)


def _lines(result: QueueReport, view: View) -> Iterator[Text]:
    yield from paragraph(standstill(result), view.width, "bold red")
    if view.detail is Detail.SUMMARY:
        yield from _answer(result, view)
        return
    is_on_one = bool(result.explained or result.spec)
    if is_on_one:
        yield from _answer(result, view)
        yield Text()
    about = said_of(result.volcano, result.scenario, result.session, sizes(result.session))
    yield from paragraph(about, view.width, "" if is_on_one else "bold")
    if result.explained is not None:
        yield from _explained(result, result.explained, view)
    elif result.spec is None:
        yield from _tree(result, queues_tree.branches(result, view), view)
    yield from note_lines(result.diagnostics, view)
    yield Text()
    if not is_on_one:
        yield from _answer(result, view)
    yield from next_step(result, view.again).lines(view.width)


def _answer(result: QueueReport, view: View) -> Iterator[Text]:
    for sentence in answer_lines(result, view.again):
        yield from paragraph(sentence, view.width, "bold")


def _tree(result: QueueReport, shown: Sequence[Branch], view: View, marked: str = "") -> Iterator[Text]:
    if not shown:
        return
    left_out, grid = queues_tree.grid(result, shown, view, marked)
    yield Text()
    title = f"Queues, by {result.plugin}{left_out}" if not marked else "The queue, and those above it"
    yield from paragraph(title if len(shown) > 1 or not marked else "The queue", view.width, "bold")
    if any(isinstance(row, Row) for row in grid.rows):
        yield from paragraph(queues_tree.LEGEND, view.width, "dim")
        yield from _laid_out(grid, view)
    else:
        yield from (row.text for row in grid.rows if isinstance(row, Span))


def _explained(result: QueueReport, explained: QueueExplanation, view: View) -> Iterator[Text]:
    yield from _tree(result, queues_tree.line(result, explained.line), view, explained.name)
    for part in parts(result, explained, view):
        yield Text()
        yield from part_lines(part, view)


def part_lines(part: Part, view: View) -> Iterator[Text]:
    """Write a part under its title."""
    yield from paragraph(part.title, view.width, "bold")
    for line in part.lines:
        yield from paragraph(line, view.width)
    if part.grid is not None:
        yield from _laid_out(part.grid, view)


def _laid_out(grid: Grid, view: View) -> Iterator[Text]:
    """Lay a grid out, and say which columns have no room."""
    yield from grid.lines(view.width)
    left_out = grid.left_out(view.width)
    if left_out:
        yield from paragraph(f"no room here for {', '.join(left_out)}", view.width, "dim")


def note_lines(diagnostics: Sequence[DiagnosticResult], view: View) -> Iterator[Text]:
    """Write what is to be known about the input and the session."""
    if diagnostics:
        yield Text()
        yield Text("Notes", "bold")
    for diagnostic in diagnostics:
        style = "" if diagnostic.severity == "note" else "magenta"
        yield from paragraph(diagnostic_line(diagnostic), view.width, style)
