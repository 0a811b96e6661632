"""Edits that can be made at no point: a mistake in the plan, which is said once, and before anything is run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from vqs.snapshot.diagnostics import Diagnostic, InputErrors, Path
from vqs.sweep.domains import Domain, Edit, Value, Values
from vqs.sweep.evaluate import Evaluator
from vqs.sweep.plan import Parameter, Plan
from vqs.sweep.space import Point

_MOST: Final = 16
"""How many numbers of a range are tried at most, evenly spaced; and how many combinations with other parameters."""
_MOST_LISTED: Final = 100
"""A list of more values than these is not looked at: one of them may be the only one that can be made."""


def check_edits(plan: Plan, evaluator: Evaluator) -> None:
    """Refuse parameters of which no value can be made, be it alone or together with the others.

    Raises:
        InputErrors: there are some.
    """
    problems = [problem for each in plan.parameters for problem in _problem(plan, each, evaluator)]
    if problems:
        raise InputErrors(problems)


def _problem(plan: Plan, parameter: Parameter, evaluator: Evaluator) -> Iterator[Diagnostic]:
    """Yield the error of a parameter of which no value can be made, at the place of the edit."""
    values = _some(parameter.domain)
    tried = (edits for value in values for edits in _combined(plan, parameter, value))
    if not values or any(_refusal(plan, evaluator, edits) is None for edits in tried):
        return
    edits = parameter.edits_of(values[0])
    for number in range(1, len(edits) + 1):
        refusal = _refusal(plan, evaluator, edits[:number])
        if refusal is not None:
            path = _place(plan, parameter, values[0], number - 1)
            yield plan.origin.diagnostic(refusal.code, refusal.message, path, hint=refusal.help)
            return


def _some(domain: Domain) -> Sequence[Value]:
    """Return values to try; none where they cannot stand for the others."""
    number = domain.number
    if number is None:
        return [domain.part(place / _MOST) for place in range(_MOST)]
    if isinstance(domain, Values):
        return [domain.at(index) for index in range(number)] if number <= _MOST_LISTED else []
    shown = min(number, _MOST)
    return [domain.at(place * (number - 1) // max(shown - 1, 1)) for place in range(shown)]


def _combined(plan: Plan, parameter: Parameter, value: Value) -> Iterator[list[Edit]]:
    """Yield the edits of a value: alone, then with those of values of the other parameters, which may be needed."""
    yield parameter.edits_of(value)
    others = {each.name: _some(each.domain) for each in plan.parameters if each is not parameter}
    for place in range(min(max((len(some) for some in others.values()), default=0), _MOST)):
        values = {name: some[place % len(some)] for name, some in others.items() if some}
        values[parameter.name] = value
        yield [edit for each in plan.parameters if each.name in values for edit in each.edits_of(values[each.name])]


def _refusal(plan: Plan, evaluator: Evaluator, edits: Sequence[Edit]) -> Diagnostic | None:
    """Return why edits cannot be made; None where they can be, in one of the snapshots."""
    found = None
    for base in range(len(plan.bases)):
        try:
            evaluator.edited(Point(0, base, plan.releases[0], plan.seeds[0], {}, tuple(edits)))
        except InputErrors as errors:
            found = found or next(each for each in errors.diagnostics if each.severity == "error")
        else:
            return None
    return found


def _place(plan: Plan, parameter: Parameter, value: Value, number: int) -> Path:
    """Return where in the plan an edit of a value stands."""
    given = plan.value["parameters"][parameter.name]
    path: Path = ("parameters", parameter.name, *(("edit",) if "edit" in given else ("options", str(value))))
    written = given["edit"] if "edit" in given else given["options"][str(value)]
    return path if isinstance(written, str) else (*path, number)
