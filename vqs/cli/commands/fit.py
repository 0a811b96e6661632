"""`vqs fit`: whether a job would run if it came now, and how large it could be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from vqs.cli import inputs, output
from vqs.cli.command import command
from vqs.cli.failures import CommandError
from vqs.cli.groups import EDITS, RELEASE, SESSION, Edits, Output, SessionFlags, output_group, verbosity
from vqs.cli.options import CONF, argument, file_name, option, whole_number
from vqs.cli.output import Progress
from vqs.paths import STDIN
from vqs.releases.profile import ReleaseChoice
from vqs.report.formats import View
from vqs.report.registry import formats_of, write

if TYPE_CHECKING:
    from vqs.snapshot.reading.manifests import Manifests

DOES_NOT_FIT: Final = 1

_HELP = """
Tell whether the job in FILE would run if it came to the cluster in SNAPSHOT now.

FILE is a Volcano Job, a PodGroup with its pods, a Deployment or the like, or a scenario: files or folders, with all
that the job needs. It must not be in the snapshot yet. The answer says whether it fits now, or once which pods are
gone, which tasks it would evict, and which jobs would be worse off.

The largest number of replicas that would run is found by simulating sessions, up to 40 unless --sessions says how
many; with 0, it is not searched for. It is that of the role with the most replicas, unless --role names another. A
minimum above that number is lowered with it, and the answer says to what.

The edits --set, --add, --remove, --clone-node, --scale and --edits change the snapshot first.
"""

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


@command(
    "fit",
    _HELP,
    _EXAMPLES,
    argument("files", "[FILE]...", many=True),
    option("--on", "SNAPSHOT", "The snapshot of the cluster.", file_name, multiple=True),
    option("--job", "NS/NAME", "Which job, if there are several.", default=""),
    option("--role", "NAME", "The role whose replicas grow.", default=""),
    option("--sessions", "N", "Simulate at most N sessions to find the largest number of replicas.", whole_number),
    EDITS,
    CONF,
    SESSION,
    RELEASE,
    output_group(formats_of("Fit")),
    *verbosity(quiet="Print the answer only.", verbose="Show all names."),
)
def run(
    *,
    files: tuple[str, ...],
    on: tuple[str, ...],
    job: str,
    role: str,
    sessions: int | None,
    edits: Edits,
    conf: str | None,
    session: SessionFlags,
    release: ReleaseChoice,
    out: Output,
) -> int:
    """Run sessions with the job, and say whether it fits."""
    from vqs.fit.fit import SESSIONS, FitOptions, NoSuchJob, fit

    with output.refused_as("fit", out):
        out.refuse_both("answer")
        _check(files, on)
        paths = on or inputs.chosen((), "fit FILE")
        output.check(out.target, [*paths, *files, conf, session.usage, *edits.files])
        with Progress() as progress:
            snapshot, made = inputs.read_edited(paths, progress, conf, edits, session=session, release=release)
            options = FitOptions(
                inputs.session_options(session, progress),
                job,
                role,
                SESSIONS if sessions is None else sessions,
                assume_admitted=edits.assume_admitted,
            )
            try:
                result = fit(snapshot, inputs.title(paths, made), _coming(files, snapshot, edits), options)
            except NoSuchJob as error:
                raise CommandError(f"{inputs.title(files)}: {error}", files[0]) from None
    output.write(write(result, out.format, output.fitted(View(), out)), out.target)
    output.say_written(result.answer, out)
    return 0 if result.fits == "now" else DOES_NOT_FIT


def _check(files: Sequence[str], on: Sequence[str]) -> None:
    if not files:
        raise CommandError("FILE is missing: name the manifest of the job, vqs fit FILE --on SNAPSHOT")
    if not on and not inputs.has_snapshot():
        raise CommandError(
            "--on is missing: name the snapshot to add the job to, vqs fit FILE --on SNAPSHOT, or pipe it in"
        )
    if "" in (*files, *on):
        raise CommandError("one of the files to read has an empty name; is there a variable that is not set?")
    if [*files, *on].count(STDIN) > 1:
        raise CommandError("standard input can be read only once: use '-' in one place")


def _coming(files: Sequence[str], snapshot: Manifests, edits: Edits) -> Manifests:
    """Read the job, and what comes with it, of which queues have to be admitted."""
    from vqs.snapshot.whatif.applied import added
    from vqs.snapshot.whatif.sides import read_side

    more = read_side(files, under=snapshot, stdin=inputs.stdin())
    if not more.queues:
        return more
    together = inputs.Edited(added(snapshot, more, assume_admitted=edits.assume_admitted), [])
    return replace(more, notes=inputs.admitted(snapshot, together, edits).manifests.notes)
