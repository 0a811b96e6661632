"""What is going to happen, in the order of time; of what happens at the same time, in the order of planning."""

from __future__ import annotations

from enum import IntEnum
from heapq import heappop, heappush
from math import inf
from typing import Any, NamedTuple


class Kind(IntEnum):
    """What happens."""

    ARRIVE = 1
    """A job is submitted."""
    MAKE_GROUP = 2
    """A controller makes the PodGroup of a job that has none."""
    SYNC = 3
    """The controller of a job looks at what there is and what there should be."""
    RUN = 4
    """A bound pod starts to run."""
    END = 5
    """The work of a pod is done."""
    REMOVE = 6
    """A pod that was told to go is gone."""
    RENEW = 7
    """A controller makes a pod again."""
    ACT = 8
    """The time of a policy is over."""
    DECIDED = 9
    """A session ends."""
    NODE = 10
    """Something happens to a node."""
    GIVE_UP = 11
    """Kubernetes deletes a pod beside the scheduler: its node failed, or has a taint."""
    SCAN = 12
    """The autoscaler looks whether there should be more nodes, or fewer."""
    ROLL_OUT = 13
    """The template of a Deployment changes."""


class Event(NamedTuple):
    """What happens at a time, to whom; `turn` is which of a pod's lives it is about."""

    time: float
    number: int
    kind: Kind
    subject: Any
    turn: int


class Agenda:
    """Events to come."""

    def __init__(self) -> None:
        self._heap: list[Event] = []
        self._number = 0
        self.taken = 0

    @property
    def next_time(self) -> float:
        """When the next event is, infinite where there is none."""
        return self._heap[0].time if self._heap else inf

    def plan(self, time: float, kind: Kind, subject: Any, turn: int = 0) -> None:
        """Add an event."""
        self._number += 1
        heappush(self._heap, Event(time, self._number, kind, subject, turn))

    def take(self) -> Event:
        """Remove the next event and return it."""
        self.taken += 1
        return heappop(self._heap)
