"""`vqs render`: a result that was saved as JSON, in another format."""

from dataclasses import dataclass
from typing import Annotated, Final

import typer

from vqs.cli.command import choices, command, texts
from vqs.cli.groups import Output, ReadingLimits, Verbosity
from vqs.cli.options import Debug, GithubSummary, Own
from vqs.report.formats import Format
from vqs.report.registry import WRITERS

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


COMMAND: Final = command("render", Render, _EXAMPLES)
