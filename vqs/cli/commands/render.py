"""`vqs render`: a result that was saved as JSON, in another format."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final, TypeVar

import typer

from vqs.cli import environment, output
from vqs.cli.command import choices, command, texts
from vqs.cli.failures import CommandError, say
from vqs.cli.github import append_summary, summary_file
from vqs.cli.groups import Output, ReadingLimits, Verbosity
from vqs.cli.options import Debug, GithubSummary, Own
from vqs.paths import STDIN
from vqs.report.formats import Format, View
from vqs.report.registry import WRITERS, formats_of, write, write_data
from vqs.snapshot.reading.compression import CompressionError
from vqs.snapshot.reading.reach import ReadRefused, in_force

if TYPE_CHECKING:
    from vqs.report.saved import Saved

Text = TypeVar("Text", str, bytes)

_EXAMPLES = """
\b
Examples:
  vqs diff-configs old.conf new.conf --on snapshot.json --format json --output diff.json
  vqs render diff.json --format markdown
  vqs render diff.json --format sarif --output diff.sarif
  vqs simulate snapshot.json --format json | vqs render - --format html --output report.html

Exit status: 0 the result is written, 2 the file or the command line is wrong, 130 interrupted.
"""


_FORMATS: Final = tuple(each for each in Format if any(each in formats for formats in WRITERS.values()))
"""Every format that some kind of result is written in."""


@dataclass(frozen=True, kw_only=True)
class Render:
    """Write a result in another format: FILE is what vqs has written with --format json, or - for standard input.

    It is a result of simulate, explain-queue, explain-job, lint, diff-configs, fit or verify. Nothing is run again.
    The formats depend on the result: a session has no annotations, and a comparison no metrics.
    """

    file: Annotated[str, typer.Argument(metavar="FILE", hidden=True)]
    output: Annotated[Output, choices(format=_FORMATS)]
    github_summary: GithubSummary = False
    verbosity: Annotated[Verbosity, texts(verbose="Show all rows.")]
    own: Own = ()
    debug: Debug = False
    limits: ReadingLimits


def run(arguments: Render) -> int:
    """Write the result in the format."""
    chosen, verbosity = arguments.output, arguments.verbosity
    verbosity.refuse_both()
    output.check(chosen.target, [arguments.file])
    summary = summary_file() if arguments.github_summary else None
    result = _read(arguments.file)
    output.write(_written(result, chosen.format, _view(arguments), write_data), chosen.target)
    if summary is not None:
        append_summary(summary, lambda detail: _written(result, Format.MARKDOWN, View(detail=detail), write))
    if chosen.target and not verbosity.quiet:
        say(f"written to {chosen.target}")
    return 0


COMMAND: Final = command("render", Render, run, _EXAMPLES)


def _view(arguments: Render) -> View:
    """Return what is shown; only a table is written for a terminal."""
    view = View(detail=arguments.verbosity.detail)
    if arguments.output.format is not Format.TABLE or arguments.output.target is not None:
        return view
    return output.on_terminal(view, no_color=arguments.verbosity.no_color)


def _read(file: str) -> Saved:
    from vqs.report.saved import UnreadableResult, read_result

    try:
        if file == STDIN:
            return read_result(in_force().read_stream(sys.stdin.buffer) if sys.stdin else b"")
        return read_result(in_force().read_named(file))
    except OSError as error:
        raise CommandError(f"cannot read {file}: {error.strerror}", file) from None
    except ReadRefused as refusal:
        advice = f" ({refusal.help})" if refusal.help else ""
        raise CommandError(f"cannot read {file}: {refusal}{advice}", file) from None
    except (CompressionError, UnreadableResult) as error:
        raise CommandError(f"cannot read {file}: {error}", file) from None


def _written(result: Saved, chosen: Format, view: View, write_as: Callable[[Saved, Format, View], Text]) -> Text:
    known = formats_of(type(result).__name__)
    if chosen not in known:
        raise CommandError(
            f"--format: {chosen} is no format for this result; supported: {', '.join(known)}"
            f"{environment.setting(['--format'])}"
        )
    try:
        return write_as(result, chosen, view)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise CommandError(_unlike_vqs(result, chosen, error)) from error


def _unlike_vqs(result: Saved, chosen: Format, error: Exception) -> str:
    """Say that a result does not hold together: each part is what it may be, and no command writes them like that."""
    reason = " ".join(str(error).split())
    kind = type(result).__name__.lower()
    return (
        f"this {kind} cannot be written as {chosen}, as it is inconsistent ({type(error).__name__}: "
        f"{reason}); it was edited, or another version of vqs wrote it"
    )
