"""What each parameter does to each figure, which points trade one figure for another, and which points are best.

All functions take columns: one entry for each point, in the order of the points. A figure is a number, or None where it
is not known, as where the point failed; such points count nowhere. Sums are rounded once (`math.fsum`), so that no
result depends on the order of points.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Final, NamedTuple, TypeGuard

import msgspec
import numpy as np

from vqs.diff.figures import Better
from vqs.explain.outcome import Result
from vqs.sweep.domains import Value

_MOST_LEVELS: Final = 50
"""A number that takes more values than these is looked at in ranges of values."""
_MOST_RANGES: Final = 10
_REPEATED: Final = 2
"""At fewer points with each value than these, on average, a value says as much of the other parameters."""


class Level(Result, kw_only=True, omit_defaults=False):
    """The points at which a parameter has one value, or one of a range of numbers, both ends included.

    Attributes:
        value: the value; the lowest one of a range.
        to: the highest value of a range; null where it is one value.
        points: the number of points at which the figure is known.
        mean: the figure on average over these points.
        min: the figure at the point where it is lowest.
        max: the figure at the point where it is highest.
    """

    value: Value
    to: Value | None = None
    points: int
    mean: float
    min: float
    max: float


class Effect(Result, kw_only=True, omit_defaults=False):
    """The main effect of a parameter on a figure: how the figure differs with it, on average over all else.

    Attributes:
        base: the snapshot whose points these are, where there are several.
        parameter: the name of the parameter.
        figure: the name of the figure.
        levels: where the figure is known: numbers in their order, other values as they first come.
        difference: the highest mean of a level minus the lowest.
        variance_explained: the part of the figure's variance over all points that is between the levels, from 0 (no
            effect) to 1 (nothing else matters); null where the figure is the same at all points.
    """

    base: str | msgspec.UnsetType = msgspec.UNSET
    parameter: str
    figure: str
    levels: list[Level]
    difference: float
    variance_explained: float | None


class Measure(NamedTuple):
    """A figure at each point, and whether more or less of it is better."""

    values: Sequence[float | None]
    better: Better


class Levels(NamedTuple):
    """How a parameter divides the points.

    Attributes:
        ends: of each level the lowest and the highest value, which are the same unless it is a range.
        at: of each point the number of its level, from 0.
    """

    ends: Sequence[tuple[Value, Value]]
    at: Sequence[int]


# --- main effects -----------------------------------------------------------------------------------------------------


def main_effects(
    parameters: Mapping[str, Sequence[Value]], figures: Mapping[str, Sequence[float | None]]
) -> list[Effect]:
    """Return the effect of each parameter on each figure, which is finite: all of the first parameter first.

    >>> [effect] = main_effects({"weight": [1, 2, 4]}, {"placed": [6.0, 7.0, 9.0]})
    >>> effect.difference, effect.variance_explained, [level.mean for level in effect.levels]
    (3.0, 1.0, [6.0, 7.0, 9.0])
    """
    divided = divisions(parameters)
    return [
        _effect(parameter, figure, divided[parameter], values)
        for parameter in parameters
        for figure, values in figures.items()
    ]


def divisions(parameters: Mapping[str, Sequence[Value]]) -> dict[str, Levels]:
    """Return how each parameter divides the points.

    Each value is a level, but for numbers that take many values, or hardly any value twice while other parameters
    change too, as in a random sample: these have ranges with about as many points each.

    >>> divisions({"weight": [1, 4, 1, 4]})
    {'weight': Levels(ends=[(1, 1), (4, 4)], at=[0, 1, 0, 1])}
    >>> sample = divisions({"weight": [0.5, 2.5, 1.5, 3.5], "pods": [3, 1, 4, 2]})
    >>> sample["weight"]
    Levels(ends=[(0.5, 1.5), (2.5, 3.5)], at=[0, 1, 0, 1])
    """
    changing = sum(len(set(values)) > 1 for values in parameters.values())
    found = {}
    for name, values in parameters.items():
        numbers = [value for value in values if is_number(value)]
        if len(numbers) == len(values):
            found[name] = _of_numbers(numbers, is_alone=changing <= 1)
            continue
        # Of values that are equal and are not the same, as true and 1 are, none may stand for the other.
        names = {(isinstance(value, bool), value): value for value in values}
        places = {key: place for place, key in enumerate(names)}
        at = [places[isinstance(value, bool), value] for value in values]
        found[name] = Levels([(value, value) for value in names.values()], at)
    return found


def _of_numbers(values: Sequence[float], *, is_alone: bool) -> Levels:
    counts = Counter(values)
    ordered = sorted(counts)
    is_repeated = is_alone or len(values) >= _REPEATED * len(ordered)
    is_listed = is_repeated and len(ordered) <= _MOST_LEVELS
    numbers = range(len(ordered)) if is_listed else _ranges([counts[value] for value in ordered])
    place_of = dict(zip(ordered, numbers, strict=True))
    ends: dict[int, tuple[Value, Value]] = {}
    for value, place in place_of.items():
        ends[place] = (ends.get(place, (value, value))[0], value)
    return Levels([*ends.values()], [place_of[value] for value in values])


def _ranges(counts: Sequence[int]) -> list[int]:
    """Return the number of a range for each value, given how many points have each."""
    points = sum(counts)
    wanted = min(_MOST_RANGES, math.isqrt(points))
    before = accumulate(counts[:-1], initial=0)
    numbers = [already * wanted // points for already in before]
    used = {number: place for place, number in enumerate(dict.fromkeys(numbers))}
    return [used[number] for number in numbers]


def _effect(parameter: str, figure: str, divided: Levels, values: Sequence[float | None]) -> Effect:
    parts: list[list[float]] = [[] for _ in divided.ends]
    for at, value in zip(divided.at, values, strict=True):
        if value is not None:
            parts[at].append(value)
    found = [
        Level(
            value=low,
            to=None if low == high else high,
            points=len(part),
            mean=_mean(part),
            min=min(part),
            max=max(part),
        )
        for (low, high), part in zip(divided.ends, parts, strict=True)
        if part
    ]
    means = [level.mean for level in found]
    return Effect(
        parameter=parameter,
        figure=figure,
        levels=found,
        difference=max(means) - min(means) if means else 0.0,
        variance_explained=_explained([part for part in parts if part]),
    )


def _mean(values: Sequence[float]) -> float:
    """Return the mean, which rounding does not take beyond the values."""
    return min(max(math.fsum(values) / len(values), min(values)), max(values))


def _explained(parts: Sequence[Sequence[float]]) -> float | None:
    everything = [value for part in parts for value in part]
    if not everything or min(everything) == max(everything):
        return None
    middle = _mean(everything)
    between = math.fsum(len(part) * (_mean(part) - middle) ** 2 for part in parts)
    return min(1.0, between / math.fsum((value - middle) ** 2 for value in everything))


def is_number(value: Value) -> TypeGuard[int | float]:
    """Tell whether a value is a number, which false and true are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


