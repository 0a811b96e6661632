"""Input errors for programs: in the format that was asked for, where the result would have gone."""

from pathlib import Path
from typing import TYPE_CHECKING

from vqs.cli import output
from vqs.cli.github import append_summary, summary_file
from vqs.report import registry
from vqs.report.formats import Detail, Format, View

if TYPE_CHECKING:
    from collections.abc import Callable

    from vqs.explain.refusal import Refusal
    from vqs.snapshot.diagnostics import InputErrors


def errors_as(
    command: str, chosen: Format, target: Path | None, *, github_summary: bool = False
) -> "Callable[[InputErrors], None]":
    """Return what writes the errors of an input; people have read them on stderr, and need no more of them."""

    def write(errors: "InputErrors") -> None:
        if not (chosen.for_machines or github_summary):
            return
        # Imported late: an input is mostly right.
        from vqs.explain.refusal import refusal  # noqa: PLC0415

        result = refusal(command, errors.diagnostics)
        if chosen.for_machines and chosen in registry.formats_of("Refusal"):
            output.check(target, [each.file for each in errors.diagnostics])
            output.write(registry.write(result, chosen, View()), target)
        if github_summary:
            append_summary(summary_file(), lambda detail: _summary(result, detail))

    return write


def _summary(result: "Refusal", detail: Detail) -> str:
    return registry.write(result, Format.MARKDOWN, View(detail=detail))
