"""`vqs fit`: whether a job would run if it came now, and how large it could be."""

from dataclasses import dataclass
from typing import Annotated, Final

import typer

from vqs.cli.command import choices, command, texts
from vqs.cli.groups import Edits, Output, ReadingLimits, ReleaseFlags, SessionFlags, Verbosity
from vqs.cli.options import Conf, Debug, Own, file_name, option, whole_number
from vqs.report.registry import formats_of

_EXAMPLES = """
\b
Examples:
  vqs fit new-job.yaml --on snapshot.json
  vqs fit new-job.yaml --on snapshot.json --set queue/research.spec.weight=5
  vqs fit new-job.yaml --on snapshot.json --role worker --sessions 80
  kubectl get nodes,pods,... -A -o json | vqs fit new-job.yaml --on -

Each option can be set in the environment: --on by VQS_ON, and so on.

Exit status: 0 it fits now, 1 it does not, 2 the input or the command line is wrong, 130 interrupted.
"""


@dataclass(frozen=True, kw_only=True)
class Fit:
    """Tell whether the job in FILE would run if it came to the cluster in SNAPSHOT now.

    FILE is a Volcano Job, a PodGroup with its pods, a Deployment or the like, or a scenario: files or folders, with all
    that the job needs. It must not be in the snapshot yet. The answer says whether it fits now, or once which pods are
    gone, which tasks it would evict, and which jobs would be worse off.

    The largest number of replicas that would run is found by simulating sessions, up to 40 unless --sessions says how
    many; with 0, it is not searched for. It is that of the role with the most replicas, unless --role names another. A
    minimum above that number is lowered with it, and the answer says to what.

    The edits --set, --add, --remove, --clone-node, --scale and --edits change the snapshot first.
    """

    files: Annotated[tuple[str, ...], typer.Argument(metavar="FILE", hidden=True)] = ()
    on: Annotated[tuple[str, ...], option("--on", "SNAPSHOT", "The snapshot of the cluster.", file_name)] = ()
    job: Annotated[str, option("--job", "NS/NAME", "Which job, if there are several.")] = ""
    role: Annotated[str, option("--role", "NAME", "The role whose replicas grow.")] = ""
    sessions: Annotated[
        int | None,
        option("--sessions", "N", "Simulate at most N sessions to find the largest number of replicas.", whole_number),
    ] = None
    edits: Edits
    conf: Conf = None
    session: SessionFlags
    release: ReleaseFlags
    output: Annotated[Output, choices(format=formats_of("Fit"))]
    verbosity: Annotated[Verbosity, texts(quiet="Print the answer only.", verbose="Show all names.")]
    own: Own = ()
    debug: Debug = False
    limits: ReadingLimits


COMMAND: Final = command("fit", Fit, _EXAMPLES)
