"""Which amounts of a queue do not go with those of the queues above, beside and below it.

Reference: validateHierarchicalQueueResources in pkg/webhooks/admission/queues in volcano-sh/volcano.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Final

from vqs.model.kubernetes import Queue
from vqs.model.queue import ROOT
from vqs.model.resource import MEMORY, PODS, Resource
from vqs.model.wording import written
from vqs.snapshot.diagnostics import Path
from vqs.snapshot.queue_faults import CAPABILITY, DESERVED, GUARANTEE, Fault
from vqs.snapshot.queue_store import NOTHING, Entry, StoredQueues, parent_of

_FARTHEST: Final = 50
"""How many levels up and down capabilities are compared; only a tree that is made to take long is that deep."""


def amount_faults(stored: StoredQueues, entry: Entry, known: Entry | None) -> Iterator[Fault]:
    """Yield which amounts do not go with those of other queues."""
    queue = entry.queue
    parent = parent_of(queue)
    if parent != ROOT:
        if parent not in stored.entries:
            reason = f"queue {queue.metadata.name} needs the queue {parent}, its parent, which does not exist"
            yield Fault("parent-missing", ("spec", "parent"), reason)
            return
        yield from _above_ancestors(stored, entry)
        yield from _with_siblings(stored, entry, known)
    if stored.tree.child_names(queue.metadata.name):
        yield from _below_descendants(stored, entry)
        yield from _less_than_children(stored, entry)


def _above_ancestors(stored: StoredQueues, entry: Entry) -> Iterator[Fault]:
    for resource in entry.capability.names():
        limit = _ancestors_limit(stored, entry.queue, resource) if stored.limited[resource] else None
        own = entry.capability.get(resource)
        if limit is not None and own > limit:
            reason = (
                f"capability {_words(resource, own)} of queue {entry.queue.metadata.name} is above the "
                f"{_words(resource, limit)} of a queue above it"
            )
            yield Fault("capability-above-ancestor", (*CAPABILITY, resource), reason)


def _ancestors_limit(stored: StoredQueues, queue: Queue, resource: str) -> float | None:
    """Return the capability of the nearest queue above one that has any; the root is none of them."""
    parent = parent_of(queue)
    for above in islice(chain([parent], stored.tree.above(parent)), _FARTHEST):
        if above == ROOT or above not in stored.entries:
            break
        limit = stored.entries[above].capability.get(resource)
        if limit > 0:
            return limit
    return None


def _with_siblings(stored: StoredQueues, entry: Entry, known: Entry | None) -> Iterator[Fault]:
    """Yield the resources of which a queue and its siblings have a larger guarantee than their parent."""
    parent = parent_of(entry.queue)
    family, limits = stored.families[parent], stored.entries[parent]
    old = known if known is not None and known.queue.spec.parent == parent else NOTHING
    for total, was, own, limit, path in (
        (family.guarantee, old.guarantee, entry.guarantee, limits.guarantee, GUARANTEE),
        (family.deserved, old.deserved, entry.deserved, limits.deserved, DESERVED),
    ):
        total.add(was, -1)
        total.add(own, 1)
        exceeded = total.above(limit)
        total.add(own, -1)
        total.add(was, 1)
        yield from _sum_faults(parent, path, exceeded, limit, at_child=True)


def _below_descendants(stored: StoredQueues, entry: Entry) -> Iterator[Fault]:
    """Yield the resources of which a queue may have less than a queue below it."""
    name = entry.queue.metadata.name
    for resource in entry.capability.names():
        own = entry.capability.get(resource)
        most = _most_below(stored, name, resource) if stored.limited[resource] else 0.0
        if own < most:
            reason = (
                f"capability {_words(resource, own)} of queue {name} is below the "
                f"{_words(resource, most)} of a queue below it"
            )
            yield Fault("capability-above-ancestor", (*CAPABILITY, resource), reason)


def _most_below(stored: StoredQueues, name: str, resource: str) -> float:
    """Return the largest capability below a queue; what is below a queue that has any does not count."""
    most, passed = 0.0, {name}
    level = list(stored.tree.child_names(name))
    for _ in range(_FARTHEST):
        if not level:
            break
        below: list[str] = []
        for each in level:
            limit = stored.entries[each].capability.get(resource)
            if limit > 0:
                most = max(most, limit)
            elif each not in passed:
                below += stored.tree.child_names(each)
            passed.add(each)
        level = below
    return most


def _less_than_children(stored: StoredQueues, entry: Entry) -> Iterator[Fault]:
    """Yield the resources of which the children of a queue have a larger guarantee than the queue."""
    name = entry.queue.metadata.name
    family = stored.families[name]
    for total, limit, path in (
        (family.guarantee, entry.guarantee, GUARANTEE),
        (family.deserved, entry.deserved, DESERVED),
    ):
        yield from _sum_faults(name, path, total.above(limit), limit, at_child=False)


def _sum_faults(
    parent: str, path: Path, exceeded: Sequence[tuple[str, float]], limit: Resource, *, at_child: bool
) -> Iterator[Fault]:
    noun = path[1]
    for resource, amount in exceeded:
        if amount > limit.get(resource):
            has = f"have {noun} {_words(resource, amount)} together, and {parent} itself has "
            has += _words(resource, limit.get(resource)) if limit.get(resource) else "none"
        else:
            has = f"name {resource} in their {noun}, and {parent} itself does not"
        named = at_child or resource in limit.dimensions()
        code = f"children-{noun}-above-parent"
        yield Fault(code, (*path, resource) if named else path, f"the children of queue {parent} {has}")


def _words(resource: str, amount: float) -> str:
    """Write an amount that is in the scheduler's unit."""
    return f"{resource} {written(resource, amount if resource in (MEMORY, PODS) else amount / 1000)}"
