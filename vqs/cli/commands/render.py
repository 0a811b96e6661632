"""`vqs render`: a result that was saved as JSON, in another format."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeVar

from vqs.cli import output, process
from vqs.cli.command import command
from vqs.cli.failures import CommandError, say
from vqs.cli.groups import Output, output_group, verbosity
from vqs.cli.options import GITHUB_SUMMARY, argument, option
from vqs.paths import STDIN
from vqs.report.formats import Format, View
from vqs.report.registry import WRITERS, formats_of, write, write_data
from vqs.snapshot.reading.compression import CompressionError
from vqs.snapshot.reading.reach import ReadRefused, in_force

if TYPE_CHECKING:
    from vqs.report.saved import Saved

Text = TypeVar("Text", str, bytes)

_HELP = """
Write a result in another format: FILE is what vqs has written with --format json, or - for standard input.

It is a result of simulate, explain-queue, explain-job, lint, diff-configs, fit or verify. Nothing is run again.
The formats depend on the result: a session has no annotations, and a comparison no metrics.
"""

_EXAMPLES = """
\b
Examples:
  vqs diff-configs old.conf new.conf --on snapshot.json --format json --output diff.json
  vqs render diff.json --format markdown
  vqs render diff.json --format sarif --output diff.sarif
  vqs render diff.json --format markdown --since earlier.json
  vqs simulate snapshot.json --format json | vqs render - --format html --output report.html

Exit status: 0 the result is written, 2 the file or the command line is wrong, 130 interrupted.
"""

_FORMATS: Final = tuple(each for each in Format if any(each in formats for formats in WRITERS.values()))
"""Every format that some kind of result is written in."""


@command(
    "render",
    _HELP,
    _EXAMPLES,
    argument("file", "FILE", required=True),
    output_group(_FORMATS),
    GITHUB_SUMMARY,
    option(
        "--since",
        "FILE",
        "Of a comparison, say what is otherwise than in this earlier one, as of the push before.",
    ),
    *verbosity(verbose="Show all rows."),
)
def run(*, file: str, out: Output, github_summary: bool, since: str) -> int:
    """Write the result in the format; only a table is written for a terminal."""
    out.refuse_both()
    output.check(out.target, [file, *filter(None, [since])])
    summary = output.summary_file() if github_summary else None
    result = _since(_read(file), since) if since else _read(file)
    view = View(detail=out.detail)
    view = output.fitted(view, out) if out.format is Format.TABLE else view
    output.write(_written(result, out.format, view, write_data), out.target)
    if summary is not None:
        output.append_summary(summary, lambda detail: _written(result, Format.MARKDOWN, View(detail=detail), write))
    if out.target and not out.quiet:
        say(f"written to {out.target}")
    return 0


def _since(result: Saved, file: str) -> Saved:
    """Add to a comparison what is otherwise than in an earlier one."""
    from vqs.diff.compare import since
    from vqs.diff.outcome import Diff

    earlier = _read(file)
    if isinstance(result, Diff) and isinstance(earlier, Diff):
        result.since = since(earlier, result)
        return result
    wrong = "--since" if isinstance(result, Diff) else "FILE"
    raise CommandError(f"{wrong}: --since compares results of diff-configs, and this is one of another command")


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
            f"{process.setting(['--format'])}"
        )
    try:
        return write_as(result, chosen, view)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        # Each part is what it may be, and no command writes them like that.
        reason = " ".join(str(error).split())
        raise CommandError(
            f"this {type(result).__name__.lower()} cannot be written as {chosen}, as it is inconsistent "
            f"({type(error).__name__}: {reason}); it was edited, or another version of vqs wrote it"
        ) from error
