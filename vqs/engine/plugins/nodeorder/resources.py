"""Scores by the resources that pods request: the least, the most, and the most evenly requested node.

Amounts are whole numbers below 9e13 here. Up to there 100 times an amount is exact in float64, and a quotient below 100
is never rounded up to a whole number, so that rounding it down is what the reference's integer division does.
Reference: k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources: least_allocated.go, most_allocated.go,
balanced_allocation.go and resource_allocation.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, sqrt
from typing import NamedTuple

import numpy as np

from vqs.engine.nodes.table import Block, Floats, Masks, Nodes, NodeTable, of_nodes
from vqs.model.requests import PodRequests
from vqs.model.resource import CPU, MEMORY

GPU = "nvidia.com/gpu"
"""The only resource besides cpu and memory that counts for balance."""

_ZERO, _ONE, _HUNDRED = np.float64(0.0), np.float64(1.0), np.float64(100.0)
_PAIR = 2


class StateRows(NamedTuple):
    """Where the amounts that the scores look at stand in the state of a node; `gpu` only where there are any."""

    cpu: int
    memory: int
    gpu: int
    cpu_nonzero: int
    memory_nonzero: int

    @classmethod
    def of(cls, nodes: NodeTable) -> StateRows:
        """Look them up."""
        cpu, memory, gpu = nodes.rows(Block.REQUESTED, [CPU, MEMORY, GPU if GPU in nodes.row else CPU]).tolist()
        return cls(cpu, memory, gpu, *nodes.nonzero_rows)


class ResourceTable:
    """What the scores look at: what nodes have to give, and what is requested of them.

    A resource that a node does not have is left out of its scores.
    """

    def __init__(self, nodes: NodeTable, *, live: bool) -> None:
        self.row = nodes.row
        self.state_rows = StateRows.of(nodes)
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

    def figures_of(self, node: int) -> list[float]:
        """Return likewise the six figures of one node."""
        figures: list[float] = self._figures[:, node].tolist()
        return figures


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
        self._asked, self._own = (float(asked[0]), float(asked[1])), tuple(map(float, requests.scoring_nonzero))

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

    def of_node(self, node: int, state: Sequence[float]) -> float:
        """Return likewise the sum of one node, of which the state is given."""
        cpu, memory, cpu_percent, memory_percent, share, half = self._table.figures_of(node)
        rows, (cpu_asked, memory_asked), (cpu_nonzero, memory_nonzero) = self._table.state_rows, self._asked, self._own
        total = 0.0
        if self._least or self._most:
            cpu_used, memory_used = state[rows.cpu_nonzero] + cpu_nonzero, state[rows.memory_nonzero] + memory_nonzero
            if self._least:
                cpu_score = floor(max(cpu - cpu_used, 0.0) * cpu_percent / cpu)
                memory_score = floor(max(memory - memory_used, 0.0) * memory_percent / memory)
                total += float(self._least) * floor((cpu_score + memory_score) * share)
            if self._most:
                cpu_score = floor(min(cpu_used, cpu) * cpu_percent / cpu)
                memory_score = floor(min(memory_used, memory) * memory_percent / memory)
                total += float(self._most) * floor((cpu_score + memory_score) * share)
        if self._balanced:
            cpu_part = min((state[rows.cpu] + cpu_asked) / cpu, 1.0)
            memory_part = min((state[rows.memory] + memory_asked) / memory, 1.0)
            if self._gpu:
                parts = [part for part, percent in ((cpu_part, cpu_percent), (memory_part, memory_percent)) if percent]
                deviation = _deviation_of([*parts, *self._gpu_part(node, state)])
            else:
                deviation = abs(cpu_part - memory_part) * half
            total += float(self._balanced) * floor((1.0 - deviation) * 100.0)
        return total

    def _gpu_part(self, node: int, state: Sequence[float]) -> list[float]:
        """Return the part of one node's gpus in use; none where it has no gpu."""
        capacity = float(self._table.allocatable[self._table.row[GPU], node])
        return [min((state[self._table.state_rows.gpu] + self._gpu) / capacity, 1.0)] if capacity > 0 else []

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


def _deviation_of(parts: Sequence[float]) -> float:
    """Return the standard deviation of the parts of one node, as `standard_deviation` does for many."""
    if len(parts) < _PAIR:
        return 0.0
    if len(parts) == _PAIR:
        return (max(parts) - min(parts)) / _PAIR
    mean = (parts[0] + parts[1] + parts[2]) / len(parts)
    squares = [(part - mean) * (part - mean) for part in parts]
    return sqrt((squares[0] + squares[1] + squares[2]) / len(parts))


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
