"""The page on a difference: what the change is, who is affected, the details, and a summary.

As markdown it fits into a comment on a pull request: what is long is folded away.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from vqs.diff.outcome import Diff
from vqs.report.diff.following import next_step
from vqs.report.diff.lead import affected_lines, change_line
from vqs.report.diff.parts import parts
from vqs.report.diff.phrases import (
    behaviour_lines,
    configuration_lines,
    edit_lines,
    failure_lines,
    figure_lines,
    headline,
    sentence,
    tie_dependent_failure_lines,
    warning_lines,
)
from vqs.report.formats import Detail, View
from vqs.report.page import Line, Page, Part
from vqs.report.phrases import caveats

_COMMENT: Final = 40
"""The most lines of a comment that are shown unfolded."""

_MOST_FACTS: Final = 6
"""Of more facts than these, which are mostly warnings, the others are folded away."""

_SPACED: Final = 2
"""The lines of a paragraph, with the empty one after it."""

_TABLE_HEAD: Final = 2


def page(result: Diff, view: View, /) -> Page:
    """Return the page on a difference."""
    divergence = [f"First decision that differs: {result.first_divergence}."] if result.first_divergence else []
    whole = Page(
        headline=change_line(result),
        facts=[
            *map(Line, (*affected_lines(result), headline(result))),
            *map(Line, (*behaviour_lines(result), *edit_lines(result), *configuration_lines(result))),
            *(Line(line, "yellow") for line in warning_lines(result)),
        ],
        parts=[*parts(result, everything=view.detail is Detail.EVERYTHING)],
        figures=[*divergence, *figure_lines(result)],
        answer=[sentence(result)],
        failures=failure_lines(result),
        tie_dependent_failures=tie_dependent_failure_lines(result),
        next=next_step(result, view),
        caveats=caveats(result.after.diagnostics),
    )
    return _as_comment(whole) if view.folds else whole


def _as_comment(whole: Page) -> Page:
    """Fold the longest parts away until the rest fits into a comment."""
    sections = [*whole.parts]
    facts = [*whole.facts]
    if len(facts) > _MOST_FACTS:
        sections.insert(0, Part("Warnings and notes", items=facts[_MOST_FACTS:], folded=True))
        facts = facts[:_MOST_FACTS]
    paragraphs = len(
        [*whole.answer, *whole.failures, *whole.tie_dependent_failures, whole.headline, *facts, *whole.figures]
    )
    room = _COMMENT - _SPACED * (paragraphs + bool(whole.next.steps))
    for section in sorted(sections, key=_length, reverse=True):
        if sum(_SPACED if each.folded else _length(each) for each in sections) > room:
            at = next(index for index, each in enumerate(sections) if each is section)
            sections[at] = replace(section, folded=True)
    return replace(whole, facts=facts, parts=sections)


def _length(part: Part) -> int:
    """Return how many lines a part takes in markdown: title, table, and the empty lines after them."""
    rows = len(part.grid.rows) if part.grid is not None else 0
    return _SPACED + bool(part.legend) * _SPACED + _TABLE_HEAD + rows + 1
