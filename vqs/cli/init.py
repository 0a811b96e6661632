"""`vqs init`: a scenario to start from."""

from pathlib import Path
from typing import Annotated, Final

import typer

from vqs.cli.again import on_files
from vqs.cli.failures import CommandError, reported, say
from vqs.cli.options import Debug
from vqs.cli.output import check, write

_USUAL: Final = "scenario.yaml"
_STDOUT: Final = "-"
_EXAMPLES = """
\b
Examples:
  vqs init
  vqs init idea.yaml
  vqs init - | vqs simulate
"""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=_EXAMPLES, short_help="Write a commented scenario to start from.")(init)


def init(
    file: Annotated[str, typer.Argument(metavar="FILE", hidden=True)] = _USUAL,
    *,
    debug: Debug = False,
) -> None:
    """Write a scenario to start from: a small cluster, a few jobs, and what is expected of them, with comments.

    It goes to FILE, scenario.yaml if none is named, - for standard output. A file that is there already is left alone.
    """
    with reported(debug=debug):
        # Imported late: nothing else here has use for it.
        from vqs.snapshot.scenario.schema import starter  # noqa: PLC0415

        if file == _STDOUT:
            write(starter(), None)
            return
        target = Path(file)
        check(target)
        if target.exists():
            raise CommandError(f"{target} is there already: name another file, or - for standard output")
        write(starter(), target)
        following = on_files(str(target)).command("simulate", "").command
        say(f"{target} is written; now run: {following}")
