"""What the points of a sweep say together on each snapshot, and how changes do on all of them.

Points of different snapshots are not compared: more is placed on a larger cluster, whatever is changed. A change, which
is the same values of parameters with the same release and seed, is a point of each snapshot, at the same place among
its points. How far a change is from the best of a snapshot, its loss, is a part of what lies between the best and the
worst there, so that it can be compared.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import msgspec
from msgspec import structs

from vqs.diff.figures import Better
from vqs.sweep.analysis import Analysis, analyse
from vqs.sweep.effects import Measure
from vqs.sweep.outcome import BestOnAll, BestPoints, Front, OnAll, Row, Sweep

NAMED: Final = 10
"""How many points or changes are named for a figure."""
_DECIMALS: Final = 4


@dataclass(frozen=True)
class Side:
    """A snapshot of a sweep: its points as a sweep of their own, and what these say together."""

    name: str
    sweep: Sweep
    analysis: Analysis

    def numbers(self, places: Sequence[int]) -> list[int]:
        """Return the numbers of points, given their places."""
        return [self.sweep.rows[place].number for place in places]


@dataclass(frozen=True)
class Compromise:
    """A figure with a direction: the changes, by their places, whose greatest loss on any snapshot is smallest.

    `loss` is that, 0 where they are best on each; infinite where what is best somewhere never happens with them.
    """

    figure: str
    better: Better
    loss: float
    places: Sequence[int]


class Sides:
    """The snapshots of a sweep, in the order of its points.

    Attributes:
        all: the snapshots.
        are_several: whether there are several.
        are_measured: whether any figure is known at any point.
    """

    def __init__(self, sweep: Sweep) -> None:
        names = [*dict.fromkeys(row.base for row in sweep.rows)]
        parts = [sweep] if len(names) <= 1 else [_part(sweep, name) for name in names]
        self.all = [Side(name, part, analyse(part)) for name, part in zip(names or [""], parts, strict=True)]
        self.are_several = len(self.all) > 1
        self.are_measured = any(set(found) != {None} for side in self.all for found in side.analysis.figures.values())

    @cached_property
    def front(self) -> set[int]:
        """The numbers of the points that are on the Pareto front of their snapshot."""
        return {number for side in self.all for number in side.numbers(side.analysis.front)}

    @property
    def best(self) -> list[int]:
        """The changes that are best in every figure on each snapshot."""
        return _common(side.analysis.best_in_all for side in self._moved)

    @property
    def good(self) -> list[int]:
        """The changes that are on the Pareto front of each snapshot, or best there in the only figure that differs."""
        return _common(side.analysis.front or side.analysis.best_in_all for side in self._moved)

    @property
    def _moved(self) -> list[Side]:
        """The snapshots on which a figure with a direction differs: on the others no change is better."""
        return [side for side in self.all if side.analysis.traded]

    @cached_property
    def compromises(self) -> list[Compromise]:
        """The changes that do best on all snapshots, for each figure that differs on any of them."""
        figures = dict.fromkeys(name for side in self.all for name in side.analysis.traded)
        return [each for each in map(self._compromise, figures) if each is not None]

    def _compromise(self, figure: str) -> Compromise | None:
        """Return it; None where no change has the figure on all snapshots that have it at all."""
        measures = [side.analysis.measures[figure] for side in self.all]
        known = [found for found in map(losses, measures) if any(each is not None for each in found)]
        ranks: dict[int, tuple[float, float]] = {}
        for place, values in enumerate(zip(*known, strict=False)):
            numbers = [value for value in values if value is not None]
            if len(numbers) == len(values):
                ranks[place] = max(numbers), round(math.fsum(numbers), _DECIMALS)
        if not ranks:
            return None
        least = min(ranks.values())
        return Compromise(
            figure, measures[0].better, least[0], [place for place, rank in ranks.items() if rank == least]
        )

    def rows(self, place: int) -> list[Row]:
        """Return the points of a change, one of each snapshot."""
        return [side.sweep.rows[place] for side in self.all]

    def document(self) -> OnAll:
        """Return how changes do on all snapshots."""
        return OnAll(
            on_every_front=len(self.good),
            first=self._numbers(self.good),
            best=[
                BestOnAll(
                    figure=each.figure,
                    direction=each.better,
                    max_regret=each.loss if math.isfinite(each.loss) else None,
                    changes=len(each.places),
                    first=self._numbers(each.places),
                )
                for each in self.compromises
            ],
        )

    def _numbers(self, places: Sequence[int]) -> list[list[int]]:
        return [[row.number for row in self.rows(place)] for place in places[:NAMED]]


def with_analysis(sweep: Sweep) -> Sweep:
    """Return a sweep with what its points say together."""
    sides = Sides(sweep)
    fronts = [(side, side.analysis) for side in sides.all if side.analysis.front]
    traded = {name for _, analysis in fronts for name in analysis.traded}
    front = Front(
        figures=[each.name for each in sweep.figures if each.name in traded],
        points=[number for side, analysis in fronts for number in side.numbers(analysis.front)],
    )
    return structs.replace(
        sweep,
        effects=[
            structs.replace(each, base=side.name) if sides.are_several else each
            for side in sides.all
            for each in side.analysis.effects
        ],
        best=[each for side in sides.all for each in _best(side, is_named=sides.are_several)],
        pareto_front=front if front.points else None,
        across_snapshots=sides.document() if sides.are_several else msgspec.UNSET,
    )


def losses(measure: Measure) -> list[float | None]:
    """Return how far a figure is from its best at each point, as a part of the way from its best to its worst.

    What never happens is infinitely far from what does.

    >>> losses(Measure([6.0, 7.0, 10.0, None], "more")), losses(Measure([2.0, 4.0, math.inf], "less"))
    ([1.0, 0.75, 0.0, None], [0.0, 1.0, inf])
    """
    known = [value for value in measure.values if value is not None]
    finite = [value for value in known if math.isfinite(value)]
    if not known:
        return [*measure.values]
    best = (max if measure.better == "more" else min)(known)
    span = max((abs(value - best) for value in finite), default=0.0) if math.isfinite(best) else 0.0
    return [None if value is None else _loss(value, best, span) for value in measure.values]


def _loss(value: float, best: float, span: float) -> float:
    if value == best:
        return 0.0
    return round(abs(value - best) / span, _DECIMALS) if math.isfinite(value) else math.inf


def _part(sweep: Sweep, name: str) -> Sweep:
    """Return the points of a snapshot as a sweep of their own."""
    return structs.replace(
        sweep,
        bases=[each for each in sweep.bases if each.name == name],
        baseline=[row for row in sweep.baseline if row.base == name],
        rows=[row for row in sweep.rows if row.base == name],
    )


def _common(groups: Iterator[Sequence[int]]) -> list[int]:
    found = [set(each) for each in groups]
    return sorted(set.intersection(*found)) if found else []


def _best(side: Side, *, is_named: bool) -> Iterator[BestPoints]:
    for each in side.analysis.best:
        yield BestPoints(
            base=side.name if is_named else msgspec.UNSET,
            figure=each.figure,
            direction=each.better,
            value=each.value if math.isfinite(each.value) else None,
            points=len(each.places),
            first=side.numbers(each.places[:NAMED]),
            alike=msgspec.UNSET if each.alike is None else len(each.alike),
        )
