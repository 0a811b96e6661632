"""What the filters share that look at more than a node's own description."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from vqs.engine.nodes.table import Masks, Nodes


@dataclass(frozen=True, slots=True)
class Verdict:
    """The nodes that are refused for one reason, and whether that ends their examination."""

    refused: Masks
    reason: str
    final: bool


class Filter(Protocol):
    """A filter made for one class of tasks."""

    @property
    def volatile(self) -> bool:
        """Whether placing a pod on one node may change the verdict on others."""

    def verdicts(self, nodes: Nodes) -> Iterator[Verdict]:
        """Judge some nodes; none is refused twice."""
