"""The fast path of `vqs.engine.nodes.class_scores`: what the states of single nodes lead to, for one class of tasks.

After a placement, a class has to be brought up to date on the one node that was changed, or on a few. Array operations
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

from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from vqs.engine.framework.equivalence import EquivalenceClass
from vqs.engine.framework.points import NodeScore, OfState, OutsidePredicate, Predicate, StatePredicate, StateScore
from vqs.engine.nodes.reasons import FITS
from vqs.engine.nodes.table import NodeTable
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
