"""Which nodes fit an equivalence class of tasks: whether they have the room, and how they score.

What is known is computed once for all nodes. After that only the nodes that were changed are looked at again.

What the nodes are by themselves, their room and their scores, comes first (`ClassScores`). Predicates that look at more
than that, such as the pods on a node, are asked afterwards, so that classes that only these tell apart have their
scores in common.

`KnownStates` is the fast path of `ClassScores`: what the states of single nodes lead to, for one class of tasks. After
a placement, a class has to be brought up to date on the one node that was changed, or on a few. Array operations
on so few elements cost as much as on a thousand. So this does the same in plain numbers, node by node, and remembers
it: nodes of a cluster come in few kinds, and as gangs of equal tasks fill them, they pass through the same states.

- A state is all amounts that placements change on a node (`NodeTable.state_number`), together with the amounts of its
  description. What else a plugin looks at, such as a code for the node's labels, it declares (`OfState.described`).
- An answer that was found before for an equal state is used again. Else each plugin is asked through `OfState.answer`,
  which is the formula of its array kernel for one node; tests hold both to the same bits.
- Answers may outlast the session (`OfState.lasting`), where the next one has the same nodes.
- In a cluster of no more nodes than `FEW`, the first look at all nodes is taken in this way, too.
- Where more nodes than `FEW` are in unknown states, or more than `MANY` were changed, arrays are faster, and the caller
  uses them.

It stands aside where an answer does not follow from the state: where a score comes from a plugin that offers no
`OfState`, as plugins from outside need not, or may fail for a node; and where answers are counted (`Tally`). Predicates
of which one offers no `OfState`, or none for this class, are left out, and are asked with arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from vqs.engine.framework.equivalence import EquivalenceClass
from vqs.engine.framework.points import (
    BATCH_NODE_ORDER,
    NODE_ORDER,
    PREDICATE,
    BatchScore,
    Listener,
    NodeScore,
    OfState,
    OutsidePredicate,
    Point,
    Predicate,
    StatePredicate,
    StateScore,
)
from vqs.engine.framework.votes import Refusal
from vqs.engine.nodes.reasons import ACCEPTED, FITS, Codes
from vqs.engine.nodes.selectors import SessionShard
from vqs.engine.nodes.table import ALL, Floats, Integers, Masks, Nodes, NodeTable
from vqs.model.job import FitErrors
from vqs.model.resource import EPSILON

FEW = 8
"""The number of nodes in unknown states above which arrays are faster than plain numbers."""
MANY = 32
"""The number of nodes above which arrays are faster, whatever is known of their states."""


class NodeVerdict(NamedTuple):
    """The verdict on a node for a class; see the arrays of `ClassScores`. A node that has no room has no score."""

    short: int
    idle: bool
    score: float
    code: int
    best: float


NodeVerdicts = dict[int | tuple[int, int], NodeVerdict]
"""Verdicts by the number of a node's state, and with it the number of what else matters of its description."""


