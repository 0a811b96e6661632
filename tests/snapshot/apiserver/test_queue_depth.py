"""How many queues may be above another."""

from __future__ import annotations

from vqs.model.kubernetes import ObjectMeta, Queue, QueueSpec
from vqs.snapshot.apiserver.queue_sums import MOST_ABOVE, too_deep


def chain(length: int) -> list[Queue]:
    """Return so many queues below the root, one below the other."""
    parents = ["root", *(f"q{number}" for number in range(length - 1))]
    return [
        Queue(metadata=ObjectMeta(name=f"q{number}"), spec=QueueSpec(parent=parent))
        for number, parent in enumerate(parents)
    ]


def test_a_hundred_in_a_chain() -> None:
    """A hundred queues may be in a chain below the root; the one below that is refused, and each that follows."""
    assert not list(too_deep(chain(MOST_ABOVE)))
    assert list(too_deep(chain(MOST_ABOVE + 3))) == [100, 101, 102]
    assert list(too_deep(chain(MOST_ABOVE + 1)[::-1])) == [0]


def test_circles() -> None:
    """Queues in a circle have as many above them as are in it."""
    queues = chain(MOST_ABOVE + 1)
    first = queues[0]
    around = [Queue(metadata=first.metadata, spec=QueueSpec(parent="q100")), *queues[1:]]
    assert list(too_deep(around)) == list(range(101))
    small = chain(3)
    assert not list(too_deep([Queue(metadata=small[0].metadata, spec=QueueSpec(parent="q2")), *small[1:]]))
