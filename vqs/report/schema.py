"""The JSON Schema of what the commands write, made from the classes of the results, and of what they read."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Final

import msgspec

from vqs.explain import outcome
from vqs.explain.outcome import Simulation
from vqs.snapshot.scenario.schema import schema as scenario_schema

if TYPE_CHECKING:
    from collections.abc import Mapping

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def simulation() -> dict[str, Any]:
    """Return the schema of `vqs simulate --format json`."""
    return {
        "$schema": DIALECT,
        "$id": "urn:vqs:schema:simulation:v1",
        "title": "vqs simulation",
        "description": _prose(outcome.__doc__),
        **_definitions(Simulation),
    }


def scenario() -> Mapping[str, Any]:
    """Return the schema of the scenarios that people write."""
    return scenario_schema()


def _definitions(result: type[msgspec.Struct]) -> Mapping[str, Any]:
    schema = msgspec.json.schema(result)
    for definition in schema["$defs"].values():
        definition["description"] = _prose(definition.get("description"))
    return schema


def _prose(docstring: str | None) -> str:
    """Return a docstring as running text: a schema's reader breaks lines where it wants to."""
    paragraphs = inspect.cleandoc(docstring or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
