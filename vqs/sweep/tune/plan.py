"""A plan to tune: a space of changes as that of a sweep, the goal that one has to reach, and what each costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from vqs.sweep.constraints import Constraint, NoValueError
from vqs.sweep.domains import Value
from vqs.sweep.plan import Plan
from vqs.sweep.tune.goal import Goal

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
