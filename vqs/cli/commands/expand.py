"""`vqs expand`: what an input stands for, as plain manifests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

from vqs.cli import inputs, output
from vqs.cli.command import choices, command, texts
from vqs.cli.failures import CommandError, say
from vqs.cli.groups import Output, ReadingLimits, ReleaseFlags
from vqs.cli.options import Debug, Files, NoNotes, at_least_one, option
from vqs.cli.progress import Progress
from vqs.model.wording import count
from vqs.report.formats import OF_MANIFESTS

if TYPE_CHECKING:
    from vqs.snapshot.reading.manifests import Manifests

_MAX_SIZE: Final = 64
_EXAMPLES = """
\b
Examples:
  vqs expand job.yaml
  vqs expand cluster.json job.yaml --output expanded.yaml
  vqs expand cluster/ --format json | vqs simulate

Exit status: 0 fine, 2 the input or the command line is wrong, 130 interrupted.
"""


@dataclass(frozen=True, kw_only=True)
class Expand:
    """Print the input with what controllers would create, as plain manifests: simulating these gives the same result.

    A Volcano Job becomes its PodGroup and pods, a Deployment its ReplicaSet and pods; pods that name no PodGroup get
    one. Objects that exist already are not created again.

    FILES are read as by vqs simulate. Objects have the fields that scheduling looks at, and no others.
    """

    files: Files = ()
    release: ReleaseFlags
    output: Annotated[Output, choices(format=OF_MANIFESTS), texts(format="YAML documents, or a List in JSON.")]
    max_size: Annotated[
        int, option("--max-size", "MIB", "Largest output, in MiB.", at_least_one, show_default=True)
    ] = _MAX_SIZE
    quiet: NoNotes = False
    debug: Debug = False
    limits: ReadingLimits


def run(arguments: Expand) -> int:
    """Write the objects that the input stands for."""
    from vqs.report import as_manifests
    from vqs.snapshot.controllers.complete import complete

    paths = inputs.chosen(arguments.files)
    output.check(arguments.output.target, paths)
    with Progress(quiet=arguments.quiet) as progress:
        completed = complete(inputs.read(paths, progress, any_configuration=True, release=arguments.release.choice))
        try:
            text = as_manifests.manifests(completed, arguments.output.format, arguments.max_size << 20)
        except as_manifests.TooLongError:
            message = f"the plain manifests are longer than {arguments.max_size} MiB; raise the limit with --max-size"
            raise CommandError(message) from None
    output.write(text, arguments.output.target)
    if not arguments.quiet:
        _note(completed)
    return 0


COMMAND: Final = command("expand", Expand, run, _EXAMPLES)


def _note(completed: Manifests) -> None:
    """Tell on stderr what was found, and what is not there yet."""
    from vqs.model.awaited import ADMISSION
    from vqs.report.phrases import diagnostic_line

    say(*map(diagnostic_line, completed.notes))
    waiting = sum(pods.waits_for == ADMISSION for pods in completed.awaited.values())
    if waiting:
        jobs = count(waiting, "Job")
        say(f"note: the pods of {jobs} are not included: the Job controller creates them after admission")
