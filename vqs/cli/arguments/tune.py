"""`vqs tune`: the cheapest change that reaches a goal."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from vqs.cli.command import choices, command, texts
from vqs.cli.groups import EngineFlags, Output, ReadingLimits, ReleaseFlags, SessionFlags, Verbosity
from vqs.cli.options import Debug, Own, at_least_one, file_name, option, target_file
from vqs.report.registry import formats_of

_EXAMPLES = """
\b
Examples:
  vqs tune scenarios/lowest-weight.plan.yaml
  vqs tune plan.yaml --on snapshot.json.zst --sessions 500 --journal plan.journal
  vqs tune plan.yaml -o answer.json

Each option can be set in the environment: --sessions by VQS_SESSIONS, and so on.

Exit status: 0 a change reaches the goal, or none is needed, 1 none was found that does, 2 the input or the command line
is wrong, 130 interrupted.
"""


@dataclass(frozen=True, kw_only=True)
class Tune:
    """Find the cheapest change that reaches a goal, such as that a job is placed and nothing of a queue is evicted.

    PLAN names snapshots, parameters with their edits and values, the goal, and the cost of changes; `vqs schema
    tune-plan` prints its schema. Snapshots are read from the folder of the plan and those below; --on names others in
    their place. Where the goal or a figure is one of a replay, such as queue:team-a.wait.p95<10m, they are workloads,
    and changes are replayed as by vqs replay.

    If there are sessions enough, all changes are run, from the cheapest on, until one reaches the goal. One parameter
    that the plan claims to be monotone is halved. Of many changes, Optuna proposes some (it needs the extra vqs[tune]),
    and the cheapest of these that reaches the goal is made cheaper step by step. Every answer was run, and so was the
    next cheaper change, which does not reach the goal; the answer says what else is known.

    At most 200 points are run, or as many as the plan or --sessions says. --jobs, --engine, --scheduler and --journal
    work as for vqs sweep.
    """

    plan: Annotated[str, typer.Argument(metavar="PLAN", hidden=True)]
    on: Annotated[tuple[str, ...], option("--on", "SNAPSHOT", "Edit this snapshot, not the plan's.", file_name)] = ()
    sessions: Annotated[int | None, option("--sessions", "N", "Run at most N points.", at_least_one)] = None
    journal: Annotated[
        Path | None, option("--journal", "FILE", "Keep finished points in this file, and go on from it.", target_file)
    ] = None
    engine: EngineFlags
    session: Annotated[SessionFlags, texts(now="Time of the sessions, in RFC 3339.")]
    release: ReleaseFlags
    output: Annotated[Output, choices(format=formats_of("Tune"))]
    verbosity: Annotated[Verbosity, texts(quiet="Print the answer only.", verbose="Show all changes.")]
    own: Own = ()
    debug: Debug = False
    limits: ReadingLimits


COMMAND: Final = command("tune", Tune, _EXAMPLES)
