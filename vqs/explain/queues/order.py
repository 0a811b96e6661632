"""Which queue is served first when a session opens, and which comparison decided."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from vqs.engine.framework import points
from vqs.engine.framework.ledger import QueueLedger
from vqs.engine.framework.session import Session
from vqs.engine.plugins.drf import Comparison, HierarchyKey
from vqs.explain.queues.outcome import Place
from vqs.explain.units import timestamp


def queue_order(session: Session) -> list[Place]:
    """Return the queues that have jobs, the first to be served first. The session has just been opened."""
    ledger = session.queue_ledger
    names = sorted(
        {job.queue for job in session.jobs.values()}, key=lambda name: session.plugins.queue_key(session.queues[name])
    )
    places = [Place(queue=name, position=number) for number, name in enumerate(names, 1)]
    for first, second in pairwise(places):
        decided = _decided(session, ledger, first.queue, second.queue)
        second.by, second.compared, second.values = decided.by, list(decided.compared), list(decided.values)
    return places


@dataclass(frozen=True, slots=True)
class _Decision:
    by: Literal["priority", "share", "deserved", "saturated", "weighted-share", "created", "name"]
    compared: tuple[str, str]
    values: tuple[str, str]


def _decided(session: Session, ledger: QueueLedger | None, first: str, second: str) -> _Decision:
    """Tell what puts one queue before another."""
    left, right = session.queues[first], session.queues[second]
    for plugin, order in (each for tier in session.plugins.by_plugin(points.QUEUE_ORDER) for each in tier):
        mine, theirs = order(left), order(right)
        if mine == theirs:
            continue
        if isinstance(mine, HierarchyKey):
            return _in_hierarchy(mine.compare(theirs))
        if ledger is not None and plugin == ledger.plugin:
            return _by_ledger(session, ledger, first, second)
    if left.created != right.created:
        return _Decision("created", (first, second), (timestamp(left.created), timestamp(right.created)))
    return _Decision("name", (first, second), (first, second))


def _in_hierarchy(compared: Comparison) -> _Decision:
    """Tell which branches of drf's tree decided."""
    if compared.saturated[0] != compared.saturated[1]:
        return _Decision("saturated", compared.branches, ("", ""))
    mine, theirs = compared.shares
    return _Decision("weighted-share", compared.branches, (f"{mine:.4g}", f"{theirs:.4g}"))


def _by_ledger(session: Session, ledger: QueueLedger, first: str, second: str) -> _Decision:
    """Tell what the plugin that divides the cluster compared."""
    left, right = session.queues[first], session.queues[second]
    if left.priority != right.priority:
        return _Decision("priority", (first, second), (str(left.priority), str(right.priority)))
    compared = _where_ways_part(ledger, first, second)
    figures = ledger.opened()
    mine, theirs = (figures[name] for name in compared)
    if mine.share != theirs.share:
        return _Decision("share", compared, (f"{mine.share:.4g}", f"{theirs.share:.4g}"))
    return _Decision("deserved", compared, ("something", "nothing"))


def _where_ways_part(ledger: QueueLedger, first: str, second: str) -> tuple[str, str]:
    """Return the queues at which the ways from the root to two queues part; the two themselves without a tree."""
    ways = zip(reversed(ledger.line(first)), reversed(ledger.line(second)), strict=False)
    return next(((mine, theirs) for mine, theirs in ways if mine != theirs), (first, second))
