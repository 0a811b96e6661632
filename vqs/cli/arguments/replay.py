"""`vqs replay`: a workload over time."""

from dataclasses import dataclass
from typing import Annotated, Final

import typer

from vqs.cli.command import choices, command, texts
from vqs.cli.groups import Output, ReadingLimits, ReleaseFlags, Verbosity, WorkloadFlags
from vqs.cli.options import (
    Debug,
    Own,
    Sample,
    at_least_one,
    file_name,
    longer_than_nothing,
    option,
    span,
    up_to_a_thousand,
    whole_number,
)
from vqs.report.formats import Format
from vqs.report.registry import formats_of

_EXAMPLES = """
\b
Examples:
  vqs replay workload.yaml
  vqs replay workload.yaml cluster.json --until 7d
  vqs replay openb_pod_list_default.csv openb_node_list_all_node.csv --most-nodes 24
  vqs replay KTH-SP2.swf.gz scheduler.yaml
  vqs replay workload.yaml --conf today.conf --conf proposed.conf --seeds 5
  vqs replay workload.yaml --edits more-nodes.yaml --format json --output replay.json
  vqs replay workload.yaml --at 3h12m --output moment.json
  vqs replay workload.yaml --checkpoint replay.journal --output replay.json

Each option can be set in the environment: --period by VQS_PERIOD, and so on.

Exit status: 0 the workload was replayed, to its end or to a limit; 2 the input or the command line is wrong;
130 interrupted.
"""


@dataclass(frozen=True, kw_only=True)
class Replay:
    """Run a workload over time: how long jobs wait, what evictions cost, how full the cluster is.

    WORKLOAD is a scenario whose jobs have an arrival and a duration, a log in the Standard Workload Format, the tables
    of the openb trace, or metrics of kube-state-metrics; or dumps of a cluster with --workload-format dumps. What else
    it and the snapshots have is there at the start. Controllers make PodGroups and pods, a session runs each --period
    in which something has changed, bound pods start after --start-delay, run and end; evicted pods come back as the
    policies of their jobs say.

    Times and spans are in seconds, or have units: 90, 10m, 3h12m, 7d.

    --conf and --edits can be repeated. Each file of --conf is a policy; so is the snapshot as it is, and with the
    edits of each file of --edits. Several policies are replayed one after another with the same arrivals and durations.

    --seed draws durations that are distributions, and what the scheduler leaves to chance. --seeds N replays each
    policy under the seeds 1 to N. The same seed gives the same result. Without either, the lowest name wins among
    equally good nodes; a workload of up to 1,000 sessions is replayed under six seeds as well, and the result is that
    of the most typical run, with how far the figures of all runs are apart. --seed 0 replays it once.

    --at writes the cluster at a time as a snapshot, for vqs simulate and vqs explain-job; with --edits, as it is after
    these.

    A replay that would go on without end, as jobs restart again and again, ends after --max-events; the first lines of
    the result say so, and which job it was.

    --checkpoint saves what sessions decide in a file. A replay that was stopped or killed goes on from there when it is
    run again with the same input, and its result is the same as without the stop.
    """

    files: Annotated[tuple[str, ...], typer.Argument(metavar="WORKLOAD [SNAPSHOT...]", hidden=True)] = ()
    period: Annotated[
        float | None,
        option("--period", "TIME", "Time from session to session; 1 second by default.", longer_than_nothing),
    ] = None
    start_delay: Annotated[
        float | None,
        option("--start-delay", "TIME", "Time that a bound pod takes to start; 0.03 seconds by default.", span),
    ] = None
    until: Annotated[float | None, option("--until", "TIME", "End the replay at this time.", longer_than_nothing)] = (
        None
    )
    max_events: Annotated[
        int | None,
        option("--max-events", "N", "End the replay after N events; by default 50,000, and 1,000 a pod.", at_least_one),
    ] = None
    reading: WorkloadFlags
    confs: Annotated[
        tuple[str, ...], option("--conf", "FILE", "Replay under this volcano-scheduler.conf.", file_name)
    ] = ()
    edits: Annotated[
        tuple[str, ...], option("--edits", "FILE", "Replay with the edits in this file, too.", file_name)
    ] = ()
    seed: Annotated[int | None, option("--seed", "N", "Seed for durations and tie-breaking.", whole_number)] = None
    seeds: Annotated[int | None, option("--seeds", "N", "Replay under each of the seeds 1 to N.", up_to_a_thousand)] = (
        None
    )
    at: Annotated[float | None, option("--at", "TIME", "Write the cluster at this time as a snapshot.", span)] = None
    checkpoint: Annotated[
        str | None, option("--checkpoint", "FILE", "Save progress here, and go on from there.", file_name)
    ] = None
    sample: Sample = None
    release: ReleaseFlags
    output: Annotated[Output, choices(format=formats_of("Replay"))]
    verbosity: Annotated[Verbosity, texts(verbose="Show all queues and jobs.")]
    own: Own = ()
    debug: Debug = False
    limits: ReadingLimits


COMMAND: Final = command("replay", Replay, _EXAMPLES, also={"at": (Format.YAML,)})
