"""`vqs schema`: the JSON Schema of what vqs writes."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from vqs.cli import output
from vqs.cli.arguments.schema import Document, Schema
from vqs.report import as_json, schema

_SCHEMAS: Final[Mapping[Document, Callable[[], Any]]] = {
    Document.SIMULATION: schema.simulation,
    Document.CYCLES: schema.cycles,
    Document.QUEUES: schema.queues,
    Document.JOB: schema.job,
    Document.LINT: schema.lint,
    Document.DIFF: schema.diff,
    Document.FIT: schema.fit,
    Document.VERIFICATION: schema.verification,
    Document.REFUSAL: schema.refusal,
    Document.SCENARIO: schema.scenario,
}


def run(arguments: Schema) -> int:
    """Write the schema."""
    output.write(as_json.document(_SCHEMAS[arguments.document]()), None)
    return 0
