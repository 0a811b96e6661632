"""What the webhook for queues finds wrong with each queue by itself, for the rules that tell of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from vqs.lint.context import LintContext
from vqs.lint.queue_tree import WrittenQueue, queue_tree
from vqs.snapshot.queue_faults import Fault, faults

_ByCode = dict[str, list[tuple["WrittenQueue", list["Fault"]]]]


def faulty_queues(context: LintContext, code: str) -> Iterator[tuple[WrittenQueue, list[Fault]]]:
    """Yield the queues that the webhook refuses for a reason, in order, each with all that it minds of that kind."""
    yield from context.cached(_faulty_queues).get(code, ())


def _faulty_queues(context: LintContext) -> _ByCode:
    found: _ByCode = defaultdict(list)
    for queue in queue_tree(context):
        of_queue: dict[str, list[Fault]] = {}
        for fault in faults(queue.queue):
            of_queue.setdefault(fault.code, []).append(fault)
        for code, each in of_queue.items():
            found[code].append((queue, each))
    return found
