"""Two or more policies on one workload: what differs, paired by seed, and which jobs it matters for.

A seed draws the same durations under every policy, so the difference within a seed has less chance in it than the
figures have; the interval is that of the differences.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple, Self

import msgspec

from vqs.replay.figures import figures_of
from vqs.replay.measured import measured, scope_of
from vqs.replay.outcome import JobRecord, Replay, Replays
from vqs.replay.repeated import estimates
from vqs.replay.statistics import paired_difference
from vqs.replay.summary import Contrast, Difference, JobDifference

MOST_JOBS: Final = 1000
"""The most jobs of a comparison that are listed."""

NOTICED: Final = 0.1
"""A job is better or worse off where its completion changes by more than this part of it,"""

LEAST: Final = 1.0
"""and by more than this many seconds."""


def compared(result: Replays) -> Replays:
    """Return runs with what differs between their policies, and what those of each say of each figure."""
    of_policies = {policy: [run for run in result.runs if run.policy == policy] for policy in result.policies}
    found = {policy: estimates(runs) for policy, runs in of_policies.items()}
    return msgspec.structs.replace(result, contrasts=contrasts(result), estimates=found)


def contrasts(result: Replays) -> list[Contrast]:
    """Compare each policy with the first one, over the seeds with which both were run."""
    runs = {(run.policy, run.seed): run for run in result.runs}
    base, *others = result.policies
    found = []
    for policy in others:
        seeds = [seed for seed in result.seeds if (base, seed) in runs and (policy, seed) in runs]
        if seeds:
            pairs = [((base, seed), (policy, seed)) for seed in seeds]
            moved = []
            for each, may_be_chance in job_differences([(runs[one], runs[other]) for one, other in pairs]):
                # A job is better or worse off that starts in more or fewer runs, or completes that much otherwise.
                by_much = abs(each.completion_delay) > max(LEAST, NOTICED * (each.completion[0] or 0.0))
                if each.starts[0] != each.starts[1] or (by_much and not may_be_chance):
                    moved.append(each)
            found.append(
                Contrast(
                    policy=policy,
                    base=base,
                    seeds=seeds,
                    differences=list(differences([(measures(runs[one]), measures(runs[two])) for one, two in pairs])),
                    better=sum(each.completion_delay < 0 for each in moved),
                    worse=sum(each.completion_delay > 0 for each in moved),
                    jobs=sorted(moved, key=lambda each: (-abs(each.completion_delay), each.job))[:MOST_JOBS],
                )
            )
    return found


# --- figures ----------------------------------------------------------------------------------------------------------

Measures = Mapping[tuple[str | None, str], float]
"""Figures of a run by queue, None for all, and name; a figure that a run does not have is left out."""


def differences(pairs: Sequence[tuple[Measures, Measures]]) -> Iterator[Difference]:
    """Yield the difference of each figure that all runs have, in the order of the first run."""
    for queue, name in pairs[0][0]:
        if all((queue, name) in side for pair in pairs for side in pair):
            before = [pair[0][queue, name] for pair in pairs]
            after = [pair[1][queue, name] for pair in pairs]
            yield Difference(
                figure=name,
                queue=queue,
                base=sum(before) / len(before),
                value=sum(after) / len(after),
                difference=paired_difference(before, after),
            )


_OF_JOBS: Final = (
    "started",
    *("wait.mean", "wait.p95", "completion.mean", "slowdown.mean"),
    *("evictions", "pods-lost", "restarted", "workLost"),
)


def measures(run: Replay) -> Measures:
    """Return the figures of a run that policies are compared by."""
    found = measured(run)
    paid = ("cost.spent", "cost.idle", "cost.lost", "energy.spent")
    whole = ["makespan", "fairness", *paid, *(f"used.{each.resource}" for each in figures_of(run).usage)]
    queues = [group.queue for group in figures_of(run).groups if group.queue is not None and group.priority is None]
    names = [(None, (*_OF_JOBS, *whole)), *((queue, _OF_JOBS) for queue in queues)]
    return {
        (queue, name): value
        for queue, of in names
        for name in of
        if (value := found.get(f"{scope_of(queue)}.{name}")) is not None
    }


# --- jobs -------------------------------------------------------------------------------------------------------------


def job_differences(pairs: Sequence[tuple[Replay, Replay]]) -> Iterator[tuple[JobDifference, bool]]:
    """Yield what becomes of each job that is in the runs of both policies, and whether its completion may be chance.

    They are in the order of their first arrival.
    """
    lives: dict[str, tuple[list[_Life], list[_Life]]] = {}
    for pair in pairs:
        for side, run in enumerate(pair):
            for job in run.jobs:
                lives.setdefault(job.called, ([], []))[side].append((job, run.end))
    for name, (before, after) in lives.items():
        if not (before and after):
            continue
        taken = [
            [end - job.arrival if job.completion is None else job.completion for job, end in side]
            for side in (before, after)
        ]
        found = paired_difference(*taken) if len(before) == len(after) else None
        one, other = _Fate.of(before), _Fate.of(after)
        difference = JobDifference(
            job=name,
            queue=before[0][0].queue,
            starts=(one.starts, other.starts),
            wait=(one.wait, other.wait),
            completion=(one.completion, other.completion),
            evictions=(one.evictions, other.evictions),
            completion_delay=sum(taken[1]) / len(after) - sum(taken[0]) / len(before),
        )
        yield difference, found is not None and found.low is not None and not found.is_clear()


_Life = tuple[JobRecord, float]
"""A job, and the end of the run that it is in."""


class _Fate(NamedTuple):
    """What became of a job on average: in how many runs it started, and means of those where it did, or completed."""

    starts: int
    wait: float | None
    completion: float | None
    evictions: float

    @classmethod
    def of(cls, side: Sequence[_Life]) -> Self:
        """Sum up the runs of a policy."""
        waits = [job.started - job.arrival for job, _ in side if job.started is not None]
        completions = [job.completion for job, _ in side if job.completion is not None]
        return cls(
            len(waits),
            sum(waits) / len(waits) if waits else None,
            sum(completions) / len(completions) if completions else None,
            sum(job.evictions for job, _ in side) / len(side),
        )
