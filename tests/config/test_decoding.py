"""Arguments that Volcano decodes strictly become structures without gaps."""

from __future__ import annotations

from typing import Any

import pytest

from vqs.config.arguments import Arguments
from vqs.config.known_arguments import PLUGIN_ARGUMENTS

KNOWN = PLUGIN_ARGUMENTS["resource-strategy-fit"]


def decoded(key: str, value: object) -> tuple[Any, list[str]]:
    """Return what an argument of resource-strategy-fit is decoded into, and the warnings."""
    arguments = Arguments(KNOWN, {key: value})
    return arguments.decoded(key), arguments.warnings


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("resourceStrategyFitWeight", 3, 3),
        ("resourceStrategyFitWeight", -2.9, -2),
        ("resourceStrategyFitWeight", None, 0),
        ("resources", None, {}),
        ("resources", {"cpu": None}, {"cpu": {"type": "", "weight": 0}}),
        ("resources", {"cpu": {"TYPE": "x", "Weight": 2, "more": 1}}, {"cpu": {"type": "x", "weight": 2}}),
        (
            "proportional",
            {"resourceproportion": {"a.cpu": 4, "a.memory": 0.5}},
            {"enable": False, "resources": "", "resourceProportion": {"a.cpu": 4.0, "a.memory": 0.5}},
        ),
    ],
)
def test_values_are_decoded(key: str, value: object, expected: object) -> None:
    """Names of fields fold, fractions are cut off, and what is missing comes to nothing."""
    assert decoded(key, value) == (expected, [])


def test_an_argument_that_is_not_given_is_none() -> None:
    """So that it can be told from one that is given as null."""
    assert Arguments(KNOWN, {}).decoded("resources") is None


@pytest.mark.parametrize(
    ("key", "value", "name"),
    [
        ("resourceStrategyFitWeight", "3", "resourceStrategyFitWeight: '3' is not a whole number"),
        ("resourceStrategyFitWeight", True, "resourceStrategyFitWeight: True is not a whole number"),
        ("resources", {"cpu": {"weight": "2"}}, "resources.cpu.weight: '2' is not a whole number"),
        ("sra", {"enable": "yes"}, "sra.enable: 'yes' is not true or false"),
        ("sra", [], "sra: [] is not an object"),
    ],
)
def test_what_cannot_be_decoded_is_a_warning(key: str, value: object, name: str) -> None:
    """The real scheduler would not run at all."""
    _, warnings = decoded(key, value)
    assert warnings == [f"{name}, and the scheduler exits; here it counts as not given"]
