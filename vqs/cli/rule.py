"""`vqs rule`: what a verdict or a lint rule means, or a text that the scheduler has left somewhere."""

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Final

import typer

from vqs.cli import completion, output
from vqs.cli.failures import CommandError, reported, say
from vqs.cli.inputs import STDIN
from vqs.cli.options import Debug, NoColor
from vqs.report.formats import Format, View

if TYPE_CHECKING:
    from vqs.explain.texts.reading import Reading

_EXAMPLES = """
\b
Examples:
  vqs rule
  vqs rule queue-limit
  vqs rule guarantee-above-deserved
  vqs rule --message '0/4 nodes are unavailable: 4 Insufficient cpu.'
  kubectl describe pod NAME | vqs rule --message -
"""

_SHOWN: Final = 20
"""So many different texts are explained; a log has thousands."""

_LONGEST: Final = 1 << 16
"""A line of standard input is taken in pieces of so many bytes."""

_QUOTED: Final = 80


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=_EXAMPLES, short_help="Explain a code, or a text that the scheduler has written.")(rule)


def rule(
    code: Annotated[str, typer.Argument(metavar="[CODE]", hidden=True, autocompletion=completion.codes)] = "",
    *,
    message: Annotated[
        str | None,
        typer.Option(
            "--message",
            "-m",
            metavar="TEXT",
            help="A text as kubectl describe shows it, of a pod or a PodGroup, or a line of the scheduler's log; - "
            "reads such texts from standard input.",
        ),
    ] = None,
    no_color: NoColor = False,
    debug: Debug = False,
) -> None:
    """Explain a CODE: what it means, why that is so, what to do, and an example.

    Verdicts are what `vqs simulate` says of a task that has no place, lint rules what `vqs lint` finds. Without CODE,
    all codes are listed. With --message, say what a text of the scheduler stands for, and which verdicts it may come
    from.
    """
    with reported(debug=debug):
        view = output.fitted(View(), Format.TABLE, None, no_color=no_color)
        if message is None:
            text = _about_code(code, view)
        elif code:
            raise CommandError("a CODE and --message do not go together: each is explained by itself")
        else:
            text = _about_texts(message, view)
        output.write(text, None)


def _about_code(code: str, view: View) -> str:
    # Imported late: `--help` needs none of it.
    from vqs.explain.rules import RULES as VERDICTS  # noqa: PLC0415
    from vqs.lint.registry import RULES  # noqa: PLC0415
    from vqs.report import rules  # noqa: PLC0415
    from vqs.snapshot.diagnostics import did_you_mean, one_of  # noqa: PLC0415

    known = code.casefold()
    if not known:
        return rules.listing(VERDICTS.values(), RULES.values(), view)
    if known not in {*VERDICTS, *RULES}:
        codes = [*dict.fromkeys([*VERDICTS, *RULES])]
        longer = [each for each in codes if each.startswith(known)]
        hint = f"did you mean {one_of(longer)}?" if longer else did_you_mean(code, codes)
        raise CommandError(f"there is no code '{code}'{f' ({hint})' if hint else ''}; `vqs rule` lists those there are")
    return rules.explanation(VERDICTS.get(known), RULES.get(known), view)


def _about_texts(message: str, view: View) -> str:
    # Imported late, as above.
    from vqs.explain.texts.grammar import read_text  # noqa: PLC0415
    from vqs.report.texts import explanations  # noqa: PLC0415

    lines = _piped_lines() if message == STDIN else message.splitlines()
    readings: dict[str, Reading] = {}
    more, unknown, first = 0, 0, ""
    for line in filter(str.strip, lines):
        reading = read_text(line)
        if reading is None:
            unknown, first = unknown + 1, first or line.strip()
        elif len(readings) < _SHOWN:
            readings.setdefault(reading.text, reading)
        else:
            more += reading.text not in readings
    if not readings:
        raise CommandError(_none_known(first))
    return explanations([*readings.values()], view, more=more, unknown=unknown)


def _piped_lines() -> Iterator[str]:
    if sys.stdin is None:
        raise CommandError("there is no standard input to read texts from")
    if sys.stdin.isatty():
        say("reading standard input; end with Ctrl-D")
    pieces: Iterable[bytes] = iter(lambda: sys.stdin.buffer.readline(_LONGEST), b"")
    return (piece.decode("utf-8", "replace") for piece in pieces)


def _none_known(line: str) -> str:
    if not line:
        return "there is no text to explain: --message got nothing but white space"
    quoted = line if len(line) <= _QUOTED else f"{line[:_QUOTED]} ..."
    return (
        f"vqs knows no text of the scheduler in '{quoted}'; it reads the messages of pods and PodGroups, and the lines "
        "of the log that verdicts name (`vqs rule CODE` shows them)"
    )
