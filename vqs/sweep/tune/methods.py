"""How candidates are chosen: all in the order of their costs, by halving one parameter, or by steps to cheaper ones.

In the order of costs, the first that reaches the goal is the cheapest, whatever the goal. Halving is for one parameter
of which it is claimed that dearer values reach the goal where cheaper ones do. The claim is looked at with sessions at
both ends, and at some values between them where neither end reaches the goal.

From a candidate that reaches the goal, one parameter after another is made cheaper, until no step is left to take.
Along a parameter, the cheapest end is tried first, then by halving. That finds a value that reaches the goal, whose
next cheaper one does not: both are run. Where a parameter is monotone, it is the cheapest value there is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import takewhile
from typing import Final

from vqs.explain.narrowing import Bracket
from vqs.sweep.tune.candidates import Candidate, Candidates, Trials

TOGETHER: Final = 8
"""How many candidates are run together: as many on each engine, so that each does the same."""


def run_in_order(trials: Trials, candidates: Sequence[Candidate]) -> None:
    """Try candidates until one reaches the goal.

    Raises:
        BudgetExhausted: no more may be tried.
    """
    for start in range(0, len(candidates), TOGETHER):
        if any(each.reaches for each in trials.of_all(candidates[start : start + TOGETHER])):
            return


def untried(trials: Trials, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates that were not tried although they are cheaper than the answer, if there is one."""
    answer = trials.answer
    cheaper = takewhile(lambda each: answer is None or each.cost < answer.candidate.cost, candidates)
    return [each for each in cheaper if trials.known(each) is None]


_LOOKS: Final = 7
"""At how many values between the ends it is looked whether the goal is reached although it is at neither."""
_SAMPLED: Final = 1_000
"""At how many values, evenly spaced, it is looked whether costs rise along the parameter."""


def ends(candidates: Candidates) -> tuple[Candidate, Candidate] | None:
    """Return the cheapest and the dearest value; None where costs go up and down, or constraints leave gaps."""
    [size] = candidates.sizes
    sampled = [candidates.at(index) for index in _spaced(size, _SAMPLED)]
    costs = [each.cost for each in sampled if each is not None]
    first, last = sampled[0], sampled[-1]
    if first is None or last is None or len(costs) < len(sampled):
        return None
    if costs == sorted(set(costs)):
        return first, last
    return (last, first) if costs[::-1] == sorted(set(costs)) else None


def bisect(trials: Trials, cheapest: Candidate, dearest: Candidate) -> bool:
    """Try the ends, then halve what is between them; return whether the claim is seen to be wrong.

    Raises:
        BudgetExhausted: no more may be tried.
    """
    low, high = trials.of_all([cheapest, dearest])
    if low.reaches:
        return not high.reaches
    if high.reaches:
        descend(trials, dearest)
        return False
    between = [trials.candidates.at(index) for index in _spaced(trials.candidates.sizes[0], _LOOKS + 2)]
    reached = [each for each in trials.of_all([each for each in between if each is not None]) if each.reaches]
    if reached:
        descend(trials, min(reached, key=lambda each: each.order).candidate)
    return bool(reached)


def _spaced(size: int, number: int) -> Sequence[int]:
    """Return indexes from the first to the last, evenly spaced, at most as many as asked for.

    >>> _spaced(3, 9), _spaced(101, 3)
    ([0, 1, 2], [0, 50, 100])
    """
    if size <= number:
        return [*range(size)]
    return [index * (size - 1) // (number - 1) for index in range(number)]


def descend(trials: Trials, start: Candidate) -> Candidate:
    """Return a candidate that reaches the goal, and none does that is cheaper by one step of one parameter.

    Raises:
        BudgetExhausted: no more may be tried.
    """
    found, before = start, None
    candidates = trials.candidates
    while found != before:
        before = found
        for parameter in range(len(found.indexes)):
            # Halving needs values that have an order.
            if candidates.tune.plan.parameters[parameter].domain.is_numeric:
                for end in (0, candidates.sizes[parameter] - 1):
                    found = _towards(trials, found, parameter, end)
        found = next((each for each in cheaper_neighbours(candidates, found) if trials.of(each).reaches), found)
    return found


def cheaper_neighbours(candidates: Candidates, of: Candidate) -> Iterator[Candidate]:
    """Yield the candidates that are cheaper by one step of one parameter; of a parameter with options, by any other."""
    for parameter, size in enumerate(candidates.sizes):
        index = of.indexes[parameter]
        has_order = candidates.tune.plan.parameters[parameter].domain.is_numeric
        for other in (index - 1, index + 1) if has_order else range(size):
            if 0 <= other < size and other != index:
                neighbour = candidates.at(*_with(of, parameter, other))
                if neighbour is not None and neighbour.cost < of.cost:
                    yield neighbour


def _towards(trials: Trials, start: Candidate, parameter: int, end: int) -> Candidate:
    """Halve the way to an end of a parameter, if that is cheaper, to where the goal is only just reached."""
    lower = trials.candidates.at(*_with(start, parameter, end))
    if lower is None or lower.cost >= start.cost:
        return start
    if trials.of(lower).reaches:
        return lower
    lower = _nearest_failing(trials, start, parameter, lower)
    tried = {each.indexes[parameter]: each for each in (lower, start)}
    way = Bracket(fails=lower.indexes[parameter], works=start.indexes[parameter])

    def reaches(index: int) -> bool:
        middle = trials.candidates.at(*_with(start, parameter, index))
        if middle is None or not tried[way.fails].cost <= middle.cost <= tried[way.works].cost:
            raise _NoOrderError
        tried[index] = middle
        return trials.of(middle).reaches

    with suppress(_NoOrderError):
        way.narrow(reaches)
    return tried[way.works]


class _NoOrderError(Exception):
    """Constraints or costs do not follow a parameter."""


def _nearest_failing(trials: Trials, start: Candidate, parameter: int, end: Candidate) -> Candidate:
    """Return what was tried on the way to an end and does not reach the goal, next to where the way starts."""
    at = start.indexes[parameter]
    way = sorted((at, end.indexes[parameter]))
    failing = (
        each.candidate
        for each in trials.all
        if not each.reaches
        and way[0] <= each.candidate.indexes[parameter] <= way[1]
        and _with(each.candidate, parameter, at) == start.indexes
    )
    return min(failing, key=lambda each: abs(each.indexes[parameter] - at), default=end)


def _with(of: Candidate, parameter: int, index: int) -> tuple[int, ...]:
    return (*of.indexes[:parameter], index, *of.indexes[parameter + 1 :])
