"""Which nodes fit an equivalence class of tasks, and how well.

What the nodes are by themselves, their room and their scores, comes first (`vqs.engine.nodes.class_scores`).
Predicates that look at more than that, such as the pods on a node, are asked afterwards, so that classes that only
these tell apart have their scores in common.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vqs.engine.framework.equivalence import EquivalenceClass
from vqs.engine.framework.points import BATCH_NODE_ORDER
from vqs.engine.framework.votes import Refusal
from vqs.engine.nodes.class_scores import NodePlugins, SharedScores
from vqs.engine.nodes.known_states import KnownStates
from vqs.engine.nodes.reasons import FITS
from vqs.engine.nodes.sharding import SessionShard
from vqs.engine.nodes.table import ALL, Floats, Integers, Nodes, NodeTable
from vqs.model.job import FitErrors


class Refused(NamedTuple):
    """Why no node took a task of a class, when `seen` changes of nodes were known."""

    seen: int
    refusal: Refusal
    errors: FitErrors


class NodeFit:
    """What is known of every node for one class of tasks; `refresh` brings it up to date.

    Attributes:
        codes: 0 where the class fits idle or future resources and every predicate, else the reasons, (nodes,).
        short: likewise, with no regard to predicates, (nodes,).
        idle: whether idle resources are enough, (nodes,).
        scores: the sum of the plugins' scores of nodes that `short` does not refuse, of others only once these were to
            be scored, too (`score`); without the batch scores where `batch` is set, (nodes,).
        best: the score where the class fits idle resources, else minus infinity, (nodes,).
        class_scores: what the nodes are by themselves, with what predicates say where that follows from their states.
        volatile: whether a predicate may change its mind about nodes that were not changed.
        batch: whether some score depends on which nodes are candidates.
        seen: how many changes of nodes are known.
        refused: why no node took the last task of the class that was refused, where that is so for all of them.
    """

    __slots__ = (
        "asks_predicates",
        "batch",
        "best",
        "class_scores",
        "codes",
        "idle",
        "nodes",
        "plugins",
        "refused",
        "scores",
        "seen",
        "shard",
        "short",
        "task_class",
        "volatile",
    )

    def __init__(
        self,
        task_class: EquivalenceClass,
        nodes: NodeTable,
        plugins: NodePlugins,
        shard: SessionShard,
        shared: SharedScores,
    ) -> None:
        self.shard = shard
        self.task_class = task_class
        self.nodes = nodes
        self.plugins = plugins
        self.volatile = any(predicate.volatile(task_class) for predicate in plugins.predicates)
        constants = [
            plugins.told(BATCH_NODE_ORDER, batch, batch.constant(task_class), task_class)
            for batch in plugins.batch_scores
        ]
        self.batch = None in constants
        constant = 0.0 if self.batch else sum((c for c in constants if c is not None), 0.0)
        self.class_scores, knows_predicates = shared.of(
            task_class, constant, with_predicates=not (self.volatile or shard.is_hard)
        )
        self.asks_predicates = not knows_predicates
        self.short, self.idle, self.scores = self.class_scores.short, self.class_scores.idle, self.class_scores.scores
        self.codes = self.class_scores.codes.copy() if self.asks_predicates else self.class_scores.codes
        self.best = self.class_scores.best.copy() if self.asks_predicates else self.class_scores.best
        self.seen = -1
        self.refused: Refused | None = None

    @property
    def known(self) -> KnownStates | None:
        """What states of nodes lead to; None where more than that decides."""
        return None if self.asks_predicates else self.class_scores.known

    def refresh(self) -> None:
        """Look again at the nodes that were changed since the last time."""
        self.class_scores.refresh()
        seen, self.seen = self.seen, self.class_scores.seen
        if not self.asks_predicates:
            return
        if seen < 0 or self.volatile:
            self._ask_predicates(ALL)
        elif seen < self.seen:
            changed, asking_counts = self.nodes.log[seen:], self.plugins.asks_outside or self.plugins.counted
            if 2 * len(changed) >= len(self.nodes) and not asking_counts:
                self._ask_predicates(ALL)
            else:
                numbers = changed if len(changed) == 1 else list(set(changed))
                self._ask_predicates(np.array(numbers, dtype=np.intp))

    def _ask_predicates(self, nodes: Nodes) -> None:
        """Ask the plugins' predicates where the resources are enough; the first that says no gives the reasons."""
        codes = self.plugins.refusals(self.task_class, nodes, self.short[nodes].copy())
        self.shard.refuse(codes, nodes)
        self.codes[nodes] = codes
        self.best[nodes] = np.where(codes == FITS, self.class_scores.best[nodes], -np.inf)

    def score(self, nodes: Integers) -> None:
        """Have nodes scored whether or not they have room."""
        self.class_scores.score(nodes)

    def totals(self, candidates: Integers) -> Floats:
        """The full scores of some candidates, which have room or were to be scored, too."""
        totals = self.scores[candidates]
        if self.batch:
            batch = np.zeros(len(candidates))
            for score in self.plugins.batch_scores:
                batch += self.plugins.compare(score, self.task_class, candidates)
            totals = totals + batch
        return totals


class NodeFits:
    """The fit of each class that was asked for in one session."""

    def __init__(self, nodes: NodeTable, plugins: NodePlugins, shard: SessionShard) -> None:
        self._shard = shard
        self._nodes = nodes
        self._plugins = plugins
        self._fits: dict[int, NodeFit] = {}
        self._shared_scores = SharedScores(nodes, plugins)

    def of(self, task_class: EquivalenceClass) -> NodeFit:
        """What is known of the nodes for a class, up to date."""
        fit = self._fits.get(task_class.number)
        if fit is None:
            fit = NodeFit(task_class, self._nodes, self._plugins, self._shard, self._shared_scores)
            self._fits[task_class.number] = fit
        fit.refresh()
        return fit
