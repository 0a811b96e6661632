"""A plan to tune: a space of changes as that of a sweep, the goal that one has to reach, and what each costs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, Final, Literal

from vqs.diff.conditions import Condition
from vqs.releases.profile import ANY_RELEASE, ReleaseChoice
from vqs.snapshot.reading.diagnostics import did_you_mean, one_of
from vqs.snapshot.reading.documents import ProgressCallback
from vqs.sweep.constraints import Constraint, ExpressionError, NoValueError, parse_constraint
from vqs.sweep.domains import Value, written
from vqs.sweep.figures import conditions_of
from vqs.sweep.outcome import Row
from vqs.sweep.plan import Parameter, Plan
from vqs.sweep.read import PlanReader, read_plan

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
        # Each holds where a condition does not.
        self.opposites = tuple(
            conditions_of(f"{each.figure.text}{_OPPOSITES[each.sign]}{each.limit or 0}")[0] for each in conditions
        )
        self._of_opposite = {each.text: goal for each, goal in zip(self.opposites, self.conditions, strict=True)}

    def unmet(self, row: Row) -> list[str]:
        """Return what of the goal a point does not reach, in words; nothing where it reaches all."""
        if row.error is not None:
            return [row.error.message]
        told = []
        for failure in row.failures:
            if failure.unknown:
                told.append(failure.text)
                continue
            goal = self._of_opposite[failure.condition]
            value = row.figures[goal.figure.text]
            known = value if isinstance(value, float) else math.inf  # which rows have as null
            wanted = f"{_WORDS[goal.sign]} {goal.limit or 0}".strip()
            told.append(f"{goal.figure.text} is {goal.written(known)}, and has to be {wanted}")
        return told

    def shortfall(self, row: Row) -> float:
        """Return how far a point is from the goal, 0 where it reaches it: by conditions, and by how near they are.

        Each condition that is not met counts from 1 to 2.
        """
        if row.error is not None:
            return _WORST * len(self.conditions)
        distances = []
        for failure in row.failures:
            goal = self._of_opposite[failure.condition]
            value, limit = row.figures[goal.figure.text], goal.value
            if isinstance(value, float) and limit is not None:
                distance = abs(value - limit) / max(1.0, abs(limit))
                distances.append(1 + distance / (1 + distance))
            else:
                distances.append(2.0)
        return sum(distances)


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


TUNE: Final = "Tune"


def read_tune(
    path: str,
    *,
    on: Sequence[str] = (),
    release: ReleaseChoice = ANY_RELEASE,
    stdin: BinaryIO | None = None,
    progress: ProgressCallback | None = None,
) -> TunePlan:
    """Read a plan to tune and its snapshots.

    Args:
        path: the file of the plan.
        on: the files and folders of a snapshot, in place of those of the plan.
        release: the release of Volcano that was asked for beside the plan, and behaviours that are switched.
        stdin: what ``-`` stands for.
        progress: called now and then with how far reading is.

    Raises:
        InputErrors: something cannot be used; it holds everything that is wrong with the plan, or with its snapshots.
    """
    aim = _Aim()
    plan = read_plan(path, kind=TUNE, on=on, release=release, stdin=stdin, progress=progress, beside=aim.read)
    figures = {each.text: each for each in (*(goal.figure for goal in aim.goal.conditions), *plan.figures)}
    return TunePlan(
        plan=replace(plan, figures=tuple(figures.values()), fail_on=aim.goal.opposites),
        goal=aim.goal,
        cost=aim.cost,
        monotone=frozenset(plan.value.get("monotone", ())),
        method=plan.value.get("method"),
        points=plan.value.get("sessions", SESSIONS),
        seed=plan.value.get("seed", 0),
    )


class _Aim:
    """What a plan to tune has beside that of a sweep."""

    goal = Goal(())
    cost = parse_constraint("0", ())

    def read(self, reader: PlanReader, parameters: Sequence[Parameter]) -> None:
        """Read it; what is wrong with it becomes problems of the reader."""
        self.goal = Goal(reader.conditions("goal"))
        if not self.goal.conditions and not reader.problems.has_errors:
            reader.problems.add(reader.origin.diagnostic("missing-value", "the goal has no condition", ("goal",)))
        self._reader, self._parameters = reader, {each.name: each for each in parameters}
        for index, name in enumerate(reader.value.get("monotone", ())):
            if name not in reader.names:
                reader.unknown(name, ("monotone", index))
        cost = reader.value["cost"]
        text = cost if isinstance(cost, str) else " + ".join(self._terms(cost)) or "0"
        try:
            self.cost = parse_constraint(text, reader.names)
        except ExpressionError as error:
            self._wrong("invalid-constraint", f"{error}: {text}", ("cost",), error.hint)

    def _terms(self, costs: Mapping[str, Any]) -> Iterator[str]:
        """Yield the terms of costs for each parameter: by number, or by the names of values."""
        for name, cost in costs.items():
            parameter = self._parameters.get(name)
            if name not in self._reader.names:
                self._reader.unknown(name, ("cost", name), is_key=True)
            elif parameter is None:
                continue  # what is wrong with it is said there
            elif isinstance(cost, Mapping):
                domain = parameter.domain
                values = {written(each): each for each in map(domain.at, range(min(domain.number or 0, _MOST_NAMED)))}
                for value, part in cost.items():
                    if value in values:
                        yield f"{part} * ({name} == {values[value]!r})"
                        continue
                    hint = did_you_mean(value, values) or f"there are {one_of(list(values))}"
                    path = ("cost", name, value)
                    self._wrong("unknown-key", f"{name} has no value {value!r}", path, hint, is_key=True)
            elif parameter.domain.is_numeric:
                yield f"{cost} * {name}"
            else:
                hint = f"write cost: {{{name}: {{VALUE: COST}}}}"
                self._wrong("invalid-value", f"{name} has no numbers: each value has a cost", ("cost", name), hint)

    def _wrong(
        self, code: str, message: str, path: tuple[str | int, ...], hint: str = "", *, is_key: bool = False
    ) -> None:
        origin = self._reader.origin
        report = origin.key_diagnostic if is_key else origin.diagnostic
        self._reader.problems.add(report(code, message, path, hint=hint))


_MOST_NAMED: Final = 100
"""How many values of a parameter may have a cost of their own."""
