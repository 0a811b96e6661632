"""`vqs explain-job`: why a job waits, and which fixes get it placed; without a job, all that wait."""

from dataclasses import dataclass
from typing import Annotated, Final

import typer

from vqs.cli import completion, environment
from vqs.cli.command import choices, command, texts
from vqs.cli.groups import Edits, Output, ReadingLimits, ReleaseFlags, SessionFlags, Verbosity
from vqs.cli.options import Conf, Debug, Files, Own, at_least_one, flag, option
from vqs.report.registry import formats_of

_EXAMPLES = """
\b
Examples:
  vqs explain-job snapshot.json
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
    """Explain what became of a job: admission, scheduling order, placement attempts, eviction, and fixes.

    Without --job, every job that waits is listed, with its cause.

    FILES are read as by vqs simulate: manifests in YAML or JSON, in files or folders, or - for standard input. Without
    any, they are what VQS_SNAPSHOT names, or what is piped in. A job may be named without its namespace where it is the
    only one of that name.

    For a job that is not placed, vqs simulates more sessions to find the smallest change of one field that gets it
    placed: up to 80 sessions if the snapshot has at most 2,000 nodes and tasks together; in a larger one only with
    --remedies, or as many as --sessions says. The plugins' votes on victims are kept for a few nodes, and with
    --watch-votes for all nodes.

    --set, --add, --remove, --clone-node, --scale and --edits change the snapshot first, and can be repeated: --set
    queue/b.spec.weight=5, --set conf.actions="enqueue, allocate", --add FILE, --remove job/ns/name, --clone-node n1=10,
    --scale ns/name=8. The file of --edits is a YAML list of such edits; all but those of --set begin with the name
    of the option, as in remove job/ns/name. The edits are applied in this order: --edits, --add, --remove,
    --clone-node, --scale, --set.
    """

    files: Files = ()
    job: Annotated[str | None, option("--job", "NS/NAME", "Explain this job.", complete=completion.whole_jobs)] = None
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
    sessions: Annotated[
        int | None, option("--sessions", "N", "Simulate at most N sessions in that search.", at_least_one)
    ] = None
    watch_votes: Annotated[bool, flag("--watch-votes", "Keep the votes on every node.")] = False
    conf: Conf = None
    edits: Edits
    session: SessionFlags
    release: ReleaseFlags
    output: Annotated[Output, choices(format=formats_of("JobReport"))]
    verbosity: Annotated[
        Verbosity, texts(quiet="Only the answer, no notes.", verbose="Every attempt, search, vote and name.")
    ]
    own: Own = ()
    debug: Debug = False
    limits: ReadingLimits


COMMAND: Final = command("explain-job", ExplainJob, _EXAMPLES)
