"""`vqs versions`: the releases of Volcano that are modelled, and what they decide differently."""

from vqs.cli import output
from vqs.cli.arguments.versions import Versions
from vqs.cli.failures import CommandError
from vqs.cli.refused import refused_as
from vqs.explain.releases import UnknownBehaviour, version_report
from vqs.releases.profile import behaviours
from vqs.releases.release import Release
from vqs.report.formats import View
from vqs.report.registry import write
from vqs.snapshot.reading.diagnostics import did_you_mean


def run(arguments: Versions) -> int:
    """List the behaviours, or explain one."""
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


def _unknown(name: str) -> str:
    hint = did_you_mean(name, [*behaviours(), *{row.area for row in behaviours().values()}, *map(str, Release)])
    known = f" ({hint})" if hint else ""
    return f"there is no behaviour, area or release '{name}'{known}; `vqs versions` lists those there are"
