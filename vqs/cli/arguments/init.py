"""`vqs init`: a scenario to start from."""

from dataclasses import dataclass
from typing import Annotated, Final

import typer

from vqs.cli.command import command
from vqs.cli.options import Debug

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


COMMAND: Final = command("init", Init, _EXAMPLES)
