"""Several runs of one workload, under several seeds: how sure its figures are, and which of the runs is typical.

Where jobs wait for one another, a tie between two nodes can decide who waits a minute. Runs under several seeds show
how much of a figure is chance, and the one that is nearest to the medians of some figures says most about a real
cluster, which has no seed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import ceil
from statistics import median
from typing import Final

from vqs.replay.measured import WHOLE, measured
from vqs.replay.outcome import Replay, Spread
from vqs.replay.statistics import FEWEST_PAIRS, Estimate, estimate

RUNS: Final = 5
"""Under how many seeds a workload is replayed, unless that is asked for."""

MOST_RUNS: Final = 100
"""The most runs that are made to have figures as sure as is asked for."""

PRECISE: Final = (f"{WHOLE}.wait.mean", f"{WHOLE}.completion.mean")
"""The figures that are as sure as is asked for."""

_SMALL: Final = 5.0
"""Deviations from a median below this, in seconds or evictions, are measured against this."""


def estimates(runs: Sequence[Replay]) -> dict[str, Estimate]:
    """Return what runs of one policy say of each figure.

    Of some figures, such as the time that jobs waited for one reason, a run without them has 0.
    """
    table = [measured(each) for each in runs]
    names = dict.fromkeys(name for row in table for name in row)
    found = {}
    for name in names:
        is_sum = any(part in name for part in _SUMS)
        values = [row.get(name, 0.0) for row in table if is_sum or name in row]
        if (known := estimate(values, is_whole=len(values) == len(table))) is not None:
            found[name] = known
    return found


_SUMS: Final = (
    ".waited.",
    ".evicted.",
    ".entitled.",
    ".deficit.",
    ".fraction.",
    ".missed",
    ".cost",
    ".energy",
    ".bought",
    ".removed",
)
"""What figures have in their names that are 0 where a run does not have them."""


def typical(runs: Sequence[Replay]) -> Replay:
    """Return the run that is nearest to the medians, with how far the figures of all runs are apart."""
    table = [*_compared(runs)]
    names = [name for name in table[0] if all(name in row for row in table)]
    medians = {name: median(row[name] for row in table) for name in names}
    distances = [max(abs(row[name] - medians[name]) / max(medians[name], _SMALL) for name in names) for row in table]
    chosen = runs[distances.index(min(distances))]
    chosen.spread = {
        name: Spread(
            runs=len(runs),
            min=min(row[name] for row in table),
            median=medians[name],
            max=max(row[name] for row in table),
        )
        for name in names
    }
    chosen.seeds = [run.seed for run in runs]
    chosen.estimates = estimates(runs)
    return chosen


_COMPARED: Final = {
    "wait.mean": "mean wait",
    "wait.p95": "p95 wait",
    "completion.mean": "mean completion",
    "started": "started",
    "evictions": "evictions",
    "makespan": "makespan",
}


def _compared(runs: Iterable[Replay]) -> Iterator[dict[str, float]]:
    """Yield the figures of each run by which it is typical or not, by what they are called."""
    for run in runs:
        found = measured(run)
        own = {called: found[f"{WHOLE}.{name}"] for name, called in _COMPARED.items() if f"{WHOLE}.{name}" in found}
        queues = sorted({job.queue for job in run.jobs})
        waits = {f"mean wait {queue}": found.get(f"queue:{queue}.wait.mean") for queue in queues}
        yield own | {called: wait for called, wait in waits.items() if wait is not None}


def runs_needed(runs: Sequence[Replay], precision: float) -> int:
    """Return how many runs are needed in all for intervals that reach no further than a part of the mean.

    An interval gets narrower with the square root of the runs. The number is that at which it is expected to do, up to
    `MOST_RUNS`, but at most twice as many as there are, as a few runs say little of how many it takes.
    """
    number, needed = len(runs), len(runs)
    if number < FEWEST_PAIRS:
        return FEWEST_PAIRS
    for excess in excesses(runs, precision):
        needed = max(needed, number + 1, ceil(number * excess**2))
    return min(needed, 2 * number, MOST_RUNS)


def excesses(runs: Sequence[Replay], precision: float) -> list[float]:
    """How many times further than a part of the mean the intervals reach that do so; empty where the runs suffice."""
    found = estimates(runs)
    reaches = ((each.reach, precision * each.mean) for name in PRECISE if (each := found.get(name)) is not None)
    return [reach / allowed for reach, allowed in reaches if reach is not None and allowed and reach > allowed]
