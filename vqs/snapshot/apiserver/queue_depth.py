"""How deep queues may be below each other: what is kept of a queue, and said of it, grows with those above it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from vqs.model.kubernetes import Queue
from vqs.model.queue import QueueTree, parent_name

DEEPEST: Final = 5
"""How many levels Volcano's webhook allows below the root by default; its option is --max-queue-depth."""

MOST_ABOVE: Final = 100
"""How many queues may be above one here, as --max-queue-depth may be larger than that."""


def too_deep(queues: Sequence[Queue]) -> Iterator[int]:
    """Yield the indexes of the queues that have too many above them, or that are in a circle that is too long."""
    names = [queue.metadata.name for queue in queues]
    tree = QueueTree((name, parent_name(name, queue.spec.parent)) for name, queue in zip(names, queues, strict=True))
    for index, name in enumerate(names):
        if len([*islice(tree.above(name), MOST_ABOVE + 1)]) > MOST_ABOVE:
            yield index
