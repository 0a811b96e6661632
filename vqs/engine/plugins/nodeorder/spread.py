"""Prefer nodes in domains with few pods of the same sort: topology spread constraints that should hold.

A pod without constraints of its own that a service or a workload stands for is spread over nodes and zones by default.
Up to v1.14, nodeorder hands the nodes over without their pods, and none is ever counted on a node by itself: a
constraint on the hostname adds the same to all.
Reference: k8s.io/kubernetes/pkg/scheduler/framework/plugins/podtopologyspread/scoring.go and common.go.
"""

from __future__ import annotations

import math

import numpy as np

from vqs.engine.nodes.pods import SpreadConstraint, Surroundings, counted_nodes, matching_pods, spread_constraints
from vqs.engine.nodes.selectors import LabelColumn
from vqs.engine.nodes.table import Floats, Integers, Masks
from vqs.engine.plugins.nodeorder.comparisons import MAX_SCORE
from vqs.model.kubernetes import Pod

HOSTNAME = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"
DEFAULT_SKEWS = ((HOSTNAME, 3), (ZONE, 5))


class SpreadComparison:
    """The constraints of a class that should hold."""

    def __init__(self, surroundings: Surroundings, pod: Pod, *, counts_pods_of_node: bool) -> None:
        own = bool(pod.spec.topology_spread_constraints)
        constraints = spread_constraints(pod, "ScheduleAnyway") if own else _defaults(surroundings, pod)
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
            scores[scored] = _reversed(_rounded(sums))
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
        self._numbers = _domains(self._column)
        self._counts_pods_of_node = counts_pods_of_node
        self._per_node = constraint.topology_key == HOSTNAME
        self._tolerated = float(constraint.max_skew - 1)
        self._counted = scored & counted_nodes(surroundings, pod, constraint)
        self._tally = matching_pods(surroundings, pod, constraint.selector)

    def scores(self, nodes: Integers) -> Floats:
        """Return the number of pods in each node's domain, the more weighty the more domains the candidates have."""
        present = self._column.present[nodes]
        if self._per_node:
            pods = self._tally.amounts[nodes] if self._counts_pods_of_node else np.zeros(len(nodes))
            return np.where(present, pods * math.log(len(nodes) + 2) + self._tolerated, 0.0)
        counts = np.bincount(self._numbers, weights=np.where(self._counted, self._tally.amounts, 0.0))
        numbers = self._numbers[nodes]
        weight = math.log(int(np.count_nonzero(np.bincount(numbers))) + 2)
        return np.where(present, counts[numbers] * weight + self._tolerated, 0.0)


def _defaults(surroundings: Surroundings, pod: Pod) -> list[SpreadConstraint]:
    owners = surroundings.relations.owners
    selector = owners.selector(pod) if owners else None
    if selector is None or selector.empty:
        return []
    return [SpreadConstraint(skew, key, selector) for key, skew in DEFAULT_SKEWS]


def _domains(column: LabelColumn) -> Integers:
    """Return the numbers of the domains, where to have no label is the same as to have an empty one."""
    if "" not in column.values:
        return column.numbers
    return np.where(column.present, column.numbers, column.values.index(""))


def _rounded(sums: Floats) -> Floats:
    """Round to the nearest whole number, halves up."""
    whole = np.floor(sums)
    return whole + (sums - whole >= 0.5)  # noqa: PLR2004 - one half


def _reversed(sums: Floats) -> Floats:
    """Turn sums into scores: the highest for the lowest sum."""
    highest, lowest = sums.max(), sums.min()
    if not highest:
        return np.full(len(sums), MAX_SCORE)
    scores: Floats = np.floor(MAX_SCORE * (highest + lowest - sums) / highest)
    return scores
