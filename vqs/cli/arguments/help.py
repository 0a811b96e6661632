"""`vqs help`: what docs/ say about a topic."""

from dataclasses import dataclass
from typing import Annotated, Final

import typer

from vqs.cli import completion
from vqs.cli.command import command
from vqs.cli.options import Debug
from vqs.report.help import TOPICS

_EXAMPLES = """
\b
Examples:
  vqs help
  vqs help edits
  vqs help exit-codes
"""


@dataclass(frozen=True, kw_only=True)
class Help:
    """Show a page of the documentation by its TOPIC, or list the topics."""

    topic: Annotated[str, typer.Argument(metavar="TOPIC", hidden=True, autocompletion=completion.one_of(TOPICS))] = ""
    debug: Debug = False


COMMAND: Final = command("help", Help, _EXAMPLES)
