"""`vqs simulate`: one session of the scheduler on a snapshot."""

from dataclasses import dataclass
from typing import Annotated, Final

from vqs.cli import completion
from vqs.cli.command import choices, command, texts
from vqs.cli.groups import ClusterFlags, Edits, Output, ReadingLimits, SessionFlags, Verbosity
from vqs.cli.options import Conf, Debug, Files, Release, Usage, Volcano, at_least_one, file_name, flag, option
from vqs.report.registry import formats_of

_EXAMPLES = """
\b
Examples:
  vqs simulate scenarios/first-look.yaml
  vqs simulate cluster/ new-job.yaml --conf volcano-scheduler.conf
  vqs simulate snapshot.json --queue research --verdict 'queue-*'
  vqs simulate snapshot.json --cycles 10
  vqs simulate snapshot.json --set queue/research.spec.weight=5 --clone-node gpu-1=4
  vqs simulate snapshot.json --format json --output result.json
  vqs simulate --live
  vqs simulate --live --context prod new-job.yaml
  kubectl get nodes,pods,... -A -o json | vqs simulate

Each option can be set in the environment: --now by VQS_NOW, and so on.

Exit status: 0 the session ran, 1 something else came of it than expected, 2 the input or the command line is wrong,
130 interrupted.
"""


@dataclass(frozen=True, kw_only=True)
class Simulate:
    """Run one scheduling session on a snapshot: where every pod goes, or why it goes nowhere.

    FILES are manifests in YAML or JSON: files, folders, or - for standard input. Without any, the snapshot is what
    VQS_SNAPSHOT names, or what is piped in.

    With --live, a cluster is captured first, through your kubectl, and FILES are beside what is in it: a job that
    nobody has submitted yet. --context, --namespace, --kubeconfig and --request-timeout are as for vqs capture.

    The scheduler's configuration is the one in the snapshot (a ConfigMap with a *.conf key) unless --conf gives
    another, else Volcano's built-in one. Without --now, the session's time is the scenario's, else the snapshot's
    newest timestamp. Without --seed, the lowest name wins among equally good nodes.

    How busy nodes are, which only the plugin rescheduling asks, is in no manifest; --usage gives what kubectl top nodes
    prints, or percentages by node in YAML.

    What the scenarios among FILES expect is checked, and what the file of --expect says.

    --queue, --job, --status and --verdict can be repeated, and take * and ?. They choose what tables and markdown show;
    the summary, and the result in JSON, are those of the whole session.

    --fit-errors and --scores can be repeated too. They show the nodes as they were when the task was tried last.

    --set, --add, --remove, --clone-node, --scale and --edits change the snapshot first, and can be repeated: --set
    queue/b.spec.weight=5, --set conf.actions="enqueue, allocate", --add FILE, --remove job/ns/name, --clone-node n1=10,
    --scale job/ns/name=8. The file of --edits is a YAML list of such texts, those that set nothing with the verb first.
    The edits are made in this order: --edits, --add, --remove, --clone-node, --scale, --set.

    --cycles goes on, a second later each time: what was bound runs, what was evicted is gone, and controllers have made
    their pods again. It shows what each session did, and the last one whole; jobs that evict each other are named.
    Expectations are of the first session. In JSON each is an element of the array `cycles`.
    """

    files: Files = ()
    is_live: Annotated[bool, flag("--live", "Read a cluster, as vqs capture does.")] = False
    cluster: ClusterFlags
    conf: Conf = None
    expect: Annotated[str | None, option("--expect", "FILE", "What should come of it, to be checked.", file_name)] = (
        None
    )
    usage: Usage = None
    edits: Edits
    session: SessionFlags
    cycles: Annotated[
        int | None, option("--cycles", "N", "Run up to N sessions, until nothing changes.", at_least_one)
    ] = None
    volcano: Release = Volcano.V1_14
    output: Annotated[Output, choices(format=formats_of("Simulation"))]
    queues: Annotated[
        tuple[str, ...], option("--queue", "PATTERN", "Show only these queues.", complete=completion.queues)
    ] = ()
    jobs: Annotated[tuple[str, ...], option("--job", "PATTERN", "Show only these jobs.", complete=completion.jobs)] = ()
    statuses: Annotated[
        tuple[str, ...],
        option("--status", "PATTERN", "Show only tasks in this status.", complete=completion.statuses),
    ] = ()
    verdicts: Annotated[
        tuple[str, ...],
        option("--verdict", "PATTERN", "Show only what got this verdict.", complete=completion.verdicts),
    ] = ()
    fit_errors: Annotated[
        tuple[str, ...], option("--fit-errors", "NS/TASK", "Show what every node answered.", complete=completion.tasks)
    ] = ()
    scores: Annotated[
        tuple[str, ...], option("--scores", "NS/TASK", "Show the scores of the nodes.", complete=completion.tasks)
    ] = ()
    nodes: Annotated[bool, flag("--nodes", "Show the nodes.")] = False
    trace: Annotated[bool, flag("--trace", "Show the statements in their order.")] = False
    verbosity: Annotated[Verbosity, texts(verbose="Every task, job, figure and log line.")]
    timing: Annotated[bool, flag("--timing", "Add the seconds each part took.")] = False
    debug: Debug = False
    limits: ReadingLimits


COMMAND: Final = command("simulate", Simulate, _EXAMPLES)
