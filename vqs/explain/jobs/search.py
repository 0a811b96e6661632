"""The search for the changes that help a job, kind by kind: for each parameter, the smallest step that helps.

It is searched for by doubling, then by halving. Nothing is taken for granted but what was run: the step that is
returned helps, and the one below does not. Where the snapshot is large, all cores share the kinds; what is found, and
its order, is the same. There, a few steps of each are tried first, and the search goes on with those that are shown.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from vqs.explain.jobs.case import CAPABILITY, NODES, Parameter
from vqs.explain.jobs.parameters import PRIORITY
from vqs.explain.jobs.trials import Goal, Trial, Trials
from vqs.explain.narrowing import FAR, Bracket, BudgetExhausted
from vqs.processes import Processes

_FURTHER: Final = 2
"""How often a step is doubled though the largest one does not help: more is not always better."""

_COARSE: Final = 3
"""As many steps of a parameter are tried at first in a large snapshot."""

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Search:
    """What a search found.

    Attributes:
        step: the smallest step found that helps; None where none does.
        below: the largest one known not to that is smaller; next to it unless the search was cut short.
        trial: what comes of `step`; where none helps, of the largest one that was tried.
        tried: the largest step that was tried.
        trials: how many changes were tried.
        cut: whether the budget was exhausted before it was known which step is the smallest that helps.
    """

    step: int | None
    below: int
    trial: Trial | None
    tried: int
    trials: int = 0
    cut: bool = False

    @property
    def is_vague(self) -> bool:
        """True if a much smaller step may help: a fourth of it lies between it and one that is known not to."""
        return self.step is not None and 1 < self.step - self.below > self.step / FAR


_NOT_TRIED: Final = Search(None, 0, None, 0, cut=True)


class _Ladder:
    """The steps of a parameter, and what is known of each."""

    def __init__(self, parameter: Parameter, trials: Trials, base: Trial, most: int) -> None:
        self.parameter = parameter
        self.trials = trials
        self.known = {0: base}
        self.left = most
        self.cut = False

    def reaches(self, step: int, goal: Goal) -> bool:
        """Tell whether a step helps; run a session to find out."""
        if step not in self.known:
            if not self.left:
                raise BudgetExhausted
            try:
                self.known[step] = self.trials.run(self.parameter.edits(step))
            except BudgetExhausted:
                self.cut = True
                raise
            self.left -= 1
        return step > 0 and self.known[step].reaches(self.known[0]) >= goal

    def reaching(self, goal: Goal) -> list[int]:
        """The steps that are known to help."""
        return [step for step in self.known if self.reaches(step, goal)]


def smallest_step(parameter: Parameter, trials: Trials, base: Trial, most: int, *, coarse: bool = False) -> Search:
    """Find the smallest step of a parameter that starts a job, or with which no pod of it waits if it starts anyway.

    Failing that, it is the smallest with which more of its pods are bound.
    """
    ladder, before = _Ladder(parameter, trials, base, min(most, _COARSE) if coarse else most), trials.count
    for goal in (goal_for(base), Goal.MORE):
        with suppress(BudgetExhausted):
            _look(ladder, goal, coarse=coarse)
        if ladder.reaching(goal):
            return _found(ladder, goal, before)
    tried = max(ladder.known)
    return Search(None, tried, ladder.known[tried] if tried else None, tried, trials.count - before, ladder.cut)


def goal_for(base: Trial) -> Goal:
    """What a change has to bring about for a job of which this is what comes without any."""
    return Goal.ALL if base.starts else Goal.STARTS


def _found(ladder: _Ladder, goal: Goal, before: int) -> Search:
    """Return what was found once a step is known to help, given the number of trials before."""
    step = min(ladder.reaching(goal))
    below = max(each for each in ladder.known if each < step)
    return Search(step, below, ladder.known[step], max(ladder.known), ladder.trials.count - before, ladder.cut)


def _look(ladder: _Ladder, goal: Goal, *, coarse: bool) -> None:
    """Run sessions until it is known which step helps and, unless a few have to do, which one below it does not."""
    if _enough(ladder, goal) is None or coarse:
        return
    upper = min(ladder.reaching(goal))
    lower = max((step for step in ladder.known if step < upper), default=0)
    below = 1 if ladder.parameter.guess == upper else upper
    while upper - below > lower:  # the first guess may be right, or nearly so
        if not ladder.reaches(upper - below, goal):
            lower = upper - below
            break
        upper, below = upper - below, below * 2
    Bracket(lower, upper).narrow(lambda step: ladder.reaches(step, goal))


def _enough(ladder: _Ladder, goal: Goal) -> int | None:
    """Return a step that helps: the guess, or a multiple of it; the largest one tells whether it is worth going on.

    Where that does not help, half of the guess may: more for a queue can be less for the job.
    """
    parameter = ladder.parameter
    step = min(max(parameter.guess, 1), parameter.most)
    for each in dict.fromkeys((step, min(step * 2, parameter.most), parameter.most)):
        if ladder.reaches(each, goal) and each < parameter.most:
            return each
    helps, further = ladder.reaches(parameter.most, goal), 1
    if not helps and step > 1 and ladder.reaches(step // 2, goal):
        return step // 2
    step *= 2
    while (step := step * 2) < parameter.most and (helps or further < _FURTHER):
        if ladder.reaches(step, goal):
            return step
        further += 1
    return parameter.most if helps else None


# --- one kind after another -------------------------------------------------------------------------------------------


def searched(
    kinds: Sequence[Sequence[Parameter]], trials: Trials, most: int, processes: int, *, coarse: bool = False
) -> Generator[list[Search | None]]:
    """Yield for each kind of parameters what was found of each of them, None of one that is not needed."""
    return _shared(
        len(kinds),
        lambda number: _of_a_kind(kinds[number], trials, most, coarse=coarse),
        lambda number: [_NOT_TRIED] * len(kinds[number]),
        processes,
    )


def refined(found: Sequence[tuple[Parameter, Search]], trials: Trials, most: int, processes: int) -> Generator[Search]:
    """Yield what comes of going on with each of some searches that have found a step: the smallest one that helps."""

    def work(number: int) -> Search:
        trials.forget()
        parameter, search = found[number]
        base, before = trials.run([]), trials.count
        if search.step is None or search.trial is None:
            return search
        ladder = _Ladder(parameter, trials, base, most - search.trials)
        ladder.known.update({search.below: base, search.step: search.trial})  # what does not help is like nothing
        goal = min(goal_for(base), search.trial.reaches(base))
        with suppress(BudgetExhausted):
            next_to_it = search.step - 1  # the guess may be right
            upper = next_to_it if ladder.reaches(next_to_it, goal) else search.step
            lower = search.below if upper == next_to_it else next_to_it
            Bracket(lower, upper).narrow(lambda step: ladder.reaches(step, goal))
        better = _found(ladder, goal, before)
        return replace(better, tried=max(better.tried, search.tried), trials=better.trials + search.trials)

    return _shared(len(found), work, lambda number: found[number][1], processes)


def _shared(
    number: int, work: Callable[[int], Answer], given_up: Callable[[int], Answer], processes: int
) -> Generator[Answer]:
    """Yield what some work gives for each number, in their order; processes share it."""

    def caught(number: int) -> Answer | Exception:
        try:
            return work(number)
        except Exception as error:  # noqa: BLE001 - it is raised in the process that asked
            return error

    if processes == 1:
        yield from map(work, range(number))
        return
    early: dict[int, Answer | Exception] = {}
    with Processes(caught, lambda number, _: given_up(number), processes) as workers:
        answers = workers.answers(range(number))
        for each in range(number):
            while each not in early:
                early.update([next(answers)])
            found = early.pop(each)
            if isinstance(found, Exception):
                raise found
            yield found


def _of_a_kind(kind: Sequence[Parameter], trials: Trials, most: int, *, coarse: bool) -> list[Search | None]:
    """Search the parameters of a kind.

    A class of priority that exists suffices, none has to be made; so does one resource of a capability. As many nodes
    of one type as of another mostly help; where a few changes have to do, one type is enough.
    """
    trials.forget()
    base = trials.run([])
    found: list[Search | None] = []
    helpful: dict[tuple[str, str], int] = {}
    for parameter in kind:
        same = parameter.of, parameter.resource
        is_known = same in helpful if parameter.what in (PRIORITY, CAPABILITY) else parameter.what == NODES and coarse
        if is_known and helpful:
            found.append(None)
            continue
        guess = parameter.guess
        if parameter.what == NODES and helpful:
            guess = min([*helpful.values()][-1], parameter.most)
        search = smallest_step(replace(parameter, guess=guess), trials, base, most, coarse=coarse)
        if search.step is not None:
            helpful[same] = search.step
        found.append(search)
    return found
