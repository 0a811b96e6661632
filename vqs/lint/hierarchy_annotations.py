"""The annotations that tell the plugin drf with hierarchy where a queue is in its own tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from vqs.lint.context import LintContext
from vqs.lint.finding import Place
from vqs.lint.queue_tree import WrittenQueue, queue_tree
from vqs.snapshot.cluster.hierarchy_paths import PATH, WEIGHTS, stored_path


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
