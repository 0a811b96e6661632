"""`vqs help`: what docs/ say about a topic."""

from vqs.cli import output
from vqs.cli.app import COMMANDS
from vqs.cli.arguments.help import Help
from vqs.cli.failures import CommandError
from vqs.report.help import TOPICS, listing, text_of
from vqs.snapshot.reading.diagnostics import did_you_mean


def run(arguments: Help) -> int:
    """Show the topic, or list all of them."""
    name = arguments.topic.casefold()
    if name and name not in TOPICS:
        near = did_you_mean(name, TOPICS)
        hint = f"vqs {name} --help shows its options" if name in COMMANDS else near or "vqs help lists them"
        raise CommandError(f"there is no topic '{arguments.topic}' ({hint})")
    output.write(text_of(TOPICS[name]) if name else listing(), None)
    return 0
