"""Pages in GitHub's markdown, for an issue or a chat: the answer first, what is rarely read folded away.

Names and messages come from the snapshot. What in them could act as markup is written as code: a backslash would not
keep GitHub from making an emoji of :warning:, or from notifying a @user.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from vqs import inert
from vqs.explain.amounts import ABSENT
from vqs.inert import name as visible
from vqs.model.wording import count
from vqs.report.formats import Detail, View
from vqs.report.page import Grid, Page, Part, Span

_LONG: Final = 200
"""A comment that is read has no more rows than these in a table, unless everything is asked for."""

_ACTIVE: Final = re.compile(r"[\\`*\[<~&]|_(?!\w)|(?<!\w)_|:[\w+-]+:|://|www\.|@\w|[#!]\d|(?i:\bgh-\d)")
_BAR: Final = r"\|"
_SPACE: Final = "&nbsp;"
"""A space that stays, as at the beginning of a line of a tree."""
_BESIDE: Final = " │"
"""What stands in a cell beside the lines of a tree."""
_WORD: Final = re.compile(r"\S+")
_PUNCTUATION: Final = ".,;:"
_FENCE: Final = re.compile(r"`+")


def document(lines: Iterable[str]) -> str:
    """Put lines together; none of them is a command to what reads a log, or an order to what reads comments."""
    return inert.markdown("".join(f"{line}\n" for line in lines))


def write(page: Page, view: View, /) -> str:
    """Write a page, the answer first."""
    return document(_spaced(_blocks(page, view)))


def _spaced(blocks: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of blocks, with an empty line between two of them."""
    for number, block in enumerate(filter(None, blocks)):
        yield from ["", *block] if number else block


def _blocks(page: Page, view: View) -> Iterator[Sequence[str]]:
    yield from ([_bold(text)] for text in (*page.stops, *page.answer[:1]))
    yield from _paragraphs(page.answer[1:])
    failures = [f"- ❌ {escaped(failure)}" for failure in page.failures]
    yield [*failures, *(f"- ⚠️ {escaped(caution)}" for caution in page.tie_dependent_failures)]
    if view.detail is Detail.SUMMARY:
        yield from _paragraphs(page.caveats)
        return
    facts = [line.text for line in page.facts]
    yield from _paragraphs([*page.details, page.headline, *facts, *page.figures])
    for part in page.parts:
        yield from _part(part, everything=view.detail is Detail.EVERYTHING)
    yield [page.next.text(code)] if page.next.steps else []


def _part(part: Part, *, everything: bool) -> Iterator[Sequence[str]]:
    title = escaped(part.title)
    if title:
        yield [f"<details><summary>{title}</summary>" if part.folded else f"### {title}"]
    yield from _paragraphs([*_flowing(part.lines), part.legend])
    yield [f"- {escaped(item.text)}" for item in part.items]
    if part.grid is not None:
        shown = part.grid if everything else part.grid.first(_LONG)
        yield [*grid_table(shown)]
        if left := len(part.grid.rows) - len(shown.rows):
            yield [f"… and {count(left, 'row')} more; `-v` writes all of them."]
    if part.folded:
        yield ["</details>"]


def _flowing(lines: Iterable[str]) -> Iterator[str]:
    """Put sentences together that follow one another; what is no sentence, such as a command, stands alone."""
    told = ""
    for line in lines:
        if not line.endswith((".", ":")):
            yield from (told, line)
            told = ""
        else:
            told = f"{told} {line}" if told else line
    yield told


def _paragraphs(texts: Iterable[str]) -> Iterator[Sequence[str]]:
    return ([escaped(text)] for text in texts if text)


def _bold(text: str) -> str:
    return f"**{escaped(text)}**"


def grid_table(grid: Grid) -> Iterator[str]:
    """Write a grid, numbers to the right; a line across its columns stands in the first of them."""
    titles = [escaped(column.heading) for column in grid.columns]
    rules = ["--:" if column.numeric else "---" for column in grid.columns]
    if grid.has_remarks:
        titles, rules = [*titles, grid.remark.capitalize()], [*rules, "---"]
    yield _row(titles)
    yield _row(rules)
    named = [*(column.named for column in grid.columns), False]
    for row in grid.rows:
        if isinstance(row, Span):
            text = row.text.plain.lstrip()
            indent = _SPACE * (len(row.text.plain) - len(text))
            yield _row([indent + _bold(text), *[""] * (len(titles) - 1)])
            continue
        texts = [*(text.plain.strip(_BESIDE) for text in row.cells), row.remark][: len(titles)]
        bold = any("bold" in str(text.style) for text in row.cells)
        yield _row(
            [
                code(text) if is_name and text not in ("", ABSENT) else _bold(text) if bold and text else escaped(text)
                for text, is_name in zip(texts, named, strict=False)
            ]
        )


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

    def escaped_word(match: re.Match[str]) -> str:
        """Write a word as code where markdown acts on something in it; what ends a sentence stays outside."""
        word = match[0]
        if not _ACTIVE.search(word):
            return word
        core = word.rstrip(_PUNCTUATION) or word[0]
        return f"{code(core)}{word[len(core) :]}"

    return _WORD.sub(escaped_word, visible(text))
