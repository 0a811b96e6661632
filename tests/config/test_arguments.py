"""Arguments are read by type."""

from __future__ import annotations

from typing import Any

import pytest

from vqs.config.arguments import Arguments
from vqs.config.known_arguments import PLUGIN_ARGUMENTS, Argument, Kind

ARGUMENTS = {"whole": 3, "fraction": 2.5, "flag": True, "text": "7", "huge": 2**63}


@pytest.mark.parametrize(
    ("method", "accepted"),
    [
        ("int", {"whole": 3}),
        ("float", {"whole": 3.0, "fraction": 2.5, "huge": 2.0**63}),
        ("bool", {"flag": True}),
        ("string", {"text": "7"}),
    ],
)
def test_types(method: str, accepted: dict[str, object]) -> None:
    """An argument of the right type is returned; another gives way to the default, with one warning."""
    default = {"int": 1, "float": 1.5, "bool": True, "string": "x"}[method]
    arguments = Arguments(
        [Argument(key, Kind.TEXT, str(default).replace("True", "true")) for key in ARGUMENTS], ARGUMENTS
    )

    for _ in range(2):
        read = {key: getattr(arguments, method)(key) for key in ARGUMENTS}

    assert read == {**dict.fromkeys(ARGUMENTS, default), **accepted}
    assert {warning.split(":")[0] for warning in arguments.warnings} == set(ARGUMENTS) - set(accepted)
    assert len(arguments.warnings) == len(ARGUMENTS) - len(accepted)


def test_not_given() -> None:
    """An argument that is not given is the default, without a warning."""
    arguments = Arguments([Argument("a", Kind.INT, "1"), Argument("b.*", Kind.NUMBER, "0.5"), Argument("c", Kind.TEXT)])

    assert (arguments.int("a"), arguments.float("b.x"), arguments.string("c")) == (1, 0.5, "")
    assert arguments.warnings == []


def test_not_known() -> None:
    """Nobody reads an argument that is not declared."""
    with pytest.raises(KeyError, match="a"):
        Arguments(()).int("a")


@pytest.mark.parametrize(("text", "value"), [("true", True), ("F", False), ("1", True), ("no", True)])
def test_a_text_may_count_as_true_or_false(text: str, value: bool) -> None:
    """Where that is wanted, and Go's strconv takes it for one; else the default counts, with a warning."""
    known = [Argument("flag", Kind.BOOL, "true")]
    reading = Arguments(known, {"flag": text}, reads_text=True)
    assert reading.bool("flag") is value
    assert bool(reading.warnings) == (text == "no")
    assert reading.unread().bool("flag") is value
    assert reading.unread(reads_text=False).bool("flag") is True


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
