"""`vqs schema`: the JSON Schema of what vqs writes."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from vqs.cli import output
from vqs.cli.arguments.schema import Document, Schema
from vqs.report import as_json, schema

INPUTS: Final[Mapping[Document, Callable[[], Mapping[str, Any]]]] = {
    Document.SCENARIO: schema.scenario,
    Document.SWEEP_PLAN: partial(schema.plan, "sweep"),
    Document.TUNE_PLAN: partial(schema.plan, "tune"),
}
"""The documents that people write."""


def run(arguments: Schema) -> int:
    """Write the schema."""
    chosen = arguments.document
    made = INPUTS[chosen]() if chosen in INPUTS else schema.result(chosen)
    output.write(as_json.document(made), None)
    return 0
