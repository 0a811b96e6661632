"""Capturing a cluster that is there now, for commands that may: what that takes is imported only where they do."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from vqs.cli import environment
from vqs.cli.failures import CommandError
from vqs.cli.groups import ClusterFlags
from vqs.cli.progress import Progress
from vqs.cli.signals import ended_in_order
from vqs.snapshot.reading.compression import ZSTD
from vqs.snapshot.reading.reach import in_force


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
    with ended_in_order(), TemporaryDirectory(prefix="vqs-") as folder:
        path = Path(folder, f"snapshot.json{ZSTD.suffix}")
        with path.open("wb+") as file:
            import_module("vqs.cli.capturing").capture(cluster, file, ZSTD, progress)
        in_force().trust(str(path))
        yield {str(path): cluster.title}
