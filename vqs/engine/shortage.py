"""How far the nodes were from taking a task: the closest one, and whether all of them together would have had room."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vqs.engine.node_fit import NodeFit
from vqs.engine.nodes import Integers
from vqs.engine.reasons import FITS
from vqs.model.resource import EPSILON


class Shortage(NamedTuple):
    """What the closest node lacks most: a resource, what is needed of it and what the node will have idle.

    `in_total` tells whether the nodes that lack nothing but resources have enough of each together.
    """

    node: str
    resource: str
    need: float
    have: float
    in_total: bool


def shortage(fit: NodeFit, among: Integers | None = None) -> Shortage | None:
    """Return what the closest node lacks, None where resources are not what keeps the task from any node.

    `among` are the nodes that were asked, all where it is None. Closest is the node that lacks the smallest part of
    what it lacks most; the lowest name among equals.
    """
    nodes = _short_of_resources(fit, among)
    if not len(nodes):
        return None
    table = fit.nodes
    names = fit.task_class.task.request.dimensions()
    need = fit.task_class.need[: len(names)]
    have = table.gather(fit.task_class.rows[len(names) :], nodes)
    lacking = np.where(need - have >= EPSILON, (need - have) / np.maximum(need, EPSILON), 0.0)
    closest = int(lacking.max(axis=0).argmin())
    worst = int(lacking[:, closest].argmax())
    return Shortage(
        node=table.names[nodes[closest]],
        resource=names[worst],
        need=float(need[worst, 0]),
        have=float(have[worst, closest]),
        in_total=bool((need[:, 0] - np.maximum(have, 0.0).sum(axis=1) < EPSILON).all()),
    )


def _short_of_resources(fit: NodeFit, among: Integers | None) -> Integers:
    """Return the nodes, all or among some, that lack resources, and that no predicate refuses."""
    nodes: Integers = np.flatnonzero(fit.short != FITS) if among is None else among[fit.short[among] != FITS]
    for predicate in fit.plugins.predicates:
        nodes = nodes[predicate.codes(fit.task_class, nodes) == FITS]
    return nodes
