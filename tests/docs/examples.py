"""The commands that the pages show, and what they print.

A block of the language ``console`` has commands after ``$ ``, each followed by its output on a terminal of 80 columns.
A block of the language ``sh`` has commands alone. A comment on the line above a block says what is special about it:

- ``<!-- show: head 5 -->``, ``tail 3`` or ``parts ^Jobs$ 'CYCLE +BOUND'``: only this much of the output is shown. Parts
  are what blank lines separate; each pattern picks those with a line in which it is found.
- ``<!-- exit: 2 -->``: the commands end with this status; 0 and 1 are fine without.
- ``<!-- not run: REASON -->``: the commands are not run; their options still have to be there.

The commands of a page run one after the other in a folder with the files of `docs/example` and with `scenarios/`.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PAGES: Final = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
LEFT_OUT: Final = "...\n"

Runner = Callable[[str], tuple[int, str]]
"""Runs a command; returns its exit status, and what it prints."""

_BLOCK: Final = re.compile(
    r"(?P<notes>(?:^<!-- (?:show|exit|not run): [^\n]+ -->\n)*)"
    r"^(?P<indent> *)```(?P<language>console|sh)\n(?P<body>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)
_NOTE: Final = re.compile(r"<!-- (show|exit|not run): (.+) -->")
_COMMAND: Final = re.compile(r"^\$ (.*(?<=\\)\n)*.*\n", re.MULTILINE)
_LINE: Final = re.compile(r"^(?![ ]*#)(?:.*(?<=\\)\n)*.+\n", re.MULTILINE)
_SHELL: Final = frozenset("|<>;&$`()")


class ExampleError(Exception):
    """A command that a page shows does not do what the page says."""


@dataclass(frozen=True)
class Block:
    """A block of commands.

    Attributes:
        language: ``console`` with what is printed, or ``sh`` without.
        notes: what the comment above it says.
        body: the text between the fences.
        line: the line of the page that the body begins at.
        start: where the body begins in the page.
        end: where it ends.
    """

    language: str
    notes: Mapping[str, str]
    body: str
    line: int
    start: int
    end: int

    @property
    def commands(self) -> list[str]:
        """The commands, without the prompt."""
        if self.language == "console":
            return [found[0].removeprefix("$ ").rstrip("\n") for found in _COMMAND.finditer(self.body)]
        return [found[0].rstrip("\n") for found in _LINE.finditer(self.body)]


def blocks(page: str) -> Iterator[Block]:
    """Yield the blocks of commands of a page."""
    for found in _BLOCK.finditer(page):
        notes = dict(_NOTE.findall(found["notes"]))
        start, end = found.span("body")
        yield Block(found["language"], notes, found["body"], page.count("\n", 0, start) + 1, start, end)


@dataclass(frozen=True)
class Refreshed:
    """A page after all of its commands have run.

    Attributes:
        text: the page with what they print now; a block that failed is as it was.
        failures: what went wrong, each with the line of its block.
    """

    text: str
    failures: Sequence[str] = ()


def refreshed(page: str, run: Runner, knows: Callable[[list[str]], bool]) -> Refreshed:
    """Run all commands of a page.

    Args:
        page: the text of the page.
        run: runs a command.
        knows: whether vqs has the options of a command line that is not run.
    """
    pieces, failures, done = list[str](), list[str](), 0
    for block in blocks(page):
        try:
            body = _refreshed_block(block, run, knows)
        except ExampleError as error:
            failures.append(f"line {block.line}: {error}")
            body = block.body
        pieces += [page[done : block.start], body]
        done = block.end
    return Refreshed("".join([*pieces, page[done:]]), failures)


def _refreshed_block(block: Block, run: Runner, knows: Callable[[list[str]], bool]) -> str:
    if "not run" in block.notes:
        unknown = [words for words in map(vqs_words, block.commands) if words is not None and not knows(words)]
        if unknown:
            raise ExampleError(f"vqs does not take this: {shlex.join(unknown[0])}")
        return block.body
    wanted = {int(block.notes["exit"])} if "exit" in block.notes else {0, 1}
    shown = list[str]()
    for command in block.commands:
        status, printed = run(command)
        if status not in wanted:
            raise ExampleError(f"{command}: exit status {status}\n{printed}")
        shown += [f"$ {command}\n", part_of(printed, block.notes.get("show", ""))]
    return block.body if block.language == "sh" else "".join(shown)


def part_of(printed: str, choice: str) -> str:
    r"""Return the part of an output that a page shows, with marks where something is left out.

    >>> part_of("a\nb\nc\n", "head 2")
    'a\nb\n...\n'
    >>> part_of("a\n\nb\n\nc\n", "parts ^a ^c")
    'a\n...\nc\n'
    """
    if not choice:
        return printed
    unit, _, wanted = choice.partition(" ")
    if unit in ("head", "tail"):
        return _lines(printed.splitlines(keepends=True), unit, int(wanted))
    if unit != "parts":
        raise ExampleError(f"'show: {choice}' is none of head, tail and parts")
    parts = printed.rstrip("\n").split("\n\n")
    chosen = {number for pattern in shlex.split(wanted) for number in _numbers(parts, pattern, printed)}
    return "".join(_joined(parts, sorted(chosen)))


def _lines(lines: Sequence[str], unit: str, count: int) -> str:
    if count >= len(lines):
        return "".join(lines)
    return "".join([*lines[:count], LEFT_OUT] if unit == "head" else [LEFT_OUT, *lines[-count:]])


def _joined(parts: Sequence[str], chosen: Sequence[int]) -> Iterator[str]:
    for before, number in pairwise([-1, *chosen]):
        if number > before + 1:
            yield LEFT_OUT
        elif number:
            yield "\n"
        yield f"{parts[number]}\n"
    if chosen[-1] < len(parts) - 1:
        yield LEFT_OUT


def _numbers(parts: Sequence[str], pattern: str, printed: str) -> list[int]:
    found = [number for number, part in enumerate(parts) if re.search(pattern, part, re.MULTILINE)]
    if not found:
        raise ExampleError(f"no part of the output has a line with '{pattern}':\n{printed}")
    return found


def vqs_words(command: str) -> list[str] | None:
    """Return the words after `vqs` of a command that needs no shell; None for all others."""
    lexer = shlex.shlex(command.replace("\\\n", " "), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words = list(lexer)
    if words[:1] != ["vqs"] or any(set(word) <= _SHELL for word in words if word) or "$" in command:
        return None
    return words[1:]


def write_pages(pages: Mapping[Path, str]) -> list[Path]:
    """Write the pages that are not as they were; return these."""
    changed = [path for path, text in pages.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in changed:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(pages[path], encoding="utf-8")
        sys.stdout.write(f"{path.relative_to(ROOT)}\n")
    return changed
