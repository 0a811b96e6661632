"""`vqs lint`: what is wrong with a snapshot and a configuration before anything is scheduled."""

import sys
from collections.abc import Collection, Sequence
from enum import StrEnum
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import typer

from vqs.cli import completion, environment, inputs, output
from vqs.cli.again import on_files
from vqs.cli.failures import CommandError, reported, say
from vqs.cli.options import Conf, Debug, NoColor, NoIgnore, Target, choice, flag, option
from vqs.cli.progress import Progress
from vqs.cli.reading import ReadingCommand
from vqs.cli.refused import errors_as
from vqs.paths import is_folder
from vqs.report.formats import Detail, Format, View
from vqs.report.registry import formats_of, write

if TYPE_CHECKING:
    from vqs.lint.outcome import Lint

FOUND: Final = 1
_CONFIGURATION: Final = ".conf"

_EXAMPLES = """
\b
Examples:
  vqs lint cluster/ new-job.yaml
  vqs lint queues.yaml --conf volcano-scheduler.conf --fail-on warning
  vqs lint cluster/ --select 'queue-*' --ignore queue-unused
  vqs lint cluster/ --format sarif --output lint.sarif
  kubectl get nodes,pods,... -A -o json | vqs lint

Each option can be set in the environment: --fail-on by VQS_FAIL_ON, and so on.

Exit status: 0 nothing as bad as --fail-on, 1 something is, 2 the input cannot be read or the command line is wrong,
130 interrupted.
"""


