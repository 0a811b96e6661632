"""`vqs versions`: the releases of Volcano that are modelled, and what they decide differently."""

from dataclasses import dataclass
from typing import Annotated, Final

import typer

from vqs.cli import completion
from vqs.cli.command import choices, command
from vqs.cli.groups import Output, Verbosity
from vqs.cli.options import Debug
from vqs.report.registry import formats_of

_EXAMPLES = """
\b
Examples:
  vqs versions
  vqs versions 1.15
  vqs versions capacity
  vqs versions root-real-capability
  vqs simulate snapshot.json --volcano 1.13
  vqs simulate snapshot.json --behaviour root-real-capability=total
"""


@dataclass(frozen=True, kw_only=True)
class Versions:
    """List the releases of Volcano that are modelled, and the behaviours in which they differ.

    NAME is a behaviour, for what it decides, why it changed, and where Volcano decides it; a plugin, an action or
    another area, for its behaviours; or a release, for the behaviours that it changed.

    --volcano chooses a release on every command, and --behaviour NAME=VALUE switches one behaviour, such as that of a
    patched build. `vqs diff-configs --volcano 1.13 --volcano 1.15 SNAPSHOT` shows what an upgrade changes.
    """

    asked: Annotated[str, typer.Argument(metavar="[NAME]", hidden=True, autocompletion=completion.versions)] = ""
    output: Annotated[Output, choices(format=formats_of("VersionReport"))]
    verbosity: Verbosity
    debug: Debug = False


COMMAND: Final = command("versions", Versions, _EXAMPLES)
