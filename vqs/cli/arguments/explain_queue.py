"""`vqs explain-queue`: what queues deserve, hold and may have, and what keeps jobs out of one."""

from dataclasses import dataclass
from typing import Annotated, Final

from vqs.cli import completion
from vqs.cli.command import choices, command, texts
from vqs.cli.groups import Edits, Output, ReadingLimits, ReleaseFlags, SessionFlags, Verbosity
from vqs.cli.options import Conf, Debug, Files, Own, at_least_one, option
from vqs.report.registry import formats_of

_EXAMPLES = """
\b
Examples:
  vqs explain-queue scenarios/real-capability.yaml
  vqs explain-queue snapshot.json --depth 2 --resource cpu --resource '*gpu'
  vqs explain-queue snapshot.json --queue research
  vqs explain-queue snapshot.json --queue research --format json
  kubectl get nodes,pods,... -A -o json | vqs explain-queue --format prometheus

Each option can be set in the environment: --queue by VQS_QUEUE, and so on.

Exit status: 0 the session ran, 2 the input or the command line is wrong, 130 interrupted.
"""


@dataclass(frozen=True, kw_only=True)
class ExplainQueue:
    """Explain what queues deserve and hold, and what limits them.

    FILES are read as by vqs simulate: manifests in YAML or JSON, in files or folders, or - for standard input. Without
    any, they are what VQS_SNAPSHOT names, or what is piped in. One session is run, and its figures are shown.

    Without --queue, all queues are shown, as a tree. With --queue: how its deserved share is calculated, which jobs are
    not admitted, how much room is left in it, its place in the scheduling order, and what it can reclaim or lose. The
    scheduler may ignore a queue without jobs; then only its spec is shown.

    --set, --add, --remove, --clone-node, --scale and --edits change the snapshot first, and can be repeated: --set
    queue/b.spec.weight=5, --set conf.actions="enqueue, allocate", --add FILE, --remove job/ns/name, --clone-node n1=10,
    --scale ns/name=8. The file of --edits is a YAML list of such edits; all but those of --set begin with the name
    of the option, as in remove job/ns/name. The edits are applied in this order: --edits, --add, --remove,
    --clone-node, --scale, --set.

    --resource can be repeated, and takes * and ?. It and --depth choose what tables and markdown show. The format
    prometheus has the metrics that the scheduler would export after this session, of all queues or the one of --queue.
    """

    files: Files = ()
    queue: Annotated[str | None, option("--queue", "NAME", "Explain this queue.", complete=completion.queues)] = None
    depth: Annotated[int | None, option("--depth", "N", "Show N levels of the tree.", at_least_one)] = None
    resources: Annotated[
        tuple[str, ...],
        option("--resource", "PATTERN", "Show only these resources.", complete=completion.resources),
    ] = ()
    conf: Conf = None
    edits: Edits
    session: SessionFlags
    release: ReleaseFlags
    output: Annotated[Output, choices(format=formats_of("QueueReport"))]
    verbosity: Annotated[
        Verbosity, texts(quiet="Print the answer only.", verbose="Show all rounds, queues, jobs and figures.")
    ]
    own: Own = ()
    debug: Debug = False
    limits: ReadingLimits


COMMAND: Final = command("explain-queue", ExplainQueue, _EXAMPLES)
