"""A queue, and how queues stand below each other, however broken that is.

Reference: pkg/scheduler/api/queue_info.go.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from vqs.model.kubernetes import Queue as QueueObject
from vqs.model.resource import Resource

ROOT = "root"
OPEN = "Open"


@dataclass(slots=True)
class Queue:
    """One queue; its name is also its identity. `capability` is None where none is set."""

    name: str
    object: QueueObject
    weight: int
    priority: int
    state: str
    reclaimable: bool
    parent: str
    created: float
    capability: Resource | None
    deserved: Resource | None
    guarantee: Resource


def parent_name(name: str, parent: str) -> str:
    """The parent of a queue: the root is that of queues that name none, and has none, whatever it says.

    >>> parent_name("dev", "team"), parent_name("team", ""), parent_name("root", "team")
    ('team', 'root', '')
    """
    return "" if name == ROOT else parent or ROOT


class QueueTree:
    """The names of queues and of their parents. A parent may be missing, and queues may be above themselves."""

    def __init__(self, parents: Iterable[tuple[str, str]] = ()) -> None:
        self._parents: dict[str, str] = {}
        self._children: dict[str, dict[str, None]] = {}
        for name, parent in parents:
            self.put(name, parent)

    def put(self, name: str, parent: str) -> None:
        """Add a queue."""
        self._parents[name] = parent
        self._children.setdefault(parent, {})[name] = None

    def drop(self, name: str) -> None:
        """Take a queue away."""
        del self._children[self._parents.pop(name)][name]

    def parent(self, name: str) -> str:
        """The name of a queue's parent, empty for the root and for a queue that is missing."""
        return self._parents.get(name, "")

    def child_names(self, name: str) -> Collection[str]:
        """The queues whose parent this is, in the order in which they were added."""
        return self._children.get(name, {}).keys()

    def above(self, name: str) -> Iterator[str]:
        """Yield the ancestors of a queue, its parent first, up to the root, a missing queue, or the first again."""
        met: set[str] = set()
        above = self.parent(name)
        while above and above not in met:
            met.add(above)
            yield above
            above = self.parent(above)

    def cycle(self, name: str) -> list[str]:
        """The queues on the way from a queue up to itself, itself last; none if no way leads back.

        >>> tree = QueueTree([("a", "b"), ("b", "a"), ("c", "a")])
        >>> tree.cycle("a"), tree.cycle("c")
        (['b', 'a'], [])
        """
        line = list(self.above(name))
        return line[: line.index(name) + 1] if name in line else []

    def depth(self, name: str) -> int:
        """How many levels below the root a queue is."""
        return len([each for each in self.above(name) if each != ROOT]) + 1

    def ends(self, name: str) -> bool:
        """True if the way up from a queue comes to the root, or to a queue that is missing."""
        return not self.parent([name, *self.above(name)][-1])
