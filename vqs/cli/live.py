"""A cluster that is there now: which one, and capturing it, for the commands that do."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from vqs.cli import environment
from vqs.cli.failures import CommandError
from vqs.cli.options import file_name, option
from vqs.cli.signals import ended_in_order

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vqs.capture.run import Captured
    from vqs.cli.progress import Progress
    from vqs.snapshot.compression import Compression


def _name(text: str) -> str:
    """Read the name of something; without one, kubectl would take what is usual, and not say so."""
    if not text:
        raise typer.BadParameter("the name is empty; is there a variable that is not set?")
    return text


Context = Annotated[str | None, option("--context", "NAME", "The context of kubectl to use.", _name)]
Kubeconfig = Annotated[str | None, option("--kubeconfig", "FILE", "The configuration of kubectl to use.", file_name)]
Namespace = Annotated[str | None, option("--namespace", "NAME", "Read no namespace but this.", _name, "-n")]
Timeout = Annotated[
    str | None, option("--request-timeout", "TIME", "Wait so long for a page; 60s if not given.", _name)
]


@dataclass(frozen=True, slots=True)
class Cluster:
    """Which cluster, and what of it, the command line asks for."""

    context: str | None = None
    kubeconfig: str | None = None
    namespace: str | None = None
    timeout: str | None = None

    @property
    def title(self) -> str:
        """What to call it in a report."""
        whole = f"context {self.context}" if self.context else "the current context"
        return f"{whole}, namespace {self.namespace}" if self.namespace else whole

    @property
    def options(self) -> dict[str, str]:
        """The options that were given, by their names."""
        given = {
            "--context": self.context,
            "--kubeconfig": self.kubeconfig,
            "--namespace": self.namespace,
            "--request-timeout": self.timeout,
        }
        return {name: value for name, value in given.items() if value is not None}


def capture(cluster: Cluster, file: BinaryIO, compression: Compression | None, progress: Progress) -> Captured:
    """Write what vqs reads of a cluster to a file."""
    # Imported late: `--help` has no use for it.
    from vqs.capture.kubectl import ClusterError, Kubectl  # noqa: PLC0415
    from vqs.capture.pages import Connection  # noqa: PLC0415
    from vqs.capture.run import capture  # noqa: PLC0415

    chosen = [f"{name}={cluster.options[name]}" for name in ("--context", "--kubeconfig") if name in cluster.options]
    connection = Connection(Kubectl(chosen, cluster.timeout).get)
    try:
        return capture(connection, file, compression, cluster.namespace or "", progress)
    except ClusterError as error:
        raise CommandError(f"{error}{environment.setting(cluster.options)}") from None


def wanted(cluster: Cluster, *, live: bool) -> Cluster | None:
    """Return the cluster to capture, if there is to be one; refuse options that have no meaning without it."""
    if live:
        return cluster
    lost = [name for name in cluster.options if not environment.setting([name])]
    if lost:
        raise CommandError(f"{lost[0]} says which cluster to read, and none is read without --live")
    return None


@contextmanager
def snapshot(cluster: Cluster | None, progress: Progress) -> Iterator[dict[str, str]]:
    """Yield the file that a cluster is captured in, with what to call it; nothing if there is none."""
    if cluster is None:
        yield {}
        return
    # Imported late, as above.
    from tempfile import TemporaryDirectory  # noqa: PLC0415

    from vqs.snapshot.compression import ZSTD  # noqa: PLC0415
    from vqs.snapshot.reach import in_force  # noqa: PLC0415

    with ended_in_order(), TemporaryDirectory(prefix="vqs-") as folder:
        path = Path(folder, f"snapshot.json{ZSTD.suffix}")
        with path.open("wb+") as file:
            capture(cluster, file, ZSTD, progress)
        in_force().trust(str(path))
        yield {str(path): cluster.title}
