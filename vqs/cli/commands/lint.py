"""`vqs lint`: mistakes in a snapshot and a configuration, found before anything is scheduled."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import partial
from typing import Final

from vqs.cli import completion, inputs, output, process
from vqs.cli.command import command
from vqs.cli.failures import CommandError, say
from vqs.cli.groups import RELEASE_ALONE, Output, on_files, output_group, verbosity
from vqs.cli.options import CONF, FILES, NO_CI, NO_IGNORE, build_option, choice, flag, option
from vqs.cli.output import Progress
from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.paths import is_folder
from vqs.releases.profile import ReleaseChoice
from vqs.releases.release import Build
from vqs.report.formats import View
from vqs.report.registry import formats_of, write

FOUND: Final = 1
_CONFIGURATION: Final = ".conf"

_HELP = """
Find mistakes in queues, jobs, nodes and the scheduler's configuration, before anything is scheduled.

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


@command(
    "lint",
    _HELP,
    _EXAMPLES,
    FILES,
    CONF,
    RELEASE_ALONE,
    output_group(formats_of("Lint")),
    option("--select", "CODES", "Report these codes only.", multiple=True, complete=completion.lint_codes),
    option("--ignore", "CODES", "Do not report these codes.", multiple=True, complete=completion.lint_codes),
    build_option("Report what this release would decide differently.", "--upgrade"),
    flag("--only-manifests", "Skip files that are not manifests, as in a folder."),
    NO_IGNORE,
    choice("--fail-on", "Exit with 1 for findings this severe.", tuple(FailOn)),
    flag("--exit-zero", "Exit with 0 despite findings."),
    NO_CI,
    *verbosity(verbose="Show all evidence, and silenced findings."),
)
def run(
    *,
    files: Sequence[str],
    conf: str | None,
    release: ReleaseChoice,
    out: Output,
    select: Sequence[str],
    ignore: Sequence[str],
    upgrade: Build | None,
    only_manifests: bool,
    no_ignore: bool,
    fail_on: FailOn,
    exit_zero: bool,
    no_ci: bool,
) -> int:
    """Run the rules on what is read, and write what they find."""
    from vqs.lint.rule import Severity
    from vqs.lint.run import LintOptions, lint
    from vqs.report.lint import lint_sentence
    from vqs.snapshot.reading.reader import read_leniently

    with output.refused_as("lint", out):
        selected, ignored = _codes(select, ignore)
        out.refuse_both()
        paths, conf = _inputs(files, conf, only_manifests=only_manifests)
        output.check(out.target, [*paths, conf])
        with Progress() as progress:
            read = read_leniently(
                paths,
                conf,
                stdin=inputs.stdin(),
                progress=partial(progress, "read"),
                release=release,
                only_manifests=only_manifests,
            )
            severity, silent = Severity[fail_on.name], not no_ignore
            options = LintOptions(
                selected, ignored, fail_on=severity, progress=progress, silent=silent, upgrade=upgrade
            )
            result = lint(read, options)
    view = output.fitted(View(again=on_files()), out)
    text, in_log = write(result, out.format, view), output.in_workflow() and not no_ci
    output.publish("lint", text, out, partial(write, result), view, in_log=in_log)
    if out.format.for_machines and not out.quiet:
        say(*(f"note: {note}" for note in result.notes))
    if out.target and not out.quiet:
        say(f"{lint_sentence(result)}; written to {out.target}")
    return FOUND if result.failed and not exit_zero else 0


def _inputs(files: Sequence[str], conf: str | None, *, only_manifests: bool) -> tuple[list[str], str | None]:
    """Tell manifests from a configuration; one that is given alone is all there is to read."""
    from vqs.snapshot.whatif.sides import is_configuration

    named = [path for path in files if path.endswith(_CONFIGURATION) and not is_folder(path)]
    # Others have files of that name, too.
    configurations = [path for path in named if not only_manifests or is_configuration(path)]
    paths = [path for path in files if path not in named]
    if len(configurations) > 1 or (configurations and conf is not None):
        both = " and ".join(dict.fromkeys([*configurations, *([conf] if conf else [])]))
        raise CommandError(f"there is more than one scheduler configuration: {both}")
    conf = configurations[0] if configurations else conf
    if not paths and (conf is not None or named) and not inputs.has_snapshot():
        return [], conf
    return inputs.chosen(paths, "lint"), conf


def _codes(select: Sequence[str], ignore: Sequence[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the codes to look for, and those not to look for."""
    from vqs.lint.registry import RULES

    selected = _matching(select, RULES, "--select") if select else frozenset(RULES)
    ignored = _matching(ignore, RULES, "--ignore")
    if not selected - ignored:
        raise CommandError("--select and --ignore leave no rule to run")
    return selected - ignored, ignored


def _matching(given: Sequence[str], known: Collection[str], name: str) -> frozenset[str]:
    """Return the codes that an option names."""
    found: set[str] = set()
    for pattern in filter(None, (part.strip().casefold() for text in given for part in text.split(","))):
        codes = [code for code in known if fnmatchcase(code, pattern)]
        if not codes:
            raise CommandError(f"{name}: {_unknown(pattern, known)}{process.setting([name])}")
        found.update(codes)
    return frozenset(found)


def _unknown(pattern: str, known: Collection[str]) -> str:
    """Say that a pattern is that of no rule."""
    from vqs.snapshot.reading.diagnostics import did_you_mean

    if pattern in VERDICT_RULES:
        return f"{pattern} is a verdict on tasks, not a lint rule; `vqs rule {pattern}` explains it"
    hint = did_you_mean(pattern, known)
    return f"there is no rule '{pattern}'{f' ({hint})' if hint else ''}; `vqs rule` lists those there are"
