"""`vqs rule`: what a verdict or a lint rule means, or a text that the scheduler has left somewhere."""

from dataclasses import dataclass
from typing import Annotated, Final

import typer

from vqs.cli import completion
from vqs.cli.command import command
from vqs.cli.options import Debug, NoColor, Own

_EXAMPLES = """
\b
Examples:
  vqs rule
  vqs rule queue-limit
  vqs rule guarantee-above-deserved
  vqs rule '0/4 nodes are unavailable: 4 Insufficient cpu.'
  kubectl describe pod NAME | vqs rule --message -
"""


@dataclass(frozen=True, kw_only=True)
class Rule:
    """Explain a CODE or a MESSAGE: what it means, why that is so, what to do, and an example.

    A CODE is a verdict, the reason `vqs simulate` gives for a task that is not placed, or a lint rule of `vqs lint`.
    A MESSAGE is one of the scheduler, in quotes; it is explained with the verdicts that match it. Without CODE, all
    codes are listed.
    """

    code: Annotated[str, typer.Argument(metavar="CODE|MESSAGE", hidden=True, autocompletion=completion.codes)] = ""
    message: Annotated[
        str | None,
        typer.Option(
            "--message",
            "-m",
            metavar="TEXT",
            help="The message of a pod or PodGroup, as kubectl describe shows it, or a line of the scheduler's log; "
            "- reads standard input.",
        ),
    ] = None
    no_color: NoColor = False
    own: Own = ()
    debug: Debug = False


COMMAND: Final = command("rule", Rule, _EXAMPLES)
