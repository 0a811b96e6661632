"""The published schema of scenarios, and what the starter promises."""

from __future__ import annotations

import io
from typing import Any

import jsonschema

from vqs.snapshot.reading.reader import read_manifests
from vqs.snapshot.scenario.schema import schema, starter


def parts(part: Any) -> list[dict[str, Any]]:
    """Return every mapping in a part of the schema."""
    inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    return [*([part] if isinstance(part, dict) else []), *(each for child in inner for each in parts(child))]


def test_schema_is_one() -> None:
    """The schema is a valid one of the draft that it names."""
    jsonschema.Draft7Validator.check_schema(schema())
    assert schema()["$schema"] == jsonschema.Draft7Validator.META_SCHEMA["$schema"]


def test_references_lead_somewhere() -> None:
    """Whatever the schema refers to is in it."""
    for part in parts(schema()):
        node: Any = schema()
        for step in part.get("$ref", "#").split("/")[1:] if isinstance(part.get("$ref"), str) else ():
            node = node[step]
        assert node


def test_examples_are_valid() -> None:
    """An example in the schema, which an editor offers, is one that the schema allows."""
    definitions = schema()["definitions"]
    for part in parts(schema()):
        examples = part.get("examples")
        for example in examples if isinstance(examples, list) else ():
            jsonschema.Draft7Validator({**part, "definitions": definitions}).validate(example)


def test_keys_at_the_top_are_described() -> None:
    """Each key that a scenario, a node, a queue and a job can have says what it is, or is clear by its name."""
    clear = {"apiVersion", "kind", "name", "namespace", "annotations", "expect"}
    definitions = schema()["definitions"]
    for properties in (schema()["properties"], *(definitions[name]["properties"] for name in ("node", "queue", "job"))):
        for key, part in properties.items():
            referred = definitions["podKeys"]["properties"].get(key, {})
            assert key in clear or "description" in part or "description" in referred, key


def test_starter_is_sound() -> None:
    """The scenario that beginners get has no error and no warning, and expects something."""
    read = read_manifests(["-"], stdin=io.BytesIO(starter().encode()))
    assert read.notes == []
    assert read.expectations
    assert read.scheduler.source == "built-in"
