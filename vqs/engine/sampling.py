"""The scheduler's sampling of nodes: a search ends once enough nodes fit a task, and the next begins where it ended.

The scheduler examines nodes in the order of its list, from where the search before has ended, in whatever action that
was. It ends with the first node that fits after enough others have been found; that node is not among them. In the
scheduler, sixteen workers examine nodes side by side, so a few more are examined; here one does.
References: pkg/scheduler/util/scheduler_helper.go (CalculateNumOfFeasibleNodesToFind), predicate_helper.go.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from vqs.engine.nodes import Integers, Masks
from vqs.engine.process import ProcessState

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
        """Return how many nodes that fit are enough, of some.

        >>> [NodeSample().enough(nodes) for nodes in (100, 101, 1000, 5000, 10000)]
        [100, 100, 420, 500, 500]
        """
        if nodes <= self.minimum or self.percentage >= _ALL:
            return nodes
        percentage = self.percentage
        if percentage <= 0:
            percentage = max(_BASELINE - nodes // _NODES_PER_PERCENT, self.least_percentage)
        return max(nodes * percentage // 100, self.minimum)


class Search(NamedTuple):
    """What a search came across: the nodes that it found to fit, and those that it examined."""

    found: Masks
    examined: Masks


class NodeSampler:
    """The searches of one session; `ended_early` counts those that did not examine all nodes."""

    def __init__(self, sample: NodeSample, process: ProcessState, nodes: int) -> None:
        self.searches = 0
        self.ended_early = 0
        self._sample = sample
        self._process = process
        self._place: Integers = np.arange(nodes)

    def search(self, fitting: Masks, nodes: Integers) -> Search:
        """Search some nodes, given in the order of the scheduler's list, for those that fit."""
        if not len(nodes):
            return Search(np.zeros_like(fitting), np.zeros_like(fitting))
        start = self._process.next_node
        order = np.roll(nodes, -(start % len(nodes)))
        hits = np.flatnonzero(fitting[order])
        enough = self._sample.enough(len(nodes))
        examined = order if len(hits) <= enough else order[: int(hits[enough]) + 1]
        self._process.next_node = (start + len(examined)) % len(nodes)
        self._place[order] = np.arange(len(order))
        self.searches += 1
        self.ended_early += len(examined) < len(order)
        return Search(_mask(len(fitting), order[hits[:enough]]), _mask(len(fitting), examined))

    def search_one(self) -> None:
        """Search the only node that is asked, the one that an earlier session chose; the next search begins anew."""
        self._process.next_node = 0

    def summary(self) -> str:
        """Return what sampling has come to in the session."""
        return (
            f"--node-sample ended {self.ended_early:,} of {self.searches:,} searches for a node before all nodes were "
            "examined"
        )

    def caution(self) -> str:
        """Return what that may change; empty where it changes nothing."""
        if not self.ended_early:
            return ""
        return (
            "a node that was not examined may be better: without --node-sample, tasks may get other nodes, and other "
            "tasks may be evicted; so they may in a cluster, where the first search begins at any node, here at the "
            "first"
        )

    def in_order(self, nodes: Integers) -> Integers:
        """Return some nodes in the order of the last search."""
        return nodes[np.argsort(self._place[nodes], kind="stable")]


def _mask(width: int, nodes: Integers) -> Masks:
    mask: Masks = np.zeros(width, np.bool_)
    mask[nodes] = True
    return mask
