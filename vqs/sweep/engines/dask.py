"""The workers of a Dask cluster: one that is there, or one that is started on this machine for as long as it is needed.

The snapshots travel to each worker once, with a plugin that Dask also gives to workers that join later; a task has the
values of a few points. As many tasks are under way as keep the workers busy, so that a sweep of any length takes the
same memory here and at the scheduler. Where a worker is lost, Dask runs its tasks on others. Workers with another
version of vqs or of Python could decide otherwise: they are refused before anything runs.
"""

from __future__ import annotations

import logging
import os
import queue
import re
import ssl
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from contextvars import Context, copy_context
from dataclasses import dataclass
from itertools import islice
from tempfile import TemporaryDirectory
from threading import Lock
from types import TracebackType
from typing import Any, Final, NamedTuple, Self, cast

import dask
from distributed import Client, Future, KilledWorker, LocalCluster, Security, Worker, WorkerPlugin, get_worker
from distributed.comm.core import CommClosedError
from distributed.utils import silence_logging_cmgr
from distributed.versions import get_versions

from vqs.extensions.loading import ExtensionError
from vqs.sweep.engines import EngineError
from vqs.sweep.evaluate import Evaluator, Task
from vqs.sweep.outcome import WORKER_LOST, Row
from vqs.sweep.space import Point

PACKAGES: Final = ("vqs",)
"""The packages whose versions decide, beside that of Python."""
_MINOR: Final = re.compile(r"\d+\.\d+")


def refusals(versions: Mapping[str, Any]) -> dict[str, str]:
    """Return why workers cannot run what this process would, by their address.

    >>> ours = {"host": {"python": "3.11.7.final.0"}, "packages": {"vqs": "0.1.0"}}
    >>> theirs = {"host": {"python": "3.12.1.final.0"}, "packages": {"vqs": None}}
    >>> refusals({"client": ours, "workers": {"tcp://10.0.0.4:3000": theirs, "tcp://10.0.0.5:3000": ours}})
    {'tcp://10.0.0.4:3000': 'it has Python 3.12 and no vqs, here it is Python 3.11 and vqs 0.1.0'}
    """
    ours = _in_words(versions["client"])
    theirs = {address: _in_words(each) for address, each in sorted(versions["workers"].items())}
    return {address: f"it has {each}, here it is {ours}" for address, each in theirs.items() if each != ours}


def here() -> str:
    """Return the versions of this process, in words."""
    return _in_words(get_versions(PACKAGES))


def _in_words(versions: Mapping[str, Any]) -> str:
    """Write versions; no decision depends on the last part of Python's."""
    python, vqs = _MINOR.match(versions["host"]["python"]), versions["packages"].get("vqs")
    return f"Python {python[0] if python else '?'} and {f'vqs {vqs}' if vqs else 'no vqs'}"


class Done(NamedTuple):
    """The rows of some points, and how many seconds they took."""

    rows: list[Row]
    seconds: float


class OtherVersionError(Exception):
    """A worker could decide otherwise; the message says which, and why."""


class SweepPlugin(WorkerPlugin):
    """Runs points on a worker."""

    def __init__(self, name: str, task: Task) -> None:
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


_CONNECTS: Final = 10.0
"""Seconds within which a scheduler has to answer."""
_OWN: Final = {
    "distributed.scheduler.http.routes": [],  # these pages are open to all users of the machine
    "distributed.worker.profile.enabled": False,  # sampling what workers do takes a tenth of their time
}
"""How a cluster differs that is started here."""
_SILENT: Final = logging.CRITICAL + 1


@dataclass(frozen=True, slots=True)
class Scheduler:
    """A scheduler of Dask.

    Attributes:
        address: where it listens, as tcp://HOST:PORT or tls://HOST:PORT.
        ca: the file with the certificates that those of the cluster are signed with; with TLS only.
        certificate: the file with the certificate of this client.
        key: the file with its key; None where that is in the file of the certificate.
    """

    address: str
    ca: str | None = None
    certificate: str | None = None
    key: str | None = None


@contextmanager
def connected(scheduler: Scheduler) -> Iterator[Client]:
    """Yield a client of a scheduler.

    Raises:
        EngineError: it cannot be reached, or its certificates do not fit.
    """
    security = None
    try:
        if scheduler.ca is not None:
            security = Security(
                require_encryption=True,
                tls_ca_file=scheduler.ca,
                tls_client_cert=scheduler.certificate,
                tls_client_key=scheduler.key,
            )
        with quiet():
            client = Client(scheduler.address, security=security, timeout=_CONNECTS, set_as_default=False)
    except (OSError, ValueError, ssl.SSLError) as error:
        raise EngineError(f"cannot reach the scheduler {scheduler.address}: {error}") from error
    with quiet(), client:
        yield client


@contextmanager
def started(workers: int) -> Iterator[Client]:
    """Yield a client of a cluster with some workers, each a process of this machine.

    Only this machine reaches the cluster, with keys that exist as long as the cluster: other users have no part of it.

    Raises:
        EngineError: it does not start, as a worker ends at once.
    """
    with ExitStack() as stack:
        stack.enter_context(quiet())
        folder = stack.enter_context(TemporaryDirectory(prefix="vqs-dask-", ignore_cleanup_errors=True))
        stack.enter_context(dask.config.set(_OWN))
        try:
            local = LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                security=Security.temporary(),
                host="tls://127.0.0.1",
                dashboard_address=None,
                scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
                local_directory=folder,
                silence_logs=_SILENT,
            )
            cluster = stack.enter_context(local)
            client = stack.enter_context(Client(cluster, timeout=_CONNECTS, set_as_default=False))
        except (OSError, RuntimeError) as error:
            raise EngineError(f"a cluster of {workers} Dask workers does not start here: {error}") from error
        yield client


def address_of(client: Client) -> str:
    """Return the address of the scheduler of a client that has been connected."""
    return str(cast("Any", client.scheduler).address)


@contextmanager
def quiet() -> Iterator[None]:
    """Keep what Dask logs and warns of from the terminal: what matters is said by who uses it."""
    with silence_logging_cmgr(_SILENT), warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="distributed|dask|contextlib")
        yield


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
            try:
                self._client.wait_for_workers(1, timeout=_PATIENCE)
            except TimeoutError:
                raise EngineError(
                    f"the scheduler {self._address} has no workers; start one for each core: "
                    f"dask worker {self._address} --nthreads 1"
                ) from None
            refused = refusals(cast("Mapping[str, Any]", self._client.get_versions(packages=PACKAGES)))
            if refused:
                number = len(self._client.nthreads())
                lines = (f"  {address}: {why}" for address, why in refused.items())
                raise EngineError(
                    f"{len(refused)} of {number} workers could decide otherwise, and nothing was run:\n"
                    + "\n".join(lines)
                    + "\nstart the workers with the same versions of Python and vqs"
                )
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
            EngineError: the scheduler is gone, a worker cannot run points as this process would, or answers otherwise.
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
        are_rows = isinstance(done, Done) and all(isinstance(row, Row) for row in done.rows)
        if not are_rows or [row.number for row in done.rows] != [point.number for point in points]:
            raise EngineError("a worker has answered with something else than a row for each point that it was given")
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
