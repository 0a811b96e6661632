"""A part of what there is to say about one queue, for tables and markdown alike, and the words that parts share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vqs.report.grid import Grid

MARK = "▸ "
"""Stands before the queue that is explained, among others."""


@dataclass(frozen=True)
class Part:
    """One thing to say: a title, lines of text, and a grid."""

    title: str
    lines: Sequence[str] = ()
    grid: Grid | None = None
    folded: bool = False
    """Whether a reader of markdown opens it only where it matters."""


def out_of(title: str, shown: int, of: int) -> str:
    """Write a title, and how much of a list is shown, if that is not all."""
    return title if shown == of else f"{title} ({shown:,} of {of:,} here; -v shows all)"
