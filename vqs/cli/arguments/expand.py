"""`vqs expand`: what an input stands for, as plain manifests."""

from dataclasses import dataclass
from typing import Annotated, Final

from vqs.cli.command import choices, command, texts
from vqs.cli.groups import Output, ReadingLimits, ReleaseFlags
from vqs.cli.options import Debug, Files, NoNotes, at_least_one, option
from vqs.report.formats import OF_MANIFESTS

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


COMMAND: Final = command("expand", Expand, _EXAMPLES)
