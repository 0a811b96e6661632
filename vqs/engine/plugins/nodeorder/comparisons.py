"""What the scores share that compare the candidates: each is made for one class of tasks."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from vqs.engine.nodes.pods import Surroundings
from vqs.engine.nodes.selectors import PREFER_NO_SCHEDULE
from vqs.engine.nodes.table import Floats, Integers
from vqs.model.kubernetes import Pod
from vqs.model.selectors import untolerated

MAX_SCORE = 100.0


class Comparison(Protocol):
    """A score of nodes that depends on which other nodes are candidates."""

    @property
    def constant(self) -> float | None:
        """The score where it is the same for every node whatever the candidates are, else None."""

    def scores(self, candidates: Integers) -> Floats:
        """Score the candidates."""


class TaintComparison:
    """Prefer nodes with few taints that only ask to stay away, as far as the pod does not tolerate them.

    Reference: k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration.
    """

    def __init__(self, surroundings: Surroundings, pod: Pod) -> None:
        tolerations = pod.spec.tolerations
        self._numbers: Floats | None = None
        if surroundings.taints.having(PREFER_NO_SCHEDULE):
            effects = (PREFER_NO_SCHEDULE,)
            numbers = surroundings.taints.each(lambda taints: len(untolerated(taints, tolerations, effects)))
            self._numbers = numbers if numbers.any() else None

    @property
    def constant(self) -> float | None:
        """The best score, where no node has such a taint."""
        return MAX_SCORE if self._numbers is None else None

    def scores(self, candidates: Integers) -> Floats:
        """Score by the number of such taints, from none to the most that a candidate has."""
        if self._numbers is None:
            return np.full(len(candidates), MAX_SCORE)
        numbers = self._numbers[candidates]
        most = numbers.max(initial=0.0)
        return MAX_SCORE - np.floor(MAX_SCORE * numbers / most) if most else np.full(len(candidates), MAX_SCORE)


class NodeAffinityComparison:
    """Prefer nodes that meet the weightiest of a pod's preferred node affinity terms, in percent of the best candidate.

    Reference: k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeaffinity.
    """

    def __init__(self, surroundings: Surroundings, pod: Pod) -> None:
        preference = surroundings.labels.preference(pod.spec)
        self._weights = preference if preference is not None and preference.any() else None

    @property
    def constant(self) -> float | None:
        """Zero, where no node meets a term."""
        return 0.0 if self._weights is None else None

    def scores(self, candidates: Integers) -> Floats:
        """Score by the weights of the terms that hold, from none to the most that a candidate has."""
        if self._weights is None:
            return np.zeros(len(candidates))
        weights = self._weights[candidates]
        most = weights.max(initial=0.0)
        return np.floor(MAX_SCORE * weights / most) if most else np.zeros(len(candidates))
