"""`vqs tune`: the cheapest change that reaches a goal, or that gets a job placed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vqs.cli import completion, inputs, output
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
from vqs.cli.options import argument, at_least_one, file_name, option, span, target_file
from vqs.cli.output import Progress
from vqs.releases.profile import ReleaseChoice
from vqs.report.formats import View
from vqs.report.registry import formats_of, write

if TYPE_CHECKING:
    from vqs.sweep.tune.plan import TunePlan
    from vqs.sweep.tune.search import Search

NONE_FOUND: Final = 1
FAILED: Final = 2

_HELP = """
Find the cheapest change that reaches a goal, such as that a job is placed and nothing of a queue is evicted.

PLAN names snapshots, parameters with their edits and values, the goal, and the cost of changes; `vqs schema
tune-plan` prints its schema. Snapshots are read from the folder of the plan and those below; --on names others in
their place. Where the goal or a figure is one of a replay, such as queue:team-a.wait.p95<10m, they are workloads,
and changes are replayed as by vqs replay.

If there are sessions enough, all changes are run, from the cheapest on, until one reaches the goal. One parameter
that the plan claims to be monotone is halved. Of many changes, Optuna proposes some (it needs the extra vqs[tune]),
and the cheapest of these that reaches the goal is made cheaper step by step. Every answer was run, and so was the
next cheaper change, which does not reach the goal; the answer says what else is known.

With --job there is no plan: PLAN is a snapshot then, and what gets the job placed is searched for as by vqs explain-job
--all-fixes, each change alone, and two together. The cheapest is the one that costs pods of other jobs
least, and of those the one that fewest people have to approve. The search ends after --budget, if it is given, or with
the number of changes that --sessions says.

At most 200 points are run, or as many as the plan or --sessions says. --jobs, --engine, --scheduler and --journal
work as for vqs sweep.
"""

_EXAMPLES = """
\b
Examples:
  vqs tune scenarios/lowest-weight.plan.yaml
  vqs tune plan.yaml --on snapshot.json.zst --sessions 500 --journal plan.journal
  vqs tune plan.yaml -o answer.json
  vqs tune snapshot.json --job research/train --budget 1m

Each option can be set in the environment: --sessions by VQS_SESSIONS, and so on.

Exit status: 0 a change reaches the goal, or none is needed, 1 none was found that does, 2 the input or the command line
is wrong, 130 interrupted.
"""


@command(
    "tune",
    _HELP,
    _EXAMPLES,
    argument("plan", "PLAN", required=True),
    option("--on", "SNAPSHOT", "Edit this snapshot, not the plan's.", file_name, multiple=True),
    option("--sessions", "N", "Run at most N points.", at_least_one),
    option("--job", "NS/NAME", "Find what gets this job of a snapshot placed.", complete=completion.whole_jobs),
    option("--budget", "DURATION", "With --job, search as long as that; by default, to the end.", span),
    option("--journal", "FILE", "Keep finished points in this file, and go on from it.", target_file),
    ENGINE,
    SESSIONS,
    RELEASE,
    output_group(formats_of("Tune")),
    *verbosity(quiet="Print the answer only.", verbose="Show all changes."),
)
def run(
    *,
    plan: str,
    on: Sequence[str],
    sessions: int | None,
    job: str | None,
    budget: float | None,
    journal: Path | None,
    engine: EngineFlags,
    session: SessionFlags,
    release: ReleaseChoice,
    out: Output,
) -> int:
    """Search as the plan says, or for what gets a job placed, and write what was found."""
    from vqs.cli import plans
    from vqs.sweep.tune.plan import read_tune

    if job is not None:
        with output.refused_as("tune", out):
            if on or journal:
                raise CommandError(
                    f"{'--on' if on else '--journal'} is for plans, and --job for a snapshot without one"
                )
        seconds = math.inf if budget is None else budget
        return _place(plan, job, seconds=seconds, sessions=sessions, session=session, release=release, out=out)
    with output.refused_as("tune", out):
        out.refuse_both("answer")
        plans.check([plan, *on, session.usage], engine, journal, out.target)
        with Progress(times=True) as progress:
            tell = partial(progress, "read")
            read = read_tune(plan, on=on, release=release, stdin=inputs.stdin(), progress=tell)
            in_session = plans.for_session(read.plan, plan, session, release)
            tune = replace(read, plan=in_session, points=sessions or read.points)
            if not out.quiet:
                plans.say_remarks(tune.plan)
            evaluator = plans.evaluator_of(tune.plan, session)
            search = _search(plan, tune)
            number = search.candidates.number
            with plans.running(
                evaluator,
                engine,
                tune.points,
                settings=(session, release),
                journal=journal,
                quiet=out.quiet,
                kind="tune",
                points=number,
            ) as (runs, kept):
                result = search.run(runs, kept, partial(progress, "points"))
    view = View(again=again((), Edits(), replace(session, seed=None), release))
    output.write(write(result, out.format, output.fitted(view, out)), out.target)
    if out.is_noted:
        say(f"{result.answer}{f' Written to {out.target}' if out.target else ''}")
    if result.change is not None or result.baseline_reaches_goal:
        return 0
    # Where no change could be run, the plan is wrong, not the goal out of reach.
    return FAILED if all(row.error is not None for each in result.tried for row in each.rows) else NONE_FOUND


def _place(
    file: str,
    name: str,
    *,
    seconds: float,
    sessions: int | None,
    session: SessionFlags,
    release: ReleaseChoice,
    out: Output,
) -> int:
    """Search for what gets a job placed, and write it as what is explained of the job."""
    from vqs.diff.findings import added_warnings
    from vqs.explain.jobs.report import UnknownJob, explain_job
    from vqs.explain.jobs.report import cheapest as cheapest_of

    with output.refused_as("tune", out):
        out.refuse_both("answer")
        output.check(out.target, [file, session.usage])
        with Progress() as progress:
            manifests, _ = inputs.read_edited([file], progress, None, Edits(), session=session, release=release)
            options = inputs.session_options(session, progress, scenario=inputs.title([file], ()))
            search = {"sessions": sessions, "seconds": seconds, "everything": True, "judge": added_warnings}
            try:
                report = explain_job(manifests, options, name, **search)
            except UnknownJob as error:
                raise CommandError(str(error)) from None
        report.answer, is_found = cheapest_of(report)
    view = View(again=again([file], Edits(), session, release))
    output.write(write(report, out.format, output.fitted(view, out)), out.target)
    if out.is_noted:
        say(f"{report.answer}{f' Written to {out.target}' if out.target else ''}")
    return 0 if is_found else NONE_FOUND


def _search(path: str, tune: TunePlan) -> Search:
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
            f"{path}: each change is {search.candidates.points_each:,} points, one for each snapshot, "
            f"release and seed, and at most {tune.points:,} are run: allow more with --sessions",
            path,
        )
    if search.method == NEEDS_OPTUNA and find_spec("optuna") is None:
        raise CommandError(
            f"{path}: there are {search.candidates.number:,} changes, too many to run all of them with "
            f"--sessions {tune.points}; choosing among them needs optuna: pip install 'vqs[tune]'",
            path,
        )
    return search
