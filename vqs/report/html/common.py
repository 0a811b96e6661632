"""What the pages have in common: notes, settings, tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from rich.text import Text

from vqs.explain.outcome import DiagnosticResult, SessionInfo
from vqs.report.grid import Grid, Row
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
