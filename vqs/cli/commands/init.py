"""`vqs init`: a scenario to start from."""

from pathlib import Path

from vqs.cli import output
from vqs.cli.command import command
from vqs.cli.failures import CommandError, say
from vqs.cli.groups import on_files
from vqs.cli.options import argument
from vqs.snapshot.scenario.schema import starter

_HELP = """
Write a scenario to start from: a small cluster, a few jobs and their expected results, with comments.

FILE is scenario.yaml by default, and - is standard output. An existing file is not overwritten.
"""

_EXAMPLES = """
\b
Examples:
  vqs init
  vqs init idea.yaml
  vqs init - | vqs simulate
"""


@command(
    "init",
    _HELP,
    _EXAMPLES,
    argument("file", "[FILE]", default="scenario.yaml"),
    plugins=False,
    limits=False,
)
def run(*, file: str) -> int:
    """Write the scenario."""
    if file == "-":
        output.write(starter(), None)
        return 0
    target = Path(file)
    output.check(target)
    if target.exists():
        raise CommandError(f"{target} exists already: name another file, or - for standard output")
    output.write(starter(), target)
    following = on_files(str(target)).command("simulate", "").command
    say(f"{target} is written; now run: {following}")
    return 0
