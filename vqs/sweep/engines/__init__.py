"""What runs the points of a plan: one process, all cores of a machine, or those of a cluster.

On this machine there is a process for each core, with the snapshots from the start, or one point is run after another
here. A point is a few numbers on its way to a process, a row on its way back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from types import TracebackType
from typing import Protocol, Self

from vqs.extensions.adding import extended
from vqs.processes import START, Processes
from vqs.sweep.evaluate import Evaluator
from vqs.sweep.outcome import WORKER_LOST, Row
from vqs.sweep.space import Point


class EngineError(Exception):
    """An engine cannot run points, or no more of them; the message says why. Finished rows are not lost."""


class Engine(AbstractContextManager["Engine"], Protocol):
    """Runs points with workers that it has while its context lasts."""

    def rows(self, points: Iterable[Point]) -> Iterator[Row]:
        """Yield the rows of points as they come, in any order; as few points are taken at a time as keep all busy."""


def engine(evaluator: Evaluator, jobs: int, own: Sequence[str] = ()) -> Engine:
    """Return what runs points in a number of processes; one is this process.

    Args:
        evaluator: runs points, here and in each process.
        jobs: the number.
        own: the plugins and actions of one's own, as MODULE:CLASS, beside those of installed packages.
    """
    return SerialEngine(evaluator) if jobs == 1 else LocalEngine(evaluator, jobs, own)


class LocalEngine:
    """Runs points in processes of this machine."""

    def __init__(self, evaluator: Evaluator, jobs: int, own: Sequence[str] = (), start: str = START) -> None:
        self.processes = Processes(
            evaluator.evaluate,
            lambda point, end: evaluator.failed(point, WORKER_LOST, f"the process that ran this point {end}"),
            jobs,
            around=partial(extended, own),
            start=start,
        )

    def __enter__(self) -> Self:
        """Start the processes."""
        self.processes.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the processes: at once where points are left."""
        self.processes.__exit__(kind, error, trace)

    def rows(self, points: Iterable[Point]) -> Iterator[Row]:
        """Yield the rows of points as they come."""
        return (row for _, row in self.processes.answers(points))


class SerialEngine(AbstractContextManager["SerialEngine"]):
    """Runs points where it is called."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def rows(self, points: Iterable[Point]) -> Iterator[Row]:
        """Yield the rows of points in their order."""
        return map(self._evaluator.evaluate, points)
