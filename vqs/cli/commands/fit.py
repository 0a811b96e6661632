"""`vqs fit`: whether a job would run if it came now, and how large it could be."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Final

import typer

from vqs.cli import inputs, output, whatif
from vqs.cli.command import choices, command, texts
from vqs.cli.failures import CommandError, say
from vqs.cli.groups import Edits, Output, ReadingLimits, ReleaseFlags, SessionFlags, Verbosity
from vqs.cli.options import Conf, Debug, Own, file_name, option, whole_number
from vqs.cli.progress import Progress
from vqs.cli.refused import refused_as
from vqs.cli.sessions import session_options
from vqs.paths import STDIN
from vqs.report.formats import View
from vqs.report.registry import formats_of, write

if TYPE_CHECKING:
    from vqs.fit.outcome import Fit as Result

DOES_NOT_FIT: Final = 1

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


def run(arguments: Fit) -> int:
    """Run sessions with the job, and tell whether it fits."""
    chosen, verbosity = arguments.output, arguments.verbosity
    with refused_as("fit", chosen):
        if not chosen.format.for_machines:
            verbosity.refuse_both("answer")
        _check(arguments)
        paths = arguments.on or inputs.chosen((), "fit FILE")
        output.check(
            chosen.target, [*paths, *arguments.files, arguments.conf, arguments.session.usage, *arguments.edits.files]
        )
        with Progress(quiet=verbosity.quiet) as progress:
            result = _fitted(arguments, paths, progress)
    output.write(write(result, chosen.format, output.fitted(View(), chosen, verbosity)), chosen.target)
    if chosen.target and not verbosity.quiet:
        say(f"{result.answer} Written to {chosen.target}")
    return 0 if result.fits == "now" else DOES_NOT_FIT


COMMAND: Final = command("fit", Fit, run, _EXAMPLES)


def _check(arguments: Fit) -> None:
    read = [*arguments.files, *arguments.on]
    if not arguments.files:
        raise CommandError("FILE is missing: name the manifest of the job, vqs fit FILE --on SNAPSHOT")
    if not arguments.on and not inputs.has_snapshot():
        raise CommandError(
            "--on is missing: name the snapshot to add the job to, vqs fit FILE --on SNAPSHOT, or pipe it in"
        )
    if "" in read:
        raise CommandError("one of the files to read has an empty name; is there a variable that is not set?")
    if read.count(STDIN) > 1:
        raise CommandError("standard input can be read only once: use '-' in one place")


def _fitted(arguments: Fit, paths: Sequence[str], progress: Progress) -> Result:
    from vqs.cli.edits import Edited, admitted
    from vqs.fit.fit import SESSIONS, FitOptions, NoSuchJob
    from vqs.fit.fit import fit as find_out
    from vqs.snapshot.whatif.applied import added
    from vqs.snapshot.whatif.sides import read_side

    snapshot, made = whatif.read(
        paths, progress, arguments.conf, arguments.edits, session=arguments.session, release=arguments.release.choice
    )
    stdin = sys.stdin.buffer if sys.stdin else None
    more = read_side(arguments.files, under=snapshot, stdin=stdin)
    if more.queues:
        together = Edited(added(snapshot, more, assume_admitted=arguments.edits.assume_admitted), [])
        more = replace(more, notes=admitted(snapshot, together, arguments.edits).manifests.notes)
    options = FitOptions(
        session_options(arguments.session, progress),
        arguments.job,
        arguments.role,
        SESSIONS if arguments.sessions is None else arguments.sessions,
        assume_admitted=arguments.edits.assume_admitted,
    )
    try:
        return find_out(snapshot, whatif.title(paths, made), more, options)
    except NoSuchJob as error:
        raise CommandError(f"{inputs.title(arguments.files)}: {error}", arguments.files[0]) from None
