"""Reaching a Dask cluster: one that is there, or one that is started on this machine for as long as it is needed."""

from __future__ import annotations

import logging
import ssl
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import Any, Final, cast

import dask
from distributed import Client, LocalCluster, Security
from distributed.utils import silence_logging_cmgr

from vqs.sweep.engines import EngineError

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
    try:
        security = _security(scheduler)
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
            cluster = stack.enter_context(_local(workers, folder))
            client = stack.enter_context(Client(cluster, timeout=_CONNECTS, set_as_default=False))
        except (OSError, RuntimeError) as error:
            raise EngineError(f"a cluster of {workers} Dask workers does not start here: {error}") from error
        yield client


def _local(workers: int, folder: str) -> LocalCluster:
    return LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        security=Security.temporary(),
        host="tls://127.0.0.1",
        dashboard_address=None,
        scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
        local_directory=folder,
        silence_logs=_SILENT,
    )


def address_of(client: Client) -> str:
    """Return the address of the scheduler of a client that has been connected."""
    return str(cast("Any", client.scheduler).address)


@contextmanager
def quiet() -> Iterator[None]:
    """Keep what Dask logs and warns of from the terminal: what matters is said by who uses it."""
    with silence_logging_cmgr(_SILENT), warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="distributed|dask|contextlib")
        yield


def _security(scheduler: Scheduler) -> Security | None:
    if scheduler.ca is None:
        return None
    return Security(
        require_encryption=True,
        tls_ca_file=scheduler.ca,
        tls_client_cert=scheduler.certificate,
        tls_client_key=scheduler.key,
    )
