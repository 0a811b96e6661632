"""Preferences among pods: to be near to those that one likes or that like one, and far from those disliked.

Reference: k8s.io/kubernetes/pkg/scheduler/framework/plugins/interpodaffinity/scoring.go; required affinities of
other pods weigh nothing here, as nodeorder sets it.
"""

from __future__ import annotations

import numpy as np

from vqs.engine.nodes.pods import PodKind, PodTerm, Surroundings, Tally, anchors_of
from vqs.engine.nodes.selectors import LabelColumn
from vqs.engine.nodes.table import Floats, Integers, Masks
from vqs.engine.plugins.nodeorder.comparisons import MAX_SCORE
from vqs.model.kubernetes import Pod

Weighted = tuple[PodTerm, int]


class AffinityComparison:
    """The preferences of a class about other pods, and of other pods about it."""

    def __init__(self, surroundings: Surroundings, pod: Pod) -> None:
        relations = surroundings.relations
        liked = [(term.resolved(relations.namespaces), weight) for term, weight in relations.terms(pod).preferred]
        # Without preferences of its own, a pod only takes note of nodes that had pods with affinities when the session
        # opened: the reference does not bring its list of these nodes up to date.
        heard = None if liked else surroundings.with_terms
        liking = relations.about(pod, relations.preferred) if heard is None or heard.any() else []
        self._domains: list[tuple[LabelColumn, Tally]] = []
        for key in sorted({term.topology_key for term in [*liking, *(term for term, _ in liked)]}):
            liked_here = tuple((term, weight) for term, weight in liked if term.topology_key == key)
            liking_here = frozenset(term for term in liking if term.topology_key == key)
            tally = _weighed(surroundings, liked_here, liking_here, heard)
            self._domains.append((surroundings.labels.column(key), tally))

    @property
    def constant(self) -> float | None:
        """Zero, where there are no preferences."""
        return None if self._domains else 0.0

    def scores(self, candidates: Integers) -> Floats:
        """Score by the weights in the domains of a node, from the candidates' lowest sum to their highest."""
        sums = np.zeros(len(candidates))
        for column, tally in self._domains:
            sums += column.totals(tally.amounts)[candidates]
        lowest, highest = sums.min(initial=np.inf), sums.max(initial=-np.inf)
        if highest <= lowest:
            return np.zeros(len(candidates))
        scores: Floats = np.floor(MAX_SCORE * ((sums - lowest) / (highest - lowest)))
        return scores


def _weighed(
    surroundings: Surroundings, liked: tuple[Weighted, ...], liking: frozenset[PodTerm], heard: Masks | None
) -> Tally:
    """Return a tally of the pods that are liked, or like, with the sum of the weights."""

    def weigh(kind: PodKind) -> float:
        own = sum(weight for term, weight in liked if term.selects_kind(kind))
        return own + sum(weight for term, weight in kind.terms.preferred if term in liking)

    named = anchors_of(term for term, _ in liked)
    anchors = None if named is None else [*named, *liking]
    return surroundings.ledger.tally(("weighed", liked, liking, heard is None), weigh, anchors, heard)
