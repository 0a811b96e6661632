"""The annotations that tell the plugin drf with hierarchy where a queue is in its own tree."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import isinf
from typing import TYPE_CHECKING, Final

from vqs.lint.queue_tree import queue_tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vqs.lint.queue_tree import WrittenQueue
    from vqs.lint.rule import Place
    from vqs.lint.subject import Subject

PATH: Final = "volcano.sh/hierarchy"
WEIGHTS: Final = "volcano.sh/hierarchy-weights"

_DECIMAL: Final = re.compile(r"[+-]?(?:[0-9._]+(?:e[+-]?[0-9_]+)?|inf(?:inity)?)|nan", re.ASCII | re.IGNORECASE)
_HEXADECIMAL: Final = re.compile(
    r"[+-]?0x(?=[_.]?[0-9a-f])(?:_?[0-9a-f])*(?:\.(?:[0-9a-f](?:_?[0-9a-f])*)?)?p[+-]?[0-9](?:_?[0-9])*",
    re.ASCII | re.IGNORECASE,
)


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
        completed = self.path and self.weights and not self.path.startswith("root")
        return ["root", *self.steps] if completed else self.steps

    @property
    def at_path(self) -> Place:
        """Where the path stands."""
        return self.queue.at("metadata", "annotations", PATH)

    @property
    def at_weights(self) -> Place:
        """Where the weights stand."""
        return self.queue.at("metadata", "annotations", WEIGHTS)


def hierarchies(subject: Subject) -> Iterator[Hierarchy]:
    """Yield the queues that have one of the annotations."""
    for queue in queue_tree(subject):
        annotations = queue.queue.metadata.annotations
        path, weights = annotations.get(PATH, ""), annotations.get(WEIGHTS, "")
        if path or weights:
            yield Hierarchy(queue, path, weights)


def number(text: str) -> float | None:
    """Read a weight as Go reads numbers; None where it is none, or too large to be one.

    >>> number("2.5"), number("1_0"), number("0x1p3"), number("heavy"), number(" 2"), number("1e400")
    (2.5, 10.0, 8.0, None, None, None)
    """
    try:
        if _HEXADECIMAL.fullmatch(text):
            return float.fromhex(text.replace("_", ""))
        found = float(text) if _DECIMAL.fullmatch(text) else None
    except (ValueError, OverflowError):
        return None
    return None if found is not None and isinf(found) and text[-1].isdigit() else found
