"""Writing what vqs reads of a cluster to a file."""

from typing import BinaryIO

from vqs.capture.kubectl import ClusterError, Kubectl
from vqs.capture.pages import Connection
from vqs.capture.run import Captured
from vqs.capture.run import capture as capture_cluster
from vqs.cli import environment
from vqs.cli.failures import CommandError
from vqs.cli.groups import ClusterFlags
from vqs.cli.progress import Progress
from vqs.snapshot.reading.compression import Compression


def capture(cluster: ClusterFlags, file: BinaryIO, compression: Compression | None, progress: Progress) -> Captured:
    """Write what vqs reads of a cluster to a file."""
    chosen = [f"{name}={cluster.options[name]}" for name in ("--context", "--kubeconfig") if name in cluster.options]
    connection = Connection(Kubectl(chosen, cluster.timeout).get)
    try:
        return capture_cluster(connection, file, compression, cluster.namespace or "", progress)
    except ClusterError as error:
        raise CommandError(f"{error}{environment.setting(cluster.options)}") from None
