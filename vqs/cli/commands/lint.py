"""`vqs lint`: mistakes in a snapshot and a configuration, found before anything is scheduled."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

from vqs.cli import completion, environment, inputs, output
from vqs.cli.again import on_files
from vqs.cli.command import choices, command, texts
from vqs.cli.failures import CommandError, say
from vqs.cli.github import add_summary, grouped, in_workflow
from vqs.cli.groups import Output, ReadingLimits, ReleaseFlags, Verbosity
from vqs.cli.options import Conf, Debug, Files, NoCi, NoIgnore, Own, choice, flag, option, release_option
from vqs.cli.progress import Progress
from vqs.cli.refused import refused_as
from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.paths import is_folder
from vqs.releases.release import Release
from vqs.report.formats import Detail, Format, View
from vqs.report.registry import formats_of, write

if TYPE_CHECKING:
    from vqs.lint.outcome import Lint as Result

FOUND: Final = 1
_CONFIGURATION: Final = ".conf"


class _Codes(NamedTuple):
    """The codes to look for, and those not to look for."""

    selected: frozenset[str]
    ignored: frozenset[str]


_EXAMPLES = """
\b
Examples:
  vqs lint cluster/ new-job.yaml
  vqs lint queues.yaml --conf volcano-scheduler.conf --fail-on warning
  vqs lint cluster/ --select 'queue-*' --ignore queue-not-named
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


@dataclass(frozen=True, kw_only=True)
class Lint:
    """Find mistakes in queues, jobs, nodes and the scheduler's configuration, before anything is scheduled.

    FILES are read as by vqs simulate: manifests in YAML or JSON, in files or folders, or - for standard input. Without
    any, they are what VQS_SNAPSHOT names, or what is piped in. A volcano-scheduler.conf is given with --conf, or as
    one of FILES; it can be checked without manifests.

    In a folder, files that are no manifests are left out, and a note counts them; with --only-manifests, the same holds
    for FILES, as a hook names whatever is changed. Helm charts and kustomizations are left out, too, with the command
    that renders them; --render runs it.

    CODES are names or patterns with * and ?, several of them separated by commas; the options can be repeated too.
    `vqs rule` lists all, `vqs rule CODE` explains one. Errors of reading the input are reported
    whatever is selected, unless --ignore names them.

    The comment  # vqs: ignore[CODE] reason  silences findings on its own line or, if it is alone on a line, on the next
    one. On the first line of an object or of a configuration, or on its metadata, it silences findings in all of it.
    Where comments are not possible, use the annotation vqs.volcano.sh/ignore: "CODE: reason".

    --upgrade RELEASE adds what that release of Volcano decides differently about what the configuration uses.

    In GitHub Actions (GITHUB_ACTIONS=true), the report is added to the job's summary, and the findings in the log are a
    group, with the summary line below it; --no-ci switches both off.
    """

    files: Files = ()
    conf: Conf = None
    release: ReleaseFlags
    output: Annotated[Output, choices(format=formats_of("Lint"))]
    select: Annotated[
        tuple[str, ...], option("--select", "CODES", "Report these codes only.", complete=completion.lint_codes)
    ] = ()
    ignore: Annotated[
        tuple[str, ...], option("--ignore", "CODES", "Do not report these codes.", complete=completion.lint_codes)
    ] = ()
    upgrade: Annotated[
        Release | None,
        release_option("--upgrade", "Report what this release would decide differently."),
    ] = None
    only_manifests: Annotated[bool, flag("--only-manifests", "Skip files that are not manifests, as in a folder.")] = (
        False
    )
    no_ignore: NoIgnore = False
    fail_on: Annotated[FailOn, choice("--fail-on", "Exit with 1 for findings this severe.")] = FailOn.ERROR
    exit_zero: Annotated[bool, flag("--exit-zero", "Exit with 0 despite findings.")] = False
    no_ci: NoCi = False
    verbosity: Annotated[Verbosity, texts(verbose="Show all evidence, and silenced findings.")]
    own: Own = ()
    debug: Debug = False
    limits: ReadingLimits


