"""Selectors of labels, of nodes and of taints.

A requirement is about one label, so it is decided once for each value that label has in the cluster, not once for each
node. Nodes are told apart by their taints in the same way: a cluster has few sets of them.
References: k8s.io/apimachinery/pkg/labels (selector.go); k8s.io/component-helpers/scheduling/corev1 (helpers.go,
nodeaffinity/nodeaffinity.go); k8s.io/api/core/v1 (toleration.go).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from vqs.model.kubernetes import Taint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from vqs.engine.nodes import Floats, Integers
    from vqs.model.kubernetes import (
        LabelSelector,
        NodeSelector,
        NodeSelectorRequirement,
        NodeSelectorTerm,
        PodSpec,
        Toleration,
    )
    from vqs.model.kubernetes import Node as NodeObject

Masks = npt.NDArray[np.bool_]

NO_SCHEDULE = "NoSchedule"
NO_EXECUTE = "NoExecute"
PREFER_NO_SCHEDULE = "PreferNoSchedule"
FORBIDDING = (NO_SCHEDULE, NO_EXECUTE)
"""Effects of taints that keep a pod off a node; the other one only makes the node less welcome."""

UNSCHEDULABLE = Taint(key="node.kubernetes.io/unschedulable", effect=NO_SCHEDULE)
"""What a pod must tolerate to be placed on a node that is marked unschedulable, tainted or not."""

NODE_NAME = "metadata.name"
_INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)
_INT64 = range(-(2**63), 2**63)


# --- labels -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Requirement:
    """``key operator values``, where the operator is In, NotIn, Exists, DoesNotExist, Gt or Lt."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def accepts(self, value: str | None) -> bool:
        """Tell whether a label may have this value; None stands for an object without the label."""
        match self.operator:
            case "In":
                return value is not None and value in self.values
            case "NotIn":
                return value is None or value not in self.values
            case "Exists":
                return value is not None
            case "DoesNotExist":
                return value is None
            case "Gt" | "Lt":
                return self._compares(value)
        return False

    def _compares(self, value: str | None) -> bool:
        have, limit = _integer(value), _integer(self.values[0])
        if have is None or limit is None:
            return False
        return have > limit if self.operator == "Gt" else have < limit

    @property
    def well_formed(self) -> bool:
        """Whether the operator is known and has the values it needs. Kubernetes lets nothing else through."""
        match self.operator:
            case "In" | "NotIn":
                return bool(self.values)
            case "Exists" | "DoesNotExist":
                return not self.values
            case "Gt" | "Lt":
                return len(self.values) == 1 and _integer(self.values[0]) is not None
        return False


def _integer(text: str | None) -> int | None:
    """Read a label's value as a 64-bit integer, None where it is none."""
    if text is None or _INTEGER.fullmatch(text) is None:
        return None
    number = int(text)
    return number if number in _INT64 else None


@dataclass(frozen=True, slots=True)
class Selector:
    """Requirements that must all hold; None in their place matches nothing."""

    requirements: tuple[Requirement, ...] | None

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Tell whether an object with these labels is selected."""
        if self.requirements is None:
            return False
        return all(requirement.accepts(labels.get(requirement.key)) for requirement in self.requirements)

    @property
    def empty(self) -> bool:
        """Whether everything is selected because nothing is required."""
        return self.requirements == ()

    @property
    def anchors(self) -> tuple[tuple[str, str], ...] | None:
        """Labels of which everything that is selected has one, to look it up by; None where there are none."""
        if self.requirements is None:
            return ()
        named = next((requirement for requirement in self.requirements if requirement.operator == "In"), None)
        return None if named is None else tuple((named.key, value) for value in named.values)

    @property
    def keys(self) -> frozenset[str]:
        """The labels that are looked at."""
        return frozenset(requirement.key for requirement in self.requirements or ())

    def also(self, requirements: Iterable[Requirement]) -> Selector:
        """Return a selector that requires more; nothing stays nothing."""
        return self if self.requirements is None else Selector((*self.requirements, *requirements))


NOTHING = Selector(None)
EVERYTHING = Selector(())


def equal_to(labels: Mapping[str, str]) -> tuple[Requirement, ...]:
    """Return the requirements that labels have these values."""
    return tuple(Requirement(key, "In", (value,)) for key, value in sorted(labels.items()))


def label_selector(selector: LabelSelector | None) -> Selector:
    """Read a selector: one that is not given selects nothing, an empty one everything, a malformed one nothing."""
    if selector is None:
        return NOTHING
    expressions = tuple(Requirement(e.key, e.operator, tuple(e.values)) for e in selector.match_expressions)
    if not all(e.well_formed and e.operator not in ("Gt", "Lt") for e in expressions):
        return NOTHING
    return Selector((*equal_to(selector.match_labels), *expressions))


# --- labels of nodes --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LabelColumn:
    """One label of all nodes: `numbers` tells for each node which of `values` it has.

    The number of a node without the label is one past the last value; `present` is false there.
    """

    values: list[str]
    numbers: Integers
    present: Masks

    @property
    def everywhere(self) -> bool:
        """Whether every node has the label."""
        return bool(self.present.all())

    def sums(self, amounts: Floats) -> Floats:
        """Sum up an amount per node over the nodes that share a value; (values and one more for none,)."""
        sums = np.bincount(self.numbers, weights=amounts, minlength=len(self.values) + 1)
        return sums.astype(np.float64, copy=False)

    def totals(self, amounts: Floats) -> Floats:
        """Return for each node the sum of an amount over the nodes that share its value; 0 without the label."""
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
        """Return one label of all nodes."""
        column = self._columns.get(key)
        if column is None:
            column = self._columns[key] = _column([node.metadata.labels.get(key) for node in self.nodes])
        return column

    def accepted(self, requirement: Requirement) -> Masks:
        """Tell which nodes' labels meet a requirement."""
        return _accepted(self.column(requirement.key), requirement)

    def selected(self, selector: NodeSelector) -> Masks:
        """Tell which nodes a node selector selects: those that meet one of its terms."""
        return reduce(np.logical_or, [self.meeting(t) for t in selector.node_selector_terms], self._none())

    def meeting(self, term: NodeSelectorTerm) -> Masks:
        """Tell which nodes meet a term. None does where nothing is required, or something malformed."""
        labels = [_requirement(r) for r in term.match_expressions]
        fields = [_requirement(r) for r in term.match_fields]
        well_formed = all(r.well_formed for r in labels) and all(_is_field_requirement(r) for r in fields)
        if not well_formed or not (labels or fields):
            return self._none()
        masks = [*(self.accepted(r) for r in labels), *(self._accepted_field(r) for r in fields)]
        return reduce(np.logical_and, masks)

    def required(self, spec: PodSpec) -> Masks | None:
        """Tell which nodes a pod's node selector and required node affinity allow, None where it has neither."""
        masks = [self.accepted(requirement) for requirement in equal_to(spec.node_selector)]
        affinity = spec.affinity.node_affinity if spec.affinity else None
        if affinity is not None and affinity.required is not None:
            masks.append(self.selected(affinity.required))
        return reduce(np.logical_and, masks) if masks else None

    def preference(self, spec: PodSpec) -> Floats | None:
        """Return the summed weights of a pod's preferred node affinity for each node, None where it has none."""
        affinity = spec.affinity.node_affinity if spec.affinity else None
        if affinity is None or not affinity.preferred:
            return None
        weights = np.zeros(len(self.nodes))
        for preferred in affinity.preferred:
            weights += preferred.weight * self.meeting(preferred.preference)
        return weights

    def _accepted_field(self, requirement: Requirement) -> Masks:
        if requirement.key == NODE_NAME:
            return _accepted(self._names, requirement)
        return np.full(len(self.nodes), requirement.accepts(""))  # a field that nodes do not have reads as empty

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


