"""`vqs fit`: whether a job would run if it came now, and how large it could be."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from vqs.cli import inputs, output, whatif
from vqs.cli.arguments.fit import Fit
from vqs.cli.edits import Edited, admitted
from vqs.cli.failures import CommandError, say
from vqs.cli.progress import Progress
from vqs.cli.refused import refused_as
from vqs.cli.sessions import session_options
from vqs.fit.fit import SESSIONS, FitOptions, NoSuchJob
from vqs.fit.fit import fit as find_out
from vqs.fit.outcome import Fit as Result
from vqs.paths import STDIN
from vqs.report.formats import View
from vqs.report.registry import write
from vqs.snapshot.whatif.overlay import added
from vqs.snapshot.whatif.sides import read_side

DOES_NOT_FIT: Final = 1


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
    snapshot, made = whatif.read(
        paths, progress, arguments.conf, arguments.edits, session=arguments.session, release=arguments.release.choice
    )
    stdin = sys.stdin.buffer if sys.stdin else None
    more = read_side(arguments.files, under=snapshot, stdin=stdin)
    if more.queues:
        together = Edited(added(snapshot, more), [])
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
