"""`vqs schema`: the JSON Schema of what vqs writes."""

from vqs.cli import output
from vqs.cli.arguments.schema import Document, Schema
from vqs.report import as_json, schema


def run(arguments: Schema) -> int:
    """Write the schema."""
    chosen = arguments.document
    made = schema.scenario() if chosen is Document.SCENARIO else schema.result(chosen)
    output.write(as_json.document(made), None)
    return 0
