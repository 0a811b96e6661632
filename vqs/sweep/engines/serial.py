"""One point after another, in this process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Self

from vqs.sweep.evaluate import Evaluator
from vqs.sweep.outcome import Row
from vqs.sweep.space import Point


class SerialEngine:
    """Runs points where it is called."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def rows(self, points: Iterable[Point]) -> Iterator[Row]:
        """Yield the rows of points in their order."""
        return map(self._evaluator.evaluate, points)
