"""`vqs sweep`: what comes of every point of a space of what-if edits."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from vqs.cli import engines, environment, output, plans
from vqs.cli.arguments.sweep import Sweep
from vqs.cli.failures import CommandError, say
from vqs.cli.progress import Progress
from vqs.cli.refused import refused_as
from vqs.cli.sessions import session_options
from vqs.diff.conditions import ConditionError
from vqs.report.formats import View
from vqs.report.registry import write_data
from vqs.report.sweep.page import answer, errors
from vqs.snapshot.reading.diagnostics import InputErrors
from vqs.sweep.conditions import Condition, conditions_of
from vqs.sweep.engines.task import Task
from vqs.sweep.evaluate import Evaluator
from vqs.sweep.makeable import check_edits
from vqs.sweep.names import check_names
from vqs.sweep.outcome import Sweep as Result
from vqs.sweep.plan import Plan
from vqs.sweep.read import read_plan
from vqs.sweep.run import sweep
from vqs.sweep.space import MOST_POINTS, Space, SpaceError

HOLDS: Final = 1
FAILED: Final = 2


def run(arguments: Sweep) -> int:
    """Run the points of the plan, and write what came of them."""
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


def _swept(arguments: Sweep, progress: Progress) -> Result:
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
