#!/usr/bin/env python3
"""Try every step of every parameter for recorded jobs of which the search for fixes says that no single change helps.

usage: brute_force.py [--jobs N] [--steps N] [--step N] [FILE...]

The search tries a few steps of each parameter: here, all are tried, or as many as --steps, evenly spread. Prints each
change that helps nevertheless, and the counts. Without files, these are the recorded scenarios and clusters.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.conformance.reading import unpacked  # noqa: E402 - the path comes first
from vqs.explain.blockers import blockers_of  # noqa: E402
from vqs.explain.jobs.case import Case  # noqa: E402
from vqs.explain.jobs.registry import parameters  # noqa: E402
from vqs.explain.jobs.remedies import remedies_of  # noqa: E402
from vqs.explain.jobs.trials import Goal, Trials  # noqa: E402
from vqs.explain.simulate import SimulateOptions, run_session  # noqa: E402
from vqs.model.job import TaskStatus  # noqa: E402
from vqs.snapshot.reading.diagnostics import InputErrors  # noqa: E402
from vqs.snapshot.reading.manifests import Manifests  # noqa: E402
from vqs.snapshot.reading.reader import read_manifests  # noqa: E402


def overlooked(trials: Trials, steps: int) -> Iterator[str]:
    """Yield the changes that get more pods of a job bound, of all that the registry of parameters has."""
    session = trials.told.session
    case = Case(session, session.jobs[trials.job], trials.manifests, trials.told.manifests)
    base = trials.run([])
    for parameter in parameters(case, [each.code for each in blockers_of(session, case.job)]):
        number = min(parameter.most, steps)
        for at in range(1, number + 1):
            edits = parameter.edits(math.ceil(at * parameter.most / number))
            trial = trials.run(edits)
            if not trial.denied and trial.reaches(base) > Goal.NOTHING:
                yield "; ".join(map(str, edits))


def searches(manifests: Manifests) -> Iterator[Trials]:
    """Yield what tries changes for each job that waits and of which the search says that none helps by itself."""
    waiting = [
        uid
        for uid, job in run_session(manifests, SimulateOptions()).session.jobs.items()
        if job.having(TaskStatus.Pending)
    ]
    for uid in waiting:
        trials = Trials(manifests, SimulateOptions(), uid, ahead=True)
        trials.open()
        found = remedies_of(trials, math.inf, everything=True)
        alone = [each for each in (*found.fixes, *found.warned) if not each.changes]
        if found.ineffective and not alone:
            yield trials


def main() -> None:
    """Try all, and print what helps."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--jobs", type=int, default=50, help="end after as many jobs")
    parser.add_argument("--steps", type=int, default=40, help="try at most as many steps of a parameter")
    parser.add_argument("--step", type=int, default=1, help="take every N-th file only")
    asked = parser.parse_args()
    recorded = [*unpacked("random").glob("*.yaml"), *unpacked("cluster").glob("*-[0-9].json")]
    jobs = wrong = changes = 0
    for file in asked.files or sorted(map(str, recorded))[:: asked.step]:
        if jobs >= asked.jobs:
            break
        try:
            manifests = read_manifests([file])
            for trials in searches(manifests):
                before = trials.count
                helping = [*overlooked(trials, asked.steps)]
                jobs, wrong, changes = jobs + 1, wrong + bool(helping), changes + trials.count - before
                for each in helping:
                    sys.stdout.write(f"{Path(file).name} {trials.job}: {each}\n")
        except InputErrors:
            continue  # what is not read has no jobs
    sys.stdout.write(f"no single change: {jobs - wrong} of {jobs} jobs, {changes:,} changes tried\n")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
