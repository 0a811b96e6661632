"""binpack: prefer nodes that are full already, so that others stay free for large tasks.

Arguments: `binpack.weight` (default 1, 0 switches it off), `binpack.cpu` and `binpack.memory` (default 1),
`binpack.resources` (further resource names, separated by commas), `binpack.resources.NAME` (default 1). Weights are
whole numbers; a negative one of a resource counts as 1.
Reference: pkg/scheduler/plugins/binpack/binpack.go.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vqs.config.known_arguments import Arguments, names_in
from vqs.config.scheduler_conf import PluginOption
from vqs.engine.framework import points
from vqs.engine.framework.equivalence import EquivalenceClass
from vqs.engine.framework.points import OfState, StateScore
from vqs.engine.framework.session import Plugin, Session
from vqs.engine.nodes.table import Block, Floats, Nodes, NodeTable, of_nodes
from vqs.model.resource import CPU, MEMORY

NAME = "binpack"

MAX_SCORE = 100


class BinpackPlugin(Plugin):
    """Score a node by how full the task would make it."""

    def __init__(self, option: PluginOption) -> None:
        super().__init__(option)
        self.weight = option.arguments.int("binpack.weight")
        self.weights = resource_weights(option.arguments)

    def on_session_open(self, session: Session) -> None:
        """Add the score."""
        self.nodes = session.nodes
        if self.weight:
            session.plugins.add(points.NODE_ORDER, NAME, StateScore(self.score, self.of_state))

    def score(self, task_class: EquivalenceClass, nodes: Nodes) -> Floats:
        """100 times the weighted mean of the parts the task would leave in use; 0 where it does not fit."""
        return self._weighing(task_class).score(nodes) * float(MAX_SCORE * self.weight)

    def of_state(self, task_class: EquivalenceClass) -> OfState[float]:
        """What gives the score of one node."""
        weight = float(MAX_SCORE * self.weight)
        return OfState(
            lambda node, state: self._weighing(task_class).of_node(node, state) * weight,
            of_class=(NAME, task_class.task.shape),
            lasting=(NAME, weight, *self.weights.items()),
        )

    def _weighing(self, task_class: EquivalenceClass) -> _Weighing:
        note: _Weighing | None = task_class.notes.get(NAME)
        if note is None:
            note = task_class.notes[NAME] = _Weighing(task_class, self.weights, self.nodes)
        return note


class _Weighing:
    """The resources that count for a class, and their weights."""

    def __init__(self, task_class: EquivalenceClass, weights: dict[str, int], nodes: NodeTable) -> None:
        request = task_class.task.request
        names = [name for name in request.names() if name in weights]
        self.nodes = nodes
        self.rows = nodes.rows(Block.USED, names)
        self.sum = float(sum(weights[name] for name in names))
        self.request = np.array([request.get(name) for name in names])[:, None]
        weight = np.array([float(weights[name]) for name in names])[:, None]
        capacity = nodes.allocatable[[nodes.row[name] for name in names]]
        counts = (capacity != 0) & (weight != 0)
        # A resource that does not count is given no weight and no limit, so that no row needs a condition.
        self.weight = np.where(counts, weight, 0.0)
        self.divisor = np.where(counts, capacity, 1.0)
        self.limit = np.where(counts, capacity, np.inf)
        self.asked = list(zip(self.rows.tolist(), self.request[:, 0].tolist(), strict=True))
        self.figures = np.stack([self.weight, self.divisor, self.limit], axis=-1).swapaxes(0, 1).copy()

    def score(self, nodes: Nodes) -> Floats:
        """The weighted mean of the parts in use, between 0 and 1, of some nodes."""
        used = self.nodes.gather(self.rows, nodes) + self.request
        parts = used * of_nodes(self.weight, nodes) / of_nodes(self.divisor, nodes)
        score: Floats = np.zeros(used.shape[1])
        for part in parts:  # one by one, as the sum of floats depends on the order
            score += part
        if self.sum > 0:
            score /= self.sum
        score[(used > of_nodes(self.limit, nodes)).any(axis=0)] = 0.0
        return score

    def of_node(self, node: int, state: Sequence[float]) -> float:
        """Likewise the mean of one node, of which the state is given."""
        figures = self.figures[node].tolist()
        score = 0.0
        for (row, request), (weight, divisor, limit) in zip(self.asked, figures, strict=True):
            used = state[row] + request
            if used > limit:
                return 0.0
            score += used * weight / divisor
        return score / self.sum if self.sum > 0 else score


def resource_weights(arguments: Arguments) -> dict[str, int]:
    """The weight of each resource that counts."""
    names = names_in(arguments.string("binpack.resources"))
    weights = {name: arguments.int(f"binpack.resources.{name}") for name in names}
    weights[CPU] = arguments.int("binpack.cpu")
    weights[MEMORY] = arguments.int("binpack.memory")
    return {name: 1 if weight < 0 else weight for name, weight in weights.items()}
