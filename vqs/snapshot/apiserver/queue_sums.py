"""Which amounts of a queue do not go with those of the queues above, beside and below it.

Reference: validateHierarchicalQueueResources in pkg/webhooks/admission/queues in volcano-sh/volcano.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Final, NamedTuple

from vqs.model.kubernetes import Queue
from vqs.model.queue import ROOT
from vqs.model.resource import MEMORY, PODS, Resource
from vqs.model.wording import written
from vqs.releases.webhooks import WebhookBehaviours
from vqs.snapshot.apiserver.queue_faults import CAPABILITY, DESERVED, GUARANTEE, Fault, exceeding
from vqs.snapshot.apiserver.queue_store import NOTHING, Entry, StoredQueues, parent_of
from vqs.snapshot.reading.diagnostics import Path

_FARTHEST: Final = 50
"""How many levels up and down capabilities are compared; only a tree that is made to take long is that deep."""


def amount_faults(
    stored: StoredQueues, entry: Entry, known: Entry | None, webhook: WebhookBehaviours
) -> Iterator[Fault]:
    """Yield which amounts do not go with those of other queues, as far as a webhook looks at them."""
    queue = entry.queue
    parent = parent_of(queue)
    if webhook.capability_above == "unchecked" and webhook.children_sums == "unchecked":
        return
    if parent != ROOT:
        if parent not in stored.entries:
            reason = f"queue {queue.metadata.name} needs the queue {parent}, its parent, which does not exist"
            yield Fault("parent-missing", ("spec", "parent"), reason)
            return
        yield from capability_faults(stored, entry, webhook)
        yield from _with_siblings(stored, entry, known, webhook)
    if stored.tree.child_names(queue.metadata.name):
        yield from _below_others(stored, entry, webhook)
        yield from children_faults(stored, entry, webhook)


def capability_faults(stored: StoredQueues, entry: Entry, webhook: WebhookBehaviours) -> Iterator[Fault]:
    """Yield the resources of which a queue may have more than a queue above it."""
    if webhook.capability_above == "parent":
        yield from _child_above(entry, stored.entries[parent_of(entry.queue)], entry)
    elif webhook.capability_above == "nearest-ancestor":
        yield from _above_ancestors(stored, entry)


def _below_others(stored: StoredQueues, entry: Entry, webhook: WebhookBehaviours) -> Iterator[Fault]:
    if webhook.capability_above == "parent":
        for name in stored.tree.child_names(entry.queue.metadata.name):
            yield from _child_above(stored.entries[name], entry, entry)
    elif webhook.capability_above == "nearest-ancestor":
        yield from _below_descendants(stored, entry)


def _child_above(child: Entry, parent: Entry, judged: Entry) -> Iterator[Fault]:
    """Yield the resources of which a child may have more than its parent, which has none of what it does not name."""
    names = child.queue.metadata.name, parent.queue.metadata.name
    for resource in exceeding(child.capability, parent.capability):
        has = f"capability {_words(resource, child.capability.get(resource))} of queue {names[0]} is above "
        is_limited = resource in parent.queue.spec.capability
        most = _words(resource, parent.capability.get(resource)) if is_limited else f"no {resource}"
        path = (*CAPABILITY, resource) if resource in judged.queue.spec.capability else CAPABILITY
        yield Fault("capability-above-ancestor", path, f"{has}the {most} of its parent {names[1]}")


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


def _with_siblings(
    stored: StoredQueues, entry: Entry, known: Entry | None, webhook: WebhookBehaviours
) -> Iterator[Fault]:
    """Yield the resources of which a queue and its siblings have a larger guarantee than their parent."""
    parent = parent_of(entry.queue)
    family, limits = stored.families[parent], stored.entries[parent]
    old = known if known is not None and known.queue.spec.parent == parent else NOTHING
    for total, was, own, path in (
        (family.guarantee, old.guarantee, entry.guarantee, GUARANTEE),
        (family.deserved, old.deserved, entry.deserved, DESERVED),
    ):
        limit = _limit(limits, path, webhook)
        if limit is None:
            continue
        total.add(was, -1)
        total.add(own, 1)
        exceeded = total.above(limit.amounts)
        total.add(own, -1)
        total.add(was, 1)
        yield from _sum_faults(parent, path, exceeded, limit, at_child=True)


class _Limit(NamedTuple):
    """What the children of a queue may have in total, and which field of the queue says so."""

    amounts: Resource
    path: Path


def _limit(parent: Entry, path: Path, webhook: WebhookBehaviours) -> _Limit | None:
    """Return what the children of a queue may have in total of its guarantee or deserved; None where it is anything."""
    spec = parent.queue.spec
    is_given = bool(spec.guarantee.resource if path == GUARANTEE else spec.deserved)
    if webhook.children_sums == "own" or (webhook.children_sums == "else-capability" and is_given):
        return _Limit(parent.guarantee if path == GUARANTEE else parent.deserved, path)
    if webhook.children_sums == "else-capability" and spec.capability:
        return _Limit(parent.capability, CAPABILITY)
    return None


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


def children_faults(stored: StoredQueues, entry: Entry, webhook: WebhookBehaviours) -> Iterator[Fault]:
    """Yield the resources of which the children of a queue have a larger guarantee than the queue."""
    name = entry.queue.metadata.name
    family = stored.families[name]
    for total, path in ((family.guarantee, GUARANTEE), (family.deserved, DESERVED)):
        limit = _limit(entry, path, webhook)
        if limit is not None:
            yield from _sum_faults(name, path, total.above(limit.amounts), limit, at_child=False)


def _sum_faults(
    parent: str, path: Path, exceeded: Sequence[tuple[str, float]], limit: _Limit, *, at_child: bool
) -> Iterator[Fault]:
    noun = path[1]
    whose = f"{parent} itself" if limit.path == path else f"the {limit.path[1]} of {parent}"
    for resource, amount in exceeded:
        most = limit.amounts.get(resource)
        if amount > most:
            has = f"have {noun} {_words(resource, amount)} together, and {whose} "
            has += "has " if limit.path == path else "is "
            has += _words(resource, most) if most else "none"
        else:
            has = f"name {resource} in their {noun}, and {whose} does not"
        named = at_child or (resource in limit.amounts.dimensions() and limit.path == path)
        code = f"children-{noun}-above-parent"
        yield Fault(code, (*path, resource) if named else path, f"the children of queue {parent} {has}")


def _words(resource: str, amount: float) -> str:
    """Write an amount that is in the scheduler's unit."""
    return f"{resource} {written(resource, amount if resource in (MEMORY, PODS) else amount / 1000)}"
