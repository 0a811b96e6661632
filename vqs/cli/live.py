"""Capturing a cluster that is there now."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from vqs.cli import environment
from vqs.cli.failures import CommandError
from vqs.cli.groups import ClusterFlags
from vqs.cli.process import ended_in_order
from vqs.cli.progress import Progress
from vqs.snapshot.reading.reach import in_force

if TYPE_CHECKING:
    from vqs.capture.run import Captured
    from vqs.snapshot.reading.compression import Compression


def wanted(cluster: ClusterFlags, *, live: bool) -> ClusterFlags | None:
    """Return the cluster to capture, if there is to be one; refuse options that have no meaning without it."""
    if live:
        return cluster
    lost = [name for name in cluster.options if not environment.setting([name])]
    if lost:
        raise CommandError(f"{lost[0]} says which cluster to read, but no cluster is read without --live")
    return None


@contextmanager
def snapshot(cluster: ClusterFlags | None, progress: Progress) -> Iterator[dict[str, str]]:
    """Yield the file that a cluster is captured in, with what to call it; nothing if there is none."""
    if cluster is None:
        yield {}
        return
    from tempfile import TemporaryDirectory

    from vqs.snapshot.reading.compression import ZSTD

    with ended_in_order(), TemporaryDirectory(prefix="vqs-") as folder:
        path = Path(folder, f"snapshot.json{ZSTD.suffix}")
        with path.open("wb+") as file:
            capture(cluster, file, ZSTD, progress)
        in_force().trust(str(path))
        yield {str(path): cluster.title}


def capture(cluster: ClusterFlags, file: BinaryIO, compression: Compression | None, progress: Progress) -> Captured:
    """Write what vqs reads of a cluster to a file."""
    from vqs.capture.kubectl import ClusterError, Connection, Kubectl
    from vqs.capture.run import capture as capture_cluster

    chosen = [f"{name}={cluster.options[name]}" for name in ("--context", "--kubeconfig") if name in cluster.options]
    connection = Connection(Kubectl(chosen, cluster.timeout).get)
    try:
        return capture_cluster(connection, file, compression, cluster.namespace or "", progress)
    except ClusterError as error:
        raise CommandError(f"{error}{environment.setting(cluster.options)}") from None
