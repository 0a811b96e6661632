"""How `vqs replay` reads a workload."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from vqs.cli import inputs
from vqs.cli.options import at_least_one, one_of, option
from vqs.cli.progress import Progress
from vqs.releases.choice import ReleaseChoice
from vqs.replay.reading.faults import LEFT_OUT
from vqs.replay.reading.options import QueueOf, ReadingOptions, WorkloadFormat
from vqs.replay.reading.read import read_workload
from vqs.replay.workload import Workload
from vqs.snapshot.diagnostics import Diagnostic


@dataclass(frozen=True, kw_only=True)
class WorkloadFlags:
    """How a workload is read that is no scenario: docs/workloads.md says what each format gives."""

    workload_format: Annotated[
        WorkloadFormat | None,
        option(
            "--workload-format",
            "FORMAT",
            "Read the workload as dumps, openb, swf, metrics or scenario.",
            one_of(WorkloadFormat),
        ),
    ] = None
    queue_by: Annotated[
        QueueOf | None,
        option(
            "--queue-by",
            "WHAT",
            "What names a recorded job's queue: queue, partition, user, group, qos, namespace or none.",
            one_of(QueueOf),
        ),
    ] = None
    most_nodes: Annotated[
        int | None, option("--most-nodes", "N", "Take the N recorded nodes that have the most GPUs.", at_least_one)
    ] = None
    processors_per_pod: Annotated[
        int | None, option("--processors-per-pod", "N", "Processors of a pod of a job in SWF.", at_least_one)
    ] = None

    @property
    def options(self) -> ReadingOptions:
        """What was asked for."""
        return ReadingOptions(self.workload_format, self.queue_by, self.most_nodes, self.processors_per_pod)


def remarks(workload: Workload) -> list[Diagnostic]:
    """Return what has to be said of how a workload was read: warnings, and what was left out of it."""
    return [each for each in workload.start.notes if each.severity == "warning" or each.code == LEFT_OUT]


def read(
    paths: Sequence[str], progress: Progress, conf: str | None, release: ReleaseChoice, flags: WorkloadFlags
) -> Workload:
    """Read a workload and the snapshots beside it.

    Raises:
        InputErrors: something cannot be used.
    """
    return read_workload(
        paths,
        inputs.title(paths),
        lambda chosen: inputs.read(chosen, progress, conf, release=release),
        flags.options,
        sys.stdin.buffer if sys.stdin else None,
    )
