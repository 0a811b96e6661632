"""Commands to go on with, written so that a shell runs them as they stand: on the same files, with the same options."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from vqs.inert import name as visible
from vqs.paths import STDIN
from vqs.report.shell import folded

PIPED: Final = "piped.yaml"
"""What a file is called that is to hold what was piped in: standard input cannot be read again."""

_UNKNOWN: Final = "FILES"
_OF_REACH: Final = ("--root", "--max-bytes", "--max-files", "--max-pods")
_OF_READING: Final = ("--conf", "--plugin", "--volcano", "--behaviour", *_OF_REACH)
_EDITS: Final = ("--edits", "--add", "--remove", "--clone-node", "--scale", "--set")
_OF_RUNS: Final = (
    "--now",
    "--seed",
    "--usage",
    "--node-sample",
    "--scheduler-sharding-mode",
    "--scheduler-sharding-name",
    "--csi-storage",
    "--scheduler-flag",
    "--allow-extender",
)
_OF_SESSIONS: Final = (*_OF_READING, *_EDITS, "--assume-admitted", *_OF_RUNS)
_OF_REPLAYS: Final = (
    "--workload-format",
    "--queue-by",
    "--most-nodes",
    "--processors-per-pod",
    "--period",
    "--start-delay",
)
_TAKES: Final = {
    "simulate": _OF_SESSIONS,
    "replay": (*_OF_SESSIONS, *_OF_REPLAYS),
    "explain-job": _OF_SESSIONS,
    "explain-queue": _OF_SESSIONS,
    "diff-configs": ("--plugin", "--volcano", "--behaviour", *_OF_REACH, *_OF_RUNS),
    "lint": _OF_READING,
    "anonymize": _OF_REACH,
}
"""Which of the options each command has that take part in what is read."""

Option = tuple[str, str]
"""An option and its value; one that has none is a flag."""


class Step(NamedTuple):
    """What can be done next: the words of a command as a shell takes them, and what it is good for."""

    words: tuple[str, ...]
    says: str

    @property
    def command(self) -> str:
        """The command."""
        return " ".join(self.words)


@dataclass(frozen=True, slots=True)
class Next:
    """What can be done next; nothing where there are no steps."""

    steps: Sequence[Step] = ()

    def text(self, written: Callable[[str], str] = str) -> str:
        """Return it as one line, with commands as they are written there; empty where there is nothing."""
        parts = [f"{written(step.command)} {step.says}" if step.words else step.says for step in self.steps]
        return f"Next: {'; '.join(parts)}" if parts else ""

    def lines(self, width: int | None) -> Iterator[str]:
        """Break it into lines between words; within a command, so that a shell takes them for one."""
        return folded([*self._tokens()], width)

    def _tokens(self) -> Iterator[tuple[str, bool]]:
        """Yield the words, and whether each goes on with a command."""
        if self.steps:
            yield "Next:", False
        for step in self.steps:
            yield from ((visible(word), number > 0) for number, word in enumerate(step.words))
            end = "" if step is self.steps[-1] else ";"
            yield from ((visible(word), False) for word in f"{step.says}{end}".split())


NOWHERE: Final = Next()
"""Where there is nothing to go on with."""


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

    def rule(self, code: str, says: str) -> Step:
        """Return the command that explains a code."""
        return Step((*self.program.split(), "rule", shlex.quote(code)), says)

    def command(self, name: str, says: str, *more: Option) -> Step:
        """Return a command on the same files, with what it takes of the options and with some more."""
        kept = [each for each in self.options if each[0] in _TAKES[name]]
        files = [PIPED if each == STDIN else f"./{each}" if each.startswith("-") else each for each in self.files]
        words = (name, *(files or [_UNKNOWN]), *_words([*kept, *more]))
        return Step((*self.program.split(), *map(shlex.quote, words)), says)

    def lint(self) -> Step:
        """Return the command that looks for faults; it makes no edits."""
        before = ", before the edits" if any(name in _EDITS for name, _ in self.options) else ""
        return self.command("lint", f"finds what else is wrong{before}")

    def last(self, *steps: Step) -> Next:
        """Return steps as the last line of a report; it says what has to be done first for them to run."""
        if any(PIPED in step.words for step in steps):
            return Next((*steps, Step((), f"{PIPED} stands for what was piped in: save it there first")))
        return Next(steps)


def of_title(title: str) -> Again:
    """Return what a result was made from that only says how that is called; what is not sure is left to the reader."""
    is_file = title and ", " not in title and " with " not in title and title != "standard input"
    return Again(files=(title,)) if is_file else Again()


def _words(options: list[Option]) -> Iterator[str]:
    for name, value in options:
        text = PIPED if value == STDIN else value
        if not text:
            yield name
        elif text.startswith("-"):
            yield f"{name}={text}"
        else:
            yield from (name, text)
