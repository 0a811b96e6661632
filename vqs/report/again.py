"""Commands to go on with, written so that a shell runs them as they stand: on the same files, with the same options."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

PIPED: Final = "piped.yaml"
"""What a file is called that is to hold what was piped in: standard input cannot be read again."""

_STDIN: Final = "-"
_UNKNOWN: Final = "FILES"
_OF_READING: Final = ("--conf",)
_EDITS: Final = ("--edits", "--add", "--remove", "--clone-node", "--scale", "--set")
_OF_SESSIONS: Final = (*_OF_READING, *_EDITS, "--assume-admitted", "--now", "--seed")
_TAKES: Final = {
    "simulate": ("--usage", *_OF_SESSIONS),
    "explain-job": ("--usage", *_OF_SESSIONS),
    "explain-queue": _OF_SESSIONS,
    "lint": _OF_READING,
    "anonymize": (),
}
"""Which of the options each command has that take part in what is read."""

Option = tuple[str, str]
"""An option and its value; one that has none is a flag."""


@dataclass(frozen=True, slots=True)
class Again:
    """What a result was made from.

    Attributes:
        program: how the program was called: ``vqs``, ``kubectl vqs``.
        files: what it read; empty where that is left to the reader.
        options: with which options, in the order in which they are to be written.
    """

    program: str = "vqs"
    files: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()

    def rule(self, code: str) -> str:
        """Return the command that explains a code."""
        return shlex.join([*self.program.split(), "rule", code])

    def command(self, name: str, *more: Option) -> str:
        """Return a command on the same files, with what it takes of the options and with some more."""
        kept = [each for each in self.options if each[0] in _TAKES[name]]
        files = [_as_file(each) for each in self.files] or [_UNKNOWN]
        return shlex.join([*self.program.split(), name, *files, *_words([*kept, *more])])

    def last(self, steps: list[str]) -> str:
        """Return the steps as the last line of a report; it says what has to be done first for them to run."""
        if _STDIN in (*self.files, *(value for _, value in self.options)) and any(PIPED in each for each in steps):
            steps = [*steps, f"{PIPED} stands for what was piped in: save it there first"]
        return f"Next: {'; '.join(steps)}"

    @property
    def has_edits(self) -> bool:
        """Whether what was read was edited."""
        return any(name in _EDITS for name, _ in self.options)


def of_title(title: str) -> Again:
    """Return what a result was made from that only says how that is called; what is not sure is left to the reader."""
    is_file = title and ", " not in title and " with " not in title and title != "standard input"
    return Again(files=(title,)) if is_file else Again()


def _as_file(name: str) -> str:
    if name == _STDIN:
        return PIPED
    return f"./{name}" if name.startswith("-") else name


def _words(options: list[Option]) -> Iterator[str]:
    for name, value in options:
        text = PIPED if value == _STDIN else value
        if not text:
            yield name
        elif text.startswith("-"):
            yield f"{name}={text}"
        else:
            yield from (name, text)
