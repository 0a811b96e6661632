"""The formats there are, and what a reporter is.

A reporter is a function in its format's module, named after the kind of result it writes. The registry names it by
text, so that a format's imports are paid for only when the format is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from importlib import import_module
from typing import TYPE_CHECKING, Final, Protocol, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vqs.diff.fit_outcome import Fit
    from vqs.diff.outcome import Diff
    from vqs.explain.cycles import Cycles
    from vqs.explain.jobs.outcome import JobReport
    from vqs.explain.outcome import Simulation
    from vqs.explain.queues.outcome import QueueReport
    from vqs.explain.refusal import Refusal
    from vqs.lint.outcome import Lint
    from vqs.report.again import Again
    from vqs.verify.outcome import Verification


class Format(StrEnum):
    """A format by the name that the command line knows."""

    TABLE = "table"
    JSON = "json"
    MARKDOWN = "markdown"
    HTML = "html"

    @property
    def for_machines(self) -> bool:
        """Whether it holds the whole result whatever the view: programs, or the page's own script, choose from it."""
        return self in (Format.JSON, Format.HTML)


class LintFormat(StrEnum):
    """How findings are written, and the errors of an input."""

    TABLE = "table"
    JSON = "json"
    GITHUB = "github"
    GITLAB = "gitlab"
    SARIF = "sarif"
    JUNIT = "junit"
    MARKDOWN = "markdown"

    @property
    def for_machines(self) -> bool:
        """Whether programs read it, so that it holds the whole result whatever the view."""
        return self not in (LintFormat.TABLE, LintFormat.MARKDOWN)


class JobFormat(StrEnum):
    """How a job is explained."""

    TABLE = "table"
    JSON = "json"
    MARKDOWN = "markdown"

    @property
    def for_machines(self) -> bool:
        """Whether programs read it, so that the view changes nothing."""
        return self is JobFormat.JSON


class FitFormat(StrEnum):
    """How it is told whether a job fits."""

    TABLE = "table"
    JSON = "json"
    MARKDOWN = "markdown"

    @property
    def for_machines(self) -> bool:
        """Whether programs read it, so that the view changes nothing."""
        return self is FitFormat.JSON


class VerifyFormat(StrEnum):
    """How it is told whether a cluster did what vqs says."""

    TABLE = "table"
    JSON = "json"
    MARKDOWN = "markdown"

    @property
    def for_machines(self) -> bool:
        """Whether programs read it, so that the view changes nothing."""
        return self is VerifyFormat.JSON


class QueueFormat(StrEnum):
    """How queues are explained."""

    TABLE = "table"
    JSON = "json"
    MARKDOWN = "markdown"
    HTML = "html"
    PROMETHEUS = "prometheus"

    @property
    def for_machines(self) -> bool:
        """Whether programs, or a script, choose from it, so that the view changes nothing."""
        return self in (QueueFormat.JSON, QueueFormat.HTML, QueueFormat.PROMETHEUS)


class DiffFormat(StrEnum):
    """How a difference is written."""

    TABLE = "table"
    JSON = "json"
    MARKDOWN = "markdown"
    HTML = "html"
    GITHUB = "github"
    GITLAB = "gitlab"
    SARIF = "sarif"
    JUNIT = "junit"

    @property
    def for_machines(self) -> bool:
        """Whether programs read it, so that it holds the whole result whatever the view."""
        return self not in (DiffFormat.TABLE, DiffFormat.MARKDOWN)


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
class QueueView:
    """Which part of the queues people are shown: so many levels of the tree, and resources, as names with * and ?."""

    depth: int | None = None
    resources: Sequence[str] = ()


@dataclass(frozen=True)
class View:
    """What the result is written for: a width of None is a file or a pipe, where a line may be as long as it likes."""

    width: int | None = None
    color: bool = False
    detail: Detail = Detail.USUAL
    filters: Filters = Filters()
    extras: Extras = Extras()
    queues: QueueView = QueueView()
    again: Again | None = None
    """What it was made from, where that is known better than by its title."""


Result_contra = TypeVar("Result_contra", contravariant=True)


class Reporter(Protocol[Result_contra]):
    """Writes a result as text."""

    def __call__(self, result: Result_contra, view: View, /) -> str:
        """Return the whole text; where there is any, with a newline at its end."""


SIMULATION: Final[Mapping[Format, str]] = {
    Format.TABLE: "vqs.report.simulation.table:simulation",
    Format.JSON: "vqs.report.as_json:simulation",
    Format.MARKDOWN: "vqs.report.simulation.markdown:simulation",
    Format.HTML: "vqs.report.as_html:simulation",
}
LINT: Final[Mapping[LintFormat, str]] = {
    LintFormat.TABLE: "vqs.report.lint.table:lint",
    LintFormat.JSON: "vqs.report.as_json:lint",
    LintFormat.GITHUB: "vqs.report.annotations.github:lint",
    LintFormat.GITLAB: "vqs.report.annotations.gitlab:lint",
    LintFormat.SARIF: "vqs.report.annotations.sarif:lint",
    LintFormat.JUNIT: "vqs.report.annotations.junit:lint",
    LintFormat.MARKDOWN: "vqs.report.simulation.markdown:lint",
}

