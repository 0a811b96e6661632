"""`vqs lint`: mistakes in a snapshot and a configuration, found before anything is scheduled."""

import sys
from collections.abc import Collection, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Final, NamedTuple

from vqs.cli import environment, inputs, output
from vqs.cli.again import on_files
from vqs.cli.arguments.lint import Lint
from vqs.cli.failures import CommandError, say
from vqs.cli.github import add_summary, grouped, in_workflow
from vqs.cli.progress import Progress
from vqs.cli.refused import refused_as
from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.lint.finding import Severity
from vqs.lint.outcome import Lint as Result
from vqs.lint.registry import RULES
from vqs.lint.run import LintOptions
from vqs.lint.run import lint as run_rules
from vqs.paths import is_folder
from vqs.report.formats import Detail, Format, View
from vqs.report.lint import lint_sentence
from vqs.report.registry import write
from vqs.snapshot.reading.diagnostics import did_you_mean
from vqs.snapshot.reading.reader import read_leniently

FOUND: Final = 1
_CONFIGURATION: Final = ".conf"


class _Codes(NamedTuple):
    """The codes to look for, and those not to look for."""

    selected: frozenset[str]
    ignored: frozenset[str]


def run(arguments: Lint) -> int:
    """Run the rules on what is read, and write what they find."""
    chosen, verbosity = arguments.output, arguments.verbosity
    with refused_as("lint", chosen):
        codes = _codes(arguments)
        if not chosen.format.for_machines:
            verbosity.refuse_both()
        paths, conf = _inputs(arguments.files, arguments.conf)
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


def _inputs(files: Sequence[str], conf: str | None) -> tuple[list[str], str | None]:
    """Tell manifests from a configuration; one that is given alone is all there is to read."""
    configurations = [path for path in files if path.endswith(_CONFIGURATION) and not is_folder(path)]
    paths = [path for path in files if path not in configurations]
    if len(configurations) > 1 or (configurations and conf is not None):
        named = " and ".join(dict.fromkeys([*configurations, *([conf] if conf else [])]))
        raise CommandError(f"there is more than one scheduler configuration: {named}")
    conf = configurations[0] if configurations else conf
    if conf is not None and not paths and not inputs.has_snapshot():
        return [], conf
    return inputs.chosen(paths, "lint"), conf


def _linted(arguments: Lint, paths: Sequence[str], conf: str | None, codes: _Codes, progress: Progress) -> Result:
    lenient_read = read_leniently(
        paths,
        conf,
        stdin=sys.stdin.buffer if sys.stdin else None,
        progress=lambda done, total: progress("read", done, total),
        release=arguments.release.choice,
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
    if pattern in VERDICT_RULES:
        return f"{pattern} is a verdict on tasks, not a lint rule; `vqs rule {pattern}` explains it"
    hint = did_you_mean(pattern, known)
    return f"there is no rule '{pattern}'{f' ({hint})' if hint else ''}; `vqs rule` lists those there are"


def _note(arguments: Lint, result: Result) -> None:
    """Tell on stderr what the result's reader would otherwise not see: what was left out, and the summary."""
    if arguments.output.format.for_machines:
        say(*(f"note: {note}" for note in result.notes))
    if arguments.output.target:
        say(f"{lint_sentence(result)}; written to {arguments.output.target}")
