"""What the webhook for queues finds wrong with each queue, for the rules that tell of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from vqs.lint.context import LintContext
from vqs.lint.queue_tree import WrittenQueue, queue_tree
from vqs.snapshot.apiserver.queue_faults import Fault, faults
from vqs.snapshot.apiserver.queue_store import Entry, StoredQueues
from vqs.snapshot.apiserver.queue_sums import capability_faults, children_faults
from vqs.snapshot.cluster.build import own_queue
from vqs.snapshot.reading.diagnostics import Path

_ByCode = dict[str, list[tuple["WrittenQueue", list["Fault"]]]]


def faulty_queues(context: LintContext, code: str) -> Iterator[tuple[WrittenQueue, list[Fault]]]:
    """Yield the queues that the webhook refuses for a reason, in order, each with all that it minds of that kind."""
    yield from context.cached(_faulty_queues).get(code, ())


def is_denied(context: LintContext, queue: WrittenQueue) -> bool:
    """Tell whether the webhook refuses a queue for what is wrong with it by itself."""
    return queue.name in context.cached(_faulty_names)


def _faulty_names(context: LintContext) -> set[str]:
    return {queue.name for found in context.cached(_faulty_queues).values() for queue, _ in found}


def capabilities_above(context: LintContext) -> Iterator[tuple[WrittenQueue, Fault]]:
    """Yield the queues with a higher capability than the webhook allows below others."""
    stored = context.cached(_stored)
    for queue in queue_tree(context):
        if stored.is_below_another(queue.name):
            for fault in capability_faults(stored, stored.entries[queue.name], context.profile.webhooks):
                yield queue, fault


def are_sums_denied(context: LintContext, parent: str, path: Path) -> bool:
    """Tell whether the webhook refuses what the children of a queue have in total of its guarantee or deserved."""
    if context.profile.webhooks.children_sums == "own":
        return True
    stored = context.cached(_stored)
    entry = stored.entries.get(parent) or Entry(own_queue(parent))
    found = children_faults(stored, entry, context.profile.webhooks)
    return any(fault.path[: len(path)] == path for fault in found)


def _stored(context: LintContext) -> StoredQueues:
    return StoredQueues(queue.queue for queue in queue_tree(context))


def _faulty_queues(context: LintContext) -> _ByCode:
    found: _ByCode = defaultdict(list)
    for queue in queue_tree(context):
        of_queue: dict[str, list[Fault]] = {}
        for fault in faults(queue.queue, context.profile.webhooks):
            of_queue.setdefault(fault.code, []).append(fault)
        for code, each in of_queue.items():
            found[code].append((queue, each))
    return found
