"""A page: what every report shows, whatever the result, before it is written for a terminal, as markdown or HTML.

Cells are rich's `Text`, which takes them literally: no markup, no emoji, no highlighting. What it would send to a
terminal as it is, such as an escape sequence in a name, `cell` makes visible.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Literal, TypeVar

from rich.text import Text

from vqs.explain.amounts import ABSENT
from vqs.inert import name as visible
from vqs.report.formats import NOWHERE, Next

Item = TypeVar("Item")

MARK = "▸ "
"""Stands before the queue or the job that is explained, among others."""

Cell = str | int | Text | None
"""What a column says of an item: a text, a number, which has commas, or None, which is written as a dash."""


@dataclass(frozen=True)
class Column:
    """A column and its heading.

    Attributes:
        title: the heading.
        numeric: whether its cells are numbers, which stand to the right.
        dispensable: whether it goes first where lines get too long.
        named: whether its cells are names, which markdown writes as code.
        verbatim: whether the heading is a name, of which no letter changes.
    """

    title: str
    numeric: bool = False
    dispensable: bool = False
    named: bool = False
    verbatim: bool = False

    @property
    def heading(self) -> str:
        """The title as running text has it: a name as it is, all else with a capital letter at its beginning only."""
        title = self.title.strip()
        return title if self.verbatim else title.capitalize().replace("(utc)", "(UTC)")


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
        """The grid with its first rows only."""
        return replace(self, rows=self.rows[:most])


def cell(text: str, style: str = "") -> Text:
    """A text that stands in one line, whatever is in it."""
    return Text(visible(text), style)


def table(
    items: Iterable[Item | Span],
    columns: Mapping[Column, Callable[[Item], Cell]],
    remark: str = "",
    says: Callable[[Item], str] | None = None,
    style: Callable[[Item], str] | None = None,
) -> Grid:
    """A grid with a row for each item."""
    rows: list[Row | Span] = []
    for item in items:
        if isinstance(item, Span):
            rows.append(item)
            continue
        look = style(item) if style else ""
        said = (value(item) for value in columns.values())
        rows.append(Row(tuple(_drawn(each, look) for each in said), says(item) if says else ""))
    return Grid(tuple(columns), rows, remark)


def _drawn(said: Cell, style: str) -> Text:
    if isinstance(said, Text):
        return said
    return cell(ABSENT if said is None else said if isinstance(said, str) else f"{said:,}", style)


@dataclass(frozen=True)
class Line:
    """A line of text, with the style that a terminal gives it and the excerpt of a file that it shows below."""

    text: str
    style: str = ""
    excerpt: str = ""


@dataclass(frozen=True)
class Part:
    """One part of a page.

    Attributes:
        title: its title, which may say it all; empty where it speaks for itself.
        lines: running text.
        grid: a table.
        legend: how to read the table.
        items: a list, one item a line.
        folded: whether markdown folds it away, for those to open whom it concerns.
        fixes: of a table whose rows are numbered fixes, whether they are `shown` there or it only refers to them.
        commands: those in its lines and remarks, which a shell takes as they stand.
    """

    title: str = ""
    lines: Sequence[str] = ()
    grid: Grid | None = None
    legend: str = ""
    items: Sequence[Line] = ()
    folded: bool = False
    fixes: Literal["", "shown", "linked"] = ""
    commands: Collection[str] = ()


class At(Enum):
    """Where a terminal shows the answer of a page."""

    FIRST = 1
    """At the top; what follows is one list."""
    BOTH = 2
    """At the top, and once more at the end, where the prompt is."""
    LAST = 3
    """At the end only: what stands above it is the answer in full."""


@dataclass(frozen=True)
class Page:
    """All that a report shows.

    Attributes:
        answer: the most important sentences.
        stops: what makes all else meaningless.
        headline: what was looked at, and how.
        facts: what else is to be known before the parts.
        parts: the body.
        figures: the figures that sum up the parts.
        failures: what makes the command fail.
        tie_dependent_failures: what could make it fail, and does not.
        details: what completes the answer.
        next: the commands to go on with.
        closing: what a terminal says once more at the end.
        caveats: why decisions may not be the real scheduler's; shown beside the answer where that is all that is shown.
        answer_at: where a terminal shows the answer.
    """

    answer: Sequence[str]
    stops: Sequence[str] = ()
    headline: str = ""
    facts: Sequence[Line] = ()
    parts: Iterable[Part] = ()
    figures: Sequence[str] = ()
    failures: Sequence[str] = ()
    tie_dependent_failures: Sequence[str] = ()
    details: Sequence[str] = ()
    next: Next = NOWHERE
    closing: Sequence[str] = ()
    caveats: Sequence[str] = ()
    answer_at: At = At.BOTH


def out_of(title: str, shown: int, of: int) -> str:
    """A title, and how much of a list is shown, if that is not all."""
    return title if shown == of else f"{title} ({shown:,} of {of:,} here; -v shows all)"


def first_rows(
    title: str,
    items: Sequence[Item],
    most: int | None,
    columns: Mapping[Column, Callable[[Item], Cell]],
    remark: str = "",
    *,
    says: Callable[[Item], str] | None = None,
    **others: Any,
) -> Part:
    """A part with a table of the first items, as many as `most` says, or all; the title says how many that is."""
    shown = items[:most]
    return Part(out_of(title, len(shown), len(items)), grid=table(shown, columns, remark, says), **others)
