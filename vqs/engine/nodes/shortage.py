"""How far the nodes were from taking a task: the closest one, and whether all of them together would have had room.

Nodes that could take the task if they were empty come first: a node without GPUs is not close to a task that needs one
as long as some node has GPUs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vqs.engine.framework.points import MeasuringPredicate, Shortfall, least
from vqs.engine.nodes.class_scores import NodeFit
from vqs.engine.nodes.reasons import FITS, Codes, Reasons
from vqs.engine.nodes.table import ALL, Floats, Integers, Masks
from vqs.model.resource import EPSILON


class Shortage(NamedTuple):
    """What the closest node lacks most: a resource, what is needed of it and what the node will have idle.

    Attributes:
        node: the closest node.
        resource: what it lacks most.
        need: how much the task needs of it.
        have: how much the node will have idle; where `too_large`, how much it has when it is empty.
        in_total: whether the nodes that lack nothing but resources, and are large enough, have enough together.
        too_large: whether no node could take the task even if it were empty.
    """

    node: str
    resource: str
    need: float
    have: float
    in_total: bool = False
    too_large: bool = False


class ClosestRefusal(NamedTuple):
    """A node that is large enough for a task, and the code of the reasons that keep the task from it."""

    node: str
    code: int


def could_hold(fit: NodeFit, reasons: Reasons) -> Masks:
    """Which nodes could hold a task of a class once others have left them, (nodes,).

    They have all that it asks for when they are empty, and no predicate has a reason against them that stands whatever
    happens to their pods.
    """
    holding: Masks = _is_large_enough(fit) & (standing_refusals(fit, reasons) == FITS)
    return holding


def standing_refusals(fit: NodeFit, reasons: Reasons) -> Codes:
    """The predicates' reasons against the nodes that are large enough which stand whatever happens to their pods.

    0 where there are none, (nodes,).
    """
    refused = _refused(fit)
    standing: Codes = np.where(reasons.unresolvable(refused) & _is_large_enough(fit), refused, FITS)
    return standing


def shortage(fit: NodeFit, reasons: Reasons, among: Integers | None = None) -> Shortage | ClosestRefusal | None:
    """What the closest node lacks, None where resources are not what keeps the task from any node.

    `among` are the nodes that were asked, all where it is None. Closest is the node that lacks the smallest part of
    what it lacks most; the lowest name among equals. A task that is larger than every node is so whatever predicates
    say of these. Where only nodes are large enough that predicates refuse, the first of these is returned, with their
    reasons; those that could hold the task once others have left them come first. A node that is too small is not
    close.
    """
    asked: Integers = np.arange(len(fit.short)) if among is None else among
    lacking: Integers = asked[fit.short[asked] != FITS]
    if not len(lacking):
        return None
    large = _is_large_enough(fit)
    if not large.any():
        return _closest(fit, lacking, too_large=True)
    refused = _refused(fit)
    short = lacking[refused[lacking] == FITS]
    if large[short].any():
        return _closest(fit, short[large[short]])
    closed = asked[large[asked]]
    if len(closed):
        holding = closed[~reasons.unresolvable(refused)[closed]]
        closed = holding if len(holding) else closed
        row = int(closed[(fit.short[closed] != FITS).argmin()])
        return ClosestRefusal(fit.nodes.names[row], int(refused[row]))
    return None


def measured(fit: NodeFit, among: Integers | None = None) -> tuple[str, Shortfall] | None:
    """The closest of the nodes that are large enough and refused by predicates, and what it lacks for these.

    None where the predicates that refuse nodes have no figures for it. `among` is as for `shortage`.
    """
    measuring = [
        each
        for each in fit.plugins.predicates
        if isinstance(each, MeasuringPredicate) and each.measures(fit.task_class)
    ]
    if not measuring:
        return None
    asked: Integers = np.arange(len(fit.short)) if among is None else among
    nodes = asked[_is_large_enough(fit)[asked]]
    found: list[tuple[int, Shortfall | None]] = []
    for predicate in fit.plugins.predicates:
        refused = fit.plugins.codes(predicate, fit.task_class, nodes) != FITS
        if predicate in measuring and refused.any():
            node, lacked = predicate.shortfall(fit.task_class, nodes[refused]) or (0, None)
            found.append((node, lacked))
        nodes = nodes[~refused]
    closest = least(found)
    return None if closest is None else (fit.nodes.names[closest[0]], closest[1])


def _refused(fit: NodeFit) -> Codes:
    """The reasons of the first predicate that refuses each node, whether or not the node has room."""
    codes: Codes = np.where(fit.short == FITS, fit.codes, FITS)
    nodes: Integers = np.flatnonzero(fit.short != FITS)
    for predicate in fit.plugins.predicates:
        codes[nodes] = fit.plugins.codes(predicate, fit.task_class, nodes)
        nodes = nodes[codes[nodes] == FITS]
    fit.shard.refuse(codes, ALL)
    return codes


def _empty(fit: NodeFit) -> Floats:
    """What each node has of what the task asks for when the node is empty, (resources, nodes)."""
    table = fit.nodes
    return table.allocatable[[table.row[name] for name in fit.task_class.task.request.dimensions()]]


def _is_large_enough(fit: NodeFit) -> Masks:
    """Which nodes have all that the task asks for when they are empty."""
    empty = _empty(fit)
    if not len(fit.task_class.need):
        return np.ones(len(fit.nodes), np.bool_)
    lacking: Floats = (fit.task_class.need[: len(empty)] - empty).max(axis=0)
    return lacking < EPSILON


def _closest(fit: NodeFit, nodes: Integers, *, too_large: bool = False) -> Shortage:
    """What the node lacks, of some that lack nothing but resources, that lacks the smallest part of what it lacks most.

    A task that is `too_large` is compared with empty nodes.
    """
    names = fit.task_class.task.request.dimensions()
    need, rows = fit.task_class.need[: len(names)], fit.task_class.rows[len(names) :]
    have = _empty(fit)[:, nodes] if too_large else fit.nodes.gather(rows, nodes)
    lacking = np.where(need - have >= EPSILON, (need - have) / np.maximum(need, EPSILON), 0.0)
    column = int(lacking.max(axis=0).argmin())
    row = int(lacking[:, column].argmax())
    together = np.maximum(fit.nodes.gather(rows, nodes), 0.0).sum(axis=1)
    return Shortage(
        node=fit.nodes.names[nodes[column]],
        resource=names[row],
        need=float(need[row, 0]),
        have=float(have[row, column]),
        in_total=not too_large and bool((need[:, 0] - together < EPSILON).all()),
        too_large=too_large,
    )
