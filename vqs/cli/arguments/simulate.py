"""`vqs simulate`: one session of the scheduler on a snapshot."""

from dataclasses import dataclass
from typing import Annotated, Final

from vqs.cli import completion
from vqs.cli.command import choices, command, texts
from vqs.cli.groups import ClusterFlags, Edits, Output, ReadingLimits, ReleaseFlags, SessionFlags, Verbosity
from vqs.cli.options import (
    Conf,
    Debug,
    Files,
    NoCi,
    Own,
    at_least_one,
    file_name,
    flag,
    option,
)
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

Exit status: 0 the session ran, 1 an expectation does not hold, 2 the input or the command line is wrong,
130 interrupted.
"""


@dataclass(frozen=True, kw_only=True)
class Simulate:
    """Run one scheduling session on a snapshot: where each pod is placed, or why it is not.

    FILES are manifests in YAML or JSON: files, folders, or - for standard input. Without any, the snapshot is what
    VQS_SNAPSHOT names, or what is piped in.

    With --live, the cluster is captured first, through your kubectl, and FILES are added to it, such as a job that is
    not submitted yet. --context, --namespace, --kubeconfig and --request-timeout work as for vqs capture.

    The scheduler's configuration is the one in the snapshot (a ConfigMap with a *.conf key) unless --conf gives
    another, else Volcano's built-in one. Without --now, the session's time is the scenario's, else the snapshot's
    newest timestamp. Without --seed, the lowest name wins among equally good nodes.

    --usage gives the usage of nodes, which only the plugins usage and rescheduling read: what kubectl top nodes or
    kubectl get nodes.metrics.k8s.io -o json prints, or percentages by node in YAML. So do NodeMetrics among FILES.

    --node-sample ends the search for a node as the scheduler does, once enough nodes fit; the next search begins where
    it ended. Its value is default, or some of the scheduler's options: minimum-feasible-nodes=100,
    minimum-percentage-nodes-to-find=5,percentage-nodes-to-find=0.

    The expectations of scenarios among FILES, and those in the file of --expect, are checked.

    --queue, --job, --status and --verdict can be repeated, and take * and ?. They choose what tables and markdown show,
    and what their summary counts; the result in JSON is that of the whole session.

    --fit-errors and --scores can be repeated too. They show the nodes at the last attempt to place the task.

    --set, --add, --remove, --clone-node, --scale and --edits change the snapshot first, and can be repeated: --set
    queue/b.spec.weight=5, --set conf.actions="enqueue, allocate", --add FILE, --remove job/ns/name, --clone-node n1=10,
    --scale ns/name=8. The file of --edits is a YAML list of such edits; all but those of --set begin with the name
    of the option, as in remove job/ns/name. The edits are applied in this order: --edits, --add, --remove,
    --clone-node, --scale, --set.

    --cycles runs further sessions, one second apart: bound pods run, evicted pods are gone, and controllers have
    created their pods again. A table shows what each session did, and the last session is shown in full; jobs that
    evict each other are named. Expectations apply to the first session. In JSON, the array `cycles` has all sessions.

    In GitHub Actions (GITHUB_ACTIONS=true), the report is added to the job's summary, and a table in the log is a
    group, with the summary below it; --no-ci switches both off.
    """

    files: Files = ()
    is_live: Annotated[bool, flag("--live", "Read a live cluster, as vqs capture does.")] = False
    cluster: ClusterFlags
    conf: Conf = None
    expect: Annotated[str | None, option("--expect", "FILE", "Check the expectations in this file.", file_name)] = None
    edits: Edits
    session: SessionFlags
    cycles: Annotated[
        int | None, option("--cycles", "N", "Run up to N sessions, until nothing changes.", at_least_one)
    ] = None
    release: ReleaseFlags
    output: Annotated[Output, choices(format=formats_of("Simulation"))]
    queues: Annotated[
        tuple[str, ...], option("--queue", "PATTERN", "Show only these queues.", complete=completion.queues)
    ] = ()
    jobs: Annotated[tuple[str, ...], option("--job", "PATTERN", "Show only these jobs.", complete=completion.jobs)] = ()
    statuses: Annotated[
        tuple[str, ...],
        option("--status", "PATTERN", "Show only tasks with this status.", complete=completion.statuses),
    ] = ()
    verdicts: Annotated[
        tuple[str, ...],
        option("--verdict", "PATTERN", "Show only jobs and tasks with this verdict.", complete=completion.verdicts),
    ] = ()
    fit_errors: Annotated[
        tuple[str, ...],
        option("--fit-errors", "NS/TASK", "Show why each node rejects this task.", complete=completion.tasks),
    ] = ()
    scores: Annotated[
        tuple[str, ...],
        option("--scores", "NS/TASK", "Show each node's scores for this task.", complete=completion.tasks),
    ] = ()
    nodes: Annotated[bool, flag("--nodes", "Show the nodes.")] = False
    trace: Annotated[bool, flag("--trace", "Show all decisions, in their order.")] = False
    verbosity: Annotated[Verbosity, texts(verbose="Show all tasks, jobs, figures and log lines.")]
    timing: Annotated[bool, flag("--timing", "Show how many seconds each part took.")] = False
    no_ci: NoCi = False
    own: Own = ()
    debug: Debug = False
    limits: ReadingLimits


COMMAND: Final = command("simulate", Simulate, _EXAMPLES)
