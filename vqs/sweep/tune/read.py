"""Reading a plan to tune: that of a sweep, with a goal and costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, BinaryIO, Final

from vqs.releases.choice import ANY_RELEASE, ReleaseChoice
from vqs.snapshot.reading.diagnostics import did_you_mean, one_of
from vqs.snapshot.reading.documents import ProgressCallback
from vqs.sweep.constraints import Constraint, ExpressionError, parse_constraint
from vqs.sweep.domains import written
from vqs.sweep.plan import Parameter
from vqs.sweep.read import PlanReader, read_plan
from vqs.sweep.tune.plan import SESSIONS, Goal, TunePlan

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
        self.cost = self._expression(text) or self.cost

    def _expression(self, text: str) -> Constraint | None:
        try:
            return parse_constraint(text, self._reader.names)
        except ExpressionError as error:
            self._wrong("invalid-constraint", f"{error}: {text}", ("cost",), error.hint)
            return None

    def _terms(self, costs: Mapping[str, Any]) -> Iterator[str]:
        """Yield the terms of costs for each parameter: by number, or by the names of values."""
        for name, cost in costs.items():
            parameter = self._parameters.get(name)
            if name not in self._reader.names:
                self._reader.unknown(name, ("cost", name), is_key=True)
            elif parameter is None:
                continue  # what is wrong with it is said there
            elif isinstance(cost, Mapping):
                yield from self._of_values(parameter, cost)
            elif parameter.domain.is_numeric:
                yield f"{cost} * {name}"
            else:
                hint = f"write cost: {{{name}: {{VALUE: COST}}}}"
                self._wrong("invalid-value", f"{name} has no numbers: each value has a cost", ("cost", name), hint)

    def _of_values(self, parameter: Parameter, costs: Mapping[str, Any]) -> Iterator[str]:
        domain = parameter.domain
        values = {written(each): each for each in map(domain.at, range(min(domain.number or 0, _MOST_NAMED)))}
        for value, cost in costs.items():
            if value not in values:
                hint = did_you_mean(value, values) or f"there are {one_of(list(values))}"
                message = f"{parameter.name} has no value {value!r}"
                self._wrong("unknown-key", message, ("cost", parameter.name, value), hint, is_key=True)
            else:
                yield f"{cost} * ({parameter.name} == {values[value]!r})"

    def _wrong(
        self, code: str, message: str, path: tuple[str | int, ...], hint: str = "", *, is_key: bool = False
    ) -> None:
        origin = self._reader.origin
        report = origin.key_diagnostic if is_key else origin.diagnostic
        self._reader.problems.add(report(code, message, path, hint=hint))


_MOST_NAMED: Final = 100
"""How many values of a parameter may have a cost of their own."""
