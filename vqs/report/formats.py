"""The formats there are, and what decides how much of a result they show.

Commands to go on with are written so that a shell runs them as they stand, on the same files and with the same options;
a text with commands in it is broken into lines so that each can be copied.
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Final, NamedTuple

from vqs.inert import name as visible
from vqs.paths import STDIN

_CONTINUED: Final = " \\"
"""What ends a line that a shell is to join with the next one."""

_BARE: Final = re.compile(r"""(?:[^\s'"]|'[^']*'|"(?:\\.|[^"\\])*")+""")
"""A word of a command; spaces in quotation marks are in it."""

_JSON: Final = re.compile(r"'[{\[][^']*'")
"""A word that means the same with other spaces between its parts, as a patch does."""

_TEXT: Final = re.compile(r'"(?:\\.|[^"\\])*"')

_BETWEEN, _WITHIN = "\ue000", "\ue001"
"""Stand for spaces of commands while a text is split: between two words, and within one."""


def words_of(text: str, commands: Collection[str]) -> list[tuple[str, bool]]:
    """Return the words of a text, and whether each goes on with a command.

    What is in quotation marks is one word, but for JSON, in which a line may end, though in none of its texts.

    >>> words_of("run kubectl get -l 'a in (b)'; then wait", ["kubectl get -l 'a in (b)'"])[:4]
    [('run', False), ('kubectl', False), ('get', True), ('-l', True)]
    """
    for command in sorted(commands, key=len, reverse=True):
        text = text.replace(command, _BETWEEN.join(map(_as_one, _BARE.findall(command))))
    return [
        (word.replace(_WITHIN, " "), number > 0)
        for each in text.split()
        for number, word in enumerate(each.split(_BETWEEN))
    ]


def _as_one(word: str) -> str:
    """Mark the spaces of a word at which no line may end."""
    if _JSON.fullmatch(word):
        return _TEXT.sub(lambda text: text[0].replace(" ", _WITHIN), word)
    return word.replace(" ", _WITHIN)


def folded(words: Sequence[tuple[str, bool]], width: int | None) -> Iterator[str]:
    """Yield lines of words, each with whether it goes on with a command; a word is whole, however long."""
    line = ""
    for number, (word, in_command) in enumerate(words):
        goes_on = number + 1 < len(words) and words[number + 1][1]
        room = math.inf if width is None else width - len(_CONTINUED) * goes_on
        if line and len(line) + 1 + len(word) > room:
            yield f"{line}{_CONTINUED if in_command else ''}"
            line = word
        else:
            line = f"{line} {word}" if line else word
    if line:
        yield line


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


class Format(StrEnum):
    """A format by the name that the command line knows."""

    TABLE = "table"
    JSON = "json"
    MARKDOWN = "markdown"
    HTML = "html"
    GITHUB = "github"
    GITLAB = "gitlab"
    SARIF = "sarif"
    JUNIT = "junit"
    PROMETHEUS = "prometheus"
    CSV = "csv"
    PARQUET = "parquet"
    YAML = "yaml"

    @property
    def for_machines(self) -> bool:
        """Whether it holds the whole result whatever the view: programs, or the page's own script, choose from it."""
        return self not in (Format.TABLE, Format.MARKDOWN)


_ENDINGS: Final = {
    "json": Format.JSON,
    "md": Format.MARKDOWN,
    "markdown": Format.MARKDOWN,
    "html": Format.HTML,
    "htm": Format.HTML,
    "sarif": Format.SARIF,
    "xml": Format.JUNIT,
    "prom": Format.PROMETHEUS,
    "csv": Format.CSV,
    "parquet": Format.PARQUET,
    "yaml": Format.YAML,
    "yml": Format.YAML,
}

_PLAIN: Final = ("", "txt", "text", "log", "out")
_WORD: Final = re.compile(r"\.([a-z][a-z0-9]*)$", re.IGNORECASE)
_COMPRESSED: Final = re.compile(r"\.(gz|zst)$", re.IGNORECASE)


def format_of(file_name: str) -> Format | None:
    """Return the format that the ending of a file stands for, before that of its compression; None if it is for none.

    >>> format_of("report.html").value, format_of("Q.SARIF.zst").value, format_of("report")
    ('html', 'sarif', None)
    """
    return _ENDINGS.get(_ending(file_name))


def has_ending(file_name: str) -> bool:
    """Tell whether the ending of a file, before that of its compression, asks for some format.

    That of plain text does not, nor does what is no word, as in a date.

    >>> [has_ending(each) for each in ("report.xlsx", "report.gz", ".report", "report.log", "report-2026.11.23")]
    [True, False, False, False, False]
    """
    return _ending(file_name) not in _PLAIN


def _ending(file_name: str) -> str:
    """Return the word that a file name ends with behind a dot, before that of its compression; empty without one."""
    found = _WORD.search(_COMPRESSED.sub("", file_name)[1:])
    return "" if found is None else found[1].lower()


OF_MANIFESTS: Final = (Format.YAML, Format.JSON)
"""How objects are written: one YAML document each, or a List in JSON."""


class Detail(IntEnum):
    """How much people are shown."""

    SUMMARY = 0
    USUAL = 1
    EVERYTHING = 2


@dataclass(frozen=True)
class Filters:
    """Which queues, jobs and tasks people are shown, as names with * and ?.

    Of each kind one pattern has to match, where there are any. A job's with a slash is matched with namespace/name.
    """

    queues: Sequence[str] = ()
    jobs: Sequence[str] = ()
    statuses: Sequence[str] = ()
    verdicts: Sequence[str] = ()

    def __bool__(self) -> bool:
        """Tell whether anything is asked for."""
        return any((self.queues, self.jobs, self.statuses, self.verdicts))


@dataclass(frozen=True)
class Extras:
    """What people are shown only where they ask for it; tasks are named by namespace/name.

    Attributes:
        nodes: what every node has.
        trace: the decisions, in order.
        fit_errors: the tasks for which every node's answer is shown.
        scores: the tasks for which the plugins' scores of the nodes are shown.
    """

    nodes: bool = False
    trace: bool = False
    fit_errors: Sequence[str] = ()
    scores: Sequence[str] = ()

    @property
    def watched(self) -> frozenset[str]:
        """The tasks whose nodes have to be recorded while the session runs."""
        return frozenset((*self.fit_errors, *self.scores))


@dataclass(frozen=True)
class QueueView:
    """Which part of the queues people are shown: how many levels of the tree, and resources, as names with * and ?."""

    depth: int | None = None
    resources: Sequence[str] = ()


@dataclass(frozen=True)
class View:
    """What the result is written for.

    A width of None is a file or a pipe, where a line may be as long as it likes. `folds` is whether a part that
    concerns few readers can be folded away, `all_fixes` whether more fixes are shown than the first few.
    """

    width: int | None = None
    color: bool = False
    folds: bool = False
    all_fixes: bool = False
    detail: Detail = Detail.USUAL
    filters: Filters = Filters()
    extras: Extras = Extras()
    queues: QueueView = QueueView()
    again: Again | None = None
    """What it was made from, where that is known better than by its title."""

    @property
    def everything(self) -> bool:
        """Whether nothing is left out, however long."""
        return self.detail is Detail.EVERYTHING
