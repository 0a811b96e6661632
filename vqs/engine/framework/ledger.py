"""What the plugin that divides the cluster among queues knows of them, and how it came to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from vqs.model.resource import Resource


@dataclass(frozen=True, slots=True)
class QueueFigures:
    """A queue's figures at one moment."""

    deserved: Resource
    allocated: Resource
    request: Resource
    inqueue: Resource
    elastic: Resource
    capability: Resource
    real_capability: Resource
    guarantee: Resource
    share: float
    overused: bool


# --- how deserved came about ------------------------------------------------------------------------------------------


class Satisfied(Enum):
    """Why a queue takes no part in further rounds."""

    REQUEST = "request"
    """It deserves all that its jobs ask for."""
    LIMIT = "limit"
    """The round changed nothing: what it may have keeps it from more."""


@dataclass(frozen=True, slots=True)
class ProportionStep:
    """What one round did for one queue: each amount is made of the one before it.

    Attributes:
        before: what it deserved before the round.
        offered: that, and its part of what remained.
        capped: cut to its real capability.
        wanted: cut to what its jobs ask for.
        deserved: raised to its guarantee.
        satisfied: why it takes no part in further rounds, None where it does.
    """

    queue: str
    weight: int
    before: Resource
    offered: Resource
    capped: Resource
    wanted: Resource
    deserved: Resource
    satisfied: Satisfied | None


@dataclass(frozen=True, slots=True)
class ProportionRound:
    """One round in which what remains is handed out by weight; `left` is what remains after it."""

    remaining: Resource
    total_weight: int
    steps: tuple[ProportionStep, ...]
    left: Resource


@dataclass(frozen=True, slots=True)
class ProportionRounds:
    """Rounds over a cluster's total; guarantees leave `unguaranteed` of it to all queues (proportion)."""

    total: Resource
    guaranteed: Resource
    unguaranteed: Resource
    rounds: tuple[ProportionRound, ...]


@dataclass(frozen=True, slots=True)
class LimitLink:
    """How one queue came by what it may have and what it deserves (capacity).

    Attributes:
        parent: the queue above; empty for the root, and where queues are no tree.
        available: what the parent may have; without a tree, and for a root that is limited to it, the cluster's total.
        guaranteed: the guarantees of all queues under the parent, this one's among them.
        unreserved: what of `available` is left of these, and this queue's own guarantee.
        configured: the capability in the queue's spec; amounts that are not given are missing.
        inherited: the resources whose capability is the parent's, as the queue's spec has none.
        capability: the capability in effect; without a tree, what is not given is unlimited.
        real_capability: `unreserved`, cut to `capability`.
        configured_deserved: what the queue's spec says.
        children_deserved: the sum over the queues below; the root deserves as much as this.
        deserved: what it deserves in the end.
    """

    queue: str
    parent: str
    available: Resource
    guaranteed: Resource
    unreserved: Resource
    configured: Resource
    inherited: tuple[str, ...]
    capability: Resource
    real_capability: Resource
    configured_deserved: Resource
    children_deserved: Resource
    deserved: Resource


@dataclass(frozen=True, slots=True)
class LimitChain:
    """The links of all queues, by name (capacity). `tree` tells whether queues form one."""

    tree: bool
    total: Resource
    links: Mapping[str, LimitLink]


# --- the gate to the queue --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Gate:
    """The account of a job that asked to enter its queue, at one plugin and one queue.

    The sum is ``minimum + allocated + inqueue - elastic``, and may not exceed the limit in what `minimum` asks for;
    where it does, `exceeding` names the resources. The plugin overcommit has no queue, no allocated and no elastic.
    """

    plugin: str
    queue: str
    minimum: Resource
    allocated: Resource
    inqueue: Resource
    elastic: Resource
    limit: Resource
    exceeding: tuple[str, ...]


class QueueLedger(Protocol):
    """What the plugin that divides the cluster among queues knows of them; all by the queue's name."""

    plugin: str

    def opened(self) -> dict[str, QueueFigures]:
        """Each queue's figures when the session opened."""

    def closed(self) -> dict[str, QueueFigures]:
        """Each queue's figures now."""

    def derivation(self) -> ProportionRounds | LimitChain:
        """How what each queue deserves came about."""

    def line(self, queue: str) -> Sequence[str]:
        """Name the queues whose limits apply to a task of a queue: that queue, then the ones above it."""

    def last_overused(self, queue: str) -> bool | None:
        """What was last answered when an action asked whether a queue is overused; None if none asked."""

    def limit(self, queue: str) -> Resource:
        """What a queue may hold at most, as that limits its tasks."""

    def inqueue_by_job(self, queue: str) -> Mapping[str, Resource]:
        """What the jobs of a queue have reserved in it, by the uid of the job."""

    def elastic_by_job(self, queue: str) -> Mapping[str, Resource]:
        """What the jobs of a queue held beyond their minimum when the session opened."""
