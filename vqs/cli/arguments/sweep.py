"""`vqs sweep`: what comes of every point of a space of what-if edits."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from vqs.cli.command import choices, command, texts
from vqs.cli.groups import EngineFlags, Output, ReadingLimits, ReleaseFlags, SessionFlags, Verbosity
from vqs.cli.options import Debug, Own, at_least_one, file_name, flag, option, target_file
from vqs.report.registry import formats_of

_EXAMPLES = """
\b
Examples:
  vqs sweep scenarios/queue-weight.plan.yaml
  vqs sweep plan.yaml --on snapshot.json.zst --jobs 8 --journal plan.journal
  vqs sweep plan.yaml --fail-on 'queue:team-a.evicted>0'
  vqs sweep plan.yaml -o points.csv

Each option can be set in the environment: --jobs by VQS_JOBS, and so on.

Exit status: 0 points were run, also where some of them have an error, 1 a condition of --fail-on holds for a point,
2 the input or the command line is wrong, or no point could be run, 130 interrupted.
"""


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """Simulate every point of a space of what-if edits, and collect figures of each.

    PLAN names snapshots, parameters with their edits and values, and figures; `vqs schema sweep-plan` prints its
    schema. Snapshots are read from the folder of the plan and those below; --on names others in their place. Where a
    figure is one of a replay, such as queue:team-a.wait.p95 or replay.makespan, they are workloads, and each point is
    replayed as by vqs replay.

    Points are run on all cores, or on as many as --jobs says; the result does not depend on that. A point that cannot
    be run is a row with its error. With --journal, finished points are kept in a file: if the command is interrupted or
    killed, the same command goes on where it was.

    --engine dask runs points on the Dask cluster of --scheduler; one that is reached by tls:// needs --tls-ca,
    --tls-cert and --tls-key. Without --scheduler, a cluster is started on this machine. It needs the extra vqs[dask];
    workers need it, too, and the same versions of Python and vqs as here. The result is the same.

    --fail-on takes conditions, separated by commas, in addition to those of the plan: queue:team-a.evicted>0,
    job:ns/name.pending>0, placed<base. A condition that holds for any point makes the command fail; at a point that
    cannot be run, all conditions hold.
    """

    plan: Annotated[str, typer.Argument(metavar="PLAN", hidden=True)]
    on: Annotated[tuple[str, ...], option("--on", "SNAPSHOT", "Edit this snapshot, not the plan's.", file_name)] = ()
    fail_on: Annotated[tuple[str, ...], option("--fail-on", "CONDITIONS", "Exit with 1 if one holds for a point.")] = ()
    exit_zero: Annotated[bool, flag("--exit-zero", "Exit with 0 even if a condition holds.")] = False
    engine: EngineFlags
    max_points: Annotated[
        int | None, option("--max-points", "N", "Most points to run; 10,000 by default.", at_least_one)
    ] = None
    journal: Annotated[
        Path | None, option("--journal", "FILE", "Keep finished points in this file, and go on from it.", target_file)
    ] = None
    session: Annotated[SessionFlags, texts(now="Time of the sessions, in RFC 3339.")]
    release: ReleaseFlags
    output: Annotated[Output, choices(format=formats_of("Sweep"))]
    verbosity: Annotated[Verbosity, texts(verbose="Show all points.")]
    own: Own = ()
    debug: Debug = False
    limits: ReadingLimits


COMMAND: Final = command("sweep", Sweep, _EXAMPLES)
