"""The queues of a lint context as a tree, and what their annotations and affinities name.

The root queue and the default queue are there whether they are written or not: the scheduler makes both. The plugin drf
with hierarchy has a tree of its own, which annotations describe.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from vqs.lint.amounts import Amounts, capability
from vqs.lint.rule import LintContext, Place, once
from vqs.model.cluster import ROOT, QueueTree, parent_name
from vqs.model.keys import DEFAULT_QUEUE, NODE_GROUP
from vqs.model.kubernetes import Queue
from vqs.snapshot.cluster.hierarchy_paths import PATH, WEIGHTS, stored_path
from vqs.snapshot.scenario.generated import GeneratedDocument


@dataclass(frozen=True, slots=True)
class WrittenQueue:
    """A queue, and its place."""

    queue: Queue
    place: Place

    @property
    def name(self) -> str:
        """Its name."""
        return self.queue.metadata.name

    @property
    def parent(self) -> str:
        """The name of its parent, empty for the root queue."""
        return parent_name(self.name, self.queue.spec.parent)

    def at(self, *path: str | int) -> Place:
        """The place of a value in it."""
        return type(self.place)(self.place.list_name, self.place.index, path)


class WrittenTree(QueueTree):
    """The queues that are written, in the order of their names, in the tree with those that the scheduler makes."""

    def __init__(self, queues: Iterable[tuple[Queue, Place]]) -> None:
        found = sorted(queues, key=lambda each: each[0].metadata.name)
        self.queues = {queue.metadata.name: WrittenQueue(queue, place) for queue, place in found}
        self._capabilities: dict[str, Amounts] = {}
        super().__init__(({DEFAULT_QUEUE: ROOT} | {queue.name: queue.parent for queue in self}).items())

    def __iter__(self) -> Iterator[WrittenQueue]:
        return iter(self.queues.values())

    def exists(self, name: str) -> bool:
        """True if there is a queue of this name."""
        return name in self.queues or name in (ROOT, DEFAULT_QUEUE)

    def ancestors(self, name: str) -> list[WrittenQueue]:
        """The ancestors that are written, the parent first; a queue is none of its own."""
        return [self.queues[each] for each in self.above(name) if each in self.queues and each != name]

    def children(self, name: str) -> list[WrittenQueue]:
        """The written queues whose parent this is, itself if it is its own."""
        return [self.queues[each] for each in self.child_names(name) if each in self.queues]

    def capability(self, queue: WrittenQueue) -> Amounts:
        """The limits that a queue sets itself."""
        if queue.name not in self._capabilities:
            self._capabilities[queue.name] = capability(queue.queue)
        return self._capabilities[queue.name]


def is_made(context: LintContext, place: Place) -> bool:
    """True if an object stands for something that a scenario says in short."""
    return isinstance(context.manifests.origins[place.list_name][place.index].document, GeneratedDocument)


@once
def queue_tree(context: LintContext) -> WrittenTree:
    """The queues of a context."""
    return WrittenTree(context.objects("queues"))


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """A queue's path and the weights along it, as they are written; one of the two may be empty."""

    queue: WrittenQueue
    path: str
    weights: str

    @property
    def steps(self) -> list[str]:
        """The names along the path."""
        return self.path.split("/")

    @property
    def step_weights(self) -> list[str]:
        """The weights along the path, as text."""
        return self.weights.split("/")

    @property
    def stored_steps(self) -> list[str]:
        """The names along the path as the webhook stores it: from the root on."""
        return stored_path(self.path, self.weights).split("/")

    @property
    def at_path(self) -> Place:
        """The place of the path."""
        return self.queue.at("metadata", "annotations", PATH)

    @property
    def at_weights(self) -> Place:
        """The place of the weights."""
        return self.queue.at("metadata", "annotations", WEIGHTS)


def hierarchies(context: LintContext) -> Iterator[Hierarchy]:
    """Yield the queues that have one of the annotations."""
    for queue in queue_tree(context):
        annotations = queue.queue.metadata.annotations
        path, weights = annotations.get(PATH, ""), annotations.get(WEIGHTS, "")
        if path or weights:
            yield Hierarchy(queue, path, weights)


def groups_of_nodes(context: LintContext) -> dict[str, int]:
    """The number of nodes of each group."""
    labels = (node.metadata.labels for node, _ in context.objects("nodes"))
    return Counter(each[NODE_GROUP] for each in labels if NODE_GROUP in each)


def names_node_groups(queue: Queue) -> bool:
    """True if a queue's affinity, or anti-affinity, names any group."""
    affinity = queue.spec.affinity
    if affinity is None:
        return False
    terms = (affinity.node_group_affinity, affinity.node_group_anti_affinity)
    return any(each is not None and (each.required or each.preferred) for each in terms)
