"""What each plugin contributes to a session: how often it is asked, what it refuses, and how far its scores differ.

Answers are counted where plugins add them, and only where that is wanted: a session without a tally is not slower.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import FunctionType, MethodType
from typing import Any, Final, TypeVar

import numpy as np

from vqs.engine.framework import points
from vqs.engine.framework.equivalence import EquivalenceClass
from vqs.engine.framework.points import (
    BatchScore,
    EvictableFn,
    Gradients,
    NodeScore,
    OutsidePredicate,
    Point,
    Predicate,
)
from vqs.engine.framework.votes import Refusal, Victims, Vote
from vqs.engine.framework.watched import watched
from vqs.engine.nodes.reasons import FITS, Codes
from vqs.engine.nodes.table import Floats, Nodes
from vqs.model.task import Task

Answer = TypeVar("Answer")


@dataclass(slots=True)
class Contribution:
    """What a plugin said at one extension point.

    Attributes:
        votes: the number of its answers about a job, queue, task, node or candidate for eviction.
        vetoes: how many of these were a no.
        scores: the lowest and the highest score by class of equal tasks; HyperNodes count as one class.
    """

    votes: int = 0
    vetoes: int = 0
    scores: dict[int, tuple[float, float]] = field(default_factory=dict)

    def count(self, vetoes: int, votes: int = 1) -> None:
        """Count answers, some of which are a no."""
        self.votes += votes
        self.vetoes += vetoes

    def score(self, group: int, scores: Floats) -> None:
        """Count scores, and note how far those of the same group of tasks lie apart."""
        self.votes += len(scores)
        if len(scores):
            low, high = self.scores.get(group, (np.inf, -np.inf))
            self.scores[group] = min(low, float(scores.min())), max(high, float(scores.max()))

    @property
    def spread(self) -> float | None:
        """The largest difference between the scores of two nodes for equal tasks; None where nothing was scored."""
        return max((high - low for low, high in self.scores.values()), default=None)


class Tally:
    """The contributions of a session's plugins, by plugin and name of the extension point."""

    def __init__(self) -> None:
        self.contributions: dict[tuple[str, str], Contribution] = {}

    def counted(self, point: Point[Answer], plugin: str, answer: Answer) -> Answer:
        """An answer that is counted each time it is given."""
        contribution = self.contributions.setdefault((plugin, point.name), Contribution())
        count: Callable[[Contribution, Any], Any] = _COUNTED.get(point.name, _call)
        counted: Answer = count(contribution, answer)
        return counted

    def of(self, plugin: str) -> dict[str, Contribution]:
        """What a plugin contributed, by the name of the extension point."""
        return {point: each for (name, point), each in self.contributions.items() if name == plugin}


def _call(contribution: Contribution, answer: Callable[..., Any]) -> Callable[..., Any]:
    """Count the calls of a function that says yes or no, votes, refuses, or gives a key to sort by."""

    def counted(*asked: Any) -> Any:
        said = answer(*asked)
        contribution.count(_is_veto(said))
        return said

    return counted


def _is_veto(said: object) -> bool:
    return isinstance(said, Refusal) or said is False or said is Vote.REJECT


def _evictable(contribution: Contribution, answer: EvictableFn) -> EvictableFn:
    def vote(preemptor: Task, candidates: Sequence[Task]) -> Victims:
        victims = answer.vote(preemptor, candidates)
        contribution.count(len(candidates) - len(victims.tasks), len(candidates))
        return victims

    return replace(answer, vote=vote)


def _victim_tasks(contribution: Contribution, answer: Callable[[Sequence[Task]], Sequence[Task]]) -> Any:
    def named(tasks: Sequence[Task]) -> Sequence[Task]:
        victims = answer(tasks)
        contribution.count(0, len(victims))
        return victims

    return named


def _gradients(contribution: Contribution, answer: Callable[..., Gradients]) -> Callable[..., Gradients]:
    def counted(*asked: Any) -> Gradients:
        gradients = answer(*asked)
        contribution.count(len(gradients.left_out), sum(map(len, gradients.tiers)) + len(gradients.left_out))
        return gradients

    return counted


def _hyper_nodes(contribution: Contribution, answer: Callable[..., Floats]) -> Callable[..., Floats]:
    def scores(*asked: Any) -> Floats:
        scored = answer(*asked)
        contribution.score(0, scored)
        return scored

    return scores


def _node_order(contribution: Contribution, answer: NodeScore) -> NodeScore:
    def score(scores: Floats, task_class: EquivalenceClass, *_: object) -> None:
        contribution.score(task_class.number, np.atleast_1d(scores))

    if not isinstance(answer, FunctionType | MethodType | partial):
        return watched(answer, __call__=score)

    def counted(task_class: EquivalenceClass, nodes: Nodes, /) -> Floats:
        scores: Floats = answer(task_class, nodes)
        score(scores, task_class)
        return scores

    return counted


def _predicate(contribution: Contribution, answer: Predicate) -> Predicate:
    def count(codes: Codes, *_: object) -> None:
        contribution.count(int(np.count_nonzero(codes != FITS)), np.size(codes))

    return watched(answer, ask=count) if isinstance(answer, OutsidePredicate) else watched(answer, codes=count)


def _batch(contribution: Contribution, answer: BatchScore) -> BatchScore:
    def score(scores: Floats, task_class: EquivalenceClass, *_: object) -> None:
        contribution.score(task_class.number, scores)

    def constant(scored: float | None, task_class: EquivalenceClass) -> None:
        if scored is not None:
            contribution.score(task_class.number, np.array([scored]))

    return watched(answer, scores=score, constant=constant)


_COUNTED: Final[dict[str, Callable[[Contribution, Any], Any]]] = {
    points.PREEMPTABLE.name: _evictable,
    points.RECLAIMABLE.name: _evictable,
    points.VICTIM_TASKS.name: _victim_tasks,
    points.PREDICATE.name: _predicate,
    points.NODE_ORDER.name: _node_order,
    points.BATCH_NODE_ORDER.name: _batch,
    points.HYPER_NODE_ORDER.name: _hyper_nodes,
    points.HYPER_NODE_GRADIENT_FOR_JOB.name: _gradients,
    points.HYPER_NODE_GRADIENT_FOR_SUB_JOB.name: _gradients,
}
"""How answers are counted that are no single yes or no; all others are calls."""
