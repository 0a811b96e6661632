"""The changes that a plan allows, each with its cost: none is made before it is asked for."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Final

from vqs.snapshot.reading.diagnostics import Diagnostic
from vqs.sweep.constraints import NoValueError
from vqs.sweep.domains import Value
from vqs.sweep.plan import Plan
from vqs.sweep.space import Point, SpaceError
from vqs.sweep.tune.plan import TunePlan


class CostError(SpaceError):
    """A change has no cost."""

    def diagnostic(self, plan: Plan) -> Diagnostic:
        """Return the error, at the place of the plan's cost."""
        return plan.origin.diagnostic("no-such-cost", str(self), ("cost",))


MOST_LISTED: Final = 100_000
"""How many candidates are put in the order of their costs at most."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A change.

    Attributes:
        indexes: the index of each parameter's value.
        values: these values, by name.
        cost: what it costs.
    """

    indexes: tuple[int, ...]
    values: Mapping[str, Value]
    cost: float

    @property
    def order(self) -> tuple[float, tuple[int, ...]]:
        """What candidates are sorted by: their cost; where that is the same, the first values of the parameters."""
        return self.cost, self.indexes


class Candidates:
    """The candidates of a plan, by the indexes of the parameters' values."""

    def __init__(self, tune: TunePlan) -> None:
        self.tune = tune
        self.sizes = tuple(each.domain.number or 0 for each in tune.plan.parameters)
        plan = tune.plan
        self._sides = [
            (base, release, seed) for base in range(len(plan.bases)) for release in plan.releases for seed in plan.seeds
        ]

    @property
    def number(self) -> int:
        """How many there are, with those that constraints exclude."""
        return math.prod(self.sizes)

    @property
    def points_each(self) -> int:
        """How many points a candidate is: one for each snapshot, release and seed."""
        return len(self._sides)

    @property
    def baseline(self) -> list[Point]:
        """The points of no change, with the numbers that those of a sweep have."""
        return [Point(-index, *side, {}, ()) for index, side in enumerate(self._sides)]

    def at(self, *indexes: int) -> Candidate | None:
        """Return a candidate; None where constraints exclude it.

        Raises:
            SpaceError: a constraint has no value.
            CostError: its cost has none.
        """
        parameters = self.tune.plan.parameters
        values = {each.name: each.domain.at(index) for each, index in zip(parameters, indexes, strict=True)}
        try:
            if not all(each.holds(values) for each in self.tune.plan.constraints):
                return None
        except NoValueError as error:
            raise SpaceError(str(error)) from None
        return Candidate(indexes, values, self._cost(values))

    def _cost(self, values: Mapping[str, Value]) -> float:
        try:
            cost = self.tune.cost_of(values)
        except NoValueError as error:
            raise CostError(str(error)) from None
        if not math.isfinite(cost):
            raise CostError(f"{self.tune.cost.text} has no value: it is too large")
        return cost

    @cached_property
    def listed(self) -> list[Candidate] | None:
        """All candidates, the cheapest first; None where there are too many to list.

        Raises:
            SpaceError: constraints leave none, or one has no cost.
        """
        if self.number > MOST_LISTED:
            return None
        found = sorted(self._all(), key=lambda each: each.order)
        if not found:
            raise SpaceError("no change is left: constraints exclude all of them")
        return found

    def _all(self) -> Iterator[Candidate]:
        for indexes in product(*map(range, self.sizes)):
            candidate = self.at(*indexes)
            if candidate is not None:
                yield candidate

    def points(self, candidate: Candidate) -> list[Point]:
        """Return the points of a candidate, numbered from 1 among those of all candidates."""
        plan, number = self.tune.plan, 0
        for index, size in zip(candidate.indexes, self.sizes, strict=True):
            number = number * size + index
        edits = tuple(edit for each in plan.parameters for edit in each.edits_of(candidate.values[each.name]))
        first = number * self.points_each + 1
        return [
            Point(first + place, base, release, seed, candidate.values, edits)
            for place, (base, release, seed) in enumerate(self._sides)
        ]