# --- the best points --------------------------------------------------------------------------------------------------


def best_points(measure: Measure) -> list[int]:
    """Return the places of the points at which a figure is best; none where it is known nowhere.

    >>> best_points(Measure([3.0, None, 5.0, 5.0], "more"))
    [2, 3]
    """
    known = [value for value in measure.values if value is not None]
    if not known:
        return []
    best = max(known) if measure.better == "more" else min(known)
    return [place for place, value in enumerate(measure.values) if value == best]


def pareto_front(measures: Sequence[Measure]) -> list[int]:
    """Return the places of the points of which no other is as good in all figures and better in one.

    Points that are equal in all figures are on the front together. Points at which a figure is not known are on no
    front, and where there are no figures, there is none.

    >>> pareto_front([Measure([6.0, 7.0, 9.0, 7.0], "more"), Measure([0.0, 1.0, 2.0, 3.0], "less")])
    [0, 1, 2]
    """
    if not measures:
        return []
    vectors: list[tuple[float, ...] | None] = []
    signs = [1.0 if measure.better == "more" else -1.0 for measure in measures]
    for values in zip(*(measure.values for measure in measures), strict=True):
        known = [value for value in values if value is not None]
        vectors.append(tuple(map(float.__mul__, signs, map(float, known))) if len(known) == len(values) else None)
    ordered = sorted({vector for vector in vectors if vector is not None}, reverse=True)
    front = np.empty((len(ordered), len(measures)))
    size = 0
    # What comes earlier is as good or better in the first figure, and so no later point is better than it in all.
    for vector in ordered:
        if not (front[:size] >= np.array(vector)).all(axis=1).any():
            front[size] = vector
            size += 1
    kept = {tuple(vector) for vector in front[:size].tolist()}
    return [place for place, vector in enumerate(vectors) if vector in kept]
