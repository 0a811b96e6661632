"""The search for the changes that help a job, kind by kind: for each parameter, the smallest step that helps.

It is searched for by doubling, then by halving. Nothing is taken for granted but what was run: the step that is
returned helps, and the one below does not. Where the snapshot is large, all cores share the kinds; what is found, and
its order, is the same.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from vqs.explain.jobs.case import CAPABILITY, NODES, Parameter
from vqs.explain.jobs.parameters import PRIORITY
from vqs.explain.jobs.trials import BudgetExhausted, Goal, Trial, Trials
from vqs.processes import Processes

_FURTHER: Final = 2
"""How often a step is doubled though the largest one does not help: more is not always better."""


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


def smallest_step(parameter: Parameter, trials: Trials, base: Trial, most: int) -> Search:
    """Find the smallest step of a parameter that starts a job, or with which no pod of it waits if it starts anyway.

    Failing that, it is the smallest with which more of its pods are bound.

    Args:
        parameter: what is changed.
        trials: runs the sessions.
        base: what comes of no step at all.
        most: how many sessions may be run.
    """
    ladder, before = _Ladder(parameter, trials, base, most), trials.count
    for goal in (goal_for(base), Goal.MORE):
        _look(ladder, goal)
        if reaching := ladder.reaching(goal):
            step = min(reaching)
            below = max(each for each in ladder.known if each < step)
            return Search(step, below, ladder.known[step], max(ladder.known), trials.count - before, ladder.cut)
    tried = max(ladder.known)
    return Search(None, tried, ladder.known[tried] if tried else None, tried, trials.count - before, ladder.cut)


def goal_for(base: Trial) -> Goal:
    """What a change has to bring about for a job of which this is what comes without any."""
    return Goal.ALL if base.starts else Goal.STARTS


def _look(ladder: _Ladder, goal: Goal) -> None:
    """Run sessions until it is known which step helps and which one below it does not, or none may be run any more."""
    try:
        upper = _enough(ladder, goal)
        if upper is None:
            return
        upper = min(ladder.reaching(goal))
        lower = max((step for step in ladder.known if step < upper), default=0)
        below = 1 if ladder.parameter.guess == upper else upper
        while upper - below > lower:  # the first guess may be right, or nearly so
            if not ladder.reaches(upper - below, goal):
                lower = upper - below
                break
            upper, below = upper - below, below * 2
        while upper - lower > 1:
            middle = (lower + upper) // 2
            if ladder.reaches(middle, goal):
                upper = middle
            else:
                lower = middle
    except BudgetExhausted:
        pass


def _enough(ladder: _Ladder, goal: Goal) -> int | None:
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


# --- one kind after another -------------------------------------------------------------------------------------------


def searched(
    kinds: Sequence[Sequence[Parameter]], trials: Trials, most: int, processes: int
) -> Generator[list[Search | None]]:
    """Yield for each kind of parameters what was found of each of them, None of one that is not needed.

    Args:
        kinds: the parameters, by their kind.
        trials: runs the sessions.
        most: how many changes may be tried for a parameter.
        processes: how many processes share the kinds.
    """

    def work(number: int) -> list[Search | None] | Exception:
        try:
            return _of_a_kind(kinds[number], trials, most)
        except Exception as error:  # noqa: BLE001 - it is raised in the process that asked
            return error

    def given_up(number: int, _: str) -> list[Search | None]:
        return [_NOT_TRIED] * len(kinds[number])

    if processes == 1:
        yield from (_of_a_kind(kind, trials, most) for kind in kinds)
        return
    early: dict[int, list[Search | None] | Exception] = {}
    with Processes(work, given_up, processes) as workers:
        answers = workers.answers(range(len(kinds)))
        for number in range(len(kinds)):
            while number not in early:
                early.update([next(answers)])
            found = early.pop(number)
            if isinstance(found, Exception):
                raise found
            yield found


def _of_a_kind(kind: Sequence[Parameter], trials: Trials, most: int) -> list[Search | None]:
    """Search the parameters of a kind.

    A class of priority that exists suffices, none has to be made; so does one resource of a capability. As many nodes
    of one type as of another mostly help.
    """
    trials.forget()
    base = trials.run([])
    found: list[Search | None] = []
    helpful: dict[tuple[str, str], int] = {}
    for parameter in kind:
        same = parameter.of, parameter.resource
        if parameter.what in (PRIORITY, CAPABILITY) and same in helpful:
            found.append(None)
            continue
        guess = parameter.guess
        if parameter.what == NODES and helpful:
            guess = min([*helpful.values()][-1], parameter.most)
        search = smallest_step(replace(parameter, guess=guess), trials, base, most)
        if search.step is not None:
            helpful[same] = search.step
        found.append(search)
    return found
