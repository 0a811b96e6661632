"""The formats there are, and what decides how much of a result they show."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Final

from vqs.report.again import Again


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
