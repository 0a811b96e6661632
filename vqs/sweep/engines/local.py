"""Processes of this machine: one for each core, with the snapshots from the start, or one point after another here.

Where processes can be forked safely, they share the snapshots, and what is prepared of them, with the process that
forked them; elsewhere each gets one copy when it starts. A point is a few numbers on its way there, a row on its way
back. Each process has at most two points at a time, so that memory is bounded by the processes, whatever the points.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import warnings
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from types import TracebackType
from typing import Any, Final, Self

from vqs.extensions.adding import extended
from vqs.sweep.engines import Engine
from vqs.sweep.evaluate import Evaluator
from vqs.sweep.outcome import WORKER_LOST, Row
from vqs.sweep.space import Point

_AHEAD: Final = 2
"""How many points a process has at a time: while it runs one, the next one is there already."""
_TRIES: Final = 2
"""How many processes may end at a point before the point is given up."""
_PATIENCE: Final = 5.0
"""How many seconds a process has to end by itself."""


FORK: Final = "fork"
START: Final = FORK if sys.platform == "linux" else "spawn"
"""How processes are started: libraries of other systems do not expect to be forked."""


def engine(evaluator: Evaluator, jobs: int, own: Sequence[str] = ()) -> Engine:
    """Return what runs points in a number of processes; one is this process.

    Args:
        evaluator: runs points, here and in each process.
        jobs: the number.
        own: the plugins and actions of one's own, as MODULE:CLASS, beside those of installed packages.
    """
    return SerialEngine(evaluator) if jobs == 1 else LocalEngine(evaluator, jobs, own)


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Worker:
    """A process, the end of the pipe to it, and the points that it has."""

    def __init__(
        self, context: BaseContext, evaluator: Evaluator, own: Sequence[str], others: Sequence[Connection]
    ) -> None:
        self.connection, theirs = context.Pipe()
        self.points: deque[Point] = deque()
        is_forked = context.get_start_method() == FORK
        self.process: Any = context.Process(  # type: ignore[attr-defined]  # each context has its own class of processes
            target=_run if is_forked else _begin,
            args=(theirs, evaluator, [*others, self.connection] if is_forked else own),
            daemon=True,
        )
        with warnings.catch_warnings():
            # The other threads are numpy's, which come to no harm: they hold no lock that a new process waits for.
            warnings.simplefilter("ignore", DeprecationWarning)
            self.process.start()
        theirs.close()

    def give(self, point: Point) -> None:
        """Hand a point over; a process that has ended is found out when rows are waited for."""
        self.points.append(point)
        with suppress(OSError):
            self.connection.send(point)

    def ended(self) -> int:
        """Return the exit code of a process that has ended, below zero the signal that ended it."""
        self.connection.close()
        self.process.join()
        code: int = self.process.exitcode
        return code


class LocalEngine:
    """Runs points in processes of this machine."""

    def __init__(self, evaluator: Evaluator, jobs: int, own: Sequence[str] = (), start: str = START) -> None:
        """Prepare to run points.

        Args:
            evaluator: runs points in each process.
            jobs: how many processes there are.
            own: the plugins and actions of one's own, which a forked process has already.
            start: how processes are started: fork or spawn.
        """
        self._evaluator = evaluator
        self._jobs = jobs
        self._own = own
        self._context = multiprocessing.get_context(start)
        self._workers: list[_Worker] = []
        self._deaths: Counter[int] = Counter()

    def __enter__(self) -> Self:
        """Start the processes."""
        gc.collect()
        gc.freeze()  # what is there already is shared; collecting it would write to its pages, and copy them
        try:
            for _ in range(self._jobs):
                self._start()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the processes: at once where points are left."""
        for worker in self._workers:
            worker.connection.close()
            if worker.points:
                worker.process.kill()
        for worker in self._workers:
            worker.process.join(_PATIENCE)
            if worker.process.exitcode is None:
                worker.process.kill()
                worker.process.join()
        self._workers.clear()
        gc.unfreeze()

    def rows(self, points: Iterable[Point]) -> Iterator[Row]:
        """Yield the rows of points as they come."""
        left = iter(points)
        again: deque[Point] = deque()
        while busy := self._busy(left, again):
            ready = wait([worker.connection for worker in busy])
            for worker in [each for each in busy if each.connection in ready]:
                try:
                    row: Row = worker.connection.recv()
                except (EOFError, OSError):
                    yield from self._replaced(worker, again)
                else:
                    worker.points.popleft()
                    yield row

    def _start(self) -> None:
        others = [worker.connection for worker in self._workers]
        self._workers.append(_Worker(self._context, self._evaluator, self._own, others))

    def _busy(self, left: Iterator[Point], again: deque[Point]) -> list[_Worker]:
        """Hand points over, first those that have to be run again, and return the processes that have some."""
        for number in range(1, _AHEAD + 1):
            for worker in self._workers:
                if len(worker.points) < number and (point := again.popleft() if again else next(left, None)):
                    worker.give(point)
        return [worker for worker in self._workers if worker.points]

    def _replaced(self, worker: _Worker, again: deque[Point]) -> Iterator[Row]:
        """Start a process in place of one that has ended, and have its points run again; give up the one it was at."""
        self._workers.remove(worker)
        code = worker.ended()
        points = worker.points
        if points:
            at = points[0]
            self._deaths[at.number] += 1
            if self._deaths[at.number] >= _TRIES:
                points.popleft()
                yield self._evaluator.failed(at, WORKER_LOST, _end(code))
        again.extend(points)
        self._start()


def _end(code: int) -> str:
    if code >= 0:
        return f"the process that ran this point ended with exit code {code}"
    name = signal.Signals(-code).name
    hint = ": is there enough memory?" if -code == signal.SIGKILL else ""
    return f"the process that ran this point was ended by {name}{hint}"


def _run(connection: Connection, evaluator: Evaluator, inherited: Sequence[Connection]) -> None:
    """Work in a forked process, which has ends of pipes that would keep these open."""
    for each in inherited:
        each.close()
    _work(connection, evaluator)


def _begin(connection: Connection, evaluator: Evaluator, own: Sequence[str]) -> None:
    """Work in a process that begins with nothing but a copy of what runs points."""
    with extended(own):
        _work(connection, evaluator)


def _work(connection: Connection, evaluator: Evaluator) -> None:
    """Run points until the other end of the pipe is closed, be it that its process was killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started this one decides what an interruption ends
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    with suppress(EOFError, OSError):
        while True:
            connection.send(evaluator.evaluate(connection.recv()))


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
