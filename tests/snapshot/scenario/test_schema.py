"""Whether a scenario follows the schema is told as jsonschema tells it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.properties import examples
from vqs.model.moments import parse_moment
from vqs.snapshot.scenario.schema import conforms, schema, starter

FOLDER = Path(__file__).parents[3] / "scenarios"
VALUES: list[Any] = [None, True, 0, 3, -1, 2.0, 2.5, 10**12, "", "all", "3", "2026-03-02T12:00:00Z", "20%", [], {}]
ODD = [*VALUES, ["a"], [1], {"a": 1}, {"name": "a"}, {"cpu": 1, "empirical": [1]}]


class PlainLoader(yaml.SafeLoader):
    """A loader that takes times for texts."""


PlainLoader.yaml_implicit_resolvers = {
    first: [each for each in found if each[0] != "tag:yaml.org,2002:timestamp"]
    for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def scenarios() -> list[Any]:
    """Return the scenarios of the project."""
    texts = [starter(), *(path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.yaml")))]
    found = [each for text in texts for each in yaml.load_all(text, PlainLoader)]
    return [each for each in found if isinstance(each, dict) and each.get("kind") == "Scenario"]


SCENARIOS = scenarios()
CHECKER = jsonschema.FormatChecker(formats=())
CHECKER.checks("date-time")(lambda value: not isinstance(value, str) or parse_moment(value) is not None)
VALIDATOR = jsonschema.Draft7Validator(schema(), format_checker=CHECKER)


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the places of a document below its top."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [*([path] if path else []), *(each for key, inner in entries for each in paths(inner, (*path, key)))]


def changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """Return a document with another value at a place."""
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = changed(value[path[0]], path[1:], new)
    return copy


def test_scenarios_of_the_project_conform() -> None:
    """No scenario that is as it should be needs jsonschema."""
    assert len(SCENARIOS) > 50
    assert [each for each in SCENARIOS if not conforms(each, schema(), schema())] == []


@settings(max_examples=examples(300))
@given(data=st.data())
def test_mistakes_are_those_that_jsonschema_finds(data: st.DataObject) -> None:
    """A scenario with an odd value somewhere conforms where jsonschema has no error."""
    scenario = data.draw(st.sampled_from(SCENARIOS))
    edited = changed(scenario, data.draw(st.sampled_from(paths(scenario))), data.draw(st.sampled_from(ODD)))
    assert conforms(edited, schema(), schema()) == VALIDATOR.is_valid(edited)


def test_unknown_keywords_are_left_to_jsonschema() -> None:
    """A schema with a keyword that is not known here is not said to be followed."""
    assert not conforms(1, {"multipleOf": 1}, {})


@pytest.mark.parametrize("name", sorted(schema()["definitions"]))
def test_examples_conform(name: str) -> None:
    """What the schema gives as an example conforms to it."""
    part = schema()["definitions"][name]
    assert all(conforms(each, part, schema()) for each in part.get("examples", []))
