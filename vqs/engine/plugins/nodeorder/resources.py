"""Scores by the resources that pods request: the least, the most, and the most evenly requested node.

Amounts are whole numbers below 9e13 here. Up to there 100 times an amount is exact in float64, and a quotient below 100
is never rounded up to a whole number, so that rounding it down is what the reference's integer division does.
Reference: k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources: least_allocated.go, most_allocated.go,
balanced_allocation.go and resource_allocation.go.
"""

from __future__ import annotations

import numpy as np

from vqs.engine.nodes import Floats, Masks, Nodes, NodeTable, of_nodes
from vqs.model.requests import PodRequests
from vqs.model.resource import CPU, MEMORY

GPU = "nvidia.com/gpu"
"""The only resource besides cpu and memory that counts for balance."""

_ZERO, _ONE, _HUNDRED = np.float64(0.0), np.float64(1.0), np.float64(100.0)
_PAIR = 2


class ResourceTable:
    """What the scores look at: what nodes have to give, and what is requested of them.

    A resource that a node does not have is left out of its scores.
    """

    def __init__(self, nodes: NodeTable, *, live: bool) -> None:
        self.row = nodes.row
        self.allocatable = nodes.node_allocatable
        self.requested = nodes.requested if live else nodes.requested.copy()
        self.nonzero = nodes.nonzero if live else nodes.nonzero.copy()
        capacity = self.allocatable[:_PAIR]
        given = capacity > 0
        number = given.sum(axis=0)
        self._figures = np.vstack(
            [
                np.where(given, capacity, _ONE),
                np.where(given, _HUNDRED, _ZERO),
                np.where(number, _ONE / np.maximum(number, 1), _ZERO),
                np.where(number == _PAIR, _ONE / _PAIR, _ZERO),
            ]
        )

    def figures(self, nodes: Nodes) -> tuple[Floats, Floats, Floats, Floats]:
        """Return for some nodes cpu and memory, 100 or 0 for each, and the shares of their sum and difference."""
        figures = of_nodes(self._figures, nodes)
        return figures[:2], figures[2:4], figures[4], figures[5]


class ResourceScore:
    """The three scores of a class, weighted."""

    def __init__(self, table: ResourceTable, requests: PodRequests, *, least: int, most: int, balanced: int) -> None:
        self._table = table
        self._least, self._most = np.float64(least), np.float64(most)
        asked = [requests.scoring[CPU], requests.scoring[MEMORY], requests.scoring.get(GPU, 0)]
        self._balanced = np.float64(balanced if any(asked) else 0)
        self._nonzero = np.array(requests.scoring_nonzero, np.float64)[:, None]
        self._request = np.array(asked[:_PAIR], np.float64)[:, None]
        self._gpu = float(asked[_PAIR])

    def of(self, nodes: Nodes) -> Floats:
        """Return the sum of the scores of some nodes."""
        capacity, percent, share, half = self._table.figures(nodes)
        total = np.zeros(share.shape)
        if self._least or self._most:
            used = of_nodes(self._table.nonzero, nodes) + self._nonzero
            if self._least:
                total += self._least * _mean(np.maximum(capacity - used, _ZERO) * percent / capacity, share)
            if self._most:
                total += self._most * _mean(np.minimum(used, capacity) * percent / capacity, share)
        if self._balanced:
            requested = of_nodes(self._table.requested[:_PAIR], nodes) + self._request
            parts = np.minimum(requested / capacity, _ONE)
            deviation = self._deviation(parts, percent, nodes) if self._gpu else np.abs(parts[0] - parts[1]) * half
            total += self._balanced * np.floor((_ONE - deviation) * _HUNDRED)
        return total

    def _deviation(self, parts: Floats, percent: Floats, nodes: Nodes) -> Floats:
        """Return the standard deviation of the parts in use of cpu, memory and gpus."""
        row = self._table.row[GPU]
        capacity = self._table.allocatable[row][nodes]
        gpu = np.minimum((self._table.requested[row][nodes] + self._gpu) / np.where(capacity > 0, capacity, _ONE), _ONE)
        return standard_deviation(np.vstack([parts, gpu]), np.vstack([percent, capacity]) > 0)


def _mean(scores: Floats, share: Floats) -> Floats:
    whole = np.floor(scores)
    mean: Floats = np.floor((whole[0] + whole[1]) * share)
    return mean


def standard_deviation(parts: Floats, given: Masks) -> Floats:
    """Return the standard deviation of those parts that are given, (parts, nodes); 0 for fewer than two."""
    number = given.sum(axis=0)
    divisor = np.maximum(number, 1)
    parts = np.where(given, parts, _ZERO)
    total = parts[0] + parts[1] + parts[2]
    squares = np.where(given, parts - total / divisor, _ZERO) ** 2
    deviation: Floats = np.sqrt((squares[0] + squares[1] + squares[2]) / divisor)
    highest, lowest = np.where(given, parts, -np.inf).max(axis=0), np.where(given, parts, np.inf).min(axis=0)
    deviation[number == _PAIR] = (highest - lowest)[number == _PAIR] / _PAIR
    deviation[number < _PAIR] = _ZERO
    return deviation
