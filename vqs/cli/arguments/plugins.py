"""`vqs plugins`: which plugins and actions there are, what each decides, and what it contributed to a session."""

from dataclasses import dataclass
from typing import Annotated, Final

import typer

from vqs.cli import completion
from vqs.cli.command import choices, command, texts
from vqs.cli.groups import Output, ReadingLimits, ReleaseFlags, SessionFlags, Verbosity
from vqs.cli.options import Conf, Debug, Own, file_name, option
from vqs.report.registry import formats_of

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


COMMAND: Final = command("plugins", Plugins, _EXAMPLES)