def _requirement(requirement: NodeSelectorRequirement) -> Requirement:
    return Requirement(requirement.key, requirement.operator, tuple(requirement.values))


def _is_field_requirement(requirement: Requirement) -> bool:
    return requirement.operator in ("In", "NotIn") and len(requirement.values) == 1


# --- taints -----------------------------------------------------------------------------------------------------------


def tolerates(tolerations: Iterable[Toleration], taint: Taint) -> bool:
    """Tell whether one of the tolerations is for this taint."""
    return any(_tolerates(toleration, taint) for toleration in tolerations)


def _tolerates(toleration: Toleration, taint: Taint) -> bool:
    if toleration.effect not in ("", taint.effect) or toleration.key not in ("", taint.key):
        return False
    if toleration.operator in ("", "Equal"):
        return toleration.value == taint.value
    return toleration.operator == "Exists"


def untolerated(taints: Iterable[Taint], tolerations: Sequence[Toleration], effects: tuple[str, ...]) -> list[Taint]:
    """Return the taints with one of these effects that are not tolerated."""
    return [taint for taint in taints if taint.effect in effects and not tolerates(tolerations, taint)]


class NodeTaints:
    """The taints of all nodes: which distinct set of taints each node has.

    Attributes:
        sets: the distinct sets, each in the order in which a node lists its taints.
        numbers: which of the sets a node has.
        distinct: every taint once, and what stands for an unschedulable node where there is one.
    """

    def __init__(self, nodes: Sequence[NodeObject]) -> None:
        index: dict[tuple[tuple[str, str, str], ...], int] = {}
        self.numbers: Integers = np.array([index.setdefault(_taint_key(node), len(index)) for node in nodes], np.intp)
        self.sets = [tuple(Taint(*parts) for parts in key) for key in index]
        self.unschedulable: Masks = np.array([node.spec.unschedulable for node in nodes], np.bool_)
        parts = {part for key in index for part in key}
        self.distinct = [Taint(*part) for part in sorted(parts)]
        if self.unschedulable.any():
            self.distinct.append(UNSCHEDULABLE)

    def having(self, effect: str) -> bool:
        """Tell whether some node has a taint with an effect."""
        return any(taint.effect == effect for taint in self.distinct)

    def each(self, decide: Callable[[tuple[Taint, ...]], float]) -> Floats:
        """Decide something for each distinct set of taints, and return it for each node."""
        by_set = np.array([decide(taints) for taints in self.sets], np.float64)
        each: Floats = by_set[self.numbers]
        return each

    def tolerated(self, tolerations: Sequence[Toleration]) -> tuple[int, ...]:
        """Return which of the distinct taints are tolerated: pods that agree on this go to the same nodes."""
        if not tolerations:
            return ()
        return tuple(number for number, taint in enumerate(self.distinct) if tolerates(tolerations, taint))


def _taint_key(node: NodeObject) -> tuple[tuple[str, str, str], ...]:
    return tuple([(taint.key, taint.value, taint.effect) for taint in node.spec.taints])
