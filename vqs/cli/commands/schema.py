"""`vqs schema`: the JSON Schema of what vqs writes."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Final

import typer

from vqs.cli import output
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
    SWEEP = "sweep"
    TUNE = "tune"
    REPLAY = "replay"
    REPLAYS = "replays"
    VERIFICATION = "verification"
    PLUGINS = "plugins"
    VERSIONS = "versions"
    REFUSAL = "refusal"
    SCENARIO = "scenario"
    SWEEP_PLAN = "sweep-plan"
    TUNE_PLAN = "tune-plan"


@dataclass(frozen=True, kw_only=True)
class Schema:
    """Print the JSON Schema of a DOCUMENT.

    With --format json, `vqs simulate` writes a simulation, or cycles with --cycles; `vqs explain-queue` writes
    queues; `vqs explain-job` writes a job with --job, else waiting; `vqs lint` writes lint; `vqs diff-configs`
    writes a diff; `vqs fit` writes a fit; `vqs sweep` writes a sweep; `vqs tune` writes a tune; `vqs replay` writes a
    replay, or replays of several policies or seeds; `vqs verify` writes a verification; `vqs plugins` writes plugins.
    Each writes a refusal instead if its input has errors.

    A scenario and the plans of a sweep and a tune are input files. Editors complete their keys if the first line names
    the schema:
    # yaml-language-server: $schema=.scenario.schema.json
    """

    document: Annotated[
        Document,
        typer.Argument(parser=one_of(Document), metavar="DOCUMENT", hidden=True),
    ]
    debug: Debug = False


def run(arguments: Schema) -> int:
    """Write the schema."""
    from vqs.report import as_json, schema

    output.write(as_json.document(schema.of_document(arguments.document)), None)
    return 0


COMMAND: Final = command("schema", Schema, run, _EXAMPLES)
