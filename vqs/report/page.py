"""A part of what there is to say about one queue, for tables and markdown alike, and the words that parts share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vqs.report.queues.resources import PODS
from vqs.report.units import amount

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vqs.report.grid import Grid

MARK = "▸ "
"""Stands before the queue that is explained, among others."""

NEGLIGIBLE = 1e-6


@dataclass(frozen=True)
class Part:
    """One thing to say: a title, lines of text, and a grid."""

    title: str
    lines: Sequence[str] = ()
    grid: Grid | None = None
    folded: bool = False
    """Whether a reader of markdown opens it only where it matters."""


def listed(amounts: Mapping[str, float | None], *, nothing: bool = False) -> str:
    """Write amounts in one line; pods, and unless asked for what there is nothing of, are left out."""
    return ", ".join(
        f"{name} {amount(name, value)}" for name, value in amounts.items() if (value != 0 or nothing) and name != PODS
    )


def out_of(title: str, shown: int, of: int) -> str:
    """Write a title, and how much of a list is shown, if that is not all."""
    return title if shown == of else f"{title} ({shown:,} of {of:,} here; -v shows all)"
