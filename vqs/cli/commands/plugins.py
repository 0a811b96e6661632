"""`vqs plugins`: which plugins and actions there are, what each decides, and what it contributed to a session."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Final

import typer

from vqs.cli import completion, inputs, output
from vqs.cli.command import choices, command, texts
from vqs.cli.failures import CommandError
from vqs.cli.groups import Output, ReadingLimits, ReleaseFlags, SessionFlags, Verbosity
from vqs.cli.options import Conf, Debug, Own, file_name, option
from vqs.cli.progress import Progress
from vqs.cli.refused import refused_as
from vqs.cli.sessions import session_options
from vqs.config.known_arguments import ACTION_ARGUMENTS
from vqs.config.known_plugins import PLUGINS
from vqs.report.formats import View
from vqs.report.registry import formats_of, write

if TYPE_CHECKING:
    from vqs.explain.plugins.outcome import PluginReport

_EXAMPLES = """
\b
Examples:
  vqs plugins
  vqs plugins proportion
  vqs plugins --conf volcano-scheduler.conf --on snapshot.json
  vqs plugins rack --plugin my_plugins.rack:RackPlugin --format markdown
"""


@dataclass(frozen=True, kw_only=True)
class Plugins:
    """List the plugins and actions: their extension points, and whether the configuration enables them.

    With NAME, one plugin or action is explained: what it decides, its extension points, its arguments with defaults and
    units, and what it says in verdicts and in the fit errors of tasks.

    With --on, a session is run on a snapshot, and what each plugin contributed is shown: votes are its answers, vetoes
    those that were a no, and the spread is the largest difference between its scores of two nodes for equal tasks.

    The configuration is that of --conf, else the one in the snapshot, else Volcano's built-in one. Plugins and actions
    of installed packages are listed too, and --plugin adds others.
    """

    asked: Annotated[str, typer.Argument(metavar="[NAME]", hidden=True, autocompletion=completion.plugins)] = ""
    on: Annotated[tuple[str, ...], option("--on", "SNAPSHOT", "Run a session on this snapshot.", file_name)] = ()
    conf: Conf = None
    session: SessionFlags
    release: ReleaseFlags
    output: Annotated[Output, choices(format=formats_of("PluginReport"))]
    verbosity: Annotated[Verbosity, texts(quiet="Print the summary only.", verbose="Show all notes.")]
    own: Own = ()
    debug: Debug = False
    limits: ReadingLimits


def run(arguments: Plugins) -> int:
    """List plugins and actions, or explain one."""
    from vqs.explain.plugins.report import UnknownPlugin

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


COMMAND: Final = command("plugins", Plugins, run, _EXAMPLES)


def _report(arguments: Plugins) -> PluginReport:
    from vqs.engine.framework.tally import Tally
    from vqs.explain.assemble import diagnostics
    from vqs.explain.plugins.report import plugin_report
    from vqs.explain.simulate import run_session
    from vqs.snapshot.reading.manifests import Manifests
    from vqs.snapshot.whatif.sides import read_configuration_alone

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
    from vqs.snapshot.reading.diagnostics import did_you_mean

    hint = did_you_mean(name, [*PLUGINS, *ACTION_ARGUMENTS])
    return f"there is no plugin or action '{name}'{f' ({hint})' if hint else ''}; `vqs plugins` lists those there are"
