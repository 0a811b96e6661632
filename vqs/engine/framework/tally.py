"""What each plugin contributes to a session: how often it is asked, what it refuses, and how far its scores differ.

Answers are counted where plugins add them, and only where that is wanted: a session without a tally is not slower.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, TypeVar

import numpy as np

from vqs.engine.framework import points
from vqs.engine.framework.equivalence import EquivalenceClass
from vqs.engine.framework.points import NODE_POINTS, EvictableFn, Listener, Point
from vqs.engine.framework.votes import Refusal, Vote
from vqs.engine.nodes.reasons import FITS
from vqs.engine.nodes.table import Floats

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
        """An answer that is counted each time it is given; of answers about nodes, `listener` is to hear."""
        if point in NODE_POINTS:
            return answer
        hear = self.listener(point, plugin)
        ask: Any = answer.vote if isinstance(answer, EvictableFn) else answer

        def counted(*asked: Any) -> Any:
            said = ask(*asked)
            hear(said, *asked)
            return said

        made: Answer = replace(answer, vote=counted) if isinstance(answer, EvictableFn) else counted  # type: ignore[assignment]
        return made

    def listener(self, point: Point[Any], plugin: str) -> Listener:
        """What counts the answers of a plugin at an extension point."""
        contribution = self.contributions.setdefault((plugin, point.name), Contribution())
        return partial(_COUNTS.get(point.name, _COUNTS[_OTHER]), contribution)

    def of(self, plugin: str) -> dict[str, Contribution]:
        """What a plugin contributed, by the name of the extension point."""
        return {point: each for (name, point), each in self.contributions.items() if name == plugin}


def _count_scores(contribution: Contribution, scores: Any, task_class: EquivalenceClass, *_: object) -> None:
    if scores is not None:
        contribution.score(task_class.number, np.atleast_1d(scores))


_OTHER: Final = ""
_COUNTS: Final[dict[str, Callable[..., None]]] = {
    _OTHER: lambda contribution, said, *_: contribution.count(
        isinstance(said, Refusal) or said is False or said is Vote.REJECT
    ),
    **dict.fromkeys(
        (points.PREEMPTABLE.name, points.RECLAIMABLE.name),
        lambda contribution, victims, _, candidates: contribution.count(
            len(candidates) - len(victims.tasks), len(candidates)
        ),
    ),
    points.VICTIM_TASKS.name: lambda contribution, victims, _: contribution.count(0, len(victims)),
    points.PREDICATE.name: lambda contribution, codes, *_: contribution.count(
        int(np.count_nonzero(codes != FITS)), np.size(codes)
    ),
    points.NODE_ORDER.name: _count_scores,
    points.BATCH_NODE_ORDER.name: _count_scores,
    points.HYPER_NODE_ORDER.name: lambda contribution, scores, *_: contribution.score(0, scores),
    **dict.fromkeys(
        (points.HYPER_NODE_GRADIENT_FOR_JOB.name, points.HYPER_NODE_GRADIENT_FOR_SUB_JOB.name),
        lambda contribution, gradients, *_: contribution.count(
            len(gradients.left_out), sum(map(len, gradients.tiers)) + len(gradients.left_out)
        ),
    ),
}
"""How answers are counted; all others are a yes or no, a vote, a refusal, or a key to sort by."""
