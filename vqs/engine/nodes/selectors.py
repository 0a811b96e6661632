"""The labels and taints of all nodes, what selects among them, and the scheduler's shard.

A requirement is about one label, so it is decided once for each value that label has in the cluster, not once for each
node. Nodes are grouped by their taints in the same way: a cluster has few sets of them.
References: k8s.io/apimachinery/pkg/labels (selector.go); k8s.io/component-helpers/scheduling/corev1 (helpers.go,
nodeaffinity/nodeaffinity.go); k8s.io/api/core/v1 (toleration.go).

Nodes outside the scheduler's shard stay in the session, with all that is on them: they count as a part of the cluster
wherever resources are summed up. In hard mode, no task is placed on them; in soft mode, they come after the shard's own
nodes.
References: pkg/scheduler/util/predicate_helper.go (PredicateNodes, GetPredicatedNodeByShard),
pkg/scheduler/actions/allocate/allocate.go (prioritizeNodes).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from vqs.engine.nodes.reasons import FITS, Codes, Reasons
from vqs.engine.nodes.table import Floats, Integers, Masks, Nodes, NodeTable
from vqs.model.kubernetes import (
    LabelSelector,
    NodeSelector,
    NodeSelectorTerm,
    PodSpec,
    Taint,
    Toleration,
)
from vqs.model.kubernetes import Node as NodeObject
from vqs.model.selectors import Requirement, equal_to, label_selector, tolerates
from vqs.model.sharding import Shard, ShardingMode

NO_SCHEDULE = "NoSchedule"
NO_EXECUTE = "NoExecute"
PREFER_NO_SCHEDULE = "PreferNoSchedule"
FORBIDDING = (NO_SCHEDULE, NO_EXECUTE)
"""Effects of taints that keep a pod off a node; the other one only makes the node less welcome."""

UNSCHEDULABLE = Taint(key="node.kubernetes.io/unschedulable", effect=NO_SCHEDULE)
"""What a pod must tolerate to be placed on a node that is marked unschedulable, tainted or not."""

NODE_NAME = "metadata.name"


# --- labels of nodes --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LabelColumn:
    """One label of all nodes: `numbers` tells for each node which of `values` it has.

    The number of a node without the label is one past the last value; `present` is false there.
    """

    values: list[str]
    numbers: Integers
    present: Masks

    def sums(self, amounts: Floats) -> Floats:
        """Sum up an amount per node over the nodes that share a value; (values and one more for none,)."""
        sums = np.bincount(self.numbers, weights=amounts, minlength=len(self.values) + 1)
        return sums.astype(np.float64, copy=False)

    def totals(self, amounts: Floats) -> Floats:
        """For each node the sum of an amount over the nodes that share its value; 0 without the label."""
        sums = self.sums(amounts)
        sums[-1] = 0.0
        totals: Floats = sums[self.numbers]
        return totals


class NodeLabels:
    """The labels and names of all nodes, in the order of a node table's columns."""

    def __init__(self, nodes: Sequence[NodeObject]) -> None:
        self.nodes = nodes
        self._columns: dict[str, LabelColumn] = {}
        self._names = _column([node.metadata.name for node in nodes])

    def column(self, key: str) -> LabelColumn:
        """One label of all nodes."""
        column = self._columns.get(key)
        if column is None:
            column = self._columns[key] = _column([node.metadata.labels.get(key) for node in self.nodes])
        return column

    def accepted(self, requirement: Requirement) -> Masks:
        """Which nodes' labels meet a requirement."""
        return _accepted(self.column(requirement.key), requirement)

    def selected(self, selector: NodeSelector) -> Masks:
        """Which nodes a node selector selects: those that meet one of its terms."""
        return reduce(np.logical_or, [self.meeting(t) for t in selector.node_selector_terms], self._none())

    def matching(self, selector: LabelSelector | None) -> Masks:
        """Which nodes have the labels that a selector asks for."""
        requirements = label_selector(selector).requirements
        if requirements is None:
            return self._none()
        matching = ~self._none()
        for each in requirements:
            matching = matching & self.accepted(each)
        return matching

    def meeting(self, term: NodeSelectorTerm) -> Masks:
        """Which nodes meet a term. None does where nothing is required, or something malformed."""
        labels = [Requirement(r.key, r.operator, tuple(r.values)) for r in term.match_expressions]
        fields = [Requirement(r.key, r.operator, tuple(r.values)) for r in term.match_fields]
        well_formed = all(r.well_formed for r in labels) and all(
            r.operator in ("In", "NotIn") and len(r.values) == 1 for r in fields
        )
        if not well_formed or not (labels or fields):
            return self._none()
        masks = [self.accepted(r) for r in labels]
        for r in fields:  # one that nodes do not have reads as empty
            by_name = r.key == NODE_NAME
            masks.append(_accepted(self._names, r) if by_name else np.full(len(self.nodes), r.accepts("")))
        return reduce(np.logical_and, masks)

    def required(self, spec: PodSpec) -> Masks | None:
        """Which nodes a pod's node selector and required node affinity allow, None where it has neither."""
        masks = [self.accepted(requirement) for requirement in equal_to(spec.node_selector)]
        affinity = spec.affinity.node_affinity if spec.affinity else None
        if affinity is not None and affinity.required is not None:
            masks.append(self.selected(affinity.required))
        return reduce(np.logical_and, masks) if masks else None

    def preference(self, spec: PodSpec) -> Floats | None:
        """The summed weights of a pod's preferred node affinity for each node, None where it has none."""
        affinity = spec.affinity.node_affinity if spec.affinity else None
        if affinity is None or not affinity.preferred:
            return None
        weights = np.zeros(len(self.nodes))
        for preferred in affinity.preferred:
            weights += preferred.weight * self.meeting(preferred.preference)
        return weights

    def _none(self) -> Masks:
        return np.zeros(len(self.nodes), np.bool_)


