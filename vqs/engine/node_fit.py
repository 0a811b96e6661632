"""Which nodes fit an equivalence class of tasks, and how well.

What is known is computed once for all nodes. After that only the nodes that were changed are looked at again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from vqs.engine.equivalence import EquivalenceClass
from vqs.engine.known_states import FEW, MANY, KnownStates, Shared, known_states
from vqs.engine.nodes import ALL, Floats, Integers, Masks, Nodes, NodeTable
from vqs.engine.points import BatchScore, NodeScore, OutsidePredicate, Predicate
from vqs.engine.reasons import ACCEPTED, FITS, Codes
from vqs.engine.sharding import SessionShard
from vqs.engine.votes import Refusal
from vqs.model.job import FitErrors
from vqs.model.resource import EPSILON


class NodePlugins(NamedTuple):
    """The plugins' answers about nodes, in the order of the tiers.

    `failures` tell the nodes that one cannot score; `counted` whether each answer for a node is counted.
    """

    predicates: Sequence[Predicate | OutsidePredicate]
    scores: Sequence[NodeScore]
    batch_scores: Sequence[BatchScore]
    failures: Sequence[Callable[[Nodes], Masks]] = ()
    asks_outside: bool = False
    counted: bool = False

    def refusals(self, task_class: EquivalenceClass, nodes: Nodes, codes: Codes) -> Codes:
        """Return the first reason against each of some nodes, where `codes` has none already."""
        for predicate in self.predicates:
            if self.asks_outside and isinstance(predicate, OutsidePredicate):
                codes = predicate.ask(task_class, nodes, codes)
            else:
                codes = np.where(codes == FITS, predicate.codes(task_class, nodes), codes)
        return np.where(codes == ACCEPTED, FITS, codes) if self.asks_outside else codes

    def node_order(self, task_class: EquivalenceClass, nodes: Nodes, width: int) -> Floats:
        """Return the sum of the scores of some nodes that depend on each node alone."""
        total = np.zeros(width if isinstance(nodes, slice) else len(nodes))
        for score in self.scores:
            total += score(task_class, nodes)
        for fails in self.failures:
            total[fails(nodes)] = 0.0
        return total


class Refused(NamedTuple):
    """Why no node took a task of a class, when `seen` changes of nodes were known."""

    seen: int
    refusal: Refusal
    errors: FitErrors


class NodeFit:
    """What is known of every node for one class of tasks; `refresh` brings it up to date.

    Attributes:
        codes: 0 where the class fits idle or future resources and every predicate, else the reasons, (nodes,).
        idle: whether idle resources are enough, (nodes,).
        scores: the sum of the plugins' scores; without the batch scores where `batch` is set, (nodes,).
        best: the score where the class fits idle resources, else minus infinity, (nodes,).
        volatile: whether a predicate may change its mind about nodes that were not changed.
        batch: whether some score depends on which nodes are candidates.
        refused: why no node took the last task of the class that was refused, where that is so for all of them.
    """

    __slots__ = (
        "batch",
        "best",
        "codes",
        "constant",
        "idle",
        "known",
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
        shared: Shared | None = None,
    ) -> None:
        width = len(nodes)
        self.shard = shard
        self.task_class = task_class
        self.nodes = nodes
        self.plugins = plugins
        self.volatile = any(predicate.volatile(task_class) for predicate in plugins.predicates)
        constants = [batch.constant(task_class) for batch in plugins.batch_scores]
        self.batch = None in constants
        self.constant = 0.0 if self.batch else sum((c for c in constants if c is not None), 0.0)
        self.short: Codes = np.zeros(width, np.int32)
        self.codes: Codes = np.zeros(width, np.int32)
        self.idle: Masks = np.zeros(width, np.bool_)
        self.scores: Floats = np.zeros(width)
        self.best: Floats = np.zeros(width)
        self.seen = -1
        self.refused: Refused | None = None
        self.known = self._known_states({} if shared is None else shared)

    def _known_states(self, shared: Shared) -> KnownStates | None:
        plugins = self.plugins
        if plugins.failures or plugins.counted:
            return None
        predicates = None if self.volatile or self.shard.is_hard else plugins.predicates
        return known_states(
            self.task_class, self.nodes, plugins.scores, predicates, constant=self.constant, shared=shared
        )

    def refresh(self) -> None:
        """Look again at the nodes that were changed since the last time."""
        log = self.nodes.log
        if self.seen < 0:
            self._look_at_all()
        elif self.seen < len(log):
            touched = log[self.seen :]
            self._look_again(touched if len(touched) == 1 else list(set(touched)))
        elif not self.volatile:
            return
        if self.volatile:
            self._predicate(ALL)
        self.seen = len(log)

    def _look_at_all(self) -> None:
        """Look at every node for the first time."""
        if self.known is None or len(self.nodes) > FEW:
            self._examine(ALL)
        else:
            self._look_again([*range(len(self.nodes))])

    def _look_again(self, nodes: list[int]) -> None:
        """Bring some nodes up to date: from what their states are known to lead to, or else with arrays."""
        if self.known is None or len(nodes) > MANY:
            self._examine(np.array(nodes, dtype=np.intp))
            return
        if len(nodes) == 1:
            node = nodes[0]
            standing = self.known.of(node)
            self.short[node], self.idle[node], self.scores[node], self.codes[node], self.best[node] = standing
            if not (self.known.has_codes or self.volatile):
                self._predicate(np.array(nodes, dtype=np.intp))
            return
        standings, unknown = self.known.recall(nodes)
        for node, standing in standings:
            self.short[node], self.idle[node], self.scores[node], self.codes[node], self.best[node] = standing
        if unknown:
            self._weigh(np.array(unknown, dtype=np.intp))
        unjudged = unknown if self.known.has_codes else nodes
        if unjudged and not self.volatile:
            self._predicate(np.array(unjudged, dtype=np.intp))
        if unknown and self.known.has_codes:
            arrays = (self.short, self.idle, self.scores, self.codes, self.best)
            self.known.learn(unknown, zip(*(array[unknown].tolist() for array in arrays), strict=True))

    def _examine(self, nodes: Nodes) -> None:
        self._weigh(nodes)
        if not self.volatile:
            self._predicate(nodes)

    def _weigh(self, nodes: Nodes) -> None:
        self._measure(nodes)
        self.scores[nodes] = self.plugins.node_order(self.task_class, nodes, len(self.nodes)) + self.constant

    def _measure(self, nodes: Nodes) -> None:
        """Compare the request with idle and future idle resources."""
        task_class = self.task_class
        number = len(task_class.short_codes)
        if not number:
            self.idle[nodes] = True
            return
        short = task_class.need - self.nodes.gather(task_class.rows, nodes) >= EPSILON
        now, later = short[:number], short[number:]
        self.idle[nodes] = ~now.any(axis=0)
        self.short[nodes] = np.where(later.any(axis=0), task_class.short_codes[later.argmax(axis=0)], FITS)

    def _predicate(self, nodes: Nodes) -> None:
        """Ask the plugins' predicates where the resources are enough; the first that says no gives the reasons."""
        codes = self.plugins.refusals(self.task_class, nodes, self.short[nodes].copy())
        self.shard.refuse(codes, nodes)
        self.codes[nodes] = codes
        self.best[nodes] = np.where((codes == FITS) & self.idle[nodes], self.scores[nodes], -np.inf)

    def totals(self, candidates: Integers) -> Floats:
        """Return the full scores of some candidates."""
        totals = self.scores[candidates]
        if self.batch:
            batch = np.zeros(len(candidates))
            for score in self.plugins.batch_scores:
                batch += score.scores(self.task_class, candidates)
            totals = totals + batch
        return totals


class NodeFits:
    """The fit of each class that was asked for in one session."""

    def __init__(self, nodes: NodeTable, plugins: NodePlugins, shard: SessionShard) -> None:
        self._shard = shard
        self._nodes = nodes
        self._plugins = plugins
        self._fits: dict[int, NodeFit] = {}
        self._shared: Shared = {}

    def of(self, task_class: EquivalenceClass) -> NodeFit:
        """Return what is known of the nodes for a class, up to date."""
        fit = self._fits.get(task_class.number)
        if fit is None:
            fit = NodeFit(task_class, self._nodes, self._plugins, self._shard, self._shared)
            self._fits[task_class.number] = fit
        fit.refresh()
        return fit
