"""What may become of a job or a task, as kinds of change, and the tasks of a job whose outcome differs.

Tasks whose names are the same in both sessions are compared by name. Names differ after a job is scaled or its pods are
created again: then interchangeable tasks, which differ in nothing but their names, are paired by outcome, the best with
the best. So only the number of tasks with each outcome counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from enum import Enum
from typing import Any, Final, NamedTuple

from vqs.diff.outcome import Effect, JobChange, TaskDifference, TaskSide
from vqs.diff.run import Run
from vqs.explain.outcome import JobResult, TaskResult

# --- kinds of change --------------------------------------------------------------------------------------------------

ORDER: Final[tuple[JobChange, ...]] = (
    "removed",
    "added",
    "left-alone",
    "taken-up",
    "evicted",
    "spared",
    "unplaced",
    "placed",
    "waits-instead",
    "placed-at-once",
    "no-longer-waits",
    "waits",
    "moved",
    "request",
    "verdict",
    "decision",
    "phase",
)
"""The most important first: what is taken from a job, and right after it what is given."""

GAINS: Final = frozenset({"placed", "placed-at-once", "waits", "spared", "added", "taken-up"})
LOSES: Final = frozenset({"unplaced", "waits-instead", "no-longer-waits", "evicted", "removed", "left-alone"})


class State(Enum):
    """How a session leaves a task."""

    PLACED = "placed"
    """It holds a node, or gets one."""
    WAITS = "waits"
    """It is promised room that is being released."""
    PENDING = "pending"
    EVICTED = "evicted"
    """It is taken off its node."""
    FAILED = "failed"
    OVER = "over"
    """It has succeeded, or was ending before the session."""


_OF_STATUS: Final = {
    "Pending": State.PENDING,
    "Allocated": State.PLACED,
    "Binding": State.PLACED,
    "Bound": State.PLACED,
    "Running": State.PLACED,
    "Pipelined": State.WAITS,
    "Failed": State.FAILED,
}

_STEPS: Final[dict[tuple[State, State], JobChange]] = {
    (State.PENDING, State.PLACED): "placed",
    (State.PLACED, State.PENDING): "unplaced",
    (State.WAITS, State.PLACED): "placed-at-once",
    (State.PLACED, State.WAITS): "waits-instead",
    (State.PENDING, State.WAITS): "waits",
    (State.WAITS, State.PENDING): "no-longer-waits",
    (State.FAILED, State.PLACED): "placed",
    (State.PLACED, State.FAILED): "unplaced",
}


def statuses_of(state: State) -> frozenset[str]:
    """Return the statuses that always mean a state."""
    return frozenset(status for status, meant in _OF_STATUS.items() if meant is state)


class Statuses(NamedTuple):
    """The statuses of a task by name: when the session opens, and when it closes."""

    status_before: str
    status: str


def state_of(task: Statuses | TaskResult) -> State:
    """Return how a session leaves a task."""
    if task.status == "Releasing" != task.status_before:
        return State.EVICTED
    return _OF_STATUS.get(task.status, State.OVER)


def step(before: State, after: State) -> JobChange | None:
    """Return the change from one state to another; None where there is none worth a word."""
    if before is after:
        return None
    if after is State.EVICTED:
        return "evicted"
    if before is State.EVICTED:
        return "spared"
    return _STEPS.get((before, after), "phase")


def ordered(changes: Iterable[JobChange]) -> list[JobChange]:
    """Return changes with the most important one first."""
    return sorted(set(changes), key=ORDER.index)


def effect_of(changes: Iterable[JobChange]) -> Effect:
    """Tell whether who sees these changes is better off."""
    seen = set(changes)
    return balance(gains=not seen.isdisjoint(GAINS), loses=not seen.isdisjoint(LOSES))


def balance(*, gains: bool, loses: bool) -> Effect:
    """Put together whether something is better and whether something is worse."""
    if gains and loses:
        return "both"
    return "gains" if gains else "loses" if loses else "neither"


# --- the tasks of a job -----------------------------------------------------------------------------------------------

Tasks = dict[str, "TaskResult"]


def task_differences(
    job: str, before: Run, after: Run, moved: Collection[str], interchangeable: Collection[str]
) -> list[TaskDifference]:
    """Return the tasks of a job whose outcome differs, by name."""
    tasks = before.tasks_of.get(job, {}), after.tasks_of.get(job, {})
    found: list[TaskDifference] = []
    for one, other in _pools(*tasks, before, after):
        if one.keys() == other.keys():
            found += _by_name(one, other, moved, interchangeable)
        else:
            found += _exchanged(one, other, before, after, moved)
    return sorted(
        found,
        key=lambda task: sorted(side.name if side and side.name else task.name for side in (task.before, task.after)),
    )


def interchangeable_tasks(before: Run, after: Run) -> set[str]:
    """Return the tasks that only change places with others like them, so that as many fare in each way on each node.

    Which of them is evicted, say, means nothing.
    """
    names: dict[Hashable, list[str]] = {}
    for name, task in before.tasks.items():
        other = after.tasks.get(name)
        if other is not None and _fate(task) != _fate(other):
            group = task.namespace, task.job, task.role, before.likeness(name), after.likeness(name)
            names.setdefault(group, []).append(name)
    found: set[str] = set()
    for members in names.values():
        fates = {name: (_fate(before.tasks[name]), _fate(after.tasks[name])) for name in members}
        if Counter(old for old, _ in fates.values()) == Counter(new for _, new in fates.values()):
            found.update(members)
            continue
        # Together they fare otherwise: those change places that do so two by two.
        steps: dict[tuple[Hashable, Hashable], list[str]] = {}
        for name, both in fates.items():
            steps.setdefault(both, []).append(name)
        for (old, new), there in steps.items():
            found.update(sorted(there)[: len(steps.get((new, old), ()))])
    return found


def code_of(result: TaskResult | JobResult) -> tuple[str, ...]:
    """Return what holds a task or a job back, without the figures: those follow from all that goes on beside it."""
    verdict = result.verdict
    return (verdict.code, verdict.queue, verdict.resource) if verdict else ()


def _fate(task: TaskResult) -> Hashable:
    return state_of(task), task.node, code_of(task)


# --- by name ----------------------------------------------------------------------------------------------------------


def _by_name(
    before: Tasks, after: Tasks, moved: Collection[str], interchangeable: Collection[str]
) -> Iterator[TaskDifference]:
    for name, one in before.items():
        other = after[name]
        change = step(state_of(one), state_of(other))
        if change is None and name in moved:
            change = "moved"
        elif change is None and code_of(one) != code_of(other):
            change = "verdict"
        if change and name not in interchangeable:
            yield TaskDifference(name=name, change=change, before=_side(one), after=_side(other))


def _side(task: TaskResult, name: str = "") -> TaskSide:
    return TaskSide(
        name=name,
        status=task.status,
        node=task.node,
        verdict=task.verdict.code if task.verdict else "",
        evicted=state_of(task) is State.EVICTED,
    )


# --- one for another --------------------------------------------------------------------------------------------------


def _pools(tasks: Tasks, others: Tasks, before: Run, after: Run) -> Iterator[tuple[Tasks, Tasks]]:
    """Yield the tasks of both sessions that may stand for each other: of one role, interchangeable if both have any."""
    sides = _grouped(tasks, lambda name: tasks[name].role), _grouped(others, lambda name: others[name].role)
    for role in sorted({*sides[0], *sides[1]}):
        one, other = (side.get(role, {}) for side in sides)
        if one.keys() == other.keys():
            yield one, other
            continue
        kinds = _grouped(one, before.likeness), _grouped(other, after.likeness)
        same = all(before.likeness(name) == after.likeness(name) for name in one.keys() & other.keys())
        if same and kinds[0].keys() == kinds[1].keys():
            yield from ((kinds[0][kind], kinds[1][kind]) for kind in kinds[0])
        else:
            yield one, other


def _grouped(tasks: Tasks, key: Callable[[str], Hashable]) -> dict[Any, Tasks]:
    groups: dict[Any, Tasks] = {}
    for name, task in tasks.items():
        groups.setdefault(key(name), {})[name] = task
    return groups


class _Entry(NamedTuple):
    """A task in one session; None stands for one that is not there, as it went with its node."""

    name: str
    task: TaskResult | None
    state: State

    @property
    def rank(self) -> int:
        """How it fares, 0 is best."""
        return _RANKS.index(self.state)

    @property
    def code(self) -> tuple[str, ...]:
        """What holds it back."""
        return () if self.task is None else code_of(self.task)


_RANKS: Final = (State.PLACED, State.WAITS, State.EVICTED, State.PENDING, State.FAILED, State.OVER)
_Entries = list[_Entry]


def _exchanged(one: Tasks, other: Tasks, before: Run, after: Run, moved: Collection[str]) -> Iterator[TaskDifference]:
    """Yield how many tasks fare otherwise, with names of some that do; the rest is there in one session only."""
    left, right = ([_Entry(name, task, state_of(task)) for name, task in tasks.items()] for tasks in (one, other))
    left += _lost(other, one, before)
    right += _lost(one, other, after)
    pairs = list(zip(*(sorted(side, key=lambda each: each.rank) for side in (left, right)), strict=False))
    numbers = Counter((each.state, another.state) for each, another in pairs)
    for states in sorted(numbers, key=lambda states: sorted(map(_RANKS.index, states))):
        change = step(*states)
        if change is not None:
            yield from _told(change, left, right, states, numbers[states])
    yield from _held_otherwise(left, right, numbers[State.PENDING, State.PENDING])
    placed = [{each.name: each for each in side if each.state is State.PLACED} for side in (left, right)]
    for name in sorted(placed[0].keys() & placed[1].keys() & set(moved)):
        yield _difference("moved", placed[0][name], placed[1][name])
    # The rest is one side's: of the tasks without a namesake, the worst.
    surplus = len(left) - len(right)
    more, there = (left, other) if surplus > 0 else (right, one)
    alone = sorted((each for each in more if each.name not in there), key=lambda each: (-each.rank, each.name))
    for entry in alone[: abs(surplus)]:
        yield _difference("removed", entry, None) if surplus > 0 else _difference("added", None, entry)


def _lost(there: Tasks, here: Tasks, run: Run) -> Iterator[_Entry]:
    """Yield tasks that are missing in a session because their node is, unless others take their place."""
    held = {name: task.node for name, task in there.items() if task.status_before != "Pending" and task.node}
    names = [name for name, node in held.items() if name not in here and node not in run.nodes]
    for name in sorted(names)[: max(0, len(there) - len(here))]:
        yield _Entry(name, None, State.PENDING)


def _told(
    change: JobChange, left: _Entries, right: _Entries, states: tuple[State, State], number: int
) -> Iterator[TaskDifference]:
    """Take a number of tasks in one state on the left, and in another on the right, those of one name first."""
    ones = {each.name: each for each in left if each.state is states[0]}
    others = {each.name: each for each in right if each.state is states[1]}
    same = sorted(ones.keys() & others.keys())[:number]
    rest = [sorted(names.keys() - set(same)) for names in (ones, others)]
    for name, another in [*zip(same, same, strict=True), *zip(*rest, strict=False)][:number]:
        one, other = ones[name], others[another]
        left.remove(one)
        right.remove(other)
        yield _difference(change, one, other)


def _held_otherwise(left: _Entries, right: _Entries, most: int) -> Iterator[TaskDifference]:
    """Yield tasks that stay pending for another reason than before, and for none that others have now."""
    pending = [[each for each in side if each.state is State.PENDING] for side in (left, right)]
    codes = [Counter(each.code for each in side) for side in pending]
    number = most - (codes[0] & codes[1]).total()
    if number > 0:
        ones = [each for each in pending[0] if (codes[0] - codes[1])[each.code]]
        others = [each for each in pending[1] if (codes[1] - codes[0])[each.code]]
        for one, other in zip(sorted(ones)[:number], sorted(others)[:number], strict=False):
            left.remove(one)
            right.remove(other)
            yield _difference("verdict", one, other)


def _difference(change: JobChange, one: _Entry | None, other: _Entry | None) -> TaskDifference:
    """Tell of a task, or of two that stand for each other; these have a name of their own on each side."""
    names = sorted({each.name for each in (one, other) if each is not None})
    before, after = (
        _side(each.task, each.name if len(names) > 1 else "") if each is not None and each.task is not None else None
        for each in (one, other)
    )
    return TaskDifference(name=names[0], change=change, before=before, after=after)
