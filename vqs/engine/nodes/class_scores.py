"""What nodes are for an equivalence class of tasks by themselves: whether they have the room, and how they score.

What is known is computed once for all nodes. After that only the nodes that were changed are looked at again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

import numpy as np

from vqs.engine.framework.equivalence import EquivalenceClass
from vqs.engine.framework.points import (
    BATCH_NODE_ORDER,
    NODE_ORDER,
    PREDICATE,
    BatchScore,
    Listener,
    NodeScore,
    OutsidePredicate,
    Point,
    Predicate,
)
from vqs.engine.nodes.known_states import FEW, MANY, KnownStates, NodeVerdict, plugins_of_state
from vqs.engine.nodes.reasons import ACCEPTED, FITS, Codes
from vqs.engine.nodes.table import ALL, Floats, Integers, Masks, Nodes, NodeTable
from vqs.model.resource import EPSILON

Said = TypeVar("Said")


class NodePlugins(NamedTuple):
    """The plugins' answers about nodes, in the order of the tiers.

    `failures` tell the nodes that one cannot score; `counted` whether each answer for a node is counted. `listeners`
    hear what answers return, by the name of the extension point and the identity of the answer.
    """

    predicates: Sequence[Predicate | OutsidePredicate]
    scores: Sequence[NodeScore]
    batch_scores: Sequence[BatchScore]
    failures: Sequence[Callable[[Nodes], Masks]] = ()
    asks_outside: bool = False
    counted: bool = False
    listeners: Mapping[tuple[str, int], Sequence[Listener]] = MappingProxyType({})

    def told(self, point: Point[Any], answer: object, said: Said, *asked: object) -> Said:
        """What an answer returned, after those who listen to it have heard it."""
        for hear in self.listeners.get((point.name, id(answer)), ()) if self.listeners else ():
            hear(said, *asked)
        return said

    def codes(self, predicate: Predicate, task_class: EquivalenceClass, nodes: Nodes) -> Codes:
        """The codes that a predicate gives some nodes; one that asks a server is heard when it asks."""
        codes = predicate.codes(task_class, nodes)
        if not self.listeners or isinstance(predicate, OutsidePredicate):
            return codes
        return self.told(PREDICATE, predicate, codes, task_class, nodes)

    def reaching(self, predicate: Predicate, task_class: EquivalenceClass, asked: Masks) -> Integers:
        """Those of the nodes asked about that no earlier predicate refuses; those that ask a server are left out."""
        nodes = np.flatnonzero(asked)
        for earlier in self.predicates[: self.predicates.index(predicate)]:
            if not isinstance(earlier, OutsidePredicate):
                nodes = nodes[self.codes(earlier, task_class, nodes) == FITS]
        return nodes

    def compare(self, batch: BatchScore, task_class: EquivalenceClass, candidates: Integers) -> Floats:
        """The scores of candidates that depend on which other nodes are candidates."""
        return self.told(BATCH_NODE_ORDER, batch, batch.scores(task_class, candidates), task_class, candidates)

    def refusals(self, task_class: EquivalenceClass, nodes: Nodes, codes: Codes) -> Codes:
        """The first reason against each of some nodes, where `codes` has none already."""
        for predicate in self.predicates:
            if self.asks_outside and isinstance(predicate, OutsidePredicate):
                codes = self.told(PREDICATE, predicate, predicate.ask(task_class, nodes, codes), task_class, nodes)
            else:
                codes = np.where(codes == FITS, self.codes(predicate, task_class, nodes), codes)
        return np.where(codes == ACCEPTED, FITS, codes) if self.asks_outside else codes

    def node_order(self, task_class: EquivalenceClass, nodes: Nodes, width: int) -> Floats:
        """The sum of the scores of some nodes that depend on each node alone."""
        total = np.zeros(width if isinstance(nodes, slice) else len(nodes))
        for score in self.scores:
            total += self.told(NODE_ORDER, score, score(task_class, nodes), task_class, nodes)
        for fails in self.failures:
            total[fails(nodes)] = 0.0
        return total


class ClassScores:
    """What every node is for a class of tasks by itself; `refresh` brings it up to date.

    Attributes:
        codes: 0 where the class fits idle or future resources and the plugins' predicates, else the reasons, (nodes,).
        short: likewise, with no regard to predicates, (nodes,).
        idle: whether idle resources are enough, (nodes,).
        scores: the sum of the plugins' scores and a constant, (nodes,). Where scores follow from states, a node that
            `short` refuses is scored only when it is asked for (`score`); until then it has no number.
        best: the score where `codes` is 0 and `idle` is set, else minus infinity, (nodes,).
        known: what the states of nodes lead to, None where that does not follow from states.
        seen: how many changes of nodes are known.
    """

    __slots__ = (
        "_constant",
        "_nodes",
        "_plugins",
        "_task_class",
        "best",
        "codes",
        "idle",
        "known",
        "scores",
        "seen",
        "short",
    )

    def __init__(
        self,
        task_class: EquivalenceClass,
        nodes: NodeTable,
        plugins: NodePlugins,
        known: KnownStates | None,
        constant: float,
    ) -> None:
        width = len(nodes)
        self._task_class = task_class
        self._nodes = nodes
        self._plugins = plugins
        self._constant = constant
        self.known = known
        self.short: Codes = np.zeros(width, np.int32)
        self.codes: Codes = np.zeros(width, np.int32)
        self.idle: Masks = np.zeros(width, np.bool_)
        self.scores: Floats = np.zeros(width)
        self.best: Floats = np.zeros(width)
        self.seen = -1

    def refresh(self) -> None:
        """Look again at the nodes that were changed since the last time."""
        log = self._nodes.log
        seen, self.seen = self.seen, len(log)
        if seen < 0:
            if self.known is None or len(self._nodes) > FEW:
                self._examine(ALL)
            else:
                self._look_again([*range(len(self._nodes))])
        elif seen < len(log):
            changed = log[seen:]
            self._look_again(changed if len(changed) == 1 else list(set(changed)))

    def _look_again(self, nodes: list[int]) -> None:
        """Bring some nodes up to date: from what their states are known to lead to, or else with arrays."""
        if self.known is None or len(nodes) > MANY:
            self._examine(np.array(nodes, dtype=np.intp))
            return
        if len(nodes) == 1:
            self._take(nodes[0], self.known.of(nodes[0]))
            return
        verdicts, unknown = self.known.recall(nodes)
        for node, verdict in verdicts:
            self._take(node, verdict)
        if unknown:
            self._examine(np.array(unknown, dtype=np.intp))
            arrays = (self.short, self.idle, self.scores, self.codes, self.best)
            self.known.learn(unknown, zip(*(array[unknown].tolist() for array in arrays), strict=True))

    def _take(self, node: int, verdict: NodeVerdict) -> None:
        self.short[node], self.idle[node], self.scores[node], self.codes[node], self.best[node] = verdict

    def _examine(self, nodes: Nodes) -> None:
        """Look at some nodes with arrays: first at their room, then at those that have it."""
        task_class = self._task_class
        number = len(task_class.short_codes)
        self.idle[nodes] = True
        if number:
            short = task_class.need - self._nodes.gather(task_class.rows, nodes) >= EPSILON
            now, later = short[:number], short[number:]
            self.idle[nodes] = ~now.any(axis=0)
            self.short[nodes] = np.where(later.any(axis=0), task_class.short_codes[later.argmax(axis=0)], FITS)
        if self.known is not None:
            self.codes[nodes], self.scores[nodes], self.best[nodes] = self.short[nodes], np.nan, -np.inf
            has_room = self.short[nodes] == FITS
            if not has_room.all():
                nodes = np.flatnonzero(has_room) if isinstance(nodes, slice) else nodes[has_room]
            if not isinstance(nodes, slice) and len(nodes) <= FEW:
                for node in nodes.tolist():
                    self._take(node, self.known.of(node))
                return
        self.scores[nodes] = self._plugins.node_order(self._task_class, nodes, len(self._nodes)) + self._constant
        codes = self.codes[nodes] = self._plugins.refusals(self._task_class, nodes, self.short[nodes])
        self.best[nodes] = np.where((codes == FITS) & self.idle[nodes], self.scores[nodes], -np.inf)

    def score(self, nodes: Integers) -> None:
        """Score those of some nodes that are not scored yet, as they have no room."""
        unscored = nodes[np.isnan(self.scores[nodes])]
        if self.known is not None and len(unscored) <= FEW:
            for node in unscored.tolist():
                self.scores[node] = self.known.score(node)
        elif len(unscored):
            self.scores[unscored] = (
                self._plugins.node_order(self._task_class, unscored, len(self._nodes)) + self._constant
            )


class SharedScores:
    """The scores of a session, which classes share that plugins cannot tell apart by the states of nodes."""

    def __init__(self, nodes: NodeTable, plugins: NodePlugins) -> None:
        self._nodes = nodes
        self._plugins = plugins
        self._without_predicates = plugins._replace(predicates=(), asks_outside=False)
        self._shared: dict[Hashable, ClassScores] = {}

    def of(self, task_class: EquivalenceClass, constant: float, *, with_predicates: bool) -> tuple[ClassScores, bool]:
        """The class scores, and whether they have what predicates say: only if that follows from states of nodes.

        Those that follow from states are those of an earlier class, where they are the same. `constant` is what every
        node scores besides.
        """
        plugins = self._plugins if with_predicates else self._without_predicates
        of_state = None
        if not (plugins.failures or plugins.counted):
            of_state = plugins_of_state(task_class, plugins.scores, plugins.predicates)
        if of_state is None and with_predicates:
            return self.of(task_class, constant, with_predicates=False)
        if of_state is None:
            return ClassScores(task_class, self._nodes, plugins, None, constant), False
        of_class = of_state.of_class
        scores = self._shared.get((task_class.task.shape, constant, of_class)) if of_class is not None else None
        if scores is None:
            known = KnownStates(task_class, self._nodes, of_state, constant=constant)
            scores = ClassScores(task_class, self._nodes, plugins, known, constant)
            if of_class is not None:
                self._shared[task_class.task.shape, constant, of_class] = scores
        return scores, with_predicates
