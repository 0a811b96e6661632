"""What nodes could take if they were empty."""

from __future__ import annotations

from typing import NamedTuple

import msgspec
import numpy as np

from vqs.engine.framework.session import Session
from vqs.engine.nodes.selectors import FORBIDDING, NodeLabels, NodeTaints
from vqs.engine.nodes.table import Floats, Integers, Masks
from vqs.engine.plugins.predicates.plugin import PredicatesPlugin
from vqs.model.kubernetes import PodSpec, Taint
from vqs.model.resource import EPSILON, PODS, Resource
from vqs.model.selectors import untolerated

_PASSING = "node.kubernetes.io/"
"""What the taints begin with that stand for a state of the node, such as cordoned or out of memory."""


class Closest(NamedTuple):
    """The node that lacks the smallest part of what it lacks most, and what that is."""

    node: str
    resource: str
    need: float
    have: float


class EmptyNodes:
    """The nodes of a session without their pods, cordons and passing troubles."""

    def __init__(self, session: Session) -> None:
        self._nodes = session.nodes
        objects = [node.object for node in session.nodes.nodes]
        self._labels = NodeLabels(objects)
        self._taints = NodeTaints(objects)
        plugin = next((each for each in session.node_plugins.predicates if isinstance(each, PredicatesPlugin)), None)
        self._selects = plugin is not None and plugin.node_affinity
        self._repels = plugin is not None and plugin.taints
        self._counts = plugin is not None
        self._admitted: dict[bytes, Masks] = {}

    def __len__(self) -> int:
        return len(self._nodes)

    def selected(self, spec: PodSpec) -> Masks:
        """True for the nodes that a pod's node selector and affinity allow."""
        allowed = self._labels.required(spec) if self._selects else None
        return np.ones(len(self), np.bool_) if allowed is None else allowed

    def tolerated(self, spec: PodSpec) -> Masks:
        """True for the nodes without a lasting taint that a pod does not tolerate."""
        if not self._repels or not len(self):
            return np.ones(len(self), np.bool_)
        return self._taints.each(lambda taints: not lasting(taints, spec)).astype(np.bool_)

    def admitted(self, spec: PodSpec) -> Masks:
        """True for the nodes that neither selectors nor taints keep a pod from."""
        key = msgspec.json.encode((spec.node_selector, spec.affinity, spec.tolerations))
        mask = self._admitted.get(key)
        if mask is None:
            mask = self._admitted[key] = self.selected(spec) & self.tolerated(spec)
        return mask

    def repelling(self, spec: PodSpec, row: int) -> Taint:
        """The first lasting taint of a node that a pod does not tolerate."""
        return lasting(self._taints.sets[int(self._taints.numbers[row])], spec)[0]

    def slots(self, request: Resource) -> Floats:
        """The number of pods of a request that each node has room for."""
        table = self._nodes
        slots = table.max_tasks.copy() if self._counts else np.full(len(self), np.inf)
        for name in [name for name in request.names() if name != PODS]:
            slots = np.minimum(slots, np.floor((table.allocatable[table.row[name]] + EPSILON) / request.get(name)))
        return slots

    def closest(self, request: Resource, rows: Integers) -> Closest:
        """The node that lacks least, where all lack something."""
        table = self._nodes
        names = [name for name in request.names() if name != PODS]
        need = np.array([request.get(name) for name in names])[:, None]
        have = table.allocatable[[table.row[name] for name in names]][:, rows]
        lacking = np.where(need - have >= EPSILON, (need - have) / need, 0.0)
        column = int(lacking.max(axis=0).argmin())
        worst = int(lacking[:, column].argmax())
        return Closest(table.names[rows[column]], names[worst], float(need[worst, 0]), float(have[worst, column]))

    def have(self, name: str) -> bool:
        """True if some node has any of a resource."""
        row = self._nodes.row.get(name)
        return row is not None and bool((self._nodes.allocatable[row] >= EPSILON).any())

    def total(self, name: str, mask: Masks) -> float:
        """The amount of a resource that some nodes have together."""
        row = self._nodes.row.get(name)
        return 0.0 if row is None else float(self._nodes.allocatable[row][mask].sum())


def lasting(taints: tuple[Taint, ...], spec: PodSpec) -> list[Taint]:
    """The taints that a pod does not tolerate, but for those that stand for a state of the node."""
    lasting_ones = [taint for taint in taints if not taint.key.startswith(_PASSING)]
    return list(untolerated(lasting_ones, spec.tolerations, FORBIDDING))
