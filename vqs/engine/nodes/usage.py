"""How busy nodes are, where annotations say so.

The scheduler asks a metrics server for the average use of cpu and memory over the last 10 minutes, in percent of what a
node has. Manifests do not contain that; so annotations of the nodes say it, see `vqs.snapshot.cluster.usage`. A node
without them counts as idle, as one that the metrics server does not know does in Volcano; with the type
prometheus_adaptor, it is one that was never measured.
References: pkg/scheduler/cache/cache.go (setMetricsData); pkg/scheduler/metrics/source.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from vqs.engine.framework.session import Session
from vqs.model.moments import parse_moment
from vqs.model.quantity import finite_number
from vqs.snapshot.cluster.usage import ANNOTATIONS, TIME

PERIOD = "10m"
"""The only period that the scheduler knows the use of nodes for."""

UNKNOWN_USAGE = "the usage of nodes"
"""What is not known where no node says how busy it is."""

LISTS_NODES = "prometheus_adaptor"
"""The type of metrics that leaves out the nodes that it knows nothing of."""


@dataclass(frozen=True, slots=True)
class NodeUsage:
    """What is used of each node's cpu and memory, in percent, and whether any node says so.

    `ages` are the seconds since that was measured, by node.
    """

    known: bool
    percent: dict[str, dict[str, float]]
    ages: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, session: Session) -> NodeUsage:
        """Read the annotations of all nodes."""
        percent: dict[str, dict[str, float]] = {}
        ages: dict[str, float] = {}
        measured: set[str] = set()
        for node in session.nodes.nodes:
            annotations = node.object.metadata.annotations
            given = {name: finite_number(annotations.get(key, "")) for name, key in ANNOTATIONS.items()}
            percent[node.name] = {name: value or 0.0 for name, value in given.items()}
            moment = parse_moment(annotations.get(TIME, ""))
            ages[node.name] = 0.0 if moment is None else (session.options.now - moment).total_seconds()
            if any(value is not None for value in given.values()):
                measured.add(node.name)
        is_complete = bool(measured) and session.conf.metrics.get("type") != LISTS_NODES
        return cls(
            bool(measured), percent, {name: age for name, age in ages.items() if is_complete or name in measured}
        )

    def age(self, node: str) -> float:
        """How many seconds ago a node was measured, infinity where it never was."""
        return self.ages.get(node, math.inf)
