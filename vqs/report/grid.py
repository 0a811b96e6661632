"""Aligned columns for people: nothing is ever shortened, and text that finds no room in its line goes below it.

Cells are rich's `Text`, which takes them literally: no markup, no emoji, no highlighting.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from io import StringIO
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from vqs.report.formats import View

_GAP: Final = 2
_INDENT: Final = 4
_READABLE: Final = 40
"""A remark is not squeezed into fewer columns than these."""
_UNBROKEN: Final = 1 << 20


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
        self.room = self.width - self.extent - _GAP
        longest = max((len(row.remark) for row in rows), default=0)
        self.has_remarks = longest > 0
        self.inline = self.room >= min(longest, _READABLE)

    def lines(self) -> Iterator[Text]:
        yield self._heading()
        for row, following in zip_longest(self.grid.rows, self.grid.rows[1:]):
            if isinstance(row, Span):
                yield row.text
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

    def _heading(self) -> Text:
        line = self._aligned([Text(column.title) for column in self.grid.columns])
        if self.inline and self.has_remarks:
            line.append(" " * _GAP + self.grid.remark)
        line.rstrip()
        line.stylize("dim")
        return line

    def _with_remark_beside(self, row: Row) -> Iterator[Text]:
        first, *others = _wrapped(row.remark, self.room) or [""]
        line = self._aligned(row.cells).append(" " * _GAP + first)
        line.rstrip()
        yield line
        for other in others:
            yield Text(" " * (self.extent + _GAP) + other)

    def _with_remark_below(self, row: Row, following: Row | Span | None) -> Iterator[Text]:
        """Yield a row and what is to be said about it; where the next row gets the same remark, it is left to that."""
        line = self._aligned(row.cells)
        line.rstrip()
        yield line
        if not isinstance(following, Row) or following.remark != row.remark:
            for piece in _wrapped(row.remark, self.width - _INDENT):
                yield Text(" " * _INDENT + piece)

    def _aligned(self, cells: Sequence[Text]) -> Text:
        line = Text()
        for index, column, width in self.kept:
            padding = " " * (width - cells[index].cell_len)
            line.append(" " * _GAP if line else "")
            line.append(padding if column.numeric else "")
            line.append_text(cells[index])
            line.append("" if column.numeric else padding)
        return line


def _extent(widths: Iterable[int]) -> int:
    """Return the length of a line of columns."""
    return sum(width + _GAP for width in widths) - _GAP


def written(lines: Iterator[Text], view: View) -> str:
    """Turn lines into text, with colours where the view has them."""
    if not view.color:
        return "".join(f"{line.plain}\n" for line in lines)
    console = Console(
        file=StringIO(),
        force_terminal=True,
        color_system="standard",
        width=_UNBROKEN,
        legacy_windows=False,
        no_color=False,
    )
    with console.capture() as capture:
        for line in lines:
            console.print(line, soft_wrap=True, markup=False, emoji=False, highlight=False)
    return capture.get()


def paragraph(text: str, width: int | None, style: str = "") -> Iterator[Text]:
    """Break a text into lines between words."""
    for line in _wrapped(text, width or _UNBROKEN):
        yield Text(line, style)


def _wrapped(text: str, width: int) -> list[str]:
    """Break a text between words only: a name is whole, however long."""
    return textwrap.wrap(text, max(width, 1), break_long_words=False, break_on_hyphens=False)
