"""The most typical of several runs of a workload.

Where jobs wait for one another, a tie between two nodes can decide who waits a minute. Runs under several seeds show
how much of a figure is chance, and the one that is nearest to the medians of all figures says most about a real
cluster, which has no seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Final

from vqs.replay.figures import groups
from vqs.replay.outcome import Replay, Spread

_SMALL: Final = 5.0
"""Deviations from a median below this, in seconds or evictions, are measured against this."""


def figures(result: Replay) -> dict[str, float]:
    """Return the figures by which runs are compared, in seconds and counts."""
    every, *parts = groups([result])
    found = {"started": float(every.started), "evictions": float(result.evictions)}
    for group in parts:
        if group.priority is None and group.wait is not None:
            found[f"mean wait {group.queue}"] = group.wait.mean
    if every.wait is not None:
        found |= {"mean wait": every.wait.mean, "p95 wait": every.wait.p95}
    if every.completion is not None:
        found["mean completion"] = every.completion.mean
    if result.makespan is not None:
        found["makespan"] = result.makespan
    return found


def typical(results: Sequence[Replay]) -> Replay:
    """Return the run that is nearest to the medians of all figures, with how far the figures of all runs are apart."""
    table = [figures(each) for each in results]
    names = [name for name in table[0] if all(name in row for row in table)]
    medians = {name: median(row[name] for row in table) for name in names}
    distances = [max(abs(row[name] - medians[name]) / max(medians[name], _SMALL) for name in names) for row in table]
    chosen = results[distances.index(min(distances))]
    chosen.spread = {
        name: Spread(
            runs=len(results),
            min=min(row[name] for row in table),
            median=medians[name],
            max=max(row[name] for row in table),
        )
        for name in names
    }
    return chosen
