"""`vqs rule`: what a verdict or a lint rule means."""

from typing import Annotated

import typer

from vqs.cli import completion, output
from vqs.cli.failures import CommandError, reported
from vqs.cli.options import Debug, NoColor
from vqs.report.formats import Format, View

_EXAMPLES = """
\b
Examples:
  vqs rule
  vqs rule queue-limit
  vqs rule guarantee-above-deserved
"""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=_EXAMPLES, short_help="Explain the code of a verdict or of a lint rule.")(rule)


def rule(
    code: Annotated[str, typer.Argument(metavar="[CODE]", hidden=True, autocompletion=completion.codes)] = "",
    *,
    no_color: NoColor = False,
    debug: Debug = False,
) -> None:
    """Explain a CODE: what it means, why that is so, what to do, and an example.

    Verdicts are what `vqs simulate` says of a task that has no place, lint rules what `vqs lint` finds. Without CODE,
    all codes are listed.
    """
    with reported(debug=debug):
        # Imported late: `--help` needs none of it.
        from vqs.explain.rules import RULES as VERDICTS  # noqa: PLC0415
        from vqs.lint.registry import RULES  # noqa: PLC0415
        from vqs.report import rules  # noqa: PLC0415
        from vqs.snapshot.diagnostics import did_you_mean, one_of  # noqa: PLC0415

        view = output.fitted(View(), Format.TABLE, None, no_color=no_color)
        known = code.casefold()
        if known and known not in {*VERDICTS, *RULES}:
            codes = [*dict.fromkeys([*VERDICTS, *RULES])]
            longer = [each for each in codes if each.startswith(known)]
            hint = f"did you mean {one_of(longer)}?" if longer else did_you_mean(code, codes)
            raise CommandError(
                f"there is no code '{code}'{f' ({hint})' if hint else ''}; `vqs rule` lists those there are"
            )
        if known:
            text = rules.explanation(VERDICTS.get(known), RULES.get(known), view)
        else:
            text = rules.listing(VERDICTS.values(), RULES.values(), view)
        output.write(text, None)
