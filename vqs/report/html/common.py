"""What the pages have in common: notes, settings, tables, and how amounts of resources are written."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from rich.text import Text

from vqs.explain.outcome import Amounts, DiagnosticResult, SessionInfo
from vqs.inert import name as visible
from vqs.model.resource import is_in_bytes
from vqs.report.page import Grid, Row
from vqs.report.phrases import diagnostic_line

_SEVERITIES: Final = ("error", "warning", "note")


def settings(session: SessionInfo) -> list[tuple[str, str]]:
    """Return how a session was run, in pairs of a word and what it stands for."""
    tiers = [(f"tier {number}", ", ".join(tier)) for number, tier in enumerate(session.tiers, 1)]
    return [
        ("configuration", session.configuration),
        ("actions", ", ".join(session.actions)),
        *tiers,
        ("now", session.now),
        ("seed", _seed(session)),
    ]


def _seed(session: SessionInfo) -> str:
    if session.seed is None:
        return "none, the lowest name wins a tie"
    return f"{session.seed}, also for the order of nodes" if session.node_order_drawn else str(session.seed)


def notes(diagnostics: Iterable[DiagnosticResult]) -> list[tuple[str, str]]:
    """Return the notes with their severity, the gravest first."""
    ordered = sorted(diagnostics, key=lambda each: _SEVERITIES.index(each.severity))
    return [(each.severity, diagnostic_line(each).removeprefix(f"{each.severity}: ")) for each in ordered]


def table(grid: Grid | None) -> dict[str, Any] | None:
    """Return a grid as a template writes it: headings, and rows, some of them across all columns."""
    if grid is None:
        return None
    return {
        "columns": [
            *((column.heading, column.numeric) for column in grid.columns),
            *[(grid.remark.capitalize(), False)] * grid.has_remarks,
        ],
        "rows": [
            {"cells": [_cell(text) for text in row.cells], "remark": row.remark if grid.has_remarks else None}
            if isinstance(row, Row)
            else {"span": row.text.plain}
            for row in grid.rows
        ],
    }


def _cell(text: Text) -> dict[str, Any]:
    words = text.plain
    return {"text": words.strip(), "indent": words.startswith(" "), "strong": "bold" in str(text.style)}


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
