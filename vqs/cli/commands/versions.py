"""`vqs versions`: the releases of Volcano that are modelled, and what they decide differently."""

from dataclasses import dataclass
from typing import Annotated, Final

import typer

from vqs.cli import completion, output
from vqs.cli.command import choices, command
from vqs.cli.failures import CommandError
from vqs.cli.groups import Output, Verbosity
from vqs.cli.options import Debug
from vqs.cli.refused import refused_as
from vqs.releases.profile import behaviours
from vqs.releases.release import Release
from vqs.report.formats import View
from vqs.report.registry import formats_of, write

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


def run(arguments: Versions) -> int:
    """List the behaviours, or explain one."""
    from vqs.explain.releases import UnknownBehaviour, version_report

    chosen, verbosity = arguments.output, arguments.verbosity
    with refused_as("versions", chosen):
        if not chosen.format.for_machines:
            verbosity.refuse_both()
        output.check(chosen.target)
        try:
            result = version_report(arguments.asked)
        except UnknownBehaviour as error:
            raise CommandError(_unknown(str(error))) from None
    output.finish(write(result, chosen.format, output.fitted(View(), chosen, verbosity)), chosen, verbosity)
    return 0


COMMAND: Final = command("versions", Versions, run, _EXAMPLES)


def _unknown(name: str) -> str:
    from vqs.snapshot.reading.diagnostics import did_you_mean

    hint = did_you_mean(name, [*behaviours(), *{row.area for row in behaviours().values()}, *map(str, Release)])
    known = f" ({hint})" if hint else ""
    return f"there is no behaviour, area or release '{name}'{known}; `vqs versions` lists those there are"
