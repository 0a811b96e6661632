"""`vqs help`: what docs/ say about a topic."""

from vqs.cli import completion, output
from vqs.cli.app import COMMANDS
from vqs.cli.command import command
from vqs.cli.failures import CommandError
from vqs.cli.options import argument
from vqs.report.formats import View
from vqs.report.help import SYNONYMS, TOPICS, laid_out, listing, mentions, text_of

_HELP = """
Show a page of the documentation by its TOPIC, list the topics, or find those that words are in.
"""

_EXAMPLES = """
\b
Examples:
  vqs help
  vqs help edits
  vqs help quota
  vqs help exit-codes
"""


@command(
    "help",
    _HELP,
    _EXAMPLES,
    argument("words", "[TOPIC]...", many=True, complete=completion.one_of(TOPICS)),
    plugins=False,
    limits=False,
)
def run(*, words: tuple[str, ...]) -> int:
    """Show the topic, or list all of them; for other words, the topics and codes that they are in."""
    from vqs.explain.verdict_rules import VERDICT_RULES
    from vqs.lint.registry import RULES
    from vqs.snapshot.reading.diagnostics import did_you_mean

    view = output.on_terminal(View(), no_color=False)
    given = [each.casefold() for each in words]
    joined = "-".join(given)
    asked = [SYNONYMS[joined]] if joined in SYNONYMS else [SYNONYMS.get(each, each) for each in given]
    name = asked[0] if len(asked) == 1 else joined
    if name and name not in TOPICS:
        hint = f"vqs {name} --help shows its options" if name in COMMANDS else did_you_mean(name, TOPICS)
        told = {
            str(each.code): (each.title, f"{each.meaning} {each.why} {each.remedy}") for each in VERDICT_RULES.values()
        }
        told |= {each.code: (each.title, f"{each.meaning} {each.why} {each.fix}") for each in RULES.values()}
        found = "" if hint else mentions(asked, told, view.width)
        if not found and (page := next((each for each in asked if each in TOPICS), "")):
            found = laid_out(text_of(TOPICS[page]), view)
        if not found:
            raise CommandError(f"there is no topic '{' '.join(words)}' ({hint or 'vqs help lists them'})")
        output.write(found, None)
        return 0
    output.write(laid_out(text_of(TOPICS[name]), view) if name else listing(view.width), None)
    return 0
