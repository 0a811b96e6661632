"""How `vqs replay` reads a workload."""

import sys
from collections.abc import Sequence
from typing import Final

from vqs.cli import inputs
from vqs.cli.groups import WorkloadFlags
from vqs.cli.progress import Progress
from vqs.releases.choice import ReleaseChoice
from vqs.replay.reading.dumps import NO_DURATION
from vqs.replay.reading.faults import LEFT_OUT
from vqs.replay.reading.read import read_workload
from vqs.replay.reading.scenario import UNUSED_DELAY
from vqs.replay.workload import Workload
from vqs.snapshot.reading.diagnostics import Diagnostic

_TOLD: Final = (LEFT_OUT, NO_DURATION, UNUSED_DELAY)


def remarks(workload: Workload) -> list[Diagnostic]:
    """Return what has to be said of how a workload was read: warnings, what was left out, what is guessed or unused."""
    return [each for each in workload.start.notes if each.severity == "warning" or each.code in _TOLD]


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
