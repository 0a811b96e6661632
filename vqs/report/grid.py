"""Tables before they are laid out: columns, rows, and lines across them.

Cells are rich's `Text`, which takes them literally: no markup, no emoji, no highlighting. What it would send to a
terminal as it is, such as an escape sequence in a name, `cell` makes visible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rich.text import Text

from vqs.report.visible import visible


@dataclass(frozen=True)
class Column:
    """A column and its heading.

    Attributes:
        title: the heading.
        numeric: whether its cells are numbers, which stand to the right.
        dispensable: whether it goes first where lines get too long.
        named: whether its cells are names, which markdown writes as code.
        literal: whether the heading is a name itself, which stays as it is.
    """

    title: str
    numeric: bool = False
    dispensable: bool = False
    named: bool = False
    literal: bool = False

    @property
    def heading(self) -> str:
        """The heading as a word: capitalized, not in capitals."""
        return self.title if self.literal else self.title.strip().capitalize()


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

    @property
    def has_rows(self) -> bool:
        """Whether there are any rows of cells."""
        return any(isinstance(row, Row) for row in self.rows)

    @property
    def has_remarks(self) -> bool:
        """Whether any row has a remark."""
        return any(isinstance(row, Row) and row.remark for row in self.rows)

    def first(self, most: int) -> Grid:
        """Return the grid with its first rows only."""
        return replace(self, rows=self.rows[:most])


def cell(text: str, style: str = "") -> Text:
    """Return a text that stands in one line, whatever is in it."""
    return Text(visible(text), style)
