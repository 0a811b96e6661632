"""Finding the cheapest change that reaches a goal, and saying what is known after the search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from importlib import import_module
from types import TracebackType
from typing import Final

import msgspec

from vqs.explain.narrowing import BudgetExhausted
from vqs.model.wording import count
from vqs.sweep.domains import written
from vqs.sweep.engines import Engine
from vqs.sweep.evaluate import edit_text
from vqs.sweep.journal import Journal
from vqs.sweep.outcome import Row
from vqs.sweep.run import Advance, figure_info, parameter_info, replay_info, snapshot_info
from vqs.sweep.space import Point, baseline_of
from vqs.sweep.tune.candidates import Candidates, Trial, Trials
from vqs.sweep.tune.methods import bisect, cheaper_neighbours, ends, run_in_order, untried
from vqs.sweep.tune.outcome import Change, Proof, Tune
from vqs.sweep.tune.plan import Method, TunePlan

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
            self._ends = ends(self.candidates)
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
        """Search, and return what was found."""
        with Points(engine, journal, progress, self.tune.points) as points:
            before = sorted(points.rows(baseline_of(self.tune.plan)), key=lambda row: -row.number)
            trials = Trials(self.candidates, self.tune.goal, points.rows)
            is_refuted = False
            with suppress(BudgetExhausted):
                is_refuted = self._search(trials)
                # Run all that could still be cheaper, if no claim excludes it and there are sessions enough for it.
                listed = self.candidates.listed
                if listed is not None and (self.method != "bisection" or is_refuted):
                    left = untried(trials, listed)
                    if len(left) <= trials.left:
                        run_in_order(trials, left)
        return Answer(self.method, trials, before, is_refuted=is_refuted).document()

    def _search(self, trials: Trials) -> bool:
        """Search as the method says; return whether a claim is seen to be wrong."""
        match self.method:
            case "exhaustive":
                run_in_order(trials, self.candidates.listed or [])
            case "bisection" if self._ends is not None:
                return bisect(trials, *self._ends)
            case _:
                import_module("vqs.sweep.tune.drawn").search(trials)
        return False


class Points(AbstractContextManager["Points"]):
    """Runs points that a journal does not have; the engine is started for the first of them."""

    def __init__(self, engine: Engine, journal: Journal | None, progress: Advance | None, most: int) -> None:
        self._engine = engine
        self._journal = journal
        self._progress = progress
        self._most = most
        self._done = 0
        self._stack = ExitStack()
        self._started = False

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def rows(self, points: Sequence[Point]) -> Iterator[Row]:
        """Yield the rows of points."""
        known = {} if self._journal is None else self._journal.rows
        yield from (known[point.number] for point in points if point.number in known)
        missing = [point for point in points if point.number not in known]
        if missing and not self._started:
            self._stack.enter_context(self._engine)
            self._started = True
        for row in self._engine.rows(missing) if missing else ():
            if self._journal is not None:
                self._journal.add(row)
            yield row
            if row.number > 0 and self._progress is not None:
                self._done += 1
                self._progress(self._done, self._most)


class Answer:
    """What is known after a search."""

    def __init__(self, method: Method, trials: Trials, before: Sequence[Row], *, is_refuted: bool) -> None:
        self._method: Method = method
        self._trials = trials
        self._before = before
        self._is_needless = not any(trials.candidates.tune.goal.shortfall(row) for row in before)
        self._candidates = trials.candidates
        self._tune = trials.candidates.tune
        self._listed = trials.candidates.listed
        self._failed = [each for each in trials.all if any(row.error is not None for row in each.rows)]
        self._is_claimed = method == "bisection" and not is_refuted and not self._failed
        self._is_refuted = is_refuted
        self._answer = trials.answer
        # What came of the next cheaper changes, the dearest first.
        self._cheaper: list[Trial] = []
        if self._answer is not None:
            neighbours = [*cheaper_neighbours(self._candidates, self._answer.candidate)]
            if self._listed is not None and len(self._candidates.sizes) > 1:
                cheaper = [each for each in self._listed if each.cost < self._answer.candidate.cost]
                neighbours += cheaper[-1:]
            known = {each.indexes: trials.known(each) for each in neighbours}
            found = (trial for trial in known.values() if trial is not None)
            self._cheaper += sorted(found, key=lambda each: each.candidate.order, reverse=True)

    def document(self) -> Tune:
        """Return the result."""
        tune, trials = self._tune, self._trials
        plan = tune.plan
        needless = "No change is needed: the goal is reached without one. " if self._is_needless else ""
        return Tune(
            name=plan.name,
            plan=plan.origin.document.source.name,
            bases=[snapshot_info(each) for each in plan.bases],
            parameters=[parameter_info(each) for each in plan.parameters],
            figures=[figure_info(each) for each in plan.figures],
            goal=[each.text for each in tune.goal.conditions],
            cost=tune.cost.text,
            method=self._method,
            changes=None if self._listed is None else len(self._listed),
            points=trials.points,
            sessions=tune.points,
            assume_admitted=plan.assume_admitted,
            replay=replay_info(plan.replaying),
            answer=f"{needless}{self._found()}",
            proof=self._proof(),
            notes=[*self._notes()],
            baseline=[msgspec.structs.replace(each, failures=[]) for each in self._before],
            baseline_reaches_goal=self._is_needless,
            change=None if self._answer is None else self._change(self._answer),
            nearest=self._change(trials.best) if self._answer is None and trials.best else None,
            cheaper=[self._change(each) for each in self._cheaper],
            tried=[self._change(each) for each in sorted(trials.all, key=lambda each: each.candidate.order)],
        )

    def _proof(self) -> Proof:
        if self._listed is not None and not untried(self._trials, self._listed):
            return "all"
        if self._answer is None:
            return "monotone" if self._is_claimed and self._trials.left > 0 else "none"
        neighbours = cheaper_neighbours(self._candidates, self._answer.candidate)
        if any(self._trials.known(each) is None for each in neighbours):
            return "none"
        return "monotone" if self._is_claimed else "steps"

    def _change(self, trial: Trial) -> Change:
        candidate = trial.candidate
        edits = self._candidates.points(candidate)[0].edits
        goal, are_several = self._tune.goal, len(self._tune.plan.bases) > 1
        lacks = ((f"on {row.base}: " if are_several else "") + said for row in trial.rows for said in goal.unmet(row))
        return Change(
            parameters=dict(candidate.values),
            edits=[*map(edit_text, edits)],
            cost=candidate.cost,
            reaches_goal=trial.reaches,
            unmet=list(dict.fromkeys(lacks)),
            rows=[msgspec.structs.replace(each, failures=[]) for each in trial.rows],
        )

    # --- words --------------------------------------------------------------------------------------------------------

    def _found(self) -> str:
        if self._answer is not None:
            what = (
                "The cheapest change" if self._proof() in ("all", "monotone") else "The cheapest change that was found"
            )
            return f"{what} that reaches the goal is {called(self._answer)}."
        best = self._trials.best
        nearest = f" The nearest is {called(best)}." if best is not None else ""
        if self._proof() == "none":
            return f"No change was found that reaches the goal.{nearest}"
        return f"No change within these bounds reaches the goal.{nearest}"

    def _notes(self) -> Iterator[str]:
        which = "change" if self._answer is None else "cheaper change"
        match self._proof():
            case "all":
                yield f"Every {which} was run, and none reaches the goal."
            case "monotone":
                [parameter] = self._tune.plan.parameters
                yield (
                    f"Not every {which} was run. That the others do not reach the goal rests on the plan's claim that "
                    f"dearer values of {parameter.name} reach it where cheaper ones do. Both ends agree with it."
                )
            case "steps":
                yield (
                    "Changes that are cheaper by one step of one parameter were run, and none reaches the goal. There "
                    "may be a cheaper one further away."
                )
            case "none" if self._trials.left <= 0:
                yield "The sessions that the plan allows were spent before more was known."
            case "none":
                yield f"Not every {which} was run."
        messages = [row.error.message for each in self._failed for row in each.rows if row.error is not None]
        if messages:
            run = f"{len(self._failed):,} of {count(len(self._trials.all), 'change')}"
            yield f"{run} could not be run, and count as not reaching the goal: {messages[0]}"
        if self._is_refuted:
            yield "The plan claims that dearer values reach the goal where cheaper ones do: that is not so."


def called(trial: Trial) -> str:
    """Name a change by the values of its parameters, and what it costs."""
    values = ", ".join(f"{name}={written(value)}" for name, value in trial.candidate.values.items())
    return f"{values} at a cost of {trial.candidate.cost:,.10g}"
