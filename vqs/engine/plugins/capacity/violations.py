"""What is wrong with a tree of queues, where that stops the scheduling in all of them.

Reference: pkg/scheduler/plugins/capacity/capacity.go (checkHierarchicalQueue).
"""

from __future__ import annotations

from dataclasses import dataclass

from vqs.model.resource import MEMORY, PODS, Resource
from vqs.model.wording import written

_THOUSANDTHS = 1000.0


@dataclass(frozen=True, slots=True)
class Fault:
    """Why the tree cannot be used: the queue or the job, and a sentence."""

    subject: str
    text: str


def larger_than_parent(queue: str, own: Resource, parent: str, limit: Resource) -> Fault | None:
    """Tell of what a queue has a larger capability than its parent, None where it has not."""
    name = limit.first_below(own)
    if name is None:
        return None
    have, most = _words(name, own), _words(name, limit)
    return Fault(queue, f"queue {queue} has a capability of {have}, more than the {most} of its parent {parent}")


def larger_in_all(queue: str, verb: str, own: Resource, children: Resource) -> Fault | None:
    """Tell of what the children of a queue deserve, or are guaranteed, more in all than itself."""
    name = own.first_below(children)
    if name is None:
        return None
    have, most = _words(name, children), _words(name, own)
    return Fault(queue, f"the children of queue {queue} {verb} {have} in all, more than its own {most}")


def _words(name: str, amounts: Resource) -> str:
    amount = amounts.get(name)
    return f"{written(name, amount if name in (MEMORY, PODS) else amount / _THOUSANDTHS)} {name}"
