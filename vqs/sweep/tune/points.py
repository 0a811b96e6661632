"""Points on their way to an engine, unless a journal has their rows already."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Self

from vqs.sweep.engines import Engine
from vqs.sweep.journal import Journal
from vqs.sweep.outcome import WORKER_LOST, Row
from vqs.sweep.run import Advance
from vqs.sweep.space import Point


class Points:
    """Runs points that a journal does not have; the engine is started for the first of them."""

    def __init__(self, engine: Engine, journal: Journal | None, progress: Advance | None, most: int) -> None:
        self._engine = engine
        self._journal = journal
        self._progress = progress
        self._most = most
        self._done = 0
        self._stack = ExitStack()
        self._started = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def rows(self, points: Sequence[Point]) -> Iterator[Row]:
        """Yield the rows of points."""
        known = {} if self._journal is None else self._journal.rows
        yield from (known[point.number] for point in points if point.number in known)
        missing = [point for point in points if point.number not in known]
        if missing and not self._started:
            self._stack.enter_context(self._engine)
            self._started = True
        for row in self._engine.rows(missing) if missing else ():
            if self._journal is not None and not (row.error and row.error.code == WORKER_LOST):
                self._journal.add(row)
            yield row
            if row.number > 0 and self._progress is not None:
                self._done += 1
                self._progress(self._done, self._most)