class KnownStates:
    """What is known of the states of nodes for one class."""

    def __init__(
        self, task_class: EquivalenceClass, nodes: NodeTable, plugins: PluginsOfState, *, constant: float
    ) -> None:
        scores, predicates = plugins
        self._nodes, self._task_class = nodes, task_class
        self._scores = [score.answer for score in scores]
        self._predicates = [predicate.answer for predicate in predicates]
        self._constant = constant
        self._limits = task_class.limits()
        answers: list[OfState[Any]] = [*scores, *predicates]
        self._kinds = _kinds([array for answer in answers for array in answer.described])
        self._verdicts: NodeVerdicts = {}
        lasting = [answer.lasting for answer in answers]
        # codes are numbered by session: their numbers are a part of the key
        if None not in lasting:
            described = [array.tobytes() if array.any() else b"" for answer in answers for array in answer.described]
            key = (constant, task_class.short_codes.tobytes(), *lasting, *described)
            self._verdicts = nodes.lasting(task_class.task, key)
        self._rooms: dict[tuple[int, int, int], int] = {}

    def of(self, node: int) -> NodeVerdict:
        """What a node is now."""
        number = self._nodes.state_number(node)
        state = number if self._kinds is None else (number, self._kinds[node])
        verdict = self._verdicts.get(state)
        if verdict is None:
            verdict = self._verdicts[state] = self._verdict(node, self._nodes.amounts(node))
        return verdict

    def learn(self, nodes: Iterable[int], verdicts: Iterable[tuple[int, bool, float, int, float]]) -> None:
        """Take in what arrays have found out about some nodes."""
        number, kinds = self._nodes.state_number, self._kinds
        for node, found in zip(nodes, verdicts, strict=True):
            self._verdicts[number(node) if kinds is None else (number(node), kinds[node])] = NodeVerdict(*found)

    def recall(self, nodes: Collection[int]) -> tuple[list[tuple[int, NodeVerdict]], list[int]]:
        """What some nodes are now, and those of them that are left to look at with arrays."""
        verdicts, number, kinds = self._verdicts, self._nodes.state_number, self._kinds
        known: list[tuple[int, NodeVerdict]] = []
        unknown: list[int] = []
        for node in nodes:
            state = number(node) if kinds is None else (number(node), kinds[node])
            verdict = verdicts.get(state)
            if verdict is None:
                unknown.append(node)
            else:
                known.append((node, verdict))
        if len(unknown) > FEW:
            return known, unknown
        return known + [(node, self.of(node)) for node in unknown], []

    def room(self, node: int, most: int) -> int:
        """How many tasks of the class a node takes into idle room, one after the other; `most` at most."""
        number = self._nodes.state_number(node)
        state = number, 0 if self._kinds is None else self._kinds[node], most
        room = self._rooms.get(state)
        if room is None:
            room, task = 0, self._task_class.task
            while room < most and self._verdict(node, self._nodes.amounts_with(node, task, room)).best > -np.inf:
                room += 1
            self._rooms[state] = room
        return room

    def score(self, node: int) -> float:
        """What a node scores now, whether or not it has room."""
        return self._score(node, self._nodes.amounts(node))

    def _score(self, node: int, state: Sequence[float]) -> float:
        score = 0.0
        for scored in self._scores:
            score += scored(node, state)
        return score + self._constant

    def _verdict(self, node: int, state: Sequence[float]) -> NodeVerdict:
        short, idle = FITS, True
        for now, later, need, code in self._limits:
            if need - state[now] >= EPSILON:
                idle = False
            if short == FITS and need - state[later] >= EPSILON:
                short = code
        if short != FITS:
            return NodeVerdict(short, idle, np.nan, short, -np.inf)
        score = self._score(node, state)
        code = FITS
        for predicate in self._predicates:
            if code != FITS:
                break
            code = predicate(node, state)
        return NodeVerdict(short, idle, score, code, score if idle and code == FITS else -np.inf)


class PluginsOfState(NamedTuple):
    """What the scores and the predicates of plugins say of single nodes for one class."""

    scores: Sequence[OfState[float]]
    predicates: Sequence[OfState[int]]

    @property
    def of_class(self) -> Hashable:
        """What classes have in common that plugins cannot tell apart; None where they tell this one from all others."""
        answers: list[OfState[Any]] = [*self.scores, *self.predicates]
        parts = [answer.of_class for answer in answers]
        return None if None in parts else tuple(parts)


def plugins_of_state(
    task_class: EquivalenceClass, scores: Iterable[NodeScore], predicates: Iterable[Predicate | OutsidePredicate]
) -> PluginsOfState | None:
    """What plugins say of single nodes for a class, None where one of them needs more than a state."""
    codes = _all_of_state(task_class, predicates, StatePredicate)
    by_state = None if codes is None else _all_of_state(task_class, scores, StateScore)
    return None if codes is None or by_state is None else PluginsOfState(by_state, codes)


def _all_of_state(
    task_class: EquivalenceClass, answers: Iterable[Any], kind: type[StateScore | StatePredicate]
) -> list[OfState[Any]] | None:
    """What gives the answers about single nodes, None where one of them needs more than a state."""
    found: list[OfState[Any]] = []
    for answer in answers:
        of_state = answer.of_state(task_class) if isinstance(answer, kind) else None
        if of_state is None:
            return None
        found.append(of_state)
    return found


def _kinds(described: Sequence[npt.NDArray[Any]]) -> list[int] | None:
    """A number for each node that those share for which some arrays say the same, None where all do."""
    differing = [array for array in described if len(array) and (array != array[0]).any()]
    if not differing:
        return None
    kinds = np.zeros(len(differing[0]), np.intp)
    for array in differing:
        values, numbers = np.unique(array, return_inverse=True)
        _, kinds = np.unique(kinds * len(values) + numbers, return_inverse=True)
    return [int(kind) for kind in kinds]


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
