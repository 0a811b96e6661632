"""What queues are promised of a resource, and what has to be raised together for the webhook to accept it.

A guarantee goes with a deserved amount that is no less, and that with a capability that is no less, where there is one.
What the children of a queue are promised together, the queue itself has to be promised; the root is not asked.
Reference: pkg/webhooks/admission/queues/validate/validate_queue.go in volcano-sh/volcano.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from vqs.model import kubernetes as k8s
from vqs.model.quantity import QuantityError, parse
from vqs.model.queue import ROOT
from vqs.model.queue_tree import QueueTree, parent_name
from vqs.snapshot.reading.diagnostics import Path

CAPABILITY: Final = "capability"
GUARANTEE: Final = "guarantee"
DESERVED: Final = "deserved"

_NOTHING: Final = Fraction(0)


class Raise(NamedTuple):
    """A queue is promised more: how much it deserves, or how much is kept for it."""

    queue: str
    what: str
    amount: Fraction


class Promises:
    """What queues are promised of one resource, and how much of it they may have."""

    def __init__(self, queues: Iterable[k8s.Queue], resource: str) -> None:
        specs = {each.metadata.name: each.spec for each in queues}
        self.resource = resource
        self.tree = QueueTree((name, parent_name(name, spec.parent)) for name, spec in specs.items())
        self.guaranteed = {name: amount_of(spec.guarantee.resource, resource) for name, spec in specs.items()}
        self.deserved = {name: amount_of(spec.deserved, resource) for name, spec in specs.items()}
        self.capable = {
            name: amount_of(spec.capability, resource) for name, spec in specs.items() if resource in spec.capability
        }

    def above(self, queue: str) -> list[str]:
        """Return a queue and those above it, but for the root."""
        return [name for name in dict.fromkeys((queue, *self.tree.above(queue))) if name != ROOT]

    def limit(self, queue: str) -> Fraction | None:
        """Return the capability that the one of a queue must not be above: that of the nearest queue that has one."""
        limits = (self.capable.get(name, _NOTHING) for name in self.above(queue)[1:])
        return next(filter(None, limits), None)

    def raised(
        self, queue: str, *, guarantee: Fraction = _NOTHING, deserved: Fraction = _NOTHING
    ) -> list[Raise] | None:
        """Return what has to be raised for a queue to be promised so much, in an order in which each step gets in.

        None where a capability is in the way.
        """
        line = self.above(queue)
        kept = self._up(line, self.guaranteed, {queue: guarantee})
        wanted = {**kept, queue: max(kept[queue], deserved)}
        due = self._up(line, self.deserved, wanted)
        if any(due[name] > self.capable.get(name, due[name]) for name in line):
            return None
        return [
            *(
                Raise(name, DESERVED, due[name])
                for name in reversed(line)
                if due[name] > self._has(self.deserved, name)
            ),
            *(
                Raise(name, GUARANTEE, kept[name])
                for name in reversed(line)
                if kept[name] > self._has(self.guaranteed, name)
            ),
        ]

    def kept(self, queue: str, guarantee: Fraction) -> Fraction:
        """Return what all queues together are guaranteed, where one of them is guaranteed so much."""
        line = self.above(queue)
        top = line[-1]
        others = (name for name in self.tree.child_names(ROOT) if name != top)
        own = self._up(line, self.guaranteed, {queue: guarantee})[top]
        return own + sum((self.guaranteed[name] for name in others), _NOTHING)

    def _up(
        self, line: Sequence[str], promised: Mapping[str, Fraction], wanted: Mapping[str, Fraction]
    ) -> dict[str, Fraction]:
        """Return what the queues of a line have to be promised, the lowest first, for each to have what it wants."""
        found: dict[str, Fraction] = {}
        for name in line:
            children = self.tree.child_names(name)
            below = sum((found.get(child, self._has(promised, child)) for child in children), _NOTHING)
            found[name] = max(self._has(promised, name), wanted.get(name, _NOTHING), below if found else _NOTHING)
        return found

    @staticmethod
    def _has(promised: Mapping[str, Fraction], name: str) -> Fraction:
        return promised.get(name, _NOTHING)


def field_of(spec: k8s.QueueSpec, what: str) -> tuple[Path, Mapping[str, k8s.Quantity]]:
    """Return where amounts of a kind stand in a queue, and which are there."""
    if what == GUARANTEE:
        return ("spec", what, "resource"), spec.guarantee.resource
    return ("spec", what), spec.capability if what == CAPABILITY else spec.deserved


def amount_of(amounts: Mapping[str, k8s.Quantity], resource: str) -> Fraction:
    """Return how much of a resource is named; none where that cannot be read."""
    try:
        return parse(amounts[resource]) if resource in amounts else _NOTHING
    except QuantityError:
        return _NOTHING
