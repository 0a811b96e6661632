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
"""


class Document(StrEnum):
    """A kind of document that has a schema."""

    SIMULATION = "simulation"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=_EXAMPLES, short_help="Print the JSON Schema of a result.")(schema)


def schema(
    document: Annotated[
        Document,
        typer.Argument(parser=one_of(Document), metavar="DOCUMENT", hidden=True),
    ],
    *,
    debug: Debug = False,
) -> None:
    """Print the JSON Schema (2020-12) of a DOCUMENT: simulation, which `vqs simulate --format json` writes."""
    with reported(debug=debug):
        # Imported late: the classes of the results need msgspec.
        from vqs.report import as_json  # noqa: PLC0415
        from vqs.report import schema as schemas  # noqa: PLC0415

        make = {Document.SIMULATION: schemas.simulation}[document]
        write(as_json.document(make()), None)
