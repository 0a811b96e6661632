"""`vqs expand`: what an input stands for, as plain manifests."""

from vqs.cli import inputs, output
from vqs.cli.arguments.expand import Expand
from vqs.cli.failures import CommandError, say
from vqs.cli.progress import Progress
from vqs.model.awaited import ADMISSION
from vqs.model.wording import count
from vqs.report import as_manifests
from vqs.report.phrases import diagnostic_line
from vqs.snapshot.controllers.complete import complete
from vqs.snapshot.reading.manifests import Manifests


def run(arguments: Expand) -> int:
    """Write the objects that the input stands for."""
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


def _note(completed: Manifests) -> None:
    """Tell on stderr what was found, and what is not there yet."""
    say(*map(diagnostic_line, completed.notes))
    waiting = sum(pods.waits_for == ADMISSION for pods in completed.awaited.values())
    if waiting:
        jobs = count(waiting, "Job")
        say(f"note: the pods of {jobs} are not included: the Job controller creates them after admission")
