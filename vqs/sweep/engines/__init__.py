"""What runs the points of a plan: one process, all cores of a machine, or those of a cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Protocol, Self

from vqs.sweep.outcome import Row
from vqs.sweep.space import Point


class EngineError(Exception):
    """An engine cannot run points, or no more of them; the message says why. Finished rows are not lost."""


class Engine(AbstractContextManager["Engine"], Protocol):
    """Runs points with workers that it has while its context lasts."""

    def __enter__(self) -> Self:
        """Start the workers."""

    def rows(self, points: Iterable[Point]) -> Iterator[Row]:
        """Yield the rows of points as they come, in any order; as few points are taken at a time as keep all busy."""
