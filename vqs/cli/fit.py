"""`vqs fit`: whether a job would run if it came now, and how large it could be."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Final

import typer

from vqs.cli import environment, inputs, output, whatif
from vqs.cli.failures import CommandError, reported, say
from vqs.cli.options import (
    Conf,
    Debug,
    NoColor,
    Now,
    Release,
    Seed,
    Target,
    Volcano,
    choice,
    file_name,
    flag,
    option,
    whole_number,
)
from vqs.cli.progress import Progress
from vqs.cli.reading import ReadingCommand
from vqs.cli.refused import errors_as
from vqs.report.formats import Detail, Format, View
from vqs.report.registry import formats_of, write

if TYPE_CHECKING:
    from vqs.diff.fit_outcome import Fit

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

_Paths = list[str] | None


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        cls=ReadingCommand, epilog=_EXAMPLES, short_help="Tell whether a new job would run, and how large it could be."
    )(fit)


def fit(
    files: Annotated[_Paths, typer.Argument(metavar="FILE", hidden=True)] = None,
    *,
    on: Annotated[_Paths, option("--on", "SNAPSHOT", "The cluster that it would come to.", file_name)] = None,
    job: Annotated[str, option("--job", "NS/NAME", "Which job, if there are several.")] = "",
    role: Annotated[str, option("--role", "NAME", "Which role is to grow.")] = "",
    sessions: Annotated[
        int | None, option("--sessions", "N", "Run so many sessions for the largest one.", whole_number)
    ] = None,
    sets: whatif.Set = None,
    adds: whatif.Add = None,
    removes: whatif.Remove = None,
    clones: whatif.CloneNode = None,
    scales: whatif.Scale = None,
    edits: whatif.Edits = None,
    assume_admitted: whatif.AssumeAdmitted = False,
    conf: Conf = None,
    now: Now = None,
    seed: Seed = None,
    volcano: Release = Volcano.V1_14,
    chosen: Annotated[Format, choice("--format", formats_of("Fit"), "How to write the result.", "-f")] = Format.TABLE,
    target: Target = None,
    quiet: Annotated[bool, flag("--quiet", "Only the answer, no notes.", "-q")] = False,
    verbose: Annotated[bool, flag("--verbose", "Every name.", "-v")] = False,
    no_color: NoColor = False,
    debug: Debug = False,
) -> None:
    """Tell whether the job in FILE would run if it came to the cluster in SNAPSHOT now.

    FILE is a Volcano Job, a PodGroup with its pods, a Deployment or the like, or a scenario: files or folders, with all
    that the job needs. It must not be in the snapshot yet. Told are: whether it fits now, or after what has left, whom
    it would evict, and who would be worse off.

    The largest number of replicas that would run is found by running sessions, up to 40 unless --sessions says how
    many; with 0, it is not looked for. It is that of the role with the most replicas, unless --role names another. A
    minimum that is above it comes down with it, and the answer says to what.

    The edits --set, --add, --remove, --clone-node, --scale and --edits change the snapshot first.
    """
    del volcano  # There is one release so far, and to have chosen it is all there is to do.
    errors_to = errors_as("fit", chosen, target)
    with reported(debug=debug, errors_to=errors_to):
        if quiet and verbose and not chosen.for_machines:
            origin = environment.setting(["--quiet", "--verbose"])
            raise CommandError(f"--quiet shows the answer only, and --verbose asks for more: give one of them{origin}")
        _check(files or (), on or ())
        asked = whatif.what_if(
            sets, adds, removes, clones=clones, scales=scales, file=edits, assume_admitted=assume_admitted
        )
        paths = on or inputs.chosen((), "fit FILE")
        output.check(target, [*paths, *(files or ()), conf, *asked.files])
        with Progress(quiet=quiet) as progress:
            snapshot = whatif.read(paths, progress, conf, asked)
            name = whatif.title(paths, snapshot.edits)
            result = _run(snapshot, name, files or (), asked, (job, role, sessions), now=now, seed=seed)
        view = View(detail=Detail.SUMMARY if quiet else Detail.EVERYTHING if verbose else Detail.USUAL)
        view = output.fitted(view, chosen, target, no_color=no_color)
        output.write(write(result, chosen, view), target)
        if target and not quiet:
            say(f"{result.answer} Written to {target}")
    if result.fits != "now":
        raise typer.Exit(DOES_NOT_FIT)


def _check(files: Sequence[str], on: Sequence[str]) -> None:
    if not files:
        raise CommandError("there is no job: vqs fit FILE --on SNAPSHOT")
    if "" in (*files, *on):
        raise CommandError("one of the files to read has an empty name; is there a variable that is not set?")
    if [*files, *on].count(inputs.STDIN) > 1:
        raise CommandError("standard input can be read once: name '-' in one place")


def _run(
    snapshot: whatif.Edited,
    name: str,
    files: Sequence[str],
    asked: whatif.WhatIf,
    wanted: tuple[str, str, int | None],
    *,
    now: datetime | None,
    seed: int | None,
) -> "Fit":
    # Imported late: the engine is the bulk of what there is to import, and `--help` needs none of it.
    from vqs.config.scheduler_conf import read_configuration  # noqa: PLC0415
    from vqs.diff.fit import SESSIONS, FitOptions, NoSuchJob  # noqa: PLC0415
    from vqs.diff.fit import fit as find_out  # noqa: PLC0415
    from vqs.snapshot.overlay import added  # noqa: PLC0415
    from vqs.snapshot.sides import read_side  # noqa: PLC0415

    stdin = sys.stdin.buffer if sys.stdin else None
    more = read_side(files, under=snapshot.manifests, stdin=stdin, check=read_configuration)
    if more.queues:
        together = whatif.Edited(added(snapshot.manifests, more), [])
        more = replace(more, notes=whatif.admitted(snapshot.manifests, together, asked).manifests.notes)
    job, role, sessions = wanted
    options = FitOptions(job, role, now, seed, SESSIONS if sessions is None else sessions)
    try:
        return find_out(snapshot.manifests, name, more, options)
    except NoSuchJob as error:
        raise CommandError(f"{inputs.title(files)}: {error}", files[0]) from None