def _column(labels: list[str | None]) -> LabelColumn:
    index: dict[str, int] = {}
    numbers = [-1 if label is None else index.setdefault(label, len(index)) for label in labels]
    present = np.array([number >= 0 for number in numbers], np.bool_)
    return LabelColumn(list(index), np.where(present, np.array(numbers, np.intp), len(index)), present)


def _accepted(column: LabelColumn, requirement: Requirement) -> Masks:
    by_value = np.array([*(requirement.accepts(value) for value in column.values), requirement.accepts(None)])
    accepted: Masks = by_value[column.numbers]
    return accepted


# --- taints -----------------------------------------------------------------------------------------------------------


class NodeTaints:
    """The taints of all nodes: which distinct set of taints each node has.

    Attributes:
        sets: the distinct sets, each in the order in which a node lists its taints.
        numbers: which of the sets a node has.
        distinct: every taint once, and what stands for an unschedulable node where there is one.
    """

    def __init__(self, nodes: Sequence[NodeObject]) -> None:
        index: dict[tuple[tuple[str, str, str], ...], int] = {}
        keys = [tuple([(taint.key, taint.value, taint.effect) for taint in node.spec.taints]) for node in nodes]
        self.numbers: Integers = np.array([index.setdefault(key, len(index)) for key in keys], np.intp)
        self.sets = [tuple(Taint(*parts) for parts in key) for key in index]
        self.unschedulable: Masks = np.array([node.spec.unschedulable for node in nodes], np.bool_)
        parts = {part for key in index for part in key}
        self.distinct = [Taint(*part) for part in sorted(parts)]
        if self.unschedulable.any():
            self.distinct.append(UNSCHEDULABLE)

    def having(self, effect: str) -> bool:
        """True if some node has a taint with an effect."""
        return any(taint.effect == effect for taint in self.distinct)

    def each(self, decide: Callable[[tuple[Taint, ...]], float]) -> Floats:
        """Decide something for each distinct set of taints, and return it for each node."""
        by_set = np.array([decide(taints) for taints in self.sets], np.float64)
        each: Floats = by_set[self.numbers]
        return each

    def tolerated(self, tolerations: Sequence[Toleration]) -> tuple[int, ...]:
        """Which of the distinct taints are tolerated: pods that agree on this go to the same nodes."""
        if not tolerations:
            return ()
        return tuple(number for number, taint in enumerate(self.distinct) if tolerates(tolerations, taint))


OUTSIDE = "node isn't in scheduler node shard"
"""The reason of a node that is outside the shard in hard mode."""


class SessionShard:
    """The shard of a session.

    Attributes:
        inside: the nodes of the shard, (nodes,); all of them where the scheduler has no shard.
        is_hard: whether tasks are placed on no other nodes.
        is_soft: whether the nodes of the shard come before the others.
    """

    def __init__(self, shard: Shard, nodes: NodeTable, reasons: Reasons) -> None:
        mode = shard.sharding.mode
        self.is_hard = mode is ShardingMode.HARD
        self.is_soft = mode is ShardingMode.SOFT
        self.inside: Masks = np.ones(len(nodes), np.bool_)
        if mode is not ShardingMode.NONE:
            self.inside = np.array([name in shard.nodes for name in nodes.names], np.bool_)
        self._code = FITS
        if self.is_hard:
            self._code = reasons.code(OUTSIDE)
            reasons.mark_resolvable(OUTSIDE)  # the reference reports it as an error, not as unresolvable

    def open(self, nodes: Masks) -> Masks:
        """Those of some nodes that tasks may be placed on."""
        return nodes & self.inside if self.is_hard else nodes

    def refuse(self, codes: Codes, nodes: Nodes) -> None:
        """Give, in place, some nodes that are outside in hard mode that reason alone, whatever else they have."""
        if self.is_hard:
            codes[~self.inside[nodes]] = self._code

    def preferred(self, nodes: Masks) -> Iterator[Masks]:
        """Yield some nodes in groups, the group that is tried first first: in soft mode, the shard's own and others."""
        if self.is_soft:
            yield nodes & self.inside
            yield nodes & ~self.inside
        else:
            yield nodes

    def in_order(self, nodes: Integers) -> Integers:
        """Some nodes in their order; in soft mode, those of the shard first."""
        if not self.is_soft:
            return nodes
        inside = self.inside[nodes]
        return np.concatenate([nodes[inside], nodes[~inside]])
