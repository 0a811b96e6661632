"""From a candidate that reaches the goal to cheaper ones: one parameter after another, until no step is left to take.

Along a parameter, the cheapest end is tried first, then by halving. That finds a value that reaches the goal, whose
next cheaper one does not: both are run. Where a parameter is monotone, it is the cheapest value there is.
"""

from __future__ import annotations

from collections.abc import Iterator

from vqs.sweep.tune.candidates import Candidate, Candidates
from vqs.sweep.tune.trials import Trials


def descend(trials: Trials, start: Candidate) -> Candidate:
    """Return a candidate that reaches the goal, and none does that is cheaper by one step of one parameter.

    Args:
        trials: runs the sessions.
        start: one that reaches the goal.

    Raises:
        BudgetExhausted: no more may be tried.
    """
    found, before = start, None
    while found != before:
        before = found
        for parameter in range(len(found.indexes)):
            found = _along(trials, found, parameter)
        found = next((each for each in cheaper_neighbours(trials.candidates, found) if trials.of(each).reaches), found)
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


def _along(trials: Trials, start: Candidate, parameter: int) -> Candidate:
    """Return the cheapest candidate that halving finds along a parameter whose values have an order."""
    candidates = trials.candidates
    if not candidates.tune.plan.parameters[parameter].domain.is_numeric:
        return start
    found = start
    for end in (0, candidates.sizes[parameter] - 1):
        found = _towards(trials, found, parameter, end)
    return found


def _towards(trials: Trials, start: Candidate, parameter: int, end: int) -> Candidate:
    """Halve the way to an end of a parameter, if that is cheaper, to where the goal is only just reached."""
    upper, lower = start, trials.candidates.at(*_with(start, parameter, end))
    if lower is None or lower.cost >= upper.cost:
        return start
    if trials.of(lower).reaches:
        return lower
    lower = _nearest_failing(trials, start, parameter, lower)
    while abs(upper.indexes[parameter] - lower.indexes[parameter]) > 1:
        middle = trials.candidates.at(
            *_with(start, parameter, (upper.indexes[parameter] + lower.indexes[parameter]) // 2)
        )
        if middle is None or not lower.cost <= middle.cost <= upper.cost:
            return upper  # constraints or costs do not follow the parameter
        if trials.of(middle).reaches:
            upper = middle
        else:
            lower = middle
    return upper


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
