"""What points say together: effects of parameters, best points, and the Pareto front.

Points of different snapshots say little together: see `vqs.sweep.snapshots`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from vqs.diff.figures import Better
from vqs.sweep.domains import Value
from vqs.sweep.effects import Effect, Measure, best_points, main_effects, pareto_front
from vqs.sweep.figures import NEVER, figure_of
from vqs.sweep.outcome import FigureInfo, Row, Sweep

_SEVERAL: Final = 2
_DECIMALS: Final[Mapping[str, int]] = {"seconds": 0, "count": 2, "part": 4}
"""To how many decimals figures are compared, by their unit: about those that people are shown."""


@dataclass(frozen=True)
class Factor:
    """What changes from point to point: a parameter, or the snapshot, the release or the seed where there are several.

    `values` has one for each point.
    """

    name: str
    values: Sequence[Value]
    is_parameter: bool = True
    is_snapshot: bool = False


@dataclass(frozen=True)
class Best:
    """A figure with a direction: its best value, and the places of the points that have it.

    `alike` are the places of other points whose value chance may explain as well: their 95% confidence interval
    overlaps that of the first best point. It is None where points are not replayed under several seeds.
    """

    figure: str
    better: Better
    value: float
    places: Sequence[int]
    alike: Sequence[int] | None = None


@dataclass(frozen=True)
class Analysis:
    """What the points of a sweep say together; points are named by their place among the rows.

    Attributes:
        factors: what changes, with its values.
        figures: of each figure that is a number, its value at each point; None where it has none.
        measures: the figures that have a direction, with that, rounded as they are shown, so that chance in the last
            digits makes no point better; what never happens is infinitely late.
        effects: the main effect of each factor on each figure.
        best: where each figure with a direction is best.
        traded: the figures of the front: those with a direction that are not the same everywhere.
        front: the points of which no other is as good in all of these and better in one; none for a single figure.
    """

    factors: Sequence[Factor]
    figures: Mapping[str, Sequence[float | None]]
    measures: Mapping[str, Measure]
    effects: Sequence[Effect]
    best: Sequence[Best]
    traded: Sequence[str]
    front: Sequence[int]

    @property
    def best_in_all(self) -> Sequence[int]:
        """The points that are best in every figure of the front; none where these have to be traded for one another."""
        wanted = [set(each.places) for each in self.best if each.figure in self.traded]
        return sorted(set.intersection(*wanted)) if wanted else []

    @property
    def preferred(self) -> Sequence[int]:
        """The points that are best in every figure; else those on the front that are best in the first figure."""
        first = next((set(each.places) for each in self.best if each.figure in self.traded), set[int]())
        return self.best_in_all or [place for place in self.front if place in first]

    @property
    def combinations(self) -> Sequence[Sequence[int]]:
        """The points of the front, those together that are equal in all of its figures."""
        groups: dict[tuple[float | None, ...], list[int]] = {}
        for place in self.front:
            groups.setdefault(tuple(self.measures[name].values[place] for name in self.traded), []).append(place)
        return list(groups.values())

    @property
    def varied(self) -> Sequence[Factor]:
        """What is not the same at all points."""
        return [each for each in self.factors if len(set(each.values)) > 1]

    @property
    def trade_off(self) -> tuple[str, str] | None:
        """Two figures to look at together: the first that cannot both be best, else the first two."""
        pairs = list(combinations(self.traded, 2))
        best = {name: set(best_points(self.measures[name])) for name in self.traded}
        opposed = (pair for pair in pairs if best[pair[0]].isdisjoint(best[pair[1]]))
        return next(opposed, pairs[0] if pairs else None)


def analyse(sweep: Sweep) -> Analysis:
    """Return what the points of a sweep say together."""
    factors = factors_of(sweep)
    figures = {
        each.name: [_number(row.figures.get(each.name)) for row in sweep.rows]
        for each in sweep.figures
        if each.unit != "text"
    }
    measures = {
        each.name: Measure(_ranked(sweep, each), better)
        for each in sweep.figures
        if (better := figure_of(each.name).kind.better) is not None
    }
    best = [
        Best(figure, measure.better, value, places, _alike(figure, sweep.rows, places))
        for figure, measure in measures.items()
        if (places := best_points(measure)) and (value := measure.values[places[0]]) is not None
    ]
    traded = [name for name, measure in measures.items() if len(set(measure.values) - {None}) > 1]
    return Analysis(
        factors=factors,
        figures=figures,
        measures=measures,
        effects=main_effects({each.name: each.values for each in factors}, figures),
        best=best,
        traded=traded,
        front=pareto_front([measures[name] for name in traded]) if len(traded) >= _SEVERAL else [],
    )


def _ranked(sweep: Sweep, figure: FigureInfo) -> list[float | None]:
    """Return the values of a figure as they are compared: what never happens comes after all that does."""
    latest = math.inf if figure.missing == NEVER else None
    decimals = _DECIMALS.get(figure.unit)
    values = ((row, _number(row.figures.get(figure.name))) for row in sweep.rows)
    return [
        (None if row.error else latest) if value is None else value if decimals is None else round(value, decimals)
        for row, value in values
    ]


def _alike(figure: str, rows: Sequence[Row], places: Sequence[int]) -> list[int] | None:
    """The places of points whose intervals overlap that of the best one; None where this has no interval."""
    best = rows[places[0]].intervals.get(figure)
    if best is None or best.low is None:
        return None
    found = ((place, row.intervals.get(figure)) for place, row in enumerate(rows) if place not in places)
    return [place for place, each in found if each is not None and each.overlaps(best)]


def _number(value: float | str | None) -> float | None:
    return None if value is None or isinstance(value, str) else float(value)


def factors_of(sweep: Sweep) -> list[Factor]:
    """Return the parameters, and of what else points are run with, what is not the same for all of them."""
    factors = [Factor(each.name, [row.parameters[each.name] for row in sweep.rows]) for each in sweep.parameters]
    names = {each.name for each in sweep.parameters}
    others: dict[str, list[Value]] = {
        "snapshot": [row.base for row in sweep.rows],
        "release": [row.release for row in sweep.rows],
        "seed": ["none" if row.seed is None else row.seed for row in sweep.rows],
    }
    for name, values in others.items():
        if len(set(values)) > 1:
            called = f"{name} of the run" if name in names else name
            factors.append(Factor(called, values, is_parameter=False, is_snapshot=name == "snapshot"))
    return factors
