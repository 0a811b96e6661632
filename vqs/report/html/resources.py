"""The resources that the page knows, and how it writes amounts of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from vqs.explain.outcome import Amounts
from vqs.model.resource import is_in_bytes
from vqs.report.visible import visible

_FIRST: Final = ("cpu", "memory")
_PODS: Final = "pods"


class Demand(NamedTuple):
    """What the tasks in a queue request, and those in the queues below it."""

    queue: str
    parent: str
    request: Amounts


def resource_list(amounts: Iterable[Amounts], total: Amounts, demands: Sequence[Demand] = ()) -> list[dict[str, Any]]:
    """Return the resources that there are any amounts of, the scarcest first, the number of pods last.

    The scarcest is the one of which the largest part of what the nodes have is requested. Where that is equal, cpu and
    memory come first.
    """
    names = {name for each in amounts for name, value in each.items() if value != 0}
    requested = _requested(demands)

    def rank(name: str) -> tuple[bool, float, bool, str]:
        return name == _PODS, -_part(requested.get(name, 0.0), total.get(name) or 0.0), name not in _FIRST, name

    return [{"name": visible(name), "bytes": is_in_bytes(name)} for name in sorted(names, key=rank)]


def _requested(demands: Sequence[Demand]) -> dict[str, float]:
    """Sum up what is requested in the queues that have none below them."""
    parents = {demand.parent for demand in demands}
    requested: dict[str, float] = {}
    for demand in demands:
        for name, value in demand.request.items() if demand.queue not in parents else ():
            requested[name] = requested.get(name, 0.0) + (value or 0.0)
    return requested


def _part(requested: float, total: float) -> float:
    if total > 0:
        return requested / total
    return math.inf if requested > 0 else 0.0
