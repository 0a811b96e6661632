"""`vqs sweep`: what comes of every point of a space of what-if edits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vqs.cli import inputs, output, process
from vqs.cli.command import command
from vqs.cli.failures import CommandError, say
from vqs.cli.groups import (
    ENGINE,
    RELEASE,
    SESSIONS,
    Edits,
    EngineFlags,
    Output,
    SessionFlags,
    again,
    output_group,
    verbosity,
)
from vqs.cli.options import argument, at_least_one, file_name, flag, option, target_file
from vqs.cli.output import Progress
from vqs.releases.profile import ReleaseChoice
from vqs.report.formats import View
from vqs.report.registry import formats_of, write_data

if TYPE_CHECKING:
    from vqs.diff.conditions import Condition

HOLDS: Final = 1
FAILED: Final = 2

_HELP = """
Simulate every point of a space of what-if edits, and collect figures of each.

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


@command(
    "sweep",
    _HELP,
    _EXAMPLES,
    argument("plan", "PLAN", required=True),
    option("--on", "SNAPSHOT", "Edit this snapshot, not the plan's.", file_name, multiple=True),
    option("--fail-on", "CONDITIONS", "Exit with 1 if one holds for a point.", multiple=True),
    flag("--exit-zero", "Exit with 0 even if a condition holds."),
    ENGINE,
    option("--max-points", "N", "Most points to run; 10,000 by default.", at_least_one),
    option("--journal", "FILE", "Keep finished points in this file, and go on from it.", target_file),
    SESSIONS,
    RELEASE,
    output_group(formats_of("Sweep")),
    *verbosity(verbose="Show all points."),
)
def run(
    *,
    plan: str,
    on: Sequence[str],
    fail_on: Sequence[str],
    exit_zero: bool,
    engine: EngineFlags,
    max_points: int | None,
    journal: Path | None,
    session: SessionFlags,
    release: ReleaseChoice,
    out: Output,
) -> int:
    """Run the points of the plan, and write what came of them."""
    from vqs.cli import plans
    from vqs.report.sweep.page import answer, errors
    from vqs.snapshot.reading.diagnostics import InputErrors
    from vqs.sweep.read import read_plan
    from vqs.sweep.run import sweep
    from vqs.sweep.space import MOST_POINTS, Space, SpaceError

    with output.refused_as("sweep", out):
        out.refuse_both()
        output.check_format(out.format)
        plans.check([plan, *on, session.usage], engine, journal, out.target)
        with Progress(times=True) as progress:
            conditions, tell = _conditions(fail_on), partial(progress, "read")
            read = read_plan(plan, on=on, fail_on=conditions, release=release, stdin=inputs.stdin(), progress=tell)
            read = plans.for_session(read, plan, session, release)
            if not out.quiet:
                plans.say_remarks(read)
            try:
                space = Space(read, max_points or MOST_POINTS)
            except SpaceError as error:
                raise InputErrors([error.diagnostic(read)]) from None
            evaluator = plans.evaluator_of(read, session)
            with plans.running(
                evaluator, engine, len(space), settings=(session, release), journal=journal, quiet=out.quiet
            ) as (runs, kept):
                result = sweep(read, space, runs, kept, partial(progress, "points"))
    view = output.fitted(View(again=again((), Edits(), replace(session, seed=None), release)), out)
    output.write(write_data(result, out.format, view), out.target)
    if out.is_noted:
        say(f"{answer(result)}{f'; written to {out.target}' if out.target else ''}", *errors(result))
    if result.errors == len(result.rows):
        return FAILED  # nothing could be run
    return HOLDS if result.failed and not exit_zero else 0


def _conditions(texts: Sequence[str]) -> list[Condition]:
    from vqs.diff.conditions import ConditionError
    from vqs.sweep.figures import conditions_of

    try:
        return [each for text in texts for each in conditions_of(text)]
    except ConditionError as error:
        origin = process.setting(["--fail-on"])
        raise CommandError(f"--fail-on: {error}{origin}\n  {error.text}\n  {' ' * error.at}^") from None
