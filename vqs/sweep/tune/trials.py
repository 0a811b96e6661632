"""Candidates that are tried: their points are run, and it is looked whether all of them reach the goal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from vqs.sweep.outcome import Row
from vqs.sweep.space import Point
from vqs.sweep.tune.candidates import Candidate, Candidates
from vqs.sweep.tune.goal import Goal

Run = Callable[[Sequence[Point]], Iterable[Row]]
"""Runs points, and returns their rows in any order."""


class BudgetExhausted(Exception):  # noqa: N818 - the budget of sessions is exhausted
    """No more points may be run."""


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
        self._try(new[: max(self.left, 0)])
        if any(each.indexes not in self._known for each in new):
            raise BudgetExhausted
        return [self._known[each.indexes] for each in candidates]

    def _try(self, candidates: Sequence[Candidate]) -> None:
        points = {each.indexes: self.candidates.points(each) for each in candidates}
        rows = {row.number: row for row in self._run([point for some in points.values() for point in some])}
        for each in candidates:
            own = [rows[point.number] for point in points[each.indexes]]
            self._known[each.indexes] = Trial(each, own, sum(map(self._goal.shortfall, own)))
