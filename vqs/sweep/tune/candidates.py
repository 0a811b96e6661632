"""The changes that a plan allows, each made when it is asked for, with its cost and with what came of it once tried."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Final

from vqs.explain.narrowing import BudgetExhausted
from vqs.snapshot.reading.diagnostics import Diagnostic
from vqs.sweep.constraints import NoValueError
from vqs.sweep.domains import Value
from vqs.sweep.outcome import Row
from vqs.sweep.plan import Plan
from vqs.sweep.space import Point, SpaceError
from vqs.sweep.tune.plan import Goal, TunePlan


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
    """The candidates of a plan, by the indexes of the parameters' values.

    Attributes:
        number: how many there are, with those that constraints exclude.
        points_each: how many points a candidate is: one for each snapshot, release and seed.
    """

    def __init__(self, tune: TunePlan) -> None:
        self.tune = tune
        self.sizes = tuple(each.domain.number or 0 for each in tune.plan.parameters)
        self.number = math.prod(self.sizes)
        self._sides = tune.plan.sides
        self.points_each = len(self._sides)

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
        try:
            cost = self.tune.cost_of(values)
        except NoValueError as error:
            raise CostError(str(error)) from None
        if not math.isfinite(cost):
            raise CostError(f"{self.tune.cost.text} has no value: it is too large")
        return Candidate(indexes, values, cost)

    @cached_property
    def listed(self) -> list[Candidate] | None:
        """All candidates, the cheapest first; None where there are too many to list.

        Raises:
            SpaceError: constraints leave none, or one has no cost.
        """
        if self.number > MOST_LISTED:
            return None
        every = (self.at(*indexes) for indexes in product(*map(range, self.sizes)))
        found = sorted((each for each in every if each is not None), key=lambda each: each.order)
        if not found:
            raise SpaceError("no change is left: constraints exclude all of them")
        return found

    def points(self, candidate: Candidate) -> list[Point]:
        """Return the points of a candidate, numbered from 1 among those of all candidates."""
        values, number = candidate.values, 0
        for index, size in zip(candidate.indexes, self.sizes, strict=True):
            number = number * size + index
        edits, first = self.tune.plan.edits_of(values), number * self.points_each + 1
        return [Point(first + place, *side, values, edits) for place, side in enumerate(self._sides)]


Run = Callable[[Sequence[Point]], Iterable[Row]]
"""Runs points, and returns their rows in any order."""


@dataclass(frozen=True)
class Trial:
    """What came of a candidate.

    Attributes:
        candidate: what was tried.
        rows: what came of its points, in their order.
        shortfall: how far it is from the goal, 0 where it reaches it; for comparisons only.
    """

    candidate: Candidate
    rows: Sequence[Row]
    shortfall: float

    @property
    def reaches(self) -> bool:
        """Whether it reaches the goal."""
        return self.shortfall == 0

    @property
    def order(self) -> tuple[float, float, tuple[int, ...]]:
        """What trials are sorted by, the best first: those that reach the goal by their cost, others by how near."""
        return (self.shortfall, *self.candidate.order)


class Trials:
    """Runs candidates, each once, as long as more points may be run."""

    def __init__(self, candidates: Candidates, goal: Goal, run: Run) -> None:
        self.candidates = candidates
        self._goal = goal
        self._run = run
        self._known: dict[tuple[int, ...], Trial] = {}

    @property
    def left(self) -> int:
        """How many more candidates may be tried."""
        return self.candidates.tune.points // self.candidates.points_each - len(self._known)

    @property
    def points(self) -> int:
        """How many points were run."""
        return len(self._known) * self.candidates.points_each

    @property
    def all(self) -> list[Trial]:
        """What was tried, the best first."""
        return sorted(self._known.values(), key=lambda each: each.order)

    @property
    def best(self) -> Trial | None:
        """The cheapest that reaches the goal; where none does, the one that is nearest."""
        return min(self._known.values(), key=lambda each: each.order, default=None)

    @property
    def answer(self) -> Trial | None:
        """The cheapest that reaches the goal."""
        best = self.best
        return best if best is not None and best.reaches else None

    def known(self, candidate: Candidate) -> Trial | None:
        """Return what came of a candidate; None where it was not tried."""
        return self._known.get(candidate.indexes)

    def of(self, candidate: Candidate) -> Trial:
        """Return what comes of a candidate.

        Raises:
            BudgetExhausted: it was not tried, and no more may be.
        """
        [trial] = self.of_all([candidate])
        return trial

    def of_all(self, candidates: Sequence[Candidate]) -> list[Trial]:
        """Return what comes of candidates, which are run together.

        Raises:
            BudgetExhausted: no more may be tried; the first of them, as many as may be, were.
        """
        new = [*{each.indexes: each for each in candidates if each.indexes not in self._known}.values()]
        points = {each.indexes: self.candidates.points(each) for each in new[: max(self.left, 0)]}
        rows = {row.number: row for row in self._run([point for some in points.values() for point in some])}
        for each in new[: len(points)]:
            own = [rows[point.number] for point in points[each.indexes]]
            self._known[each.indexes] = Trial(each, own, sum(map(self._goal.shortfall, own)))
        if any(each.indexes not in self._known for each in new):
            raise BudgetExhausted
        return [self._known[each.indexes] for each in candidates]
