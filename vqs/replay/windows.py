"""Numbers over time that change only at events: each holds from its own time until the next one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MOST_WINDOWS: Final = 120

_LENGTHS: Final = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200)
_DAY: Final = 86400


def totals(times: Sequence[float], values: Floats, edges: Sequence[float]) -> Floats:
    """Return the area under numbers in each window between two edges, (windows, ...) in seconds times their unit.

    Args:
        times: when each number begins to hold, ascending, (samples,) in seconds.
        values: the numbers, (samples, ...); the last one holds for ever, and before the first they are 0.
        edges: where windows begin and end, ascending, in seconds.

    >>> totals([0, 10], np.array([2.0, 4.0]), [0, 5, 15]).tolist()
    [10.0, 30.0]
    """
    start, ends = np.asarray(times, dtype=np.float64), np.asarray(edges, dtype=np.float64)
    if not len(start):
        return np.zeros((len(ends) - 1, *values.shape[1:]))
    shape = (len(start),) + (1,) * (values.ndim - 1)
    lasted = np.diff(start, append=start[-1:]).reshape(shape)
    before = np.cumsum(values * lasted, axis=0) - values * lasted
    at = np.searchsorted(start, ends, side="right") - 1
    since = (ends - start[np.maximum(at, 0)]).reshape((len(ends),) + (1,) * (values.ndim - 1))
    area = before[np.maximum(at, 0)] + values[np.maximum(at, 0)] * since
    area[at < 0] = 0.0
    areas: Floats = np.diff(area, axis=0)
    return areas


def means(times: Sequence[float], values: Floats, edges: Sequence[float]) -> Floats:
    """Return the mean of numbers over the time of each window, (windows, ...); the arguments are those of `totals`."""
    lengths = np.diff(np.asarray(edges, dtype=np.float64)).reshape((-1,) + (1,) * (values.ndim - 1))
    averages: Floats = totals(times, values, edges) / lengths
    return averages


def windows(end: float) -> list[float]:
    """Return the edges of windows of a round length from 0 to an end, which the last of them may not reach in full.

    >>> windows(190.0)[:3], windows(190.0)[-1], len(windows(190.0))
    ([0.0, 2.0, 4.0], 190.0, 96)
    """
    if end <= 0:
        return [0.0, 1.0]
    fitting = (length for length in _LENGTHS if end / length <= MOST_WINDOWS)
    length = next(fitting, _DAY * -(-end // (_DAY * MOST_WINDOWS)))
    edges = [float(number * length) for number in range(int(end // length) + 1)]
    return [*edges, end] if end > edges[-1] else edges
