"""`vqs init`: a scenario to start from."""

from pathlib import Path
from typing import Final

from vqs.cli import output
from vqs.cli.again import on_files
from vqs.cli.arguments.init import Init
from vqs.cli.failures import CommandError, say
from vqs.snapshot.scenario.schema import starter

_STDOUT: Final = "-"


def run(arguments: Init) -> int:
    """Write the scenario."""
    if arguments.file == _STDOUT:
        output.write(starter(), None)
        return 0
    target = Path(arguments.file)
    output.check(target)
    if target.exists():
        raise CommandError(f"{target} exists already: name another file, or - for standard output")
    output.write(starter(), target)
    following = on_files(str(target)).command("simulate", "").command
    say(f"{target} is written; now run: {following}")
    return 0
