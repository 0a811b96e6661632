"""`vqs schema`: the JSON Schema of what vqs writes."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Final

import typer

from vqs.cli.command import command
from vqs.cli.options import Debug, one_of

_EXAMPLES = """
\b
Examples:
  vqs schema simulation > simulation.schema.json
  vqs schema scenario > .scenario.schema.json
"""


class Document(StrEnum):
    """A kind of document that has a schema."""

    SIMULATION = "simulation"
    CYCLES = "cycles"
    QUEUES = "queues"
    JOB = "job"
    WAITING = "waiting"
    LINT = "lint"
    DIFF = "diff"
    FIT = "fit"
    VERIFICATION = "verification"
    REFUSAL = "refusal"
    SCENARIO = "scenario"


@dataclass(frozen=True, kw_only=True)
class Schema:
    """Print the JSON Schema of a DOCUMENT.

    simulation is what `vqs simulate --format json` writes, cycles what it writes with --cycles, queues what `vqs
    explain-queue --format json` does, job what `vqs explain-job --job NAME --format json` does, waiting what it writes
    without --job, lint what `vqs lint --format json` does, diff what `vqs diff-configs --format json` does, fit what
    `vqs fit --format json` does, verification what `vqs verify --format json` does, refusal what all of them write in
    place of that about an input with errors, and scenario what people write to try an idea; editors complete it if the
    first line names its schema: # yaml-language-server: $schema=.scenario.schema.json
    """

    document: Annotated[
        Document,
        typer.Argument(parser=one_of(Document), metavar="DOCUMENT", hidden=True),
    ]
    debug: Debug = False


COMMAND: Final = command("schema", Schema, _EXAMPLES)
