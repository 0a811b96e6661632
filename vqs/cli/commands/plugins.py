"""`vqs plugins`: which plugins and actions there are, what each decides, and what it contributed to a session."""

import sys
from dataclasses import replace

from vqs.cli import inputs, output
from vqs.cli.arguments.plugins import Plugins
from vqs.cli.failures import CommandError
from vqs.cli.progress import Progress
from vqs.cli.refused import refused_as
from vqs.cli.sessions import session_options
from vqs.config.known_arguments import ACTION_ARGUMENTS
from vqs.config.known_plugins import PLUGINS
from vqs.engine.framework.tally import Tally
from vqs.explain.assemble import diagnostics
from vqs.explain.plugins.outcome import PluginReport
from vqs.explain.plugins.report import UnknownPlugin, plugin_report
from vqs.explain.simulate import run_session
from vqs.report.formats import View
from vqs.report.registry import write
from vqs.snapshot.reading.diagnostics import did_you_mean
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.whatif.sides import read_configuration_alone


def run(arguments: Plugins) -> int:
    """List plugins and actions, or explain one."""
    chosen, verbosity = arguments.output, arguments.verbosity
    with refused_as("plugins", chosen):
        if not chosen.format.for_machines:
            verbosity.refuse_both()
        output.check(chosen.target, [*arguments.on, arguments.conf, arguments.session.usage])
        try:
            result = _report(arguments)
        except UnknownPlugin as error:
            raise CommandError(_unknown(str(error))) from None
    output.finish(write(result, chosen.format, output.fitted(View(), chosen, verbosity)), chosen, verbosity)
    return 0


def _report(arguments: Plugins) -> PluginReport:
    if not arguments.on:
        conf = arguments.conf
        stdin, release = sys.stdin.buffer if sys.stdin else None, arguments.release.choice
        read = Manifests(release=release) if conf is None else read_configuration_alone(conf, stdin, release)
        return plugin_report(read.scheduler, arguments.asked, profile=read.profile)
    tally = Tally()
    with Progress(quiet=arguments.verbosity.quiet) as progress:
        manifests = inputs.read(
            arguments.on, progress, arguments.conf, session=arguments.session, release=arguments.release.choice
        )
        finished = run_session(manifests, replace(session_options(arguments.session, progress), tally=tally))
    result = plugin_report(
        manifests.scheduler, arguments.asked, profile=manifests.profile, tally=tally, session=finished.session
    )
    result.snapshot = inputs.title(arguments.on)
    result.diagnostics = diagnostics(finished.session, manifests)
    return result


def _unknown(name: str) -> str:
    hint = did_you_mean(name, [*PLUGINS, *ACTION_ARGUMENTS])
    return f"there is no plugin or action '{name}'{f' ({hint})' if hint else ''}; `vqs plugins` lists those there are"