REFUSAL: Final[Mapping[LintFormat, str]] = {
    LintFormat.TABLE: "vqs.report.refusal.page:table",
    LintFormat.JSON: "vqs.report.as_json:refusal",
    LintFormat.GITHUB: "vqs.report.annotations.github:refusal",
    LintFormat.GITLAB: "vqs.report.annotations.gitlab:refusal",
    LintFormat.SARIF: "vqs.report.annotations.sarif:refusal",
    LintFormat.JUNIT: "vqs.report.annotations.junit:refusal",
    LintFormat.MARKDOWN: "vqs.report.refusal.page:markdown",
}

QUEUES: Final[Mapping[QueueFormat, str]] = {
    QueueFormat.TABLE: "vqs.report.queues.table:queues",
    QueueFormat.JSON: "vqs.report.as_json:queues",
    QueueFormat.MARKDOWN: "vqs.report.queues.markdown:queues",
    QueueFormat.HTML: "vqs.report.as_html:queues",
    QueueFormat.PROMETHEUS: "vqs.report.queues.prometheus:queues",
}


JOBS: Final[Mapping[JobFormat, str]] = {
    JobFormat.TABLE: "vqs.report.job.table:job",
    JobFormat.JSON: "vqs.report.as_json:job",
    JobFormat.MARKDOWN: "vqs.report.job.markdown:job",
}

CYCLES: Final[Mapping[Format, str]] = {
    Format.TABLE: "vqs.report.cycles.table:cycles",
    Format.JSON: "vqs.report.as_json:cycles",
    Format.MARKDOWN: "vqs.report.cycles.markdown:cycles",
}

DIFF: Final[Mapping[DiffFormat, str]] = {
    DiffFormat.TABLE: "vqs.report.diff.table:diff",
    DiffFormat.JSON: "vqs.report.as_json:diff",
    DiffFormat.MARKDOWN: "vqs.report.diff.markdown:diff",
    DiffFormat.HTML: "vqs.report.as_html:diff",
    DiffFormat.GITHUB: "vqs.report.annotations.github:diff",
    DiffFormat.GITLAB: "vqs.report.annotations.gitlab:diff",
    DiffFormat.SARIF: "vqs.report.annotations.sarif:diff",
    DiffFormat.JUNIT: "vqs.report.annotations.junit:diff",
}

FIT: Final[Mapping[FitFormat, str]] = {
    FitFormat.TABLE: "vqs.report.fit.page:table",
    FitFormat.JSON: "vqs.report.fit.page:json",
    FitFormat.MARKDOWN: "vqs.report.fit.page:markdown",
}

VERIFICATION: Final[Mapping[VerifyFormat, str]] = {
    VerifyFormat.TABLE: "vqs.report.verify.table:verification",
    VerifyFormat.JSON: "vqs.report.as_json:verification",
    VerifyFormat.MARKDOWN: "vqs.report.verify.markdown:verification",
}


def simulation_reporter(chosen: Format) -> Reporter[Simulation]:
    """Load the reporter of a format."""
    return cast("Reporter[Simulation]", _load(SIMULATION[chosen]))


def lint_reporter(chosen: LintFormat) -> Reporter[Lint]:
    """Load the reporter of a format."""
    return cast("Reporter[Lint]", _load(LINT[chosen]))


def refusal_reporter(chosen: LintFormat) -> Reporter[Refusal]:
    """Load the reporter of a format."""
    return cast("Reporter[Refusal]", _load(REFUSAL[chosen]))


def queue_reporter(chosen: QueueFormat) -> Reporter[QueueReport]:
    """Load the reporter of a format."""
    return cast("Reporter[QueueReport]", _load(QUEUES[chosen]))


def job_reporter(chosen: JobFormat) -> Reporter[JobReport]:
    """Load the reporter of a format."""
    return cast("Reporter[JobReport]", _load(JOBS[chosen]))


def cycles_reporter(chosen: Format) -> Reporter[Cycles]:
    """Load the reporter of a format."""
    return cast("Reporter[Cycles]", _load(CYCLES[chosen]))


def diff_reporter(chosen: DiffFormat) -> Reporter[Diff]:
    """Load the reporter of a format."""
    return cast("Reporter[Diff]", _load(DIFF[chosen]))


def fit_reporter(chosen: FitFormat) -> Reporter[Fit]:
    """Load the reporter of a format."""
    return cast("Reporter[Fit]", _load(FIT[chosen]))


def verify_reporter(chosen: VerifyFormat) -> Reporter[Verification]:
    """Load the reporter of a format."""
    return cast("Reporter[Verification]", _load(VERIFICATION[chosen]))


def _load(name: str) -> object:
    module, _, function = name.partition(":")
    return getattr(import_module(module), function)