class FailOn(StrEnum):
    """How bad a finding has to be to count."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


_Codes = list[str] | None

Select = Annotated[_Codes, option("--select", "CODES", "Look only for these.", complete=completion.lint_codes)]
Ignore = Annotated[_Codes, option("--ignore", "CODES", "Do not look for these.", complete=completion.lint_codes)]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        cls=ReadingCommand, epilog=_EXAMPLES, short_help="Find what is wrong with manifests and the configuration."
    )(lint)


def lint(
    files: Annotated[list[str] | None, typer.Argument(metavar="FILES", hidden=True)] = None,
    *,
    conf: Conf = None,
    chosen: Annotated[Format, choice("--format", formats_of("Lint"), "How to write it.", "-f")] = Format.TABLE,
    target: Target = None,
    select: Select = None,
    ignore: Ignore = None,
    no_ignore: NoIgnore = False,
    fail_on: Annotated[FailOn, choice("--fail-on", FailOn, "What makes it exit with 1.")] = FailOn.ERROR,
    exit_zero: Annotated[bool, flag("--exit-zero", "Exit with 0 whatever is found.")] = False,
    quiet: Annotated[bool, flag("--quiet", "Only the summary, no notes.", "-q")] = False,
    verbose: Annotated[bool, flag("--verbose", "All evidence, and what is silenced.", "-v")] = False,
    no_color: NoColor = False,
    debug: Debug = False,
) -> None:
    """Find what is wrong with queues, jobs, nodes and the scheduler's configuration, before anything is scheduled.

    FILES are read as by vqs simulate: manifests in YAML or JSON, in files or folders, or - for standard input. Without
    any, they are what VQS_SNAPSHOT names, or what is piped in. A volcano-scheduler.conf is given with --conf, or as
    one of FILES; it needs no manifests beside it.

    CODES are names or patterns with * and ?, several of them separated by commas; the options can be repeated too.
    `vqs rule` lists all, `vqs rule CODE` explains one. What cannot be understood in the input is an error whatever is
    selected; --ignore leaves that out too.

    The comment  # vqs: ignore[CODE] reason  silences what is found on its line, alone on a line what is found on the
    next one, and on the first line of an object or of a configuration, or on its metadata, what is found in all of it.
    Objects without comments have the annotation vqs.volcano.sh/ignore: "CODE: reason".
    """
    errors_to = errors_as("lint", chosen, target)
    with reported(debug=debug, errors_to=errors_to):
        codes, ignored = _codes(select or (), ignore or ())
        if quiet and verbose and not chosen.for_machines:
            raise CommandError("--quiet shows the summary only, and --verbose asks for more: give one of them")
        detail = Detail.SUMMARY if quiet else Detail.EVERYTHING if verbose else Detail.USUAL
        paths, conf = _inputs(files or (), conf)
        output.check(target, [*paths, conf])
        with Progress(quiet=quiet) as progress:
            how = _How(codes, ignored, fail_on, silent=not no_ignore)
            result = _run(paths, conf, how, progress)
        view = output.fitted(View(detail=detail, again=on_files()), chosen, target, no_color=no_color)
        output.write(write(result, chosen, view), target)
        if not quiet:
            _note(result, chosen, target)
    if result.failed and not exit_zero:
        raise typer.Exit(FOUND)


def _inputs(files: Sequence[str], conf: str | None) -> tuple[list[str], str | None]:
    """Tell manifests from a configuration; one that is given alone is all there is to read."""
    configurations = [path for path in files if path.endswith(_CONFIGURATION) and not is_folder(path)]
    paths = [path for path in files if path not in configurations]
    if len(configurations) > 1 or (configurations and conf is not None):
        named = " and ".join(dict.fromkeys([*configurations, *([conf] if conf else [])]))
        raise CommandError(f"there can be one scheduler configuration, and these are several: {named}")
    conf = configurations[0] if configurations else conf
    if conf is not None and not paths and not inputs.has_snapshot():
        return [], conf
    return inputs.chosen(paths, "lint"), conf


class _How(NamedTuple):
    """How to look."""

    codes: frozenset[str]
    ignored: frozenset[str]
    fail_on: FailOn
    silent: bool


def _run(paths: Sequence[str], conf: str | None, how: _How, progress: Progress) -> "Lint":
    # Imported late, as the engine is the bulk of what there is to import, and `--help` needs none of it.
    from vqs.lint.rule import Severity  # noqa: PLC0415
    from vqs.lint.run import LintOptions  # noqa: PLC0415
    from vqs.lint.run import lint as run_rules  # noqa: PLC0415
    from vqs.snapshot.manifests import survey_manifests  # noqa: PLC0415

    survey = survey_manifests(
        paths,
        conf,
        stdin=sys.stdin.buffer if sys.stdin else None,
        progress=lambda done, total: progress("read", done, total),
    )
    options = LintOptions(
        how.codes, how.ignored, fail_on=Severity[how.fail_on.name], progress=progress, silent=how.silent
    )
    return run_rules(survey, options)


def _codes(select: Sequence[str], ignore: Sequence[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the codes to look for, and those not to look for."""
    # Imported late, as above.
    from vqs.lint.registry import RULES  # noqa: PLC0415

    selected = _matching(select, RULES, "--select") if select else frozenset(RULES)
    ignored = _matching(ignore, RULES, "--ignore")
    if not selected - ignored:
        raise CommandError("--select and --ignore leave nothing to look for")
    return selected - ignored, ignored


def _matching(given: Sequence[str], known: Collection[str], name: str) -> frozenset[str]:
    """Return the codes that an option names."""
    from vqs.explain.rules import RULES as VERDICTS  # noqa: PLC0415 - imported late, as above
    from vqs.snapshot.diagnostics import did_you_mean  # noqa: PLC0415 - likewise

    found: set[str] = set()
    for pattern in filter(None, (part.strip().casefold() for text in given for part in text.split(","))):
        codes = [code for code in known if fnmatchcase(code, pattern)]
        if not codes:
            if pattern in VERDICTS:
                raise CommandError(
                    f"{name}: {pattern} is a verdict on tasks, and no rule of lint; `vqs rule {pattern}` explains it"
                )
            hint = did_you_mean(pattern, known)
            meant = f" ({hint})" if hint else ""
            origin = environment.setting([name])
            raise CommandError(f"{name}: there is no rule '{pattern}'{meant}; `vqs rule` lists those there are{origin}")
        found.update(codes)
    return frozenset(found)


def _note(result: "Lint", chosen: Format, target: Path | None) -> None:
    """Tell on stderr what the result's reader would otherwise not see: what was left out, and the summary."""
    from vqs.report.lint.summary import lint_sentence  # noqa: PLC0415 - imported late, as above

    if chosen.for_machines:
        say(*(f"note: {note}" for note in result.notes))
    if target:
        say(f"{lint_sentence(result)}; written to {target}")
