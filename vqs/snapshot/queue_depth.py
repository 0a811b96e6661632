"""How deep queues may be below each other: what is kept of a queue, and said of it, grows with those above it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from vqs.model.kubernetes import Queue
from vqs.model.queue import ROOT

DEEPEST: Final = 5
"""How many levels Volcano's webhook allows below the root by default; its option is --max-queue-depth."""

MOST_ABOVE: Final = 100
"""How many queues may be above one here, as --max-queue-depth may be larger than that."""


def too_deep(queues: Sequence[Queue]) -> Iterator[int]:
    """Yield the indexes of the queues that have too many above them, or that are in a circle that is too long."""
    parents = {queue.metadata.name: queue.spec.parent or ROOT for queue in queues}
    parents.pop(ROOT, None)
    for index, queue in enumerate(queues):
        met: set[str] = set()
        name = queue.metadata.name
        while name in parents and name not in met and len(met) <= MOST_ABOVE:
            met.add(name)
            name = parents[name]
        if len(met) > MOST_ABOVE:
            yield index
