"""The tree of queues as their parents tell it, however broken it is.

A queue without a parent is a child of the root queue. The root queue and the default queue are there whether they are
written or not: the scheduler makes both. A parent that is missing ends a line, and so does a queue that comes again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from vqs.lint.amounts import Amounts, capability
from vqs.lint.context import LintContext
from vqs.lint.finding import Place
from vqs.model.kubernetes import Queue
from vqs.model.queue import ROOT
from vqs.snapshot.keys import DEFAULT_QUEUE
from vqs.snapshot.scenario.generated import GeneratedDocument


@dataclass(frozen=True, slots=True)
class WrittenQueue:
    """A queue, and where it stands."""

    queue: Queue
    place: Place

    @property
    def name(self) -> str:
        """Its name."""
        return self.queue.metadata.name

    @property
    def parent(self) -> str:
        """The name of its parent, empty for the root queue."""
        return "" if self.name == ROOT else self.queue.spec.parent or ROOT

    def at(self, *path: str | int) -> Place:
        """Return the place of a value in it."""
        return type(self.place)(self.place.list_name, self.place.index, path)


class QueueTree:
    """Queues in the order of their names, and how they hang together."""

    def __init__(self, queues: Iterable[tuple[Queue, Place]]) -> None:
        found = sorted(queues, key=lambda each: each[0].metadata.name)
        self.queues = {queue.metadata.name: WrittenQueue(queue, place) for queue, place in found}
        self._capabilities: dict[str, Amounts] = {}

    def __iter__(self) -> Iterator[WrittenQueue]:
        return iter(self.queues.values())

    def exists(self, name: str) -> bool:
        """Tell whether there is a queue of this name."""
        return name in self.queues or name in (ROOT, DEFAULT_QUEUE)

    def line(self, name: str) -> list[str]:
        """Return the names of the ancestors, the parent first; up to the root, a missing one, or the first again."""
        found: dict[str, None] = {}
        parent = self._parent(name)
        while parent and parent not in found:
            found[parent] = None
            parent = self._parent(parent)
        return list(found)

    def ancestors(self, name: str) -> list[WrittenQueue]:
        """Return the ancestors that are written, the parent first; a queue is none of its own."""
        return [self.queues[each] for each in self.line(name) if each in self.queues and each != name]

    def capability(self, queue: WrittenQueue) -> Amounts:
        """Return the limits that a queue sets itself."""
        if queue.name not in self._capabilities:
            self._capabilities[queue.name] = capability(queue.queue)
        return self._capabilities[queue.name]

    def children(self, name: str) -> list[WrittenQueue]:
        """Return the queues whose parent this is, itself if it is its own."""
        return self._children.get(name, [])

    def cycle(self, name: str) -> list[str]:
        """Return the queues that one comes back to from this one, itself last; none if the line has an end.

        >>> from vqs.lint.rule import Place
        >>> from vqs.model.kubernetes import ObjectMeta, Queue, QueueSpec
        >>> parents = {"a": "b", "b": "a", "c": "a"}
        >>> queues = [Queue(ObjectMeta(name), QueueSpec(parent=parent)) for name, parent in parents.items()]
        >>> tree = QueueTree((queue, Place("queues", index)) for index, queue in enumerate(queues))
        >>> tree.cycle("a"), tree.cycle("c")
        (['b', 'a'], [])
        """
        return self._cycles.get(name, [])

    def depth(self, name: str) -> int:
        """Return how many levels below the root a queue is."""
        return len([each for each in self.line(name) if each != ROOT]) + 1

    def comes_to_an_end(self, name: str) -> bool:
        """Tell whether the line of a queue leads to the root, or to a queue that is missing."""
        return not self.cycle(name) and not any(map(self.cycle, self.line(name)))

    def _parent(self, name: str) -> str:
        queue = self.queues.get(name)
        if queue is not None:
            return queue.parent
        return ROOT if name == DEFAULT_QUEUE else ""

    @cached_property
    def _cycles(self) -> dict[str, list[str]]:
        lines = {name: self.line(name) for name in self.queues}
        return {name: line[: line.index(name) + 1] for name, line in lines.items() if name in line}

    @cached_property
    def _children(self) -> dict[str, list[WrittenQueue]]:
        found: dict[str, list[WrittenQueue]] = {}
        for queue in self:
            found.setdefault(queue.parent, []).append(queue)
        return found


def is_sketched(context: LintContext, queue: WrittenQueue) -> bool:
    """Tell whether a queue stands in a scenario in short, and is not meant for an API server as it is."""
    return is_made(context, queue.place)


def is_made(context: LintContext, place: Place) -> bool:
    """Tell whether an object stands for something that a scenario says in short."""
    return isinstance(context.manifests.origins[place.list_name][place.index].document, GeneratedDocument)


def queue_tree(context: LintContext) -> QueueTree:
    """Return the queues of a context."""
    return context.cached(_queue_tree)


def _queue_tree(context: LintContext) -> QueueTree:
    return QueueTree(context.each("queues"))