def run(arguments: Lint) -> int:
    """Run the rules on what is read, and write what they find."""
    chosen, verbosity = arguments.output, arguments.verbosity
    with refused_as("lint", chosen):
        codes = _codes(arguments)
        if not chosen.format.for_machines:
            verbosity.refuse_both()
        paths, conf = _inputs(arguments.files, arguments.conf, only_manifests=arguments.only_manifests)
        output.check(chosen.target, [*paths, conf])
        with Progress(quiet=verbosity.quiet) as progress:
            result = _linted(arguments, paths, conf, codes, progress)
    view = output.fitted(View(again=on_files()), chosen, verbosity)
    text = write(result, chosen.format, view)
    in_log = in_workflow() and not arguments.no_ci
    if in_log and chosen.format is Format.TABLE and chosen.target is None and not verbosity.quiet:
        text = grouped("vqs lint", text) + write(result, chosen.format, replace(view, detail=Detail.SUMMARY))
    output.write(text, chosen.target)
    if in_log:
        add_summary(lambda detail: write(result, Format.MARKDOWN, View(detail=detail)))
    if not verbosity.quiet:
        _note(arguments, result)
    return FOUND if result.failed and not arguments.exit_zero else 0


COMMAND: Final = command("lint", Lint, run, _EXAMPLES)


def _inputs(files: Sequence[str], conf: str | None, *, only_manifests: bool) -> tuple[list[str], str | None]:
    """Tell manifests from a configuration; one that is given alone is all there is to read."""
    named = [path for path in files if path.endswith(_CONFIGURATION) and not is_folder(path)]
    configurations = [path for path in named if not only_manifests or _is_configuration(path)]
    paths = [path for path in files if path not in named]
    if len(configurations) > 1 or (configurations and conf is not None):
        both = " and ".join(dict.fromkeys([*configurations, *([conf] if conf else [])]))
        raise CommandError(f"there is more than one scheduler configuration: {both}")
    conf = configurations[0] if configurations else conf
    if not paths and (conf is not None or named) and not inputs.has_snapshot():
        return [], conf
    return inputs.chosen(paths, "lint"), conf


def _is_configuration(path: str) -> bool:
    """True if a file holds what the scheduler reads, as others have files of that name, too."""
    from vqs.snapshot.whatif.sides import is_configuration

    return is_configuration(path)


def _linted(arguments: Lint, paths: Sequence[str], conf: str | None, codes: _Codes, progress: Progress) -> Result:
    from vqs.lint.rule import Severity
    from vqs.lint.run import LintOptions
    from vqs.lint.run import lint as run_rules
    from vqs.snapshot.reading.reader import read_leniently

    lenient_read = read_leniently(
        paths,
        conf,
        stdin=sys.stdin.buffer if sys.stdin else None,
        progress=lambda done, total: progress("read", done, total),
        release=arguments.release.choice,
        only_manifests=arguments.only_manifests,
    )
    options = LintOptions(
        codes.selected,
        codes.ignored,
        fail_on=Severity[arguments.fail_on.name],
        progress=progress,
        silent=not arguments.no_ignore,
        upgrade=arguments.upgrade,
    )
    return run_rules(lenient_read, options)


def _codes(arguments: Lint) -> _Codes:
    from vqs.lint.registry import RULES

    selected = _matching(arguments.select, RULES, "--select") if arguments.select else frozenset(RULES)
    ignored = _matching(arguments.ignore, RULES, "--ignore")
    if not selected - ignored:
        raise CommandError("--select and --ignore leave no rule to run")
    return _Codes(selected - ignored, ignored)


def _matching(given: Sequence[str], known: Collection[str], name: str) -> frozenset[str]:
    """Return the codes that an option names."""
    found: set[str] = set()
    for pattern in filter(None, (part.strip().casefold() for text in given for part in text.split(","))):
        codes = [code for code in known if fnmatchcase(code, pattern)]
        if not codes:
            raise CommandError(f"{name}: {_unknown(pattern, known)}{environment.setting([name])}")
        found.update(codes)
    return frozenset(found)


def _unknown(pattern: str, known: Collection[str]) -> str:
    """Say that a pattern is that of no rule."""
    from vqs.snapshot.reading.diagnostics import did_you_mean

    if pattern in VERDICT_RULES:
        return f"{pattern} is a verdict on tasks, not a lint rule; `vqs rule {pattern}` explains it"
    hint = did_you_mean(pattern, known)
    return f"there is no rule '{pattern}'{f' ({hint})' if hint else ''}; `vqs rule` lists those there are"


def _note(arguments: Lint, result: Result) -> None:
    """Tell on stderr what the result's reader would otherwise not see: what was left out, and the summary."""
    from vqs.report.lint import lint_sentence

    if arguments.output.format.for_machines:
        say(*(f"note: {note}" for note in result.notes))
    if arguments.output.target:
        say(f"{lint_sentence(result)}; written to {arguments.output.target}")
