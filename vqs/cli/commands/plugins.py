"""`vqs plugins`: which plugins and actions there are, what each decides, and what it contributed to a session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vqs.cli import completion, inputs, output
from vqs.cli.command import command
from vqs.cli.failures import CommandError
from vqs.cli.groups import RELEASE, SESSION, Output, SessionFlags, output_group, verbosity
from vqs.cli.options import CONF, argument, file_name, option
from vqs.cli.output import Progress
from vqs.config.known_arguments import ACTION_ARGUMENTS
from vqs.config.known_plugins import PLUGINS
from vqs.releases.profile import ReleaseChoice
from vqs.report.formats import View
from vqs.report.registry import formats_of, write

_HELP = """
List the plugins and actions: their extension points, and whether the configuration enables them.

With NAME, one plugin or action is explained: what it decides, its extension points, its arguments with defaults and
units, and what it says in verdicts and in the fit errors of tasks.

With --on, a session is run on a snapshot, and what each plugin contributed is shown: votes are its answers, vetoes
those that were a no, and the spread is the largest difference between its scores of two nodes for equal tasks.

The configuration is that of --conf, else the one in the snapshot, else Volcano's built-in one. Plugins and actions
of installed packages are listed too, and --plugin adds others.
"""

_EXAMPLES = """
\b
Examples:
  vqs plugins
  vqs plugins proportion
  vqs plugins --conf volcano-scheduler.conf --on snapshot.json
  vqs plugins rack --plugin my_plugins.rack:RackPlugin --format markdown
"""


@command(
    "plugins",
    _HELP,
    _EXAMPLES,
    argument("asked", "[NAME]", default="", complete=completion.plugins),
    option("--on", "SNAPSHOT", "Run a session on this snapshot.", file_name, multiple=True),
    CONF,
    SESSION,
    RELEASE,
    output_group(formats_of("PluginReport")),
    *verbosity(quiet="Print the summary only.", verbose="Show all notes."),
)
def run(
    *, asked: str, on: Sequence[str], conf: str | None, session: SessionFlags, release: ReleaseChoice, out: Output
) -> int:
    """List plugins and actions, or explain one."""
    from vqs.engine.framework.tally import Tally
    from vqs.explain.assemble import diagnostics
    from vqs.explain.plugins.report import UnknownPlugin, plugin_report
    from vqs.explain.simulate import run_session
    from vqs.snapshot.reading.diagnostics import did_you_mean
    from vqs.snapshot.reading.manifests import Manifests
    from vqs.snapshot.whatif.sides import read_configuration_alone

    with output.refused_as("plugins", out):
        out.refuse_both()
        output.check(out.target, [*on, conf, session.usage])
        try:
            if on:
                with Progress() as progress:
                    manifests = inputs.read(on, progress, conf, session=session, release=release)
                    options = replace(inputs.session_options(session, progress), tally=Tally())
                    ran = run_session(manifests, options).session
                    result = plugin_report(
                        manifests.scheduler, asked, profile=manifests.profile, tally=options.tally, session=ran
                    )
                    result.diagnostics = diagnostics(ran, manifests)
                result.snapshot = inputs.title(on)
            else:
                read = Manifests(release=release)
                if conf is not None:
                    read = read_configuration_alone(conf, inputs.stdin(), release)
                result = plugin_report(read.scheduler, asked, profile=read.profile)
        except UnknownPlugin as error:
            hint = did_you_mean(str(error), [*PLUGINS, *ACTION_ARGUMENTS])
            raise CommandError(
                f"there is no plugin or action '{error}'{f' ({hint})' if hint else ''}; "
                "`vqs plugins` lists those there are"
            ) from None
    output.finish(write(result, out.format, output.fitted(View(), out)), out)
    return 0
