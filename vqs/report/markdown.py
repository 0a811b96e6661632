"""Tables, names and texts in GitHub's markdown.

Names and messages come from the snapshot. What in them could act as markup is written as code: a backslash would not
keep GitHub from making an emoji of :warning:, or from calling @somebody.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from vqs import inert
from vqs.explain.amounts import count
from vqs.report.grid import Row, Span
from vqs.report.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from vqs.report.grid import Grid

_LONG: Final = 200
"""A comment that is read has no more rows than these in a table, unless everything is asked for."""

_ACTIVE: Final = re.compile(r"[\\`*\[<~&]|_(?!\w)|(?<!\w)_|:[\w+-]+:|://|www\.|@\w|[#!]\d|(?i:\bgh-\d)")
_BAR: Final = r"\|"
_WORD: Final = re.compile(r"\S+")
_PUNCTUATION: Final = ".,;:"
_FENCE: Final = re.compile(r"`+")


def document(lines: Iterable[str]) -> str:
    """Put lines together; none of them is a command to what reads a log, or an order to what reads comments."""
    return inert.markdown("".join(f"{line}\n" for line in lines))


def section(
    title: str,
    titles: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    numeric: Sequence[str] = (),
    everything: bool = True,
    folded: bool = False,
) -> Iterator[str]:
    """Write a table under its heading, or nothing where there are no rows."""
    rows = list(rows)
    if not rows:
        return
    shown = rows if everything else rows[:_LONG]
    summary = f"{title} ({count(len(rows), 'row')})"
    yield from ("", f"<details><summary>{summary}</summary>" if folded else f"### {title}", "")
    yield from table(titles, shown, numeric)
    if len(shown) < len(rows):
        yield from ("", f"… and {count(len(rows) - len(shown), 'row')} more; `-v` writes all of them.")
    if folded:
        yield from ("", "</details>")


def table(titles: Sequence[str], rows: Iterable[Sequence[str]], numeric: Sequence[str] = ()) -> Iterator[str]:
    """Write a table; numbers stand to the right."""
    yield _row(titles)
    yield _row("--:" if title in numeric else "---" for title in titles)
    yield from map(_row, rows)


def grid_table(grid: Grid) -> Iterator[str]:
    """Write a grid; a line across its columns stands in the first of them."""
    remarks = any(isinstance(row, Row) and row.remark for row in grid.rows)
    titles = [escaped(column.title.strip().capitalize()) for column in grid.columns] + [
        grid.remark.capitalize()
    ] * remarks
    numeric = [title for title, column in zip(titles, grid.columns, strict=False) if column.numeric]
    yield from table(titles, (_grid_row(row, len(titles), remarks=remarks) for row in grid.rows), numeric)


def _grid_row(row: Row | Span, width: int, *, remarks: bool) -> list[str]:
    if isinstance(row, Span):
        return [f"**{escaped(row.text.plain)}**", *[""] * (width - 1)]
    texts = [*(text.plain.strip() for text in row.cells), *[row.remark] * remarks]
    bold = any("bold" in str(text.style) for text in row.cells)
    return [f"**{escaped(text)}**" if bold and text else escaped(text) for text in texts]


def _row(cells: Iterable[str]) -> str:
    """Write a row; a bar ends a cell even within code, unless there is a backslash before it."""
    return f"| {' | '.join(cell.replace('|', _BAR) for cell in cells)} |"


def code(text: str) -> str:
    """Write a name as code, between more backticks than it has in a row."""
    shown = visible(text)
    fence = "`" * (1 + max(map(len, _FENCE.findall(shown)), default=0))
    space = " " if "`" in shown else ""
    return f"{fence}{space}{shown}{space}{fence}"


def escaped(text: str) -> str:
    """Write a text so that markdown acts on nothing in it."""
    return _WORD.sub(lambda word: _escaped_word(word[0]), visible(text))


def _escaped_word(word: str) -> str:
    """Write a word as code where markdown acts on something in it; what ends a sentence stays outside."""
    if not _ACTIVE.search(word):
        return word
    core = word.rstrip(_PUNCTUATION) or word[0]
    return f"{code(core)}{word[len(core) :]}"
