"""How many nodes the scheduler examines for a task, as it is told when it is started.

Reference: pkg/scheduler/util/scheduler_helper.go (CalculateNumOfFeasibleNodesToFind).
"""

from __future__ import annotations

from dataclasses import dataclass

_ALL = 100
_BASELINE = 50
_NODES_PER_PERCENT = 125


@dataclass(frozen=True, slots=True)
class NodeSample:
    """How many nodes that fit are enough, as the scheduler's options say it.

    Attributes:
        minimum: `--minimum-feasible-nodes`: at least that many.
        least_percentage: `--minimum-percentage-nodes-to-find`: at least that part of all, where it follows from their
            number.
        percentage: `--percentage-nodes-to-find`: that part of all; 0 makes it follow from their number.
    """

    minimum: int = 100
    least_percentage: int = 5
    percentage: int = 0

    def enough(self, nodes: int) -> int:
        """How many nodes that fit are enough, of some.

        >>> [NodeSample().enough(nodes) for nodes in (100, 101, 1000, 5000, 10000)]
        [100, 100, 420, 500, 500]
        """
        if nodes <= self.minimum or self.percentage >= _ALL:
            return nodes
        percentage = self.percentage
        if percentage <= 0:
            percentage = max(_BASELINE - nodes // _NODES_PER_PERCENT, self.least_percentage)
        return max(nodes * percentage // 100, self.minimum)
