"""`vqs replay`: a workload over time."""

from dataclasses import dataclass
from typing import Annotated, Final

import typer

from vqs.cli.command import choices, command, texts
from vqs.cli.groups import Output, ReadingLimits, ReleaseFlags, Verbosity
from vqs.cli.options import Conf, Debug, Own, Sample, longer_than_nothing, option, span, whole_number
from vqs.report.registry import formats_of

_EXAMPLES = """
\b
Examples:
  vqs replay workload.yaml
  vqs replay workload.yaml cluster.json --until 7d
  vqs replay workload.yaml --format json --output replay.json

Each option can be set in the environment: --period by VQS_PERIOD, and so on.

Exit status: 0 the workload was replayed, 2 the input or the command line is wrong, 130 interrupted.
"""


@dataclass(frozen=True, kw_only=True)
class Replay:
    """Run a workload over time: how long jobs wait, what evictions cost, how full the cluster is.

    WORKLOAD is a scenario whose jobs have an arrival and a duration. What else it and the snapshots have is there at
    the start.
    """

    files: Annotated[tuple[str, ...], typer.Argument(metavar="WORKLOAD [SNAPSHOT...]", hidden=True)] = ()
    period: Annotated[
        float | None,
        option("--period", "SECONDS", "Time from session to session; 1 second by default.", longer_than_nothing),
    ] = None
    start_delay: Annotated[
        float | None,
        option("--start-delay", "SECONDS", "Time a bound pod takes to start; 0.03 by default.", span),
    ] = None
    seed: Annotated[int | None, option("--seed", "N", "Seed for durations and tie-breaking.", whole_number)] = None
    until: Annotated[float | None, option("--until", "TIME", "End the replay at this time.", span)] = None
    conf: Conf = None
    sample: Sample = None
    release: ReleaseFlags
    output: Annotated[Output, choices(format=formats_of("Replay"))]
    verbosity: Annotated[Verbosity, texts(verbose="Show all queues and jobs.")]
    own: Own = ()
    debug: Debug = False
    limits: ReadingLimits


COMMAND: Final = command("replay", Replay, _EXAMPLES)
