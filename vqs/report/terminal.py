"""Pages for people at a terminal: aligned columns, the most important line at the beginning or at the end.

Nothing is ever shortened, and text that finds no room in its line goes below it. Colour repeats what a word or a sign
already says. Only the terminal's own colours are used, so that a light background works too.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from rich.text import Text

from vqs import inert
from vqs.inert import name as visible
from vqs.report.formats import Detail, View
from vqs.report.page import Column, Grid, Page, Part, Row, Span, cell

_GAP: Final = 2
_INDENT: Final = 4
_READABLE: Final = 40
"""A remark is not squeezed into fewer columns than these."""
_UNBROKEN: Final = 1 << 20
_WORD: Final = re.compile(r"\S+\s*")
_PARTS: Final = re.compile(r"[^.:/]+[.:/]*|[.:/]+")
_TALLEST: Final = 4
"""How many lines a heading has at most."""


def write(page: Page, view: View, /) -> str:
    """Write a page."""
    return written(_spaced(_blocks(page, view)), view)


def _blocks(page: Page, view: View) -> Iterator[Iterable[Text]]:
    """Yield the blocks of a page."""
    width = view.width
    stops = [*_paragraphs(page.stops, width, "bold red")]
    answer = [*_paragraphs(page.answer, width, "bold"), *_paragraphs(page.failures, width, "bold red")]
    answer += _paragraphs(page.tie_dependent_failures, width, "yellow")
    closing = _paragraphs(page.closing, width, "bold red")
    if view.detail is Detail.SUMMARY:
        yield from ([*stops, *answer], _paragraphs(page.caveats, width, "magenta"), closing)
        return
    headline = [*paragraph(page.headline, width, "" if page.answer_first else "bold")]
    headline += [piece for line in page.facts for piece in paragraph(line.text, width, line.style)]
    figures, details = _paragraphs(page.figures, width), _paragraphs(page.details, width)
    yield from ([*stops, *answer], headline) if page.answer_first else ([*stops, *headline],)
    wants_all = view.detail is Detail.EVERYTHING or (page.answer_first and not page.conclusion)
    conclusion = _paragraphs(page.conclusion, width, "bold")
    yield from (_part(part, width, wants_all=wants_all) for part in page.parts)
    following = map(Text, page.next.lines(width))
    yield [*conclusion, *details, *following] if page.answer_first else [*figures, *answer, *details, *following]
    yield closing


def _spaced(blocks: Iterable[Iterable[Text]]) -> Iterator[Text]:
    """Yield the lines of blocks, with an empty line between two of them."""
    is_first = True
    for block in blocks:
        for number, line in enumerate(block):
            if number == 0 and not is_first:
                yield Text()
            yield line
            is_first = False


def _part(part: Part, width: int | None, *, wants_all: bool) -> Iterator[Text]:
    """Yield a part; where all is wanted, or there is a legend, also the columns that have no room."""
    yield from paragraph(part.title, width, "bold")
    yield from _paragraphs(part.lines, width)
    yield from paragraph(part.legend, width, "dim")
    for item in part.items:
        yield from paragraph(item.text, width, item.style)
        yield from (Text("  ").append_text(cell(line)) for line in item.excerpt.splitlines())
    if part.grid is not None:
        layout = _Layout(part.grid, width)
        yield from layout.lines()
        if (wants_all or part.legend) and (left_out := layout.left_out()):
            yield from paragraph(f"no room here for {', '.join(left_out)}", width, "dim")


def laid_out(grid: Grid, width: int | None) -> Iterator[Text]:
    """Lay a grid out for a terminal of some width, or for none."""
    return _Layout(grid, width).lines()


def _paragraphs(texts: Iterable[str], width: int | None, style: str = "") -> Iterator[Text]:
    return (line for text in texts for line in paragraph(text, width, style))


class _Layout:
    """A grid at a width: which columns it keeps, how wide they are, and whether remarks have room in the line."""

    def __init__(self, grid: Grid, width: int | None) -> None:
        self.grid = grid
        self.width = width or _UNBROKEN
        rows = [row for row in grid.rows if isinstance(row, Row)]
        cells = [max((row.cells[at].cell_len for row in rows), default=0) for at in range(len(grid.columns))]
        self.titles = _titles(grid.columns, cells, self.width)
        widths = [max(width, *map(len, title)) for width, title in zip(cells, self.titles, strict=True)]
        self.kept = self._kept(widths)
        self.extent = _extent(width for *_, width in self.kept)
        self.folds = self._folds()
        self.room = self.width - self.extent - _GAP
        self.has_rows = bool(rows)
        self.has_remarks = grid.has_remarks
        self.inline = self.room >= min(max((len(row.remark) for row in rows), default=0), _READABLE)

    def lines(self) -> Iterator[Text]:
        """Yield the heading, where there are rows, and these."""
        if self.has_rows:
            yield from self._heading()
        for remark, group in groupby(self.grid.rows, key=lambda row: row.remark if isinstance(row, Row) else None):
            rows = [*group]
            for row in rows:
                yield from self._row(row)
            if remark and not self.inline:
                # What is to be said about the rows above, and about how many of them, where that is more than one.
                said = remark if len(rows) == 1 else f"({len(rows)} rows) {remark}"
                yield from (Text(" " * _INDENT + piece) for piece in _wrapped(said, self.width - _INDENT))

    def _row(self, row: Row | Span) -> Iterator[Text]:
        if isinstance(row, Span):
            yield from broken(row.text, self.width)
            return
        *above, line = self._aligned(row.cells)
        others: list[str] = []
        if self.inline:  # the remark stands beside the cells
            first, *others = _wrapped(row.remark, self.room) or [""]
            line.append(" " * _GAP + first)
            line.rstrip()
        else:
            for each in (*above, line):
                each.rstrip()
        yield from [*above, line]
        yield from (Text(" " * (self.extent + _GAP) + other) for other in others)

    def left_out(self) -> list[str]:
        """The titles of the columns that have no room."""
        kept = [column for _, column, _ in self.kept]
        return [column.title for column in self.grid.columns if column not in kept and self.has_rows]

    def _kept(self, widths: list[int]) -> list[tuple[int, Column, int]]:
        """The columns, each with its index and width, that are left when dispensable ones have made room."""
        kept = [(index, column, widths[index]) for index, column in enumerate(self.grid.columns)]
        spare = [part for part in kept if part[1].dispensable]
        while spare and _extent(width for *_, width in kept) > self.width:
            kept.remove(spare.pop())
        return kept

    def _folds(self) -> list[list[tuple[int, Column, int]]]:
        """Spread the columns over as many lines as they need: one, except on a very narrow terminal."""
        folds = [self.kept[:1]]
        for part in self.kept[1:]:
            if _extent(width for *_, width in [*folds[-1], part]) + _INDENT * (len(folds) > 1) > self.width:
                folds.append([])
            folds[-1].append(part)
        return folds

    def _heading(self) -> Iterator[Text]:
        height = max((len(self.titles[index]) for index, *_ in self.kept), default=1)
        padded = [[*[""] * (height - len(title)), *title] for title in self.titles]
        rows = zip(*padded, strict=True)
        lines = [line for row in rows for line in self._aligned([Text(each) for each in row])]
        if self.inline and self.has_remarks:
            lines[-1].append(" " * _GAP + self.grid.remark)
        for line in lines:
            line.rstrip()
            line.stylize("dim")
            yield line

    def _aligned(self, cells: Sequence[Text]) -> list[Text]:
        return [self._line(cells, parts, " " * _INDENT * (number > 0)) for number, parts in enumerate(self.folds)]

    def _line(self, cells: Sequence[Text], parts: Sequence[tuple[int, Column, int]], indent: str) -> Text:
        line = Text(indent)
        for position, (index, column, width) in enumerate(parts):
            padding = " " * (width - cells[index].cell_len)
            line.append(" " * _GAP if position else "")
            line.append(padding if column.numeric else "")
            line.append_text(cells[index])
            line.append("" if column.numeric else padding)
        return line


def _titles(columns: Sequence[Column], cells: Sequence[int], width: int) -> list[list[str]]:
    """The lines of each heading: names are broken between their parts where a row then fits into one line.

    Args:
        columns: the columns.
        cells: how wide the cells of each are.
        width: how long a line is at most.
    """
    for most in range(1, _TALLEST + 1):
        titles = [_pieces(each.title, most) if each.verbatim else [each.title] for each in columns]
        if _extent(max(cell, *map(len, title)) for cell, title in zip(cells, titles, strict=True)) <= width:
            return titles
    return [[each.title] for each in columns]


def _pieces(name: str, most: int) -> list[str]:
    """Break a name between its parts into at most some lines, so that the longest is as short as can be.

    >>> _pieces("queue:team-a.wait.p95", 2), _pieces("placed", 3)
    (['queue:team-a.', 'wait.p95'], ['placed'])
    """
    parts = _PARTS.findall(name)
    for width in range(max(map(len, parts), default=0), len(name)):
        lines = [""]
        for part in parts:
            if len(lines[-1]) + len(part) > width:
                lines.append("")
            lines[-1] += part
        if len(lines) <= most:
            return lines
    return [name]


def _extent(widths: Iterable[int]) -> int:
    """The length of a line of columns."""
    return sum(width + _GAP for width in widths) - _GAP


def written(lines: Iterator[Text], view: View) -> str:
    """Turn lines into text, with colours where the view has them; none of them is a command to what reads a log."""
    inert_lines = map(_inert, lines)
    if not view.color:
        return "".join(f"{line.plain}\n" for line in inert_lines)
    from rich.color import ColorSystem  # noqa: PLC0415 - most of what is written has no colours
    from rich.console import Console  # noqa: PLC0415

    console = Console(color_system=None)  # it only looks styles up: to print each line with it takes twice as long
    parts = (part for line in inert_lines for part in Text().append_text(line).render(console, end="\n"))
    return "".join(style.render(text, color_system=ColorSystem.STANDARD) if style else text for text, style, _ in parts)


def _inert(line: Text) -> Text:
    """Write out what has no shape of its own, and what makes a command of a line, or of a part of it."""
    offsets = inert.offsets(line.plain)
    if not offsets:
        return line
    parts = [*line.divide([place for offset in offsets for place in (offset, offset + 1)])]
    parts[1::2] = [Text(inert.written_out(mark.plain), mark.style) for mark in parts[1::2]]
    return Text().join(parts)


def paragraph(text: str, width: int | None, style: str = "") -> Iterator[Text]:
    """Break a text into lines between words."""
    for line in _wrapped(text, width or _UNBROKEN):
        yield Text(line, style)


def _wrapped(text: str, width: int) -> list[str]:
    """Break a text between words only: a name is whole, however long."""
    return textwrap.wrap(visible(text), max(width, 1), break_long_words=False, break_on_hyphens=False)


def broken(text: Text, width: int | None) -> Iterator[Text]:
    """Break a text in colours into lines between words; all but the first are indented."""
    if width is None or text.cell_len <= width:
        yield text
        return
    offsets: list[int] = []
    for word in _WORD.finditer(text.plain):
        start = offsets[-1] - _INDENT if offsets else 0
        if len(word[0].rstrip()) + word.start() - start > width and word.start() > 0:
            offsets.append(word.start())
    for number, line in enumerate(text.divide(offsets)):
        line.rstrip()
        yield Text(" " * _INDENT * (number > 0)).append_text(line)
