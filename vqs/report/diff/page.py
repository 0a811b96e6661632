"""The page on a difference: what was changed, what comes of it, and a summary."""

from __future__ import annotations

from vqs.diff.outcome import Diff
from vqs.report.diff.parts import parts
from vqs.report.diff.phrases import (
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
from vqs.report.page import Line, Page


def page(result: Diff, view: View, /) -> Page:
    """Return the page on a difference."""
    divergence = [f"First decision that differs: {result.parting}."] if result.parting else []
    return Page(
        headline=headline(result),
        facts=[
            *map(Line, (*edit_lines(result), *configuration_lines(result))),
            *(Line(line, "yellow") for line in warning_lines(result)),
        ],
        parts=parts(result, everything=view.detail is Detail.EVERYTHING),
        figures=[*divergence, *figure_lines(result)],
        answer=[sentence(result)],
        failures=failure_lines(result),
        tie_dependent_failures=tie_dependent_failure_lines(result),
    )
