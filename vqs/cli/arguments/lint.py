"""`vqs lint`: mistakes in a snapshot and a configuration, found before anything is scheduled."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Final

from vqs.cli import completion
from vqs.cli.command import choices, command, texts
from vqs.cli.groups import Output, ReadingLimits, ReleaseFlags, Verbosity
from vqs.cli.options import Conf, Debug, Files, NoCi, NoIgnore, Own, choice, flag, option, release_option
from vqs.releases.release import Release
from vqs.report.registry import formats_of

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
    no_ignore: NoIgnore = False
    fail_on: Annotated[FailOn, choice("--fail-on", "Exit with 1 for findings this severe.")] = FailOn.ERROR
    exit_zero: Annotated[bool, flag("--exit-zero", "Exit with 0 despite findings.")] = False
    no_ci: NoCi = False
    verbosity: Annotated[Verbosity, texts(verbose="Show all evidence, and silenced findings.")]
    own: Own = ()
    debug: Debug = False
    limits: ReadingLimits


COMMAND: Final = command("lint", Lint, _EXAMPLES)
