"""How busy nodes are, where annotations say so.

The scheduler asks a metrics server for the average use of cpu and memory over the last 10 minutes, in percent of what a
node has. Manifests do not contain that; so annotations of the nodes say it, see `vqs.snapshot.usage`. A node without
them counts as idle, as one that the metrics server does not know does in Volcano.
Reference: pkg/scheduler/cache/cache.go (setMetricsData).
"""

from __future__ import annotations

from dataclasses import dataclass

from vqs.engine.session import Session
from vqs.model.number_text import finite_number
from vqs.snapshot.usage import ANNOTATIONS

PERIOD = "10m"
"""The only period that the scheduler knows the use of nodes for."""


@dataclass(frozen=True, slots=True)
class NodeUsage:
    """What is used of each node's cpu and memory, in percent, and whether any node says so."""

    known: bool
    percent: dict[str, dict[str, float]]

    @classmethod
    def of(cls, session: Session) -> NodeUsage:
        """Read the annotations of all nodes."""
        known = False
        percent: dict[str, dict[str, float]] = {}
        for node in session.nodes.nodes:
            annotations = node.object.metadata.annotations
            given = {name: finite_number(annotations.get(key, "")) for name, key in ANNOTATIONS.items()}
            known |= any(value is not None for value in given.values())
            percent[node.name] = {name: value or 0.0 for name, value in given.items()}
        return cls(known, percent)
