"""Input errors for programs: in the requested format, written where the result would be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from vqs.cli import output
from vqs.cli.failures import FAILURE
from vqs.cli.github import append_summary, summary_file
from vqs.cli.groups import Output
from vqs.report import registry
from vqs.report.formats import Detail, Format, View

if TYPE_CHECKING:
    from vqs.explain.refusal import Refusal
    from vqs.snapshot.reading.diagnostics import Diagnostic


@contextmanager
def refused_as(command: str, chosen: Output, *, github_summary: bool = False) -> Iterator[None]:
    """Write the errors of an input for programs, too: in the format that was asked for, where the result would go."""
    from vqs.cli.reporting import say_errors
    from vqs.snapshot.reading.diagnostics import InputErrors

    try:
        yield
    except InputErrors as errors:
        say_errors(errors)
        _write_refusal(command, errors.diagnostics, chosen, github_summary=github_summary)
        raise typer.Exit(FAILURE) from None


def _write_refusal(command: str, diagnostics: Sequence[Diagnostic], chosen: Output, *, github_summary: bool) -> None:
    """Write the errors of an input for programs; for people, stderr already has them."""
    from vqs.explain.refusal import refusal

    if not (chosen.format.for_machines or github_summary):
        return
    result = refusal(command, diagnostics)
    if chosen.format.for_machines and chosen.format in registry.formats_of("Refusal"):
        output.check(chosen.target, [each.file for each in diagnostics])
        output.write(registry.write(result, chosen.format, View()), chosen.target)
    if github_summary:
        append_summary(summary_file(), lambda detail: _summary(result, detail))


def _summary(result: Refusal, detail: Detail) -> str:
    return registry.write(result, Format.MARKDOWN, View(detail=detail))
