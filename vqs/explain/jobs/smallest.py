"""The search for the smallest step of a parameter with which a job is placed: by doubling, then by halving.

Nothing is taken for granted but what was run: the step that is returned places the job, and the one below does not.
"""

from __future__ import annotations

from dataclasses import dataclass

from vqs.explain.jobs.parameter import Parameter
from vqs.explain.jobs.trials import BudgetExhausted, Progress, Trial, Trials

_FURTHER = 2
"""How often a step is doubled though the largest one does not help: more is not always better."""


@dataclass(frozen=True, slots=True)
class Search:
    """What a search found.

    Attributes:
        step: the smallest step found that helps; None where none does.
        below: the largest one known not to that is smaller; next to it unless sessions ran out.
        trial: the session with `step`; where none helps, with the largest one that was tried.
        tried: the largest step that was tried.
    """

    step: int | None
    below: int
    trial: Trial | None
    tried: int


class _Ladder:
    """The steps of a parameter, and what is known of each."""

    def __init__(self, parameter: Parameter, trials: Trials, base: Trial, most: int) -> None:
        self.parameter = parameter
        self.trials = trials
        self.known = {0: base}
        self.left = most

    def reaches(self, step: int, goal: Progress) -> bool:
        """Tell whether a step helps; run a session to find out."""
        if step not in self.known:
            if not self.left:
                raise BudgetExhausted
            trial = self.trials.run(self.parameter.edits(step))
            self.left -= 1
            self.known[step] = trial
        return self.known[step].progress >= goal


def smallest_step(parameter: Parameter, trials: Trials, base: Trial, most: int) -> Search:
    """Find the smallest step of a parameter that places a job, else the smallest that gets it pipelined.

    Args:
        parameter: what is changed.
        trials: runs the sessions.
        base: what comes of no step at all.
        most: how many sessions may be run.
    """
    ladder = _Ladder(parameter, trials, base, most)
    for goal in (Progress.PLACED, Progress.PIPELINED):
        if goal > base.progress:
            _look(ladder, goal)
            if any(trial.progress >= goal for trial in ladder.known.values()):
                return _found(ladder, goal)
    tried = max(ladder.known)
    return Search(None, tried, ladder.known[tried] if tried else None, tried)


def _found(ladder: _Ladder, goal: Progress) -> Search:
    step = min(step for step, trial in ladder.known.items() if trial.progress >= goal)
    below = max(each for each in ladder.known if each < step)
    return Search(step, below, ladder.known[step], max(ladder.known))


def _look(ladder: _Ladder, goal: Progress) -> None:
    """Run sessions until it is known which step helps and which one below it does not, or none may be run any more."""
    try:
        upper = _enough(ladder, goal)
        if upper is None:
            return
        lower = max((step for step in ladder.known if step < upper), default=0)
        if upper > 1 and ladder.parameter.guess == upper and not ladder.reaches(upper - 1, goal):
            return  # the first guess was right
        upper = min(step for step, trial in ladder.known.items() if trial.progress >= goal)
        while upper - lower > 1:
            middle = (lower + upper) // 2
            if ladder.reaches(middle, goal):
                upper = middle
            else:
                lower = middle
    except BudgetExhausted:
        pass


def _enough(ladder: _Ladder, goal: Progress) -> int | None:
    """Return a step that helps: the guess, or a multiple of it."""
    parameter = ladder.parameter
    step = min(max(parameter.guess, 1), parameter.most)
    if ladder.reaches(step, goal):
        return step
    helps = ladder.reaches(parameter.most, goal)
    further = 0
    while (step := step * 2) < parameter.most and (helps or further < _FURTHER):
        if ladder.reaches(step, goal):
            return step
        further += 1
    return parameter.most if helps else None
