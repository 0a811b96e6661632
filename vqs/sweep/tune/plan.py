"""A plan to tune: a space of changes as that of a sweep, the goal that one has to reach, and what each costs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from vqs.diff.conditions import Condition
from vqs.diff.outcome import Failure
from vqs.sweep.constraints import Constraint, NoValueError
from vqs.sweep.domains import Value
from vqs.sweep.figures import conditions_of
from vqs.sweep.outcome import Row
from vqs.sweep.plan import Plan

_OPPOSITES: Final[Mapping[str, str]] = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "=": "!=", "!=": "="}
_WORDS: Final[Mapping[str, str]] = {
    "<": "less than",
    "<=": "at most",
    ">": "more than",
    ">=": "at least",
    "=": "",
    "!=": "other than",
}
_WORST: Final = 3.0
"""What a condition counts that could not be looked at, as the point could not be run."""


class Goal:
    """Conditions that have to hold, and what must not be for them to hold."""

    def __init__(self, conditions: Sequence[Condition]) -> None:
        self.conditions = tuple(conditions)
        self.opposites = tuple(map(opposite, conditions))
        self._of_opposite = {each.text: goal for each, goal in zip(self.opposites, self.conditions, strict=True)}

    def unmet(self, row: Row) -> list[str]:
        """Return what of the goal a point does not reach, in words; nothing where it reaches all."""
        if row.error is not None:
            return [row.error.message]
        return [_said(self._of_opposite[each.condition], row, each) for each in row.failures]

    def shortfall(self, row: Row) -> float:
        """Return how far a point is from the goal, 0 where it reaches it: by conditions, and by how near they are.

        Each condition that is not met counts from 1 to 2.
        """
        if row.error is not None:
            return _WORST * len(self.conditions)
        return sum(self._distances(row))

    def _distances(self, row: Row) -> Iterator[float]:
        for failure in row.failures:
            goal = self._of_opposite[failure.condition]
            value, limit = row.figures[goal.figure.text], goal.value
            if isinstance(value, float) and limit is not None:
                distance = abs(value - limit) / max(1.0, abs(limit))
                yield 1 + distance / (1 + distance)
            else:
                yield 2.0


def _said(goal: Condition, row: Row, failure: Failure) -> str:
    """Say what a figure is, and what it has to be."""
    if failure.unknown:
        return failure.text
    value = row.figures[goal.figure.text]
    known = value if isinstance(value, float) else math.inf  # which rows have as null
    return f"{goal.figure.text} is {goal.written(known)}, and has to be {_wanted(goal)}"


def opposite(condition: Condition) -> Condition:
    """Return the condition that holds where another does not.

    >>> opposite(conditions_of("queue:b.allocated.cpu<=20")[0]).text
    'queue:b.allocated.cpu>20'
    """
    [found] = conditions_of(f"{condition.figure.text}{_OPPOSITES[condition.sign]}{condition.limit or 0}")
    return found


def _wanted(goal: Condition) -> str:
    """Say what a figure has to be.

    >>> _wanted(conditions_of("placed>=10")[0]), _wanted(conditions_of("evicted = base")[0])
    ('at least 10', 'base')
    """
    return f"{_WORDS[goal.sign]} {goal.limit or 0}".strip()


Method = Literal["exhaustive", "bisection", "optuna"]

SESSIONS: Final = 200
"""How many points are run at most, unless it is said how many."""


@dataclass(frozen=True, slots=True)
class TunePlan:
    """A plan that was read, with its snapshots.

    Attributes:
        plan: the snapshots, the space of changes and the figures; its conditions are the opposites of the goal.
        goal: what has to hold.
        cost: an expression over the parameters.
        monotone: the parameters of which it is claimed that dearer values reach the goal where cheaper ones do.
        method: how to search; None leaves it to the size of the space and to the claims.
        points: how many points are run at most.
        seed: what is drawn by chance is drawn with it.
    """

    plan: Plan
    goal: Goal
    cost: Constraint
    monotone: frozenset[str] = frozenset()
    method: Method | None = None
    points: int = SESSIONS
    seed: int = 0

    def cost_of(self, values: Mapping[str, Value]) -> float:
        """Return what a change costs.

        Raises:
            NoValueError: the expression is no number for it.
        """
        value = self.cost.value(values)
        if isinstance(value, str):
            raise NoValueError(f"{self.cost.text} is no number")
        return float(value)
