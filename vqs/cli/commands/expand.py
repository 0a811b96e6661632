"""`vqs expand`: what an input stands for, as plain manifests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from vqs.cli import inputs, output
from vqs.cli.command import command
from vqs.cli.failures import CommandError, say
from vqs.cli.groups import RELEASE_ALONE, Output, output_group
from vqs.cli.options import FILES, NO_NOTES, at_least_one, option
from vqs.cli.output import Progress
from vqs.model.wording import count
from vqs.releases.profile import ReleaseChoice
from vqs.report.formats import OF_MANIFESTS

_MAX_SIZE: Final = 64

_HELP = """
Print the input with what controllers would create, as plain manifests: simulating these gives the same result.

A Volcano Job becomes its PodGroup and pods, a Deployment its ReplicaSet and pods; pods that name no PodGroup get
one. Objects that exist already are not created again.

FILES are read as by vqs simulate. Objects have the fields that scheduling looks at, and no others.
"""

_EXAMPLES = """
\b
Examples:
  vqs expand job.yaml
  vqs expand cluster.json job.yaml --output expanded.yaml
  vqs expand cluster/ --format json | vqs simulate

Exit status: 0 fine, 2 the input or the command line is wrong, 130 interrupted.
"""


@command(
    "expand",
    _HELP,
    _EXAMPLES,
    FILES,
    RELEASE_ALONE,
    output_group(OF_MANIFESTS, "YAML documents, or a List in JSON."),
    option("--max-size", "MIB", "Largest output, in MiB.", at_least_one, default=_MAX_SIZE, show_default=True),
    NO_NOTES,
    plugins=False,
)
def run(*, files: Sequence[str], release: ReleaseChoice, out: Output, max_size: int) -> int:
    """Write the objects that the input stands for; say on stderr what was found, and what is not there yet."""
    from vqs.model.awaited import ADMISSION
    from vqs.report import as_manifests
    from vqs.report.phrases import diagnostic_line
    from vqs.snapshot.controllers.complete import complete

    paths = inputs.chosen(files)
    output.check(out.target, paths)
    with Progress() as progress:
        completed = complete(inputs.read(paths, progress, any_configuration=True, release=release))
        try:
            text = as_manifests.manifests(completed, out.format, max_size << 20)
        except as_manifests.TooLongError:
            message = f"the plain manifests are longer than {max_size} MiB; raise the limit with --max-size"
            raise CommandError(message) from None
    output.write(text, out.target)
    if out.quiet:
        return 0
    say(*map(diagnostic_line, completed.notes))
    waiting = sum(pods.waits_for == ADMISSION for pods in completed.awaited.values())
    if waiting:
        jobs = count(waiting, "Job")
        say(f"note: the pods of {jobs} are not included: the Job controller creates them after admission")
    return 0
