"""What many numbers come to: how they are spread, how equal they are, and what a difference between pairs may be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from vqs.explain.outcome import Result

CONFIDENCE: Final = 0.95
"""How often an interval holds the true difference."""

FEWEST_PAIRS: Final = 3
"""The fewest pairs that an interval is given for: that of two is so wide that it says nothing."""

_GRID: Final = 200_001
"""Points at which the density of Student's t is summed up: enough for seven digits."""


class Spread(Result, kw_only=True, omit_defaults=False):
    """How numbers are spread: seconds for waits and completions, a ratio for slowdowns.

    The 95th percentile is the smallest number that at least 95% of all numbers do not exceed, so it is always one of
    them; so is the 99th. The median of an even count is the mean of the two in the middle.
    """

    count: int
    mean: float
    median: float
    p95: float
    p99: float
    max: float


class Interval(Result, kw_only=True, omit_defaults=False):
    """A mean difference over pairs, and the 95% confidence interval around it; no interval where pairs are too few."""

    mean: float
    low: float | None
    high: float | None
    pairs: int

    def is_clear(self, among: int = 1) -> bool:
        """Whether there is a difference: all of the interval is on one side of 0.

        One of several figures differs by chance more often than each of them: the interval is widened so that all of
        them together hold at the confidence of one (Bonferroni).

        Args:
            among: the number of figures of which that is asked.
        """
        if self.low is None or self.high is None:
            return False
        wider = student_t(self.pairs - 1, 1 - (1 - CONFIDENCE) / among) / student_t(self.pairs - 1)
        return abs(self.mean) > (self.high - self.low) / 2 * wider


class Estimate(Result, kw_only=True, omit_defaults=False):
    """A figure over several runs of one workload, under one policy and several seeds.

    Attributes:
        runs: in how many runs there is such a figure.
        mean: its mean.
        low: where the 95% confidence interval of the mean begins; null where runs are too few for one, or some of them
            do not have the figure. It is at least 0 where no run has less.
        high: where it ends.
        min: the least value of a run.
        max: the greatest.
    """

    runs: int
    mean: float
    low: float | None
    high: float | None
    min: float
    max: float

    @property
    def reach(self) -> float | None:
        """How far the interval reaches to either side of the mean."""
        return None if self.high is None else self.high - self.mean

    def overlaps(self, other: Estimate) -> bool:
        """True if a value lies in the intervals of both; where one has none, nothing tells them apart."""
        if self.low is None or self.high is None or other.low is None or other.high is None:
            return True
        return self.low <= other.high and other.low <= self.high

    @property
    def at_most(self) -> float | None:
        """Where the interval ends, if it begins at 0 as no run can have less; else None."""
        return self.high if self.low == 0 and self.high is not None and self.high > 2 * self.mean else None


def estimate(values: Sequence[float], *, is_whole: bool = True) -> Estimate:
    """What the values of a figure say, one of each run; there is no interval where they are not of all runs.

    The interval is Student's t, as for `paired_difference`.

    >>> found = estimate([10.0, 12.0, 11.0])
    >>> found.mean, round(found.low, 2), round(found.high, 2), found.min, found.max
    (11.0, 8.52, 13.48, 10.0, 12.0)
    """
    found = paired_difference([0.0] * len(values), values)
    low, high = (found.low, found.high) if is_whole else (None, None)
    if low is not None and min(values) >= 0:
        low = max(low, 0.0)
    return Estimate(runs=len(values), mean=found.mean, low=low, high=high, min=min(values), max=max(values))


def spread(values: Sequence[float]) -> Spread | None:
    """Return how numbers are spread; None where there are none.

    >>> spread([1.0, 2.0, 3.0, 10.0])
    Spread(count=4, mean=4.0, median=2.5, p95=10.0, p99=10.0, max=10.0)
    """
    if not len(values):
        return None
    numbers = np.sort(np.asarray(values, dtype=np.float64))
    p95, p99 = np.quantile(numbers, (0.95, 0.99), method="inverted_cdf")
    return Spread(
        count=len(numbers),
        mean=min(float(numbers.mean()), float(numbers[-1])),
        median=float(np.median(numbers)),
        p95=float(p95),
        p99=float(p99),
        max=float(numbers[-1]),
    )


def weighted_median(values: ArrayLike, weights: ArrayLike) -> float:
    """Return the median of values of which each counts as often as its weight says.

    >>> weighted_median([1.0, 5.0, 9.0], [3, 1, 1]), weighted_median([1.0, 5.0], [2, 2])
    (1.0, 3.0)
    """
    order = np.argsort(values)
    ordered, reached = np.asarray(values)[order], np.cumsum(np.asarray(weights)[order])
    middle = reached[-1] / 2
    lower, upper = (np.searchsorted(reached, middle, side=side) for side in ("left", "right"))
    return float((ordered[lower] + ordered[min(upper, len(ordered) - 1)]) / 2)


def jain(values: Sequence[float]) -> float:
    """Return Jain's fairness index of shares: their squared sum, over their number times the sum of their squares.

    It is 1 where all are equal, also where all are 0, and 1/n where one of n has everything.

    >>> jain([2.0, 2.0]), jain([1.0, 0.0, 0.0, 0.0])
    (1.0, 0.25)
    """
    largest = max(values, default=0.0)
    if largest <= 0:
        return 1.0
    parts = [share / largest for share in values]
    index = math.fsum(parts) ** 2 / (len(parts) * math.fsum(part * part for part in parts))
    return min(max(index, 1 / len(parts)), 1.0)


def paired_difference(before: Sequence[float], after: Sequence[float]) -> Interval:
    """Return how much larger numbers are after than before, on average over pairs.

    The interval is Student's t for paired samples: the mean of the differences, plus and minus the t quantile for one
    degree of freedom less than there are pairs, times their standard deviation over the square root of their number.

    >>> found = paired_difference([10.0, 12.0, 11.0], [8.0, 9.0, 10.0])
    >>> found.mean, round(found.low, 4), round(found.high, 4), found.is_clear()
    (-2.0, -4.4841, 0.4841, False)
    """
    differences = np.asarray(after, dtype=np.float64) - np.asarray(before, dtype=np.float64)
    pairs, mean = len(differences), float(differences.mean())
    if pairs < FEWEST_PAIRS:
        return Interval(mean=mean, low=None, high=None, pairs=pairs)
    reach = student_t(pairs - 1) * float(differences.std(ddof=1)) / pairs**0.5
    return Interval(mean=mean, low=mean - reach, high=mean + reach, pairs=pairs)


@cache
def student_t(freedom: int, confidence: float = CONFIDENCE) -> float:
    """Return the number that Student's t stays within, on either side of 0, as often as `confidence` says.

    With t as the square root of the degrees of freedom times the tangent of an angle, its density is a power of the
    angle's cosine, which has no tail to cut off.

    >>> round(student_t(2), 3), round(student_t(9), 3)
    (4.303, 2.262)
    """
    angles = np.linspace(0.0, np.pi / 2, _GRID)
    density = np.cos(angles) ** (freedom - 1)
    summed = np.concatenate(([0.0], np.cumsum((density[1:] + density[:-1]) / 2)))
    angle = np.interp(confidence * summed[-1], summed, angles)
    return float(freedom**0.5 * np.tan(angle))
