"""Two or more policies on one workload: what differs, paired by seed, and which jobs it matters for.

A seed draws the same durations under every policy, so the difference within a seed has less chance in it than the
figures have; the interval is that of the differences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from vqs.replay.figures import figures_of
from vqs.replay.outcome import JobRecord, Replay, Replays
from vqs.replay.statistics import Spread, paired_difference
from vqs.replay.summary import Contrast, Difference, Group, JobDifference

MOST_JOBS: Final = 1000
"""The most jobs of a comparison that are listed."""

NOTICED: Final = 0.1
"""A job is better or worse off where its completion changes by more than this part of it,"""

LEAST: Final = 1.0
"""and by more than this many seconds."""


def compared(result: Replays) -> Replays:
    """Return runs with what differs between their policies."""
    return msgspec.structs.replace(result, contrasts=contrasts(result))


def contrasts(result: Replays) -> list[Contrast]:
    """Compare each policy with the first one, over the seeds with which both were run."""
    runs = {(run.policy, run.seed): run for run in result.runs}
    base, *others = result.policies
    found = []
    for policy in others:
        seeds = [seed for seed in result.seeds if (base, seed) in runs and (policy, seed) in runs]
        if seeds:
            pairs = [((base, seed), (policy, seed)) for seed in seeds]
            jobs = job_differences([(runs[one], runs[other]) for one, other in pairs])
            moved = [each for each in jobs if is_noticed(each)]
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


def measures(run: Replay) -> Measures:
    """Return the figures of a run that policies are compared by."""
    found = figures_of(run)
    made = {(None, name): value for name, value in _of_group(found.all)}
    if run.makespan is not None:
        made[None, "makespan"] = run.makespan
    if found.fairness.mean is not None:
        made[None, "fairness"] = found.fairness.mean
    made |= {(None, f"used.{each.resource}"): each.used for each in found.usage}
    queues = [group for group in found.groups if group.queue is not None and group.priority is None]
    return made | {(group.queue, name): value for group in queues for name, value in _of_group(group)}


_SPREADS: Final[Sequence[tuple[str, Callable[[Group], Spread | None], Callable[[Spread], float]]]] = (
    ("wait.mean", lambda group: group.wait, lambda spread: spread.mean),
    ("wait.p95", lambda group: group.wait, lambda spread: spread.p95),
    ("completion.mean", lambda group: group.completion, lambda spread: spread.mean),
    ("slowdown.mean", lambda group: group.slowdown, lambda spread: spread.mean),
)


def _of_group(group: Group) -> Iterator[tuple[str, float]]:
    yield "started", float(group.started)
    for name, spread_of, figure in _SPREADS:
        if (found := spread_of(group)) is not None:
            yield name, figure(found)
    yield "evictions", float(group.evictions)
    yield "pods-lost", float(group.pods_lost)
    yield "restarted", float(group.restarted)
    yield "workLost", group.work_lost


# --- jobs -------------------------------------------------------------------------------------------------------------


def job_differences(pairs: Sequence[tuple[Replay, Replay]]) -> Iterator[JobDifference]:
    """Yield what becomes of each job that is in the runs of both policies, in the order of their first arrival."""
    lives: dict[str, tuple[list[_Life], list[_Life]]] = {}
    for pair in pairs:
        for side, run in enumerate(pair):
            for job in run.jobs:
                lives.setdefault(f"{job.namespace}/{job.name}", ([], []))[side].append((job, run.end))
    for name, sides in lives.items():
        if all(sides):
            yield _job_difference(name, *sides)


_Life = tuple[JobRecord, float]
"""A job, and the end of the run that it is in."""


def _job_difference(name: str, before: Sequence[_Life], after: Sequence[_Life]) -> JobDifference:
    sides = before, after
    completions = [
        _mean([(end if job.completed is None else job.completed) - job.arrival for job, end in side]) for side in sides
    ]
    return JobDifference(
        job=name,
        queue=before[0][0].queue,
        starts=(_starts(before), _starts(after)),
        wait=(_wait(before), _wait(after)),
        completion=(_completion(before), _completion(after)),
        evictions=(_evictions(before), _evictions(after)),
        completion_delay=(completions[1] or 0.0) - (completions[0] or 0.0),
    )


def _starts(side: Sequence[_Life]) -> int:
    return sum(job.started is not None for job, _ in side)


def _wait(side: Sequence[_Life]) -> float | None:
    return _mean([job.started - job.arrival for job, _ in side if job.started is not None])


def _completion(side: Sequence[_Life]) -> float | None:
    return _mean([job.completed - job.arrival for job, _ in side if job.completed is not None])


def _evictions(side: Sequence[_Life]) -> float:
    return sum(job.evictions for job, _ in side) / len(side)


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def is_noticed(each: JobDifference) -> bool:
    """Tell whether a job is better or worse off: it starts in more or fewer runs, or completes that much otherwise."""
    usual = each.completion[0] or 0.0
    return each.starts[0] != each.starts[1] or abs(each.completion_delay) > max(LEAST, NOTICED * usual)
