"""The workers of a Dask cluster.

The snapshots travel to each worker once, with a plugin; a task has the values of a few points. As many tasks are under
way as keep the workers busy, so that a sweep of any length takes the same memory here and at the scheduler. Where a
worker is lost, Dask runs its tasks on others. Workers with another version of vqs or of Python could decide otherwise:
they are refused before anything runs.
"""

from __future__ import annotations

import os
import queue
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import ExitStack, suppress
from itertools import islice
from types import TracebackType
from typing import Any, Final, Self, cast

from distributed import Client, Future, KilledWorker
from distributed.comm.core import CommClosedError

from vqs.extensions.loading import ExtensionError
from vqs.sweep.engines import EngineError
from vqs.sweep.engines.dask_cluster import Scheduler, address_of, connected, started
from vqs.sweep.engines.dask_versions import PACKAGES, refusals
from vqs.sweep.engines.dask_worker import Done, OtherVersionError, SweepPlugin, run
from vqs.sweep.engines.task import Task
from vqs.sweep.evaluate import Evaluator
from vqs.sweep.outcome import WORKER_LOST, Row
from vqs.sweep.space import Point

_BUSY: Final = 0.25
"""Seconds that a task should take, so that handing it out takes little beside."""
_MOST: Final = 32
"""How many points a task has at most: they are all run again where its worker is lost."""
_AHEAD: Final = 2
"""How many tasks are under way for each worker: one that runs, and one that waits for it."""
_LOOKS: Final = 2.0
"""Seconds after which it is looked whether there are still workers, and how many."""
_PATIENCE: Final = 60.0
"""Seconds that a scheduler without workers is given to find some."""


class DaskEngine:
    """Runs points on the workers of a Dask cluster."""

    def __init__(self, task: Task, scheduler: Scheduler | None, workers: int) -> None:
        """Prepare to run points.

        Args:
            task: what is run.
            scheduler: that of the cluster; None starts one on this machine.
            workers: how many workers that has.
        """
        self._task = task
        self._evaluator = Evaluator(task.plan, task.options)
        self._scheduler = scheduler
        self._workers = workers
        self._stack = ExitStack()
        self._name = f"vqs-{os.urandom(8).hex()}"

    def __enter__(self) -> Self:
        """Reach the cluster, and hand each worker what it is to run.

        Raises:
            EngineError: there is no such cluster, or some workers cannot run what this process would.
        """
        with ExitStack() as stack:
            cluster = started(self._workers) if self._scheduler is None else connected(self._scheduler)
            self._client = stack.enter_context(cluster)
            self._address = address_of(self._client)
            self._wait_for_workers()
            self._refuse_others()
            stack.callback(self._leave)
            self._client.register_plugin(SweepPlugin(self._name, self._task), name=self._name)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def rows(self, points: Iterable[Point]) -> Iterator[Row]:
        """Yield the rows of points as they come.

        Raises:
            EngineError: the scheduler, or all its workers, are gone.
        """
        flow = _Flow(self._client, self._name, self._evaluator, points)
        try:
            yield from flow.rows()
        finally:
            flow.stop()

    def _wait_for_workers(self) -> None:
        try:
            self._client.wait_for_workers(1, timeout=_PATIENCE)
        except TimeoutError:
            raise EngineError(
                f"the scheduler {self._address} has no workers; start one for each core: "
                f"dask worker {self._address} --nthreads 1"
            ) from None

    def _refuse_others(self) -> None:
        refused = refusals(cast("Mapping[str, Any]", self._client.get_versions(packages=PACKAGES)))
        if refused:
            number = len(self._client.nthreads())
            lines = (f"  {address}: {why}" for address, why in refused.items())
            raise EngineError(
                f"{len(refused)} of {number} workers could decide otherwise, and nothing was run:\n"
                + "\n".join(lines)
                + "\nstart the workers with the same versions of Python and vqs"
            )

    def _leave(self) -> None:
        """Have the workers forget what they were handed; a scheduler that is gone has forgotten it."""
        if self._client.status == "running":
            with suppress(OSError, TimeoutError, CancelledError):
                self._client.unregister_worker_plugin(self._name)


class _Flow:
    """Points on their way to workers, and rows on their way back."""

    def __init__(self, client: Client, name: str, evaluator: Evaluator, points: Iterable[Point]) -> None:
        self._client = client
        self._name = name
        self._evaluator = evaluator
        self._points = iter(points)
        self._under_way: dict[Future[Done], list[Point]] = {}
        self._done: queue.SimpleQueue[Future[Done]] = queue.SimpleQueue()
        self._size = 1
        self._workers = len(client.nthreads())
        self._looked = self._manned = time.monotonic()

    def rows(self) -> Iterator[Row]:
        """Yield the rows of all points."""
        self._fill()
        while self._under_way:
            try:
                future = self._done.get(timeout=_LOOKS)
            except queue.Empty:
                self._look()
                continue
            yield from self._rows_of(future, self._under_way.pop(future))
            if time.monotonic() - self._looked > _LOOKS:
                self._look()
            self._fill()

    def stop(self) -> None:
        """Call back what is under way."""
        with suppress(OSError, TimeoutError, CancelledError):
            self._client.cancel([*self._under_way])
        self._under_way.clear()

    def _fill(self) -> None:
        """Hand out points until all workers have enough to do."""
        while len(self._under_way) < max(self._workers, 1) * _AHEAD and (some := [*islice(self._points, self._size)]):
            self._submit(some)

    def _submit(self, points: list[Point]) -> None:
        future = self._client.submit(run, self._name, points, pure=False)
        self._under_way[future] = points
        future.add_done_callback(self._done.put)

    def _rows_of(self, future: Future[Done], points: list[Point]) -> Iterator[Row]:
        """Yield the rows of a task; where it has ended its workers, its points are run one by one, to see which does.

        Raises:
            EngineError: the scheduler is gone, or a worker cannot run points as this process would.
        """
        try:
            done = future.result()
        except (CancelledError, CommClosedError):
            raise self._gone() from None
        except OtherVersionError as error:
            raise EngineError(f"a worker has joined that could decide otherwise: {error}") from None
        except ExtensionError as error:
            raise EngineError(f"a worker lacks plugins that are used here: {error}") from None
        except KilledWorker as error:
            if len(points) == 1:
                ended = f"{error.allowed_failures + 1} workers have ended, one after another, that ran this point"
                yield self._evaluator.failed(points[0], WORKER_LOST, f"{ended}: is there enough memory?")
            else:
                for each in points:
                    self._submit([each])
            return
        if done.seconds:
            self._size = max(1, min(_MOST, round(_BUSY * len(points) / done.seconds)))
        yield from done.rows

    def _look(self) -> None:
        """Count the workers.

        Raises:
            EngineError: the scheduler is gone, or has had no workers for long.
        """
        if self._client.status != "running":
            raise self._gone()
        self._looked = now = time.monotonic()
        try:
            self._workers = len(self._client.nthreads())
        except OSError:
            raise self._gone() from None
        if self._workers:
            self._manned = now
        elif now - self._manned > _PATIENCE:
            raise EngineError(
                f"the scheduler {address_of(self._client)} has had no workers for {_PATIENCE:.0f} seconds"
            )

    def _gone(self) -> EngineError:
        return EngineError(f"the scheduler {address_of(self._client)} is gone")
