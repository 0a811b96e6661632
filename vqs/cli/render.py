"""`vqs render`: a result that was saved as JSON, in another format."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from vqs.cli import environment, output
from vqs.cli.failures import CommandError, reported, say
from vqs.cli.github import append_summary, summary_file
from vqs.cli.inputs import STDIN
from vqs.cli.options import Debug, NoColor, Target, choice, flag
from vqs.cli.reading import ReadingCommand
from vqs.report.formats import Detail, Format, View
from vqs.report.registry import WRITERS, formats_of, write

if TYPE_CHECKING:
    from vqs.report.saved import Saved

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


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(cls=ReadingCommand, epilog=_EXAMPLES, short_help="Write a saved result in another format.")(render)


def render(
    file: Annotated[str, typer.Argument(metavar="FILE", hidden=True)],
    *,
    chosen: Annotated[Format, choice("--format", _FORMATS, "How to write the result.", "-f")] = Format.TABLE,
    target: Target = None,
    github_summary: Annotated[bool, flag("--github-summary", "Add it to the job's summary, too.")] = False,
    quiet: Annotated[bool, flag("--quiet", "Only the summary, no notes.", "-q")] = False,
    verbose: Annotated[bool, flag("--verbose", "All that there is.", "-v")] = False,
    no_color: NoColor = False,
    debug: Debug = False,
) -> None:
    """Write a result in another format: FILE is what vqs has written with --format json, or - for standard input.

    It may be of simulate, explain-queue, explain-job, lint, diff-configs, fit or verify. Nothing is run again. Which
    formats there are depends on what it is: a session has no annotations, and a difference no metrics.
    """
    with reported(debug=debug):
        if quiet and verbose:
            origin = environment.setting(["--quiet", "--verbose"])
            raise CommandError(f"--quiet shows the summary only, and --verbose asks for more: give one of them{origin}")
        output.check(target, [file])
        summary = summary_file() if github_summary else None
        result = _read(file)
        text = _written(result, chosen, View(detail=_detail(quiet=quiet, verbose=verbose)), target, no_color=no_color)
        output.write(text, target)
        if summary is not None:
            append_summary(summary, lambda detail: _written(result, Format.MARKDOWN, View(detail=detail), summary))
        if target and not quiet:
            say(f"written to {target}")


def _detail(*, quiet: bool, verbose: bool) -> Detail:
    return Detail.SUMMARY if quiet else Detail.EVERYTHING if verbose else Detail.USUAL


def _read(file: str) -> "Saved":
    # Imported late: `--help` has no use for the classes of the results.
    from vqs.report.saved import UnreadableResult, read_result  # noqa: PLC0415
    from vqs.snapshot.compression import CompressionError  # noqa: PLC0415
    from vqs.snapshot.reach import Refusal, in_force  # noqa: PLC0415

    try:
        if file == STDIN:
            return read_result(in_force().read_stream(sys.stdin.buffer) if sys.stdin else b"")
        return read_result(in_force().read_named(file))
    except OSError as error:
        raise CommandError(f"cannot read {file}: {error.strerror}", file) from None
    except Refusal as refusal:
        advice = f" ({refusal.help})" if refusal.help else ""
        raise CommandError(f"cannot read {file}: {refusal}{advice}", file) from None
    except (CompressionError, UnreadableResult) as error:
        raise CommandError(f"cannot read {file}: {error}", file) from None


def _written(result: "Saved", chosen: Format, view: View, target: Path | None, *, no_color: bool = True) -> str:
    known = formats_of(type(result).__name__)
    if chosen not in known:
        raise CommandError(
            f"--format: {chosen} is no format for this result; supported: {', '.join(known)}"
            f"{environment.setting(['--format'])}"
        )
    fitted = output.fitted(view, Format.TABLE if chosen is Format.TABLE else Format.JSON, target, no_color=no_color)
    try:
        return write(result, chosen, fitted)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise CommandError(_unlike_vqs(result, chosen, error)) from error


def _unlike_vqs(result: "Saved", chosen: Format, error: Exception) -> str:
    """Say that a result does not hold together: each part is what it may be, and no command writes them like that."""
    reason = " ".join(str(error).split())
    kind = type(result).__name__.lower()
    return (
        f"this {kind} cannot be written as {chosen}, as its parts contradict one another ({type(error).__name__}: "
        f"{reason}); it was changed since vqs has written it, or comes from another version"
    )
