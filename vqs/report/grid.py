"""Aligned columns for people: nothing is ever shortened, and text that finds no room in its line goes below it.

Cells are rich's `Text`, which takes them literally: no markup, no emoji, no highlighting. What it would send to a
terminal as it is, such as an escape sequence in a name, `cell` makes visible.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from io import StringIO
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.text import Text

from vqs import inert
from vqs.report.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from vqs.report.formats import View

_GAP: Final = 2
_INDENT: Final = 4
_READABLE: Final = 40
"""A remark is not squeezed into fewer columns than these."""
_UNBROKEN: Final = 1 << 20
_WORD: Final = re.compile(r"\S+\s*")


@dataclass(frozen=True)
class Column:
    """A column and its heading; numbers stand to the right. Where lines get too long, dispensable ones go first."""

    title: str
    numeric: bool = False
    dispensable: bool = False


@dataclass(frozen=True)
class Row:
    """One line of cells. The remark may be long: it is the last column, or stands below where that is too narrow."""

    cells: tuple[Text, ...]
    remark: str = ""


@dataclass(frozen=True)
class Span:
    """A line across all columns, such as the name of what the next rows are about."""

    text: Text


@dataclass(frozen=True)
class Grid:
    """Columns and rows; `remark` is the heading of the remarks."""

    columns: tuple[Column, ...]
    rows: Sequence[Row | Span]
    remark: str = ""

    def lines(self, width: int | None) -> Iterator[Text]:
        """Lay the grid out for a terminal of some width, or for none."""
        return _Layout(self, width).lines()

    def left_out(self, width: int | None) -> list[str]:
        """Return the titles of the columns that have no room."""
        kept = [column for _, column, _ in _Layout(self, width).kept]
        return [column.title for column in self.columns if column not in kept]


class _Layout:
    """A grid at a width: which columns it keeps, how wide they are, and whether remarks have room in the line."""

    def __init__(self, grid: Grid, width: int | None) -> None:
        self.grid = grid
        self.width = width or _UNBROKEN
        rows = [row for row in grid.rows if isinstance(row, Row)]
        widths = [
            max([len(column.title), *(row.cells[index].cell_len for row in rows)])
            for index, column in enumerate(grid.columns)
        ]
        self.kept = self._kept(widths)
        self.extent = _extent(width for *_, width in self.kept)
        self.folds = self._folds()
        self.room = self.width - self.extent - _GAP
        longest = max((len(row.remark) for row in rows), default=0)
        self.has_remarks = longest > 0
        self.inline = self.room >= min(longest, _READABLE)

    def lines(self) -> Iterator[Text]:
        yield from self._heading()
        for row, following in zip_longest(self.grid.rows, self.grid.rows[1:]):
            if isinstance(row, Span):
                yield from broken(row.text, self.width)
            elif self.inline:
                yield from self._with_remark_beside(row)
            else:
                yield from self._with_remark_below(row, following)

    def _kept(self, widths: list[int]) -> list[tuple[int, Column, int]]:
        """Return the columns, each with its index and width, that are left when dispensable ones have made room."""
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
        lines = self._aligned([Text(column.title) for column in self.grid.columns])
        if self.inline and self.has_remarks:
            lines[-1].append(" " * _GAP + self.grid.remark)
        for line in lines:
            line.rstrip()
            line.stylize("dim")
            yield line

    def _with_remark_beside(self, row: Row) -> Iterator[Text]:
        first, *others = _wrapped(row.remark, self.room) or [""]
        *above, line = self._aligned(row.cells)
        line.append(" " * _GAP + first)
        line.rstrip()
        yield from [*above, line]
        for other in others:
            yield Text(" " * (self.extent + _GAP) + other)

    def _with_remark_below(self, row: Row, following: Row | Span | None) -> Iterator[Text]:
        """Yield a row and what is to be said about it; where the next row gets the same remark, it is left to that."""
        for line in self._aligned(row.cells):
            line.rstrip()
            yield line
        if not isinstance(following, Row) or following.remark != row.remark:
            for piece in _wrapped(row.remark, self.width - _INDENT):
                yield Text(" " * _INDENT + piece)

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


def _extent(widths: Iterable[int]) -> int:
    """Return the length of a line of columns."""
    return sum(width + _GAP for width in widths) - _GAP


def written(lines: Iterator[Text], view: View) -> str:
    """Turn lines into text, with colours where the view has them; none of them is a command to what reads a log."""
    inert_lines = map(_inert, lines)
    if not view.color:
        return "".join(f"{line.plain}\n" for line in inert_lines)
    console = Console(
        file=StringIO(),
        force_terminal=True,
        color_system="standard",
        width=_UNBROKEN,
        legacy_windows=False,
        no_color=False,
    )
    with console.capture() as capture:
        for line in inert_lines:
            console.print(line, soft_wrap=True, markup=False, emoji=False, highlight=False)
    return capture.get()


def _inert(line: Text) -> Text:
    """Write out what has no shape of its own, and what makes a command of a line, or of a part of it."""
    offsets = inert.offsets(line.plain)
    if not offsets:
        return line
    parts = [*line.divide([place for offset in offsets for place in (offset, offset + 1)])]
    parts[1::2] = [Text(inert.written_out(mark.plain), mark.style) for mark in parts[1::2]]
    return Text().join(parts)


def cell(text: str, style: str = "") -> Text:
    """Return a text that stands in one line, whatever is in it."""
    return Text(visible(text), style)


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
