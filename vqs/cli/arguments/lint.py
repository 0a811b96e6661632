"""`vqs lint`: what is wrong with a snapshot and a configuration before anything is scheduled."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Final

from vqs.cli import completion
from vqs.cli.command import choices, command, texts
from vqs.cli.groups import Output, ReadingLimits, Verbosity
from vqs.cli.options import Conf, Debug, Files, NoIgnore, choice, flag, option
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

    files: Files = ()
    conf: Conf = None
    output: Annotated[Output, choices(format=formats_of("Lint")), texts(format="How to write it.")]
    select: Annotated[
        tuple[str, ...], option("--select", "CODES", "Look only for these.", complete=completion.lint_codes)
    ] = ()
    ignore: Annotated[
        tuple[str, ...], option("--ignore", "CODES", "Do not look for these.", complete=completion.lint_codes)
    ] = ()
    no_ignore: NoIgnore = False
    fail_on: Annotated[FailOn, choice("--fail-on", "What makes it exit with 1.")] = FailOn.ERROR
    exit_zero: Annotated[bool, flag("--exit-zero", "Exit with 0 whatever is found.")] = False
    verbosity: Annotated[Verbosity, texts(verbose="All evidence, and what is silenced.")]
    debug: Debug = False
    limits: ReadingLimits


COMMAND: Final = command("lint", Lint, _EXAMPLES)
