"""The queues that the webhook finds when a change comes, with what others are judged by."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from vqs.model.kubernetes import Queue
from vqs.model.queue import ROOT, QueueTree
from vqs.model.resource import CPU, MEMORY, Resource
from vqs.snapshot.cluster.hierarchy_paths import PATH


@dataclass(slots=True)
class Total:
    """The guaranteed or deserved resources of some queues in total, and how many of them name each scalar."""

    amounts: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    scalars: Counter[str] = field(default_factory=Counter)

    def add(self, amounts: Resource, sign: int) -> None:
        """Add the amounts of a queue, or subtract them."""
        for name in amounts.dimensions():
            self.amounts[name] += sign * amounts.get(name)
        for name in amounts.scalars:
            self.scalars[name] += sign

    def above(self, limit: Resource) -> list[tuple[str, float]]:
        """Return the resources whose total is above a limit, each with its total.

        A scalar that the limit does not name is above it, even if its total is 0.
        """
        named = [name for name, number in self.scalars.items() if number > 0]
        unnamed = {name for name in named if name not in limit.scalars}
        return [
            (name, self.amounts[name])
            for name in (CPU, MEMORY, *named)
            if name in unnamed or self.amounts[name] > limit.get(name)
        ]


@dataclass(slots=True)
class Family:
    """The guaranteed and the deserved resources of the children of a queue in total."""

    guarantee: Total = field(default_factory=Total)
    deserved: Total = field(default_factory=Total)


class Entry:
    """A stored queue, and its amounts as the scheduler counts them."""

    __slots__ = ("capability", "deserved", "guarantee", "queue")

    def __init__(self, queue: Queue) -> None:
        self.queue = queue
        self.capability = Resource.from_quantities(queue.spec.capability)
        self.deserved = Resource.from_quantities(queue.spec.deserved)
        self.guarantee = Resource.from_quantities(queue.spec.guarantee.resource)


NOTHING: Final = Entry(Queue())
"""A queue without capability, deserved and guarantee."""


class StoredQueues:
    """Queues by name, their tree, the totals of siblings, which resources are limited, and the paths in order."""

    def __init__(self, queues: Iterable[Queue]) -> None:
        self.entries: dict[str, Entry] = {}
        self.tree = QueueTree()
        self.families: defaultdict[str, Family] = defaultdict(Family)
        self.limited: Counter[str] = Counter()
        self.paths: list[tuple[str, str]] = []
        for queue in queues:
            self.put(Entry(queue))

    def is_below_another(self, name: str) -> bool:
        """Tell whether a queue has a parent that is stored, other than the root."""
        parent = parent_of(self.entries[name].queue)
        return parent != ROOT and parent in self.entries

    def put(self, entry: Entry) -> None:
        """Add a queue."""
        queue = entry.queue
        self.entries[queue.metadata.name] = entry
        self._count(entry, 1)
        self.tree.put(queue.metadata.name, parent_of(queue))
        path = queue.metadata.annotations.get(PATH, "")
        if path:
            insort(self.paths, (path, queue.metadata.name))

    def drop(self, name: str) -> None:
        """Take a queue away."""
        entry = self.entries.pop(name)
        self._count(entry, -1)
        self.tree.drop(name)
        path = entry.queue.metadata.annotations.get(PATH, "")
        if path:
            del self.paths[bisect_left(self.paths, (path, name))]

    def _count(self, entry: Entry, sign: int) -> None:
        family = self.families[parent_of(entry.queue)]
        family.guarantee.add(entry.guarantee, sign)
        family.deserved.add(entry.deserved, sign)
        for name in entry.capability.names():
            self.limited[name] += sign


def parent_of(queue: Queue) -> str:
    """Return the name of a queue's parent. The webhook also looks at the one that the root names."""
    return queue.spec.parent or ROOT
