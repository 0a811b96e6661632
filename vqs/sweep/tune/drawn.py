"""Candidates that Optuna proposes, learning from those that were tried; the best is then made cheaper step by step.

What Optuna draws depends on the seed of the plan and on what was tried before, which is the same on each engine: it is
asked for as many candidates at a time, whatever runs them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, IntDistribution

from vqs.sweep.tune.candidates import Candidates, Trials
from vqs.sweep.tune.methods import TOGETHER, descend

_SHARE: Final = 0.6
"""Which part of the sessions is spent on what Optuna proposes; the others make the best of that cheaper."""
_ASKS: Final = 3
"""How often Optuna is asked for each candidate that may be tried: it proposes some again, and some too dear ones."""


def search(trials: Trials) -> None:
    """Try what Optuna proposes, then make the cheapest that reaches the goal cheaper still.

    Raises:
        BudgetExhausted: no more may be tried.
    """
    study = _Study(trials.candidates)
    allowed = max(int(trials.left * _SHARE), 1)
    for _ in range(0, allowed * _ASKS, TOGETHER):
        if trials.left <= trials.candidates.tune.points // trials.candidates.points_each - allowed:
            break
        study.round(trials)
    before = None
    while (answer := trials.answer) is not None and answer is not before:
        before = answer
        descend(trials, answer.candidate)


class _Study:
    """A study of Optuna over the indexes of the parameters' values."""

    def __init__(self, candidates: Candidates) -> None:
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self._candidates = candidates
        self._study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=candidates.tune.seed))
        self._distributions = dict(_distributions(candidates))
        for index in (0, -1):
            ends = (size - 1 if index else 0 for size in candidates.sizes)
            self._study.enqueue_trial(dict(zip(self._distributions, ends, strict=True)))

    def round(self, trials: Trials) -> None:
        """Ask for some candidates, try those that could be better than the best, and tell what came of all."""
        asked = [self._study.ask(self._distributions) for _ in range(TOGETHER)]
        proposed = [self._candidates.at(*(each.params[name] for name in self._distributions)) for each in asked]
        answer = trials.answer
        tried = [each for each in proposed if each and (answer is None or each.order < answer.candidate.order)]
        trials.of_all(tried)
        for trial, candidate in zip(asked, proposed, strict=True):
            # Only the order of values counts, less being better.
            known = trials.known(candidate) if candidate else None
            if candidate is None:
                value = _EXCLUDED
            elif known is None or known.reaches:
                value = candidate.cost
            else:
                value = _FAILED + known.shortfall
            self._study.tell(trial, value)


_FAILED: Final = 1e12
_EXCLUDED: Final = 2e12


def _distributions(candidates: Candidates) -> Iterator[tuple[str, BaseDistribution]]:
    for parameter, size in zip(candidates.tune.plan.parameters, candidates.sizes, strict=True):
        has_order = parameter.domain.is_numeric
        yield parameter.name, IntDistribution(0, size - 1) if has_order else CategoricalDistribution(range(size))
