"""Finding the cheapest change that reaches a goal."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from typing import Final

from vqs.sweep.engines import Engine
from vqs.sweep.journal import Journal
from vqs.sweep.run import Advance
from vqs.sweep.tune import bisection, exhaustive
from vqs.sweep.tune.answer import Answer
from vqs.sweep.tune.candidates import Candidates
from vqs.sweep.tune.outcome import Tune
from vqs.sweep.tune.plan import Method, TunePlan
from vqs.sweep.tune.points import Points
from vqs.sweep.tune.trials import BudgetExhausted, Trials

NEEDS_OPTUNA: Final = "optuna"
"""The method that needs a package beside vqs."""


class MethodError(Exception):
    """A plan cannot be searched as it says; the message says why."""


class Search:
    """The search that a plan asks for.

    Attributes:
        method: how candidates are chosen.
    """

    def __init__(self, tune: TunePlan) -> None:
        """Decide how to search.

        Raises:
            MethodError: the plan asks for what does not fit its parameters.
            SpaceError: there is no candidate, or one without a cost.
        """
        self.tune = tune
        self.candidates = Candidates(tune)
        self._ends = None
        if len(self.candidates.sizes) == 1 and tune.monotone:
            self._ends = bisection.ends(self.candidates)
        self.method: Method = tune.method or self._fitting()
        if self.method == "exhaustive" and self.candidates.listed is None:
            raise MethodError(f"there are {self.candidates.number:,} changes, too many to run all of them")
        if self.method == "bisection" and len(self.candidates.sizes) > 1:
            raise MethodError("bisection is for one parameter, and the plan has more")
        if self.method == "bisection" and not tune.monotone:
            [parameter] = tune.plan.parameters
            raise MethodError(f"bisection rests on a claim: add monotone: [{parameter.name}] if it holds")
        if self.method == "bisection" and self._ends is None:
            raise MethodError("bisection needs costs that rise, or fall, from each value to the next, without gaps")

    def _fitting(self) -> Method:
        if self._ends is not None:
            return "bisection"
        listed = self.candidates.listed
        affordable = self.tune.points // self.candidates.points_each
        return "optuna" if listed is None or len(listed) > affordable else "exhaustive"

    def run(self, engine: Engine, journal: Journal | None = None, progress: Advance | None = None) -> Tune:
        """Search, and return what was found.

        Args:
            engine: runs points.
            journal: keeps finished rows, and has those of before.
            progress: told how many points are done, and how many there are at most.
        """
        with Points(engine, journal, progress, self.tune.points) as points:
            before = sorted(points.rows(self.candidates.baseline), key=lambda row: -row.number)
            trials = Trials(self.candidates, self.tune.goal, points.rows)
            is_refuted = False
            with suppress(BudgetExhausted):
                is_refuted = self._search(trials)
                self._complete(trials, is_refuted=is_refuted)
        return Answer(self.method, trials, before, is_refuted=is_refuted).document()

    def _search(self, trials: Trials) -> bool:
        """Search as the method says; return whether a claim is seen to be wrong."""
        match self.method:
            case "exhaustive":
                exhaustive.search(trials, self.candidates.listed or [])
            case "bisection" if self._ends is not None:
                return bisection.search(trials, *self._ends)
            case _:
                import_module("vqs.sweep.tune.drawn").search(trials)
        return False

    def _complete(self, trials: Trials, *, is_refuted: bool) -> None:
        """Run all that could still be cheaper, if no claim excludes it and there are sessions enough for it."""
        listed = self.candidates.listed
        if listed is None or (self.method == "bisection" and not is_refuted):
            return
        left = exhaustive.untried(trials, listed)
        if len(left) <= trials.left:
            exhaustive.search(trials, left)
