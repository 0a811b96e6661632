"""One parameter, of which it is claimed that dearer values reach the goal where cheaper ones do, is halved.

The claim is looked at with sessions at both ends, and at some values between them where neither end reaches the goal.
What halving rests on otherwise is said with the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from vqs.sweep.tune.candidates import Candidate, Candidates
from vqs.sweep.tune.descent import descend
from vqs.sweep.tune.trials import Trials

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


def search(trials: Trials, cheapest: Candidate, dearest: Candidate) -> bool:
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
