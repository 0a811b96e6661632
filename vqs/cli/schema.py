"""`vqs schema`: the JSON Schema of what vqs writes."""

from enum import StrEnum
from typing import Annotated

import typer

from vqs.cli.failures import reported
from vqs.cli.options import Debug, one_of
from vqs.cli.output import write

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
    LINT = "lint"
    DIFF = "diff"
    FIT = "fit"
    VERIFICATION = "verification"
    REFUSAL = "refusal"
    SCENARIO = "scenario"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=_EXAMPLES, short_help="Print the JSON Schema of a kind of document.")(schema)


def schema(
    document: Annotated[
        Document,
        typer.Argument(parser=one_of(Document), metavar="DOCUMENT", hidden=True),
    ],
    *,
    debug: Debug = False,
) -> None:
    """Print the JSON Schema of a DOCUMENT.

    simulation is what `vqs simulate --format json` writes, cycles what it writes with --cycles, queues what `vqs
    explain-queue --format json` does, job what `vqs explain-job --format json` does, lint what `vqs lint --format json`
    does, diff what `vqs diff-configs --format json` does, fit what `vqs fit --format json` does, verification what
    `vqs verify --format json` does, refusal what all of them write in place of that about an input with errors, and
    scenario what people write to try an idea; editors complete it if they are told of its schema in the first line:
    # yaml-language-server: $schema=.scenario.schema.json
    """
    with reported(debug=debug):
        # Imported late: the classes of the results need msgspec.
        from vqs.report import as_json  # noqa: PLC0415
        from vqs.report import schema as schemas  # noqa: PLC0415

        made = schemas.scenario() if document is Document.SCENARIO else schemas.result(document)
        write(as_json.document(made), None)
