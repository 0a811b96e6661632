"""The result document."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import msgspec
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from tests.report.writers import as_json as simulation
from vqs.explain.outcome import Simulation
from vqs.report import schema
from vqs.report.as_json import document
from vqs.report.formats import View


def test_document_is_stable(result: Simulation, snapshot: SnapshotAssertion) -> None:
    """The document has these bytes: order of keys, indentation, numbers, a newline at the end."""
    assert simulation(result, View()) == snapshot


def test_document_validates_against_the_published_schema(result: Simulation) -> None:
    """What `--format json` writes is what `vqs schema simulation` promises."""
    published = schema.result("simulation")
    jsonschema.Draft202012Validator.check_schema(published)
    jsonschema.Draft202012Validator(published).validate(json.loads(simulation(result, View())))


def test_schema_rejects_another_kind_of_document(result: Simulation) -> None:
    """The tag of the document is a part of the schema."""
    other = {**json.loads(simulation(result, View())), "schema": "vqs/simulation/v3"}
    [error] = jsonschema.Draft202012Validator(schema.result("simulation")).iter_errors(other)
    assert error.instance == "vqs/simulation/v3"


def test_schema_describes_every_part() -> None:
    """Each definition of the schema says what it is, in paragraphs of running text."""
    definitions = schema.result("simulation")["$defs"]
    assert all(definition["description"] for definition in definitions.values())
    paragraphs = [text for definition in definitions.values() for text in definition["description"].split("\n\n")]
    assert not any("\n" in paragraph for paragraph in paragraphs)


def test_document_reads_back_as_the_result(result: Simulation) -> None:
    """Nothing is lost on the way out and in again."""
    assert msgspec.json.decode(simulation(result, View()), type=Simulation) == result


def numbers_in(value: Any) -> list[Any]:
    """Return what is neither a list nor a mapping."""
    if isinstance(value, dict):
        value = list(value.values())
    return [leaf for inner in value for leaf in numbers_in(inner)] if isinstance(value, list) else [value]


@given(
    st.recursive(
        st.floats(allow_nan=False, allow_infinity=False)
        | st.integers(-(10**18), 10**18)
        | st.text()
        | st.sampled_from(["28.0", "1e16", "a 5.0\n", '"1.0', "\\1.0", "1.0,"]),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
        max_leaves=12,
    )
)
def test_whole_numbers_are_written_without_a_fraction(value: Any) -> None:
    """A document holds the values it was given, and a reader takes no whole number in it for a float."""
    text = document(value)
    assert json.loads(text) == value
    assert not any(isinstance(number, float) and number.is_integer() for number in numbers_in(json.loads(text)))
