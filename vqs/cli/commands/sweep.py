"""`vqs sweep`: what comes of every point of a space of what-if edits."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from vqs.cli import environment, output
from vqs.cli.command import choices, command, texts
from vqs.cli.failures import CommandError, say
from vqs.cli.groups import EngineFlags, Output, ReadingLimits, ReleaseFlags, SessionFlags, Verbosity
from vqs.cli.options import Debug, Own, at_least_one, file_name, flag, option, target_file
from vqs.cli.progress import Progress
from vqs.cli.refused import refused_as
from vqs.cli.sessions import session_options
from vqs.report.formats import View
from vqs.report.registry import formats_of, write_data

if TYPE_CHECKING:
    from vqs.diff.conditions import Condition
    from vqs.sweep.outcome import Sweep as Result
    from vqs.sweep.plan import Plan

HOLDS: Final = 1
FAILED: Final = 2

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


def run(arguments: Sweep) -> int:
    """Run the points of the plan, and write what came of them."""
    from vqs.cli import engines, plans
    from vqs.report.sweep.page import answer, errors

    chosen, verbosity = arguments.output, arguments.verbosity
    with refused_as("sweep", chosen):
        if not chosen.format.for_machines:
            verbosity.refuse_both()
        output.check_format(chosen.format)
        engines.check(arguments.engine)
        read = [arguments.plan, *arguments.on, arguments.session.usage, *arguments.engine.files]
        output.check(chosen.target, read)
        output.check(arguments.journal, read)
        plans.refuse_same(arguments.journal, chosen.target)
        with Progress(quiet=verbosity.quiet, times=True) as progress:
            result = _swept(arguments, progress)
    again = plans.again(arguments.session, arguments.release, arguments.own)
    view = output.fitted(View(again=again), chosen, verbosity)
    output.write(write_data(result, chosen.format, view), chosen.target)
    if not verbosity.quiet and (chosen.format.for_machines or chosen.target):
        say(f"{answer(result)}{f'; written to {chosen.target}' if chosen.target else ''}", *errors(result))
    return _status(arguments, result)


COMMAND: Final = command("sweep", Sweep, run, _EXAMPLES)


def _swept(arguments: Sweep, progress: Progress) -> Result:
    from vqs.cli import engines, plans
    from vqs.snapshot.reading.diagnostics import InputErrors
    from vqs.sweep.engines.task import Task
    from vqs.sweep.evaluate import Evaluator
    from vqs.sweep.makeable import check_edits
    from vqs.sweep.names import check_names
    from vqs.sweep.run import sweep
    from vqs.sweep.space import MOST_POINTS, Space, SpaceError

    plan = _plan(arguments, progress)
    if not arguments.verbosity.quiet:
        plans.say_remarks(plan)
    try:
        space = Space(plan, arguments.max_points or MOST_POINTS)
    except SpaceError as error:
        raise InputErrors([error.diagnostic(plan)]) from None
    options = session_options(replace(arguments.session, seed=None), progress=None)
    evaluator = Evaluator(plan, options)
    check_edits(plan, evaluator)
    check_names(plan, evaluator)
    engine = engines.chosen(arguments.engine, evaluator, Task.of(plan, options, arguments.own), len(space))
    header = plans.header(plan, len(space), arguments.session, arguments.release, arguments.own)
    quiet = arguments.verbosity.quiet
    with plans.kept(arguments.journal, header, plan) as journal, engines.going_on(arguments.journal, quiet=quiet):
        return sweep(plan, space, engine, journal, lambda *done: progress("points", *done))


def _plan(arguments: Sweep, progress: Progress) -> Plan:
    """Read the plan, with what the command line adds to it."""
    from vqs.cli import plans
    from vqs.sweep.read import read_plan

    plan = read_plan(
        arguments.plan,
        on=arguments.on,
        fail_on=_conditions(arguments.fail_on),
        release=arguments.release.choice,
        stdin=sys.stdin.buffer if sys.stdin else None,
        progress=lambda done, total: progress("read", done, total),
    )
    return plans.for_session(plan, arguments.plan, arguments.session, arguments.release)


def _conditions(texts: Sequence[str]) -> list[Condition]:
    from vqs.diff.conditions import ConditionError
    from vqs.sweep.figures import conditions_of

    try:
        return [each for text in texts for each in conditions_of(text)]
    except ConditionError as error:
        origin = environment.setting(["--fail-on"])
        raise CommandError(f"--fail-on: {error}{origin}\n  {error.text}\n  {' ' * error.at}^") from None


def _status(arguments: Sweep, result: Result) -> int:
    """Return the exit code: 2 where nothing could be run."""
    if result.errors == len(result.rows):
        return FAILED
    return HOLDS if result.failed and not arguments.exit_zero else 0
