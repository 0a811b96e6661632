"""The JSON Schema of what the commands write, made from the classes of the results, and of what they read."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import msgspec

from vqs.report.saved import RESULTS
from vqs.snapshot.scenario.schema import schema as scenario_schema
from vqs.sweep.read import schema as plan_schema

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def result(name: str) -> dict[str, Any]:
    """Return the schema of a result; the docstring of the module that defines it describes it."""
    kind = RESULTS[name]
    schema = msgspec.json.schema(kind)
    for definition in schema["$defs"].values():
        definition["description"] = _prose(definition.get("description"))
    return {
        "$schema": DIALECT,
        "$id": f"urn:vqs:schema:{name}:{str(kind.__struct_config__.tag).rpartition('/')[2]}",
        "title": f"vqs {name}",
        "description": _prose(sys.modules[kind.__module__].__doc__),
        **schema,
    }


def plan(kind: str) -> Mapping[str, Any]:
    """Return the schema of the plans that people write: those of a sweep, or of a tune."""
    whole = plan_schema()
    return {
        **whole,
        "$id": f"urn:vqs:schema:{kind}-plan:v1",
        "title": f"vqs {kind} plan",
        "description": whole["definitions"][kind]["description"],
        "$ref": f"#/definitions/{kind}",
    }


INPUTS: Final[Mapping[str, Callable[[], Mapping[str, Any]]]] = {
    "scenario": scenario_schema,
    "sweep-plan": partial(plan, "sweep"),
    "tune-plan": partial(plan, "tune"),
}
"""The documents that people write."""


def of_document(name: str) -> Mapping[str, Any]:
    """Return the schema of a document that commands write, or that people do."""
    return INPUTS[name]() if name in INPUTS else result(name)


def _prose(docstring: str | None) -> str:
    """Return a docstring as running text: a schema's reader breaks lines where it wants to."""
    paragraphs = inspect.cleandoc(docstring or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
