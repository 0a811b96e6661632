"""`vqs sweep`: what comes of every point of a space of what-if edits."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from hashlib import blake2b
from importlib.util import find_spec
from typing import Final

import msgspec

from vqs import __version__
from vqs.cli import environment, inputs, output
from vqs.cli.again import again
from vqs.cli.arguments.sweep import Sweep
from vqs.cli.failures import CommandError, say
from vqs.cli.groups import Edits
from vqs.cli.progress import Progress
from vqs.cli.refused import refused_as
from vqs.cli.sessions import session_options
from vqs.cli.signals import Terminated
from vqs.diff.conditions import ConditionError
from vqs.report.again import Again
from vqs.report.formats import Format, View
from vqs.report.registry import write_data
from vqs.report.sweep.page import answer
from vqs.snapshot.diagnostics import InputErrors
from vqs.sweep.conditions import Condition, conditions_of
from vqs.sweep.engines.local import cores, engine
from vqs.sweep.evaluate import Evaluator
from vqs.sweep.journal import Header, Journal, JournalError
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
        _check_format(chosen.format)
        read = [arguments.plan, *arguments.on, arguments.session.usage]
        output.check(chosen.target, read)
        output.check(arguments.journal, read)
        _refuse_same(arguments)
        with Progress(quiet=verbosity.quiet, times=True) as progress:
            result = _swept(arguments, progress)
    view = output.fitted(View(again=_again(arguments)), chosen, verbosity)
    output.write(write_data(result, chosen.format, view), chosen.target)
    if not verbosity.quiet and (chosen.format.for_machines or chosen.target):
        say(f"{answer(result)}{f'; written to {chosen.target}' if chosen.target else ''}")
    return _status(arguments, result)


def _again(arguments: Sweep) -> Again:
    """Return how the points are run, but for what each of them has of its own."""
    session = replace(arguments.session, seed=None)
    return again((), Edits(), session, arguments.release.choice, own=arguments.own)


def _check_format(chosen: Format) -> None:
    """Refuse a format that needs a package that is not installed, before points are run."""
    if chosen is Format.PARQUET and find_spec("pyarrow") is None:
        origin = environment.setting(["--format"])
        raise CommandError(
            f"--format parquet needs pyarrow, which is not installed: pip install 'vqs[parquet]'{origin}"
        )


def _refuse_same(arguments: Sweep) -> None:
    if arguments.journal is not None and arguments.journal == arguments.output.target:
        raise CommandError(f"--journal and --output both name {arguments.journal}")


def _swept(arguments: Sweep, progress: Progress) -> Result:
    plan = _plan(arguments, progress)
    try:
        space = Space(plan, arguments.max_points or MOST_POINTS)
    except SpaceError as error:
        raise InputErrors([error.diagnostic(plan)]) from None
    evaluator = Evaluator(plan, session_options(replace(arguments.session, seed=None), progress=None))
    check_names(plan, evaluator)
    jobs = min(arguments.jobs or cores(), len(space))
    kept = None if arguments.journal is None else Journal(arguments.journal, _header(arguments, plan, space))
    try:
        with kept or nullcontext(), _going_on(arguments):
            return sweep(
                plan, space, engine(evaluator, jobs, arguments.own), kept, lambda *done: progress("points", *done)
            )
    except JournalError as error:
        raise CommandError(f"--journal: {error}", str(arguments.journal)) from None


@contextmanager
def _going_on(arguments: Sweep) -> Iterator[None]:
    """Say how to go on where the command is interrupted while points are run."""
    try:
        yield
    except (KeyboardInterrupt, Terminated):
        if not arguments.verbosity.quiet:
            hint = "no point is kept; with --journal FILE, the same command would go on where it was"
            if arguments.journal is not None:
                hint = f"finished points are in {arguments.journal}: the same command goes on from there"
            say(f"interrupted; {hint}")
        raise


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
    _refuse_both(arguments, plan)
    bases = tuple(replace(each, manifests=inputs.for_session(each.manifests, arguments.session)) for each in plan.bases)
    seeds = plan.seeds if arguments.session.seed is None else (arguments.session.seed,)
    return replace(plan, bases=bases, seeds=seeds)


def _refuse_both(arguments: Sweep, plan: Plan) -> None:
    """Refuse options for what the plan says itself."""
    given = {
        "--seed": (arguments.session.seed is not None and plan.seeds != (None,), "seeds"),
        "--volcano": (arguments.release.volcano is not None and plan.releases != (None,), "releases"),
    }
    for name, (is_twice, key) in given.items():
        if is_twice:
            raise CommandError(f"{name}: the plan has {key} of its own{environment.setting([name])}", arguments.plan)


def _conditions(texts: Sequence[str]) -> list[Condition]:
    try:
        return [each for text in texts for each in conditions_of(text)]
    except ConditionError as error:
        origin = environment.setting(["--fail-on"])
        raise CommandError(f"--fail-on: {error}{origin}\n  {error.text}\n  {' ' * error.at}^") from None


def _header(arguments: Sweep, plan: Plan, space: Space) -> Header:
    """Return what decides the rows, for a journal to tell whether it is of this run."""
    session = arguments.session
    settings = (
        session.now,
        session.seed,
        session.sample,
        session.sharding_mode,
        session.sharding_name,
        session.allow_extender,
        session.usage and inputs.text(session.usage),
        arguments.release,
        arguments.fail_on,
        arguments.own,
    )
    return Header(
        vqs=__version__,
        plan=_digest(msgspec.json.encode(plan.value)),
        inputs=plan.inputs,
        settings=_digest(repr(settings).encode()),
        points=len(space),
    )


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def _status(arguments: Sweep, result: Result) -> int:
    """Return the exit code: 2 where nothing could be run."""
    if result.errors == len(result.rows):
        return FAILED
    return HOLDS if result.failed and not arguments.exit_zero else 0
