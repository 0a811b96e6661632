"""`vqs rule`: what a verdict or a lint rule means, or a text that the scheduler has left somewhere."""

import sys
from collections.abc import Iterable
from typing import Final

from vqs.cli import completion, output
from vqs.cli.command import command
from vqs.cli.failures import CommandError, say
from vqs.cli.options import NO_COLOR, argument, option
from vqs.explain.texts.node_reasons import Reading
from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.paths import STDIN
from vqs.report.formats import View

_SHOWN: Final = 20
"""The most texts that are explained; a log has thousands."""

_LONGEST: Final = 1 << 16
"""The most bytes of a line of standard input that are taken at once."""

_QUOTED: Final = 80

_HELP = """
Explain a CODE or a MESSAGE: what it means, why that is so, what to do, and an example.

A CODE is a verdict, the reason `vqs simulate` gives for a task that is not placed, or a lint rule of `vqs lint`.
A MESSAGE is one of the scheduler, in quotes; it is explained with the verdicts that match it. Without CODE, all
codes are listed.
"""

_EXAMPLES = """
\b
Examples:
  vqs rule
  vqs rule queue-limit
  vqs rule guarantee-above-deserved
  vqs rule '0/4 nodes are unavailable: 4 Insufficient cpu.'
  kubectl describe pod NAME | vqs rule --message -
"""


@command(
    "rule",
    _HELP,
    _EXAMPLES,
    argument("code", "[CODE|MESSAGE]", default="", complete=completion.codes),
    option(
        "--message -m",
        "TEXT",
        "The message of a pod or PodGroup, as kubectl describe shows it, or a line of the scheduler's log; "
        "- reads standard input.",
    ),
    NO_COLOR,
    limits=False,
)
def run(*, code: str, message: str | None, no_color: bool) -> int:
    """Explain the code or the text, or list all codes."""
    view = output.on_terminal(View(), no_color=no_color)
    if message is None:
        asked = "-".join(code.casefold().split())
        is_message = asked != code.casefold() and asked not in _codes()
        text = _about_texts(code, view) if is_message else _about_code(asked, view)
    elif code:
        raise CommandError("CODE and --message exclude each other: give one of them")
    else:
        text = _about_texts(message, view)
    output.write(text, None)
    return 0


def _codes() -> tuple[str, ...]:
    """Return all codes, with those of plugins from outside the package."""
    from vqs.lint.registry import RULES

    return tuple(dict.fromkeys([*VERDICT_RULES, *RULES]))


def _about_code(code: str, view: View) -> str:
    from vqs.lint.registry import RULES
    from vqs.report import rules
    from vqs.snapshot.reading.diagnostics import did_you_mean, one_of

    if not code:
        return rules.listing(VERDICT_RULES.values(), RULES.values(), view)
    codes = _codes()
    if code not in codes:
        longer = [each for each in codes if each.startswith(code)]
        hint = f"did you mean {one_of(longer)}?" if longer else did_you_mean(code, codes)
        raise CommandError(f"there is no code '{code}'{f' ({hint})' if hint else ''}; `vqs rule` lists those there are")
    return rules.explanation(VERDICT_RULES.get(code), RULES.get(code), view)


def _about_texts(message: str, view: View) -> str:
    from vqs.explain.texts.grammar import read_text
    from vqs.report.rules import explanations

    lines: Iterable[str] = message.splitlines()
    if message == STDIN:
        if sys.stdin is None:
            raise CommandError("there is no standard input to read messages from")
        if sys.stdin.isatty():
            say("reading standard input; end with Ctrl-D")
        pieces: Iterable[bytes] = iter(lambda: sys.stdin.buffer.readline(_LONGEST), b"")
        lines = (piece.decode("utf-8", "replace") for piece in pieces)
    readings = dict[str, Reading]()
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
        if not first:
            raise CommandError("there is no message to explain: --message is empty")
        quoted = first if len(first) <= _QUOTED else f"{first[:_QUOTED]} ..."
        raise CommandError(
            f"vqs knows no text of the scheduler in '{quoted}'; it reads the messages of pods and PodGroups, and the "
            "lines of the log that verdicts name (`vqs rule CODE` shows them)"
        )
    return explanations([*readings.values()], view, more=more, unknown=unknown)
