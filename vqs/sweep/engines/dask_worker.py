"""What a worker of a Dask cluster has of a sweep: its snapshots, once, and a lock: a process runs one point at a time.

Dask hands a plugin to each worker once, also to one that joins later or is started again, and never to the tasks.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from contextvars import Context, copy_context
from threading import Lock
from typing import NamedTuple, cast

from distributed import Worker, WorkerPlugin, get_worker

from vqs.sweep.engines.dask_versions import here
from vqs.sweep.engines.task import Task
from vqs.sweep.evaluate import Evaluator
from vqs.sweep.outcome import Row
from vqs.sweep.space import Point


class Done(NamedTuple):
    """The rows of some points, and how many seconds they took."""

    rows: list[Row]
    seconds: float


class OtherVersionError(Exception):
    """A worker could decide otherwise; the message says which, and why."""


class SweepPlugin(WorkerPlugin):
    """Runs points on a worker."""

    def __init__(self, name: str, task: Task) -> None:
        """Take what the worker is to run.

        Args:
            name: what tasks find the plugin by.
            task: what is run.
        """
        self.name = name
        self._task = task
        self._versions = here()

    def setup(self, worker: Worker) -> None:
        """Start with a worker; nothing is prepared here, where the worker could not answer the scheduler meanwhile."""
        self._address = worker.address
        self._lock = Lock()
        self._evaluator: Evaluator | None = None
        # Plugins of one's own count in this context, whichever thread a task runs in.
        self._context: Context = copy_context()
        self._stack = ExitStack()

    def teardown(self, worker: Worker) -> None:  # noqa: ARG002 - Dask gives it by name
        """End with a worker, or before it."""
        with self._lock:
            self._context.run(self._stack.close)

    def run(self, points: Sequence[Point]) -> Done:
        """Run points, once those of other threads are done.

        Raises:
            OtherVersionError: the worker has joined meanwhile, and could decide otherwise.
        """
        with self._lock:
            return self._context.run(self._run, points)

    def _run(self, points: Sequence[Point]) -> Done:
        if self._evaluator is None:
            if here() != self._versions:
                raise OtherVersionError(f"{self._address}: it has {here()}, here it is {self._versions}")
            self._evaluator = self._stack.enter_context(self._task.evaluator())
        started = time.monotonic()
        rows = [self._evaluator.evaluate(point) for point in points]
        return Done(rows, time.monotonic() - started)


def run(name: str, points: Sequence[Point]) -> Done:
    """Run points on the worker that this is called on."""
    return cast("SweepPlugin", get_worker().plugins[name]).run(points)
