"""`vqs init`: a scenario to start from."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from vqs.cli import output
from vqs.cli.again import on_files
from vqs.cli.command import command
from vqs.cli.failures import CommandError, say
from vqs.cli.options import Debug
from vqs.snapshot.scenario.schema import starter

_STDOUT: Final = "-"

_USUAL: Final = "scenario.yaml"
_EXAMPLES = """
\b
Examples:
  vqs init
  vqs init idea.yaml
  vqs init - | vqs simulate
"""


@dataclass(frozen=True, kw_only=True)
class Init:
    """Write a scenario to start from: a small cluster, a few jobs and their expected results, with comments.

    FILE is scenario.yaml by default, and - is standard output. An existing file is not overwritten.
    """

    file: Annotated[str, typer.Argument(metavar="FILE", hidden=True)] = _USUAL
    debug: Debug = False


def run(arguments: Init) -> int:
    """Write the scenario."""
    if arguments.file == _STDOUT:
        output.write(starter(), None)
        return 0
    target = Path(arguments.file)
    output.check(target)
    if target.exists():
        raise CommandError(f"{target} exists already: name another file, or - for standard output")
    output.write(starter(), target)
    following = on_files(str(target)).command("simulate", "").command
    say(f"{target} is written; now run: {following}")
    return 0


COMMAND: Final = command("init", Init, run, _EXAMPLES)
