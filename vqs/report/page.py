"""A page: what every report shows, whatever the result, before it is written for a terminal or as markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vqs.report.again import NOWHERE, Next
from vqs.report.grid import Grid

MARK = "▸ "
"""Stands before the queue or the job that is explained, among others."""


@dataclass(frozen=True)
class Line:
    """A line of text, with the style that a terminal gives it and the excerpt of a file that it shows below."""

    text: str
    style: str = ""
    excerpt: str = ""


@dataclass(frozen=True)
class Part:
    """One part of a page.

    Attributes:
        title: its title, which may say it all; empty where it speaks for itself.
        lines: running text.
        grid: a table.
        legend: how to read the table.
        items: a list, one item a line.
        folded: whether markdown folds it away, for those to open whom it concerns.
    """

    title: str = ""
    lines: Sequence[str] = ()
    grid: Grid | None = None
    legend: str = ""
    items: Sequence[Line] = ()
    folded: bool = False


@dataclass(frozen=True)
class Page:
    """All that a report shows.

    Attributes:
        answer: the most important sentences.
        stops: what makes all else meaningless.
        headline: what was looked at, and how.
        facts: what else is to be known before the parts.
        parts: the body.
        figures: the figures that sum up the parts.
        failures: what makes the command fail.
        tie_dependent_failures: what could make it fail, and does not.
        details: what completes the answer.
        next: the commands to go on with.
        closing: what a terminal says once more at the end.
        conclusion: what of the answer a terminal repeats before the next commands, where the answer stands first.
        caveats: why decisions may not be the real scheduler's; shown beside the answer where that is all that is shown.
        answer_first: whether a terminal shows the answer first: else it stands at the end, where the prompt is.
    """

    answer: Sequence[str]
    stops: Sequence[str] = ()
    headline: str = ""
    facts: Sequence[Line] = ()
    parts: Iterable[Part] = ()
    figures: Sequence[str] = ()
    failures: Sequence[str] = ()
    tie_dependent_failures: Sequence[str] = ()
    details: Sequence[str] = ()
    next: Next = NOWHERE
    closing: Sequence[str] = ()
    conclusion: Sequence[str] = ()
    caveats: Sequence[str] = ()
    answer_first: bool = False


def out_of(title: str, shown: int, of: int) -> str:
    """Write a title, and how much of a list is shown, if that is not all."""
    return title if shown == of else f"{title} ({shown:,} of {of:,} here; -v shows all)"
