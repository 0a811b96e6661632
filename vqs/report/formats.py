"""The formats there are, and what a reporter is.

A reporter is a function in its format's module, named after the kind of result it writes. The registry names it by
text, so that a format's imports are paid for only when the format is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from importlib import import_module
from typing import TYPE_CHECKING, Final, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vqs.explain.outcome import Simulation


class Format(StrEnum):
    """A format by the name that the command line knows."""

    TABLE = "table"
    JSON = "json"
    MARKDOWN = "markdown"

    @property
    def for_machines(self) -> bool:
        """Whether programs read it, so that it holds the whole result whatever the view."""
        return self is Format.JSON


class ManifestFormat(StrEnum):
    """How objects are written: one YAML document each, or a List in JSON."""

    YAML = "yaml"
    JSON = "json"


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
        fit_errors: the tasks of which every node's answer is shown.
        scores: the tasks of which the plugins' scores of the nodes are shown.
    """

    nodes: bool = False
    trace: bool = False
    fit_errors: Sequence[str] = ()
    scores: Sequence[str] = ()

    @property
    def watched(self) -> frozenset[str]:
        """The tasks of which something has to be kept while the session runs."""
        return frozenset((*self.fit_errors, *self.scores))


@dataclass(frozen=True)
class View:
    """What the result is written for: a width of None is a file or a pipe, where a line may be as long as it likes."""

    width: int | None = None
    color: bool = False
    detail: Detail = Detail.USUAL
    filters: Filters = Filters()
    extras: Extras = Extras()


class Reporter(Protocol):
    """Writes a simulation as text."""

    def __call__(self, simulation: Simulation, view: View, /) -> str:
        """Return the whole text, with a newline at its end."""


SIMULATION: Final[Mapping[Format, str]] = {
    Format.TABLE: "vqs.report.as_table:simulation",
    Format.JSON: "vqs.report.as_json:simulation",
    Format.MARKDOWN: "vqs.report.as_markdown:simulation",
}


def simulation_reporter(chosen: Format) -> Reporter:
    """Load the reporter of a format."""
    module, _, function = SIMULATION[chosen].partition(":")
    return cast("Reporter", getattr(import_module(module), function))
