"""`vqs expand`: what an input stands for, as plain manifests."""

from typing import Annotated, Final

import typer

from vqs.cli import inputs, output
from vqs.cli.failures import CommandError, reported, say
from vqs.cli.options import Debug, Target, at_least_one, choice, flag, option
from vqs.cli.progress import Progress
from vqs.cli.reading import ReadingCommand
from vqs.report.formats import OF_MANIFESTS, Format

_MAX_SIZE: Final = 64
_EXAMPLES = """
\b
Examples:
  vqs expand job.yaml
  vqs expand cluster.json job.yaml --output expanded.yaml
  vqs expand cluster/ --format json | vqs simulate

Exit status: 0 fine, 2 the input or the command line is wrong, 130 interrupted.
"""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        cls=ReadingCommand, epilog=_EXAMPLES, short_help="Print the PodGroups and pods that an input stands for."
    )(expand)


def expand(
    files: Annotated[list[str] | None, typer.Argument(metavar="FILES", hidden=True)] = None,
    *,
    chosen: Annotated[
        Format, choice("--format", OF_MANIFESTS, "YAML documents, or a List in JSON.", "-f")
    ] = Format.YAML,
    target: Target = None,
    most: Annotated[
        int, option("--max-size", "MIB", "Write at most so much.", at_least_one, show_default=True)
    ] = _MAX_SIZE,
    quiet: Annotated[bool, flag("--quiet", "No notes.", "-q")] = False,
    debug: Debug = False,
) -> None:
    """Print what an input stands for, as plain manifests: simulating these gives the same result.

    A Volcano Job becomes its PodGroup and pods, a Deployment its ReplicaSet and pods; pods that name no PodGroup get
    one. What exists already is not made again.

    FILES are read as by vqs simulate. Objects have the fields that scheduling looks at, and no others.
    """
    with reported(debug=debug):
        paths = inputs.chosen(files or ())
        output.check(target, paths)
        # Imported late: `--help` needs none of it.
        from vqs.explain.amounts import count  # noqa: PLC0415
        from vqs.model.awaited import ADMISSION  # noqa: PLC0415
        from vqs.report import as_manifests  # noqa: PLC0415
        from vqs.report.phrases import diagnostic_line  # noqa: PLC0415
        from vqs.snapshot.controllers.complete import complete  # noqa: PLC0415

        with Progress(quiet=quiet) as progress:
            completed = complete(inputs.read(paths, progress))
            try:
                text = as_manifests.manifests(completed, chosen, most << 20)
            except as_manifests.TooLongError:
                message = f"the plain manifests are longer than {most} MiB; --max-size lets them be longer"
                raise CommandError(message) from None
        output.write(text, target)
        if not quiet:
            say(*map(diagnostic_line, completed.notes))
            waiting = sum(pods.waits_for == ADMISSION for pods in completed.awaited.values())
            if waiting:
                jobs = count(waiting, "Job")
                say(f"note: the pods of {jobs} are not there: the Job controller creates them once it is admitted")
