"""What may become of a job or a task, as kinds of change: their order, and who is better off."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Final, Protocol

from vqs.diff.outcome import Effect, JobChange

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


class Statuses(Protocol):
    """A task with its statuses before a session and after it."""

    @property
    def status_before(self) -> str:
        """Its status when the session opens."""

    @property
    def status(self) -> str:
        """Its status when the session closes."""


def state_of(task: Statuses) -> State:
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
