"""Pages for people at a terminal: aligned columns, the most important line at the beginning or at the end.

Nothing is ever shortened: a table that is too wide has cells of several lines, or becomes records, and a remark that
finds no room in its line goes below it. Colour repeats what a word or a sign already says. Only the terminal's own
colours are used, so that a light background works too.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby, zip_longest
from typing import Final

from rich.text import Text

from vqs import inert
from vqs.inert import name as visible
from vqs.report.formats import Detail, View, folded, words_of
from vqs.report.page import At, Column, Grid, Page, Part, Row, Span, cell

_GAP: Final = 2
_INDENT: Final = 4
_READABLE: Final = 40
"""A remark is not squeezed into fewer columns than these."""
_NARROW: Final = 16
"""A column of text is not squeezed into fewer columns than these."""
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
    is_first, is_last = page.answer_at is not At.LAST, page.answer_at is not At.FIRST
    headline = [*paragraph(page.headline, width, "" if is_first else "bold")]
    headline += [piece for line in page.facts for piece in paragraph(line.text, width, line.style)]
    yield from ([*stops, *answer], headline) if is_first else ([*stops, *headline],)
    wants_all = view.detail is Detail.EVERYTHING or not is_last
    yield from (_part(part, width, wants_all=wants_all) for part in page.parts)
    figures, details = _paragraphs(page.figures, width), _paragraphs(page.details, width)
    yield [*figures, *(answer if is_last else ()), *details, *map(Text, page.next.lines(width))]
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
    """Yield a part; where all is wanted, or there is a legend, with all columns."""
    yield from paragraph(part.title, width, "bold")
    yield from _paragraphs(part.lines, width, commands=part.commands)
    yield from paragraph(part.legend, width, "dim")
    for item in part.items:
        yield from paragraph(item.text, width, item.style)
        yield from (Text("  ").append_text(cell(line)) for line in item.excerpt.splitlines())
    if part.grid is not None:
        yield from _Layout(part.grid, width, whole=wants_all or bool(part.legend), commands=part.commands).lines()


def laid_out(grid: Grid, width: int | None) -> Iterator[Text]:
    """Lay a grid out for a terminal of some width, or for none."""
    return _Layout(grid, width).lines()


def _paragraphs(
    texts: Iterable[str], width: int | None, style: str = "", commands: Collection[str] = ()
) -> Iterator[Text]:
    return (line for text in texts for line in paragraph(text, width, style, commands))


class _Layout:
    """A grid at a width: which columns it keeps, how wide they are, and whether remarks have room in the line.

    Where a line is too long, dispensable columns go first, unless all are wanted; then texts of several words take
    several lines. What is too wide even so is written as records: each value with its heading before it, in as many
    lines as that takes.
    """

    def __init__(self, grid: Grid, width: int | None, *, whole: bool = False, commands: Collection[str] = ()) -> None:
        self.grid = grid
        self.commands = commands
        self.width = width or _UNBROKEN
        rows = [row for row in grid.rows if isinstance(row, Row)]
        self.has_rows = bool(rows)
        columns = range(len(grid.columns))
        cells = [max((row.cells[at].cell_len for row in rows), default=0) for at in columns]
        self.titles = _titles(grid.columns, cells, self.width)
        self.widths = [max(width, *map(len, title)) for width, title in zip(cells, self.titles, strict=True)]
        self.kept = [*columns]
        spare = [] if whole else [at for at in columns if grid.columns[at].dispensable]
        while spare and self._extent() > self.width:
            self.kept.remove(spare.pop())
        self._narrow(rows)
        self.folds, self.labels, self.indent = [self.kept], [""] * len(columns), 0
        self.as_records = self.has_rows and self._extent() > self.width
        if self.as_records:
            # What a record begins with is its name, which needs no heading; a sign may stand before it.
            named = next((at for at in columns if grid.columns[at].title), 0)
            self.labels = [
                f"{each.title} " if each.title and (at > named or each.numeric) else ""
                for at, each in enumerate(grid.columns)
            ]
            most = self.width - _INDENT
            self.widths = [min(cell + len(label), most) for cell, label in zip(cells, self.labels, strict=True)]
            self.indent = _INDENT + max(_lead(row.cells[0]) for row in rows)
            self.folds = [self.kept[:1]]
            for at in self.kept[1:]:
                line = _extent(self.widths[each] for each in [*self.folds[-1], at])
                if line + self.indent * (len(self.folds) > 1) > self.width:
                    self.folds.append([])
                self.folds[-1].append(at)
        self.room = self.width - self._extent() - _GAP
        longest = max((len(row.remark) for row in rows), default=0)
        self.inline = not self.as_records and self.room >= min(longest, _READABLE)

    def _extent(self) -> int:
        """The length of a line of the columns that are kept."""
        return _extent(self.widths[at] for at in self.kept)

    def _narrow(self, rows: Sequence[Row]) -> None:
        """Take from columns of text, always the widest, what a line is too long; their cells have several lines."""
        excess = self._extent() - self.width
        if excess <= 0:
            return
        least: dict[int, int] = {}
        for at in self.kept:
            words = (_lead(row.cells[at]) + len(word) for row in rows for word in row.cells[at].plain.split())
            if not self.grid.columns[at].numeric:
                least[at] = max(_NARROW, *map(len, self.titles[at]), *words)
        if excess > sum(max(self.widths[at] - least[at], 0) for at in least):
            return  # it comes to no table
        for _ in range(excess):
            at = max((at for at in least if self.widths[at] > least[at]), key=self.widths.__getitem__)
            self.widths[at] -= 1

    def lines(self) -> Iterator[Text]:
        """Yield the heading, where there are rows, and these."""
        if self.has_rows and not self.as_records:
            yield from self._heading()
        for remark, group in groupby(self.grid.rows, key=lambda row: row.remark if isinstance(row, Row) else None):
            rows = [*group]
            for row in rows:
                yield from self._row(row)
            if remark and not self.inline:
                # What is to be said about the rows above, and about how many of them, where that is more than one.
                said = remark if len(rows) == 1 else f"({len(rows)} rows) {remark}"
                pieces = _wrapped(said, self.width - _INDENT, self.commands)
                yield from (Text(" " * _INDENT + piece) for piece in pieces)

    def _row(self, row: Row | Span) -> Iterator[Text]:
        if isinstance(row, Span):
            yield from broken(row.text, self.width)
            return
        extent = self._extent()
        remarks = (_wrapped(row.remark, self.room, self.commands) if self.inline else None) or []
        cells = [  # what stands before a cell in a record is left out where the cell is empty
            Text(label, "dim").append_text(each) if label and each.cell_len else each
            for label, each in zip(self.labels, row.cells, strict=False)
        ]
        for line, remark in zip_longest(self._aligned(cells), remarks):
            beside = line or Text(" " * extent)
            beside.append(" " * _GAP + (remark or ""))
            beside.rstrip()
            yield beside

    def _heading(self) -> Iterator[Text]:
        height = max((len(self.titles[at]) for at in self.kept), default=1)
        padded = [[*[""] * (height - len(title)), *title] for title in self.titles]
        rows = zip(*padded, strict=True)
        lines = [line for row in rows for line in self._aligned([Text(each) for each in row])]
        if self.inline and self.grid.has_remarks:
            lines[-1].append(" " * _GAP + self.grid.remark)
        for line in lines:
            line.rstrip()
            line.stylize("dim")
            yield line

    def _aligned(self, cells: Sequence[Text]) -> Iterator[Text]:
        """Yield the lines of a row, those of each fold one after the other."""
        for number, fold in enumerate(self.folds):
            pieces = (broken(cells[at], self.widths[at], _lead(cells[at])) for at in fold)
            for parts in zip_longest(*pieces, fillvalue=Text()):
                yield self._line(fold, parts, " " * self.indent * (number > 0))

    def _line(self, fold: Sequence[int], parts: Sequence[Text], indent: str) -> Text:
        line = Text(indent)
        for position, (at, part) in enumerate(zip(fold, parts, strict=True)):
            padding = " " * (self.widths[at] - part.cell_len)
            line.append(" " * _GAP if position else "")
            to_the_right = self.grid.columns[at].numeric and not self.as_records
            line.append(padding if to_the_right else "")
            line.append_text(part)
            line.append("" if to_the_right else padding)
        return line


def _titles(columns: Sequence[Column], cells: Sequence[int], width: int) -> list[list[str]]:
    """The lines of each heading: names are broken between their parts where a row then fits into one line."""
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


def paragraph(text: str, width: int | None, style: str = "", commands: Collection[str] = ()) -> Iterator[Text]:
    """Break a text into lines between words; within a command, as a shell reads it."""
    for line in _wrapped(text, width or _UNBROKEN, commands):
        yield Text(line, style)


def _wrapped(text: str, width: int, commands: Collection[str] = ()) -> list[str]:
    """Break a text between words only: a name is whole, however long; within a command, as a shell reads it."""
    found = [each for each in commands if each in text]
    if found:
        return [*folded(words_of(visible(text), [*map(visible, found)]), max(width, 1))]
    return textwrap.wrap(visible(text), max(width, 1), break_long_words=False, break_on_hyphens=False)


def broken(text: Text, width: int | None, indent: int = _INDENT) -> Iterator[Text]:
    """Break a text in colours into lines between words; all but the first are indented."""
    if width is None or text.cell_len <= width:
        yield text
        return
    offsets: list[int] = []
    for word in _WORD.finditer(text.plain):
        start = offsets[-1] - indent if offsets else 0
        if len(word[0].rstrip()) + word.start() - start > width and text.plain[: word.start()].strip():
            offsets.append(word.start())
    for number, line in enumerate(text.divide(offsets)):
        line.rstrip()
        yield Text(" " * indent * (number > 0)).append_text(line)


def _lead(text: Text) -> int:
    """How many spaces a text begins with."""
    return len(text.plain) - len(text.plain.lstrip())
