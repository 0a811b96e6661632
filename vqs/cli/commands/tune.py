"""`vqs tune`: the cheapest change that reaches a goal."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib.util import find_spec
from typing import Final

from vqs.cli import engines, output, plans
from vqs.cli.arguments.tune import Tune
from vqs.cli.failures import CommandError, say
from vqs.cli.progress import Progress
from vqs.cli.refused import refused_as
from vqs.cli.sessions import session_options
from vqs.report.formats import View
from vqs.report.registry import write
from vqs.snapshot.reading.diagnostics import InputErrors
from vqs.sweep.engines.task import Task
from vqs.sweep.evaluate import Evaluator
from vqs.sweep.makeable import check_edits
from vqs.sweep.names import check_names
from vqs.sweep.space import SpaceError
from vqs.sweep.tune.outcome import Tune as Result
from vqs.sweep.tune.plan import TunePlan
from vqs.sweep.tune.read import read_tune
from vqs.sweep.tune.search import NEEDS_OPTUNA, MethodError, Search

NONE_FOUND: Final = 1
FAILED: Final = 2


def run(arguments: Tune) -> int:
    """Search as the plan says, and write what was found."""
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


def _status(result: Result) -> int:
    """Return the exit status: where no change could be run, the plan is wrong, not the goal out of reach."""
    if result.change is not None or result.reached_before:
        return 0
    return FAILED if all(row.error is not None for each in result.tried for row in each.rows) else NONE_FOUND


def _tuned(arguments: Tune, progress: Progress) -> Result:
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
