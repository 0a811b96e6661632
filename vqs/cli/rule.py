"""`vqs rule`: what a verdict means."""

from typing import Annotated

import typer

from vqs.cli import completion, output
from vqs.cli.failures import CommandError, reported
from vqs.cli.options import Debug, flag
from vqs.report.formats import Format, View

_EXAMPLES = """
\b
Examples:
  vqs rule
  vqs rule queue-limit
"""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=_EXAMPLES, short_help="Explain the code of a verdict.")(rule)


def rule(
    code: Annotated[str, typer.Argument(metavar="[CODE]", hidden=True, autocompletion=completion.verdicts)] = "",
    *,
    no_color: Annotated[bool, flag("--no-color", "No colours; so does NO_COLOR.")] = False,
    debug: Debug = False,
) -> None:
    """Explain the CODE of a verdict: what it means, why the scheduler does so, what to do, and an example.

    Without CODE, all codes are listed.
    """
    with reported(debug=debug):
        # Imported late: `--help` needs none of it.
        from vqs.explain.rules import RULES  # noqa: PLC0415
        from vqs.report import rules  # noqa: PLC0415
        from vqs.snapshot.diagnostics import did_you_mean  # noqa: PLC0415

        view = output.fitted(View(), Format.TABLE, None, no_color=no_color)
        known = code.casefold()
        if known and known not in RULES:
            hint = did_you_mean(code, RULES)
            raise CommandError(
                f"there is no verdict '{code}'{f' ({hint})' if hint else ''}; `vqs rule` lists those there are"
            )
        output.write(rules.explanation(RULES[known], view) if known else rules.listing(RULES.values(), view), None)
