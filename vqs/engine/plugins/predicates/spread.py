"""Topology spread constraints that must hold: the pods of a selector are spread evenly over the values of a node label.

A pod's own constraints count; the ones that Kubernetes applies by default never forbid anything.
Reference: k8s.io/kubernetes/pkg/scheduler/framework/plugins/podtopologyspread/filtering.go and common.go.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vqs.engine.nodes.pods import SpreadConstraint, Surroundings, counted_nodes, matching_pods, spread_constraints
from vqs.engine.nodes.table import Masks, Nodes
from vqs.engine.plugins.predicates.filters import Verdict
from vqs.model.kubernetes import Pod

SKEWED = "node(s) didn't match pod topology spread constraints"
NO_LABEL = f"{SKEWED} (missing required label)"


class SpreadFilter:
    """The constraints of a class."""

    volatile = True

    def __init__(self, surroundings: Surroundings, pod: Pod, constraints: list[SpreadConstraint]) -> None:
        columns = [surroundings.labels.column(constraint.topology_key) for constraint in constraints]
        complete = np.logical_and.reduce([column.present for column in columns])
        self._balances = [_Balance(surroundings, pod, constraint, complete) for constraint in constraints]

    def verdicts(self, nodes: Nodes) -> Iterator[Verdict]:
        """Refuse a node by the first constraint that it does not meet."""
        going: Masks | None = None
        for balance in self._balances:
            missing, skewed = balance.missing[nodes], balance.skewed()[nodes]
            if going is not None:
                missing, skewed = missing & going, skewed & going
            yield Verdict(missing, NO_LABEL, final=True)
            yield Verdict(skewed, SKEWED, final=False)
            going = ~(missing | skewed) if going is None else going & ~(missing | skewed)


class _Balance:
    """One constraint: the pods in each domain, and the domains that the smallest number is taken from."""

    def __init__(self, surroundings: Surroundings, pod: Pod, constraint: SpreadConstraint, complete: Masks) -> None:
        self._column = surroundings.labels.column(constraint.topology_key)
        self._counted = complete & counted_nodes(surroundings, pod, constraint)
        self._tally = matching_pods(surroundings, pod, constraint.selector)
        self._domains = np.unique(self._column.numbers[self._counted])
        self._min_domains = constraint.min_domains
        self._limit = constraint.max_skew - constraint.selector.matches(pod.metadata.labels)
        self.missing = ~self._column.present

    def skewed(self) -> Masks:
        """Tell on which nodes one more pod would be more above the smallest number than is allowed."""
        numbers = self._column.sums(np.where(self._counted, self._tally.amounts, 0.0))
        enough = len(self._domains) >= self._min_domains
        smallest = numbers[self._domains].min() if enough and len(self._domains) else 0.0
        skewed: Masks = (numbers - smallest > self._limit)[self._column.numbers]
        return skewed & self._column.present


def hard_constraints(pod: Pod) -> list[SpreadConstraint]:
    """Return a pod's constraints that must hold."""
    return spread_constraints(pod, "DoNotSchedule") if pod.spec.topology_spread_constraints else []
