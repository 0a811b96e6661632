"""`vqs tune`: the cheapest change that reaches a goal."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from vqs.cli import output
from vqs.cli.command import choices, command, texts
from vqs.cli.failures import CommandError, say
from vqs.cli.groups import EngineFlags, Output, ReadingLimits, ReleaseFlags, SessionFlags, Verbosity
from vqs.cli.options import Debug, Own, at_least_one, file_name, option, target_file
from vqs.cli.progress import Progress
from vqs.cli.refused import refused_as
from vqs.cli.sessions import session_options
from vqs.report.formats import View
from vqs.report.registry import formats_of, write

if TYPE_CHECKING:
    from vqs.sweep.tune.outcome import Tune as Result
    from vqs.sweep.tune.plan import TunePlan
    from vqs.sweep.tune.search import Search

NONE_FOUND: Final = 1
FAILED: Final = 2

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


def run(arguments: Tune) -> int:
    """Search as the plan says, and write what was found."""
    from vqs.cli import engines, plans

    chosen, verbosity = arguments.output, arguments.verbosity
    with refused_as("tune", chosen):
        if not chosen.format.for_machines:
            verbosity.refuse_both("answer")
        engines.check(arguments.engine)
        read = [arguments.plan, *arguments.on, arguments.session.usage, *arguments.engine.files]
        output.check(chosen.target, read)
        output.check(arguments.journal, read)
        plans.refuse_same(arguments.journal, chosen.target)
        with Progress(quiet=verbosity.quiet, times=True) as progress:
            result = _tuned(arguments, progress)
    again = plans.again(arguments.session, arguments.release, arguments.own)
    output.write(write(result, chosen.format, output.fitted(View(again=again), chosen, verbosity)), chosen.target)
    if not verbosity.quiet and (chosen.format.for_machines or chosen.target):
        say(f"{result.answer}{f' Written to {chosen.target}' if chosen.target else ''}")
    return _status(result)


COMMAND: Final = command("tune", Tune, run, _EXAMPLES)


def _status(result: Result) -> int:
    """Return the exit status: where no change could be run, the plan is wrong, not the goal out of reach."""
    if result.change is not None or result.baseline_reaches_goal:
        return 0
    return FAILED if all(row.error is not None for each in result.tried for row in each.rows) else NONE_FOUND


def _tuned(arguments: Tune, progress: Progress) -> Result:
    from vqs.cli import engines, plans
    from vqs.sweep.engines.task import Task
    from vqs.sweep.evaluate import Evaluator
    from vqs.sweep.makeable import check_edits
    from vqs.sweep.names import check_names

    tune = _plan(arguments, progress)
    if not arguments.verbosity.quiet:
        plans.say_remarks(tune.plan)
    options = session_options(replace(arguments.session, seed=None), progress=None)
    evaluator = Evaluator(tune.plan, options)
    check_edits(tune.plan, evaluator)
    check_names(tune.plan, evaluator)
    search = _search(arguments, tune)
    engine = engines.chosen(arguments.engine, evaluator, Task.of(tune.plan, options, arguments.own), tune.points)
    header = plans.header(
        tune.plan, search.candidates.number, arguments.session, arguments.release, arguments.own, "tune"
    )
    quiet = arguments.verbosity.quiet
    with plans.kept(arguments.journal, header, tune.plan) as journal, engines.going_on(arguments.journal, quiet=quiet):
        return search.run(engine, journal, lambda *done: progress("points", *done))


def _plan(arguments: Tune, progress: Progress) -> TunePlan:
    """Read the plan, with what the command line adds to it."""
    from vqs.cli import plans
    from vqs.sweep.tune.read import read_tune

    tune = read_tune(
        arguments.plan,
        on=arguments.on,
        release=arguments.release.choice,
        stdin=sys.stdin.buffer if sys.stdin else None,
        progress=lambda done, total: progress("read", done, total),
    )
    plan = plans.for_session(tune.plan, arguments.plan, arguments.session, arguments.release)
    return replace(tune, plan=plan, points=arguments.sessions or tune.points)


def _search(arguments: Tune, tune: TunePlan) -> Search:
    """Decide how to search, and refuse what cannot be searched."""
    from vqs.snapshot.reading.diagnostics import InputErrors
    from vqs.sweep.space import SpaceError
    from vqs.sweep.tune.search import NEEDS_OPTUNA, MethodError, Search

    plan = tune.plan
    try:
        search = Search(tune)
    except SpaceError as error:
        raise InputErrors([error.diagnostic(plan)]) from None
    except MethodError as error:
        raise InputErrors([plan.origin.diagnostic("no-such-search", str(error), ("method",))]) from None
    if search.candidates.points_each > tune.points:
        raise CommandError(
            f"{arguments.plan}: each change is {search.candidates.points_each:,} points, one for each snapshot, "
            f"release and seed, and at most {tune.points:,} are run: allow more with --sessions",
            arguments.plan,
        )
    if search.method == NEEDS_OPTUNA and find_spec("optuna") is None:
        raise CommandError(
            f"{arguments.plan}: there are {search.candidates.number:,} changes, too many to run all of them with "
            f"--sessions {tune.points}; choosing among them needs optuna: pip install 'vqs[tune]'",
            arguments.plan,
        )
    return search
