"""All candidates in the order of their costs: the first that reaches the goal is the cheapest, whatever the goal."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from vqs.sweep.tune.candidates import Candidate
from vqs.sweep.tune.trials import Trials

_TOGETHER: Final = 8
"""How many candidates are run together: as many on each engine, so that each does the same."""


def search(trials: Trials, candidates: Sequence[Candidate]) -> None:
    """Try candidates until one reaches the goal.

    Args:
        trials: runs them.
        candidates: the cheapest first.

    Raises:
        BudgetExhausted: no more may be tried.
    """
    for start in range(0, len(candidates), _TOGETHER):
        if any(each.reaches for each in trials.of_all(candidates[start : start + _TOGETHER])):
            return


def untried(trials: Trials, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates that were not tried although they are cheaper than the answer, if there is one.

    Args:
        trials: what was tried.
        candidates: the cheapest first.
    """
    answer = trials.answer
    cheaper = takewhile(lambda each: answer is None or each.cost < answer.candidate.cost, candidates)
    return [each for each in cheaper if trials.known(each) is None]
