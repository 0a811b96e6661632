"""The scores that compare the candidates, each made for one class of tasks: taints, affinities, topology spread.

A score of other pods' preferences counts those that are liked or like one, and those disliked; the required affinities
of other pods weigh nothing, as nodeorder sets it. A pod without spread constraints of its own that a service or a
workload stands for is spread over nodes and zones by default. Up to v1.14, nodeorder hands the nodes over without their
pods, and none is ever counted on a node by itself: a constraint on the hostname adds the same to all.
References in k8s.io/kubernetes/pkg/scheduler/framework/plugins: interpodaffinity/scoring.go,
podtopologyspread/scoring.go and common.go, tainttoleration, nodeaffinity.
"""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np

from vqs.engine.nodes.pods import (
    PodKind,
    PodTerm,
    SpreadConstraint,
    Surroundings,
    Tally,
    anchors_of,
    counted_nodes,
    matching_pods,
    spread_constraints,
)
from vqs.engine.nodes.selectors import PREFER_NO_SCHEDULE, LabelColumn
from vqs.engine.nodes.table import Floats, Integers, Masks
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


class Normalized:
    """A score by an amount of each node: from none to the most that a candidate has, or `reverse`."""

    def __init__(self, amounts: Floats | None, *, reverse: bool) -> None:
        self._amounts = amounts if amounts is not None and amounts.any() else None
        self._without = MAX_SCORE if reverse else 0.0
        self._reverse = reverse

    @property
    def constant(self) -> float | None:
        """The score of a node without any, where no node has one."""
        return self._without if self._amounts is None else None

    def scores(self, candidates: Integers) -> Floats:
        """Score the candidates."""
        amounts = np.zeros(len(candidates)) if self._amounts is None else self._amounts[candidates]
        most = amounts.max(initial=0.0)
        if not most:
            return np.full(len(candidates), self._without)
        scores: Floats = np.floor(MAX_SCORE * amounts / most)
        return MAX_SCORE - scores if self._reverse else scores


def compared_by_taints(surroundings: Surroundings, pod: Pod) -> Normalized:
    """Prefer nodes with few taints that only ask to stay away, as far as the pod does not tolerate them.

    Reference: k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration.
    """
    tolerations, numbers, effects = pod.spec.tolerations, None, (PREFER_NO_SCHEDULE,)
    if surroundings.taints.having(PREFER_NO_SCHEDULE):
        numbers = surroundings.taints.each(lambda taints: len(untolerated(taints, tolerations, effects)))
    return Normalized(numbers, reverse=True)


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
    """A tally of the pods that are liked, or like, with the sum of the weights."""

    def weigh(kind: PodKind) -> float:
        own = sum(weight for term, weight in liked if term.selects_kind(kind))
        return own + sum(weight for term, weight in kind.terms.preferred if term in liking)

    named = anchors_of(term for term, _ in liked)
    anchors = None if named is None else [*named, *liking]
    return surroundings.ledger.tally(("weighed", liked, liking, heard is None), weigh, anchors, heard)


HOSTNAME = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"
DEFAULT_SKEWS = ((HOSTNAME, 3), (ZONE, 5))


class SpreadComparison:
    """The constraints of a class that should hold."""

    def __init__(self, surroundings: Surroundings, pod: Pod, *, counts_pods_of_node: bool) -> None:
        own = bool(pod.spec.topology_spread_constraints)
        constraints = spread_constraints(pod, "ScheduleAnyway") if own else _default_constraints(surroundings, pod)
        columns = [surroundings.labels.column(constraint.topology_key) for constraint in constraints]
        self._scored: Masks = np.ones(len(surroundings.nodes), np.bool_)
        if own and columns:  # by default a node is scored by those of the labels that it has
            self._scored = np.logical_and.reduce([column.present for column in columns])
        self._parts = [
            _Part(surroundings, pod, constraint, self._scored, counts_pods_of_node=counts_pods_of_node)
            for constraint in constraints
        ]

    @property
    def constant(self) -> float | None:
        """Zero, where there are no constraints."""
        return None if self._parts else 0.0

    def scores(self, candidates: Integers) -> Floats:
        """Score the candidates; those that lack a label of the pod's own constraints get nothing."""
        scores = np.zeros(len(candidates))
        scored = self._scored[candidates]
        nodes = candidates[scored]
        if self._parts and len(nodes):
            sums = np.zeros(len(nodes))
            for part in self._parts:
                sums += part.scores(nodes)
            whole = np.floor(sums)
            sums = whole + (sums - whole >= 0.5)  # noqa: PLR2004 - rounded to the nearest whole number, halves up
            highest, lowest = sums.max(), sums.min()
            scores[scored] = np.floor(MAX_SCORE * (highest + lowest - sums) / highest) if highest else MAX_SCORE
        return scores


class _Part:
    """One constraint."""

    def __init__(
        self,
        surroundings: Surroundings,
        pod: Pod,
        constraint: SpreadConstraint,
        scored: Masks,
        *,
        counts_pods_of_node: bool,
    ) -> None:
        self._column = surroundings.labels.column(constraint.topology_key)
        self._numbers = self._column.numbers
        if "" in self._column.values:  # to have no label is the same as to have an empty one
            self._numbers = np.where(self._column.present, self._numbers, self._column.values.index(""))
        self._counts_pods_of_node = counts_pods_of_node
        self._per_node = constraint.topology_key == HOSTNAME
        self._tolerated = float(constraint.max_skew - 1)
        self._counted = scored & counted_nodes(surroundings, pod, constraint)
        self._tally = matching_pods(surroundings, pod, constraint.selector)

    def scores(self, nodes: Integers) -> Floats:
        """The number of pods in each node's domain, the more weighty the more domains the candidates have."""
        present = self._column.present[nodes]
        if self._per_node:
            pods = self._tally.amounts[nodes] if self._counts_pods_of_node else np.zeros(len(nodes))
            return np.where(present, pods * math.log(len(nodes) + 2) + self._tolerated, 0.0)
        counts = np.bincount(self._numbers, weights=np.where(self._counted, self._tally.amounts, 0.0))
        numbers = self._numbers[nodes]
        weight = math.log(int(np.count_nonzero(np.bincount(numbers))) + 2)
        return np.where(present, counts[numbers] * weight + self._tolerated, 0.0)


def _default_constraints(surroundings: Surroundings, pod: Pod) -> list[SpreadConstraint]:
    owners = surroundings.relations.owners
    selector = owners.selector(pod) if owners else None
    if selector is None or selector.empty:
        return []
    return [SpreadConstraint(skew, key, selector) for key, skew in DEFAULT_SKEWS]
