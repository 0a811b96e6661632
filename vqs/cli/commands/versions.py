"""`vqs versions`: the releases of Volcano that are modelled, and what they decide differently."""

from vqs.cli import completion, output
from vqs.cli.command import command
from vqs.cli.failures import CommandError
from vqs.cli.groups import Output, output_group, verbosity
from vqs.cli.options import argument
from vqs.releases.profile import behaviours
from vqs.releases.release import HEAD_NAMES, Release
from vqs.report.formats import View
from vqs.report.registry import formats_of, write

_HELP = """
List the releases of Volcano that are modelled, and the behaviours in which they differ.

NAME is a behaviour, for what it decides, why it changed, and where Volcano decides it; a plugin, an action or
another area, for its behaviours; or a release, for the behaviours that it changed.

--volcano chooses a release on every command, and --behaviour NAME=VALUE switches one behaviour, such as that of a
patched build. `vqs diff-configs --volcano 1.13 --volcano 1.15 SNAPSHOT` shows what an upgrade changes.
"""

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


@command(
    "versions",
    _HELP,
    _EXAMPLES,
    argument("asked", "[NAME]", default="", complete=completion.versions),
    output_group(formats_of("VersionReport")),
    *verbosity(),
    plugins=False,
    limits=False,
)
def run(*, asked: str, out: Output) -> int:
    """List the behaviours, or explain one."""
    from vqs.explain.releases import UnknownBehaviour, version_report
    from vqs.snapshot.reading.diagnostics import did_you_mean

    with output.refused_as("versions", out):
        out.refuse_both()
        output.check(out.target)
        try:
            result = version_report(asked)
        except UnknownBehaviour as error:
            areas = {row.area for row in behaviours().values()}
            hint = did_you_mean(str(error), [*behaviours(), *areas, *map(str, Release), *HEAD_NAMES])
            raise CommandError(
                f"there is no behaviour, area or release '{error}'{f' ({hint})' if hint else ''}; "
                "`vqs versions` lists those there are"
            ) from None
    output.finish(write(result, out.format, output.fitted(View(), out)), out)
    return 0
