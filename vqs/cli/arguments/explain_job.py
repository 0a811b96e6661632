"""`vqs explain-job`: the life of one job through a session, and the fixes that get it placed."""

from dataclasses import dataclass
from typing import Annotated, Final

import typer

from vqs.cli import completion, environment
from vqs.cli.command import choices, command, texts
from vqs.cli.groups import Edits, Output, ReadingLimits, SessionFlags, Verbosity
from vqs.cli.options import Conf, Debug, Files, Release, Usage, Volcano, at_least_one, flag, option
from vqs.report.registry import formats_of

_EXAMPLES = """
\b
Examples:
  vqs explain-job scenarios/preempt-spared-by-gang.yaml --job urgent
  vqs explain-job snapshot.json --job research/train
  vqs explain-job snapshot.json --job research/train --watch-votes -v
  vqs explain-job snapshot.json --job research/train --remedies --sessions 40
  kubectl get nodes,pods,... -A -o json | vqs explain-job --job research/train

Each option can be set in the environment: --job by VQS_JOB, and so on.

Exit status: 0 the session ran, 2 the input or the command line is wrong, 130 interrupted.
"""


@dataclass(frozen=True, kw_only=True)
class ExplainJob:
    """Explain a job's admission, scheduling order, placement attempts and evictions, and what would get it placed.

    FILES are read as by vqs simulate: manifests in YAML or JSON, in files or folders, or - for standard input. Without
    any, they are what VQS_SNAPSHOT names, or what is piped in. A job may be named without its namespace where it is the
    only one of that name.

    For a job that is not placed, further sessions search for the smallest single change that gets it placed: up to 80
    sessions with no more than 2,000 nodes and tasks; in larger snapshots only with --remedies or --sessions. Victim
    selection is recorded for a few nodes, and with --watch-votes for all.

    --set, --add, --remove, --clone-node, --scale and --edits change the snapshot first, and can be repeated: --set
    queue/b.spec.weight=5, --set conf.actions="enqueue, allocate", --add FILE, --remove job/ns/name, --clone-node n1=10,
    --scale job/ns/name=8. The file of --edits is a YAML list of such edits; all but those of --set begin with the name
    of the option, as in remove job/ns/name. The edits are applied in this order: --edits, --add, --remove,
    --clone-node, --scale, --set.
    """

    files: Files = ()
    job: Annotated[str, option("--job", "NS/NAME", "Explain this job.", complete=completion.whole_jobs)] = ""
    remedies: Annotated[
        bool | None,
        typer.Option(
            "--remedies/--no-remedies",
            help="Search for fixes, or do not.",
            envvar=environment.variable("--remedies"),
            show_envvar=False,
            show_default=False,
        ),
    ] = None
    sessions: Annotated[int | None, option("--sessions", "N", "Most sessions to search for fixes.", at_least_one)] = (
        None
    )
    watch_votes: Annotated[bool, flag("--watch-votes", "Record victim selection on every node.")] = False
    conf: Conf = None
    usage: Usage = None
    edits: Edits
    session: SessionFlags
    volcano: Release = Volcano.V1_14
    output: Annotated[Output, choices(format=formats_of("JobReport"))]
    verbosity: Annotated[
        Verbosity, texts(quiet="Print the answer only.", verbose="Show all attempts, searches and votes.")
    ]
    debug: Debug = False
    limits: ReadingLimits


COMMAND: Final = command("explain-job", ExplainJob, _EXAMPLES)
