"""The most typical of several runs of a workload.

Where jobs wait for one another, a tie between two nodes can decide who waits a minute. Runs under several seeds show
how much of a figure is chance, and the one that is nearest to the medians of all figures says most about a real
cluster, which has no seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median
from typing import Final

from vqs.replay.outcome import JobRecord, Replay, Spread

_P95: Final = 0.95
_SMALL: Final = 5.0
"""Deviations from a median below this, in seconds or evictions, are measured against this."""


def figures(result: Replay) -> dict[str, float]:
    """Return the figures by which runs are compared, in seconds and counts."""
    started = [job for job in result.jobs if job.started is not None]
    found = {"started": float(len(started)), "evictions": float(result.evictions)}
    for queue in sorted({job.queue for job in started}):
        found[f"mean wait {queue}"] = fmean(_wait(job) for job in started if job.queue == queue)
    if started:
        waits = sorted(map(_wait, started))
        found["mean wait"] = fmean(waits)
        found["p95 wait"] = waits[min(len(waits) - 1, int(_P95 * len(waits)))]
    completed = [job.completed - job.arrival for job in result.jobs if job.completed is not None]
    if completed:
        found["mean completion"] = fmean(completed)
    if result.makespan is not None:
        found["makespan"] = result.makespan
    return found


def typical(results: Sequence[Replay]) -> Replay:
    """Return the run that is nearest to the medians of all figures, with how far the figures of all runs are apart."""
    table = [figures(each) for each in results]
    names = [name for name in table[0] if all(name in row for row in table)]
    medians = {name: median(row[name] for row in table) for name in names}
    distances = [max(_distance(row[name], medians[name]) for name in names) for row in table]
    chosen = results[distances.index(min(distances))]
    chosen.spread = {
        name: Spread(
            runs=len(results),
            least=min(row[name] for row in table),
            median=medians[name],
            most=max(row[name] for row in table),
        )
        for name in names
    }
    return chosen


def _distance(value: float, middle: float) -> float:
    return abs(value - middle) / max(middle, _SMALL)


def _wait(job: JobRecord) -> float:
    return (job.started or 0.0) - job.arrival
