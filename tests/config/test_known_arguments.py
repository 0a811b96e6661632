"""What is known about plugins and their arguments agrees with itself and with the plugins that are built."""

from __future__ import annotations

from typing import Any

import pytest

from vqs.config.known_arguments import (
    ACTION_ARGUMENTS,
    PLUGIN_ARGUMENTS,
    Argument,
    Arguments,
    Kind,
    Outcome,
    find_argument,
)
from vqs.config.known_plugins import ACTIONS, NEEDS_HIERARCHY, PLUGINS, REHEARSES, WITH_HIERARCHY
from vqs.config.scheduler_conf import FLAGS, PluginOption, built_in_configuration
from vqs.engine.framework import registry


def test_names_agree() -> None:
    """Each plugin and action has a list of arguments, and each list its plugin or action."""
    assert set(PLUGIN_ARGUMENTS) == set(PLUGINS)
    assert set(ACTION_ARGUMENTS) == set(ACTIONS)
    assert set(registry.PLUGINS) <= set(PLUGINS)
    assert set(registry.ACTIONS) <= set(ACTIONS)
    assert {option.name for tier in built_in_configuration().tiers for option in tier.plugins} <= set(PLUGINS)


def test_flags_exist() -> None:
    """What a plugin has a say in is named by a flag that exists."""
    says = [*PLUGINS.values(), *REHEARSES.values(), *NEEDS_HIERARCHY.values()]
    assert {flag for flags in says for flag in flags} <= set(FLAGS)
    assert {*WITH_HIERARCHY, *REHEARSES, *NEEDS_HIERARCHY} <= set(PLUGINS)


@pytest.mark.parametrize("plugin", registry.PLUGINS)
def test_types_are_those_of_the_plugins(plugin: str) -> None:
    """A plugin that is given nonsense names the type that the table has."""
    known = PLUGIN_ARGUMENTS[plugin]
    arguments = Arguments(known, {argument.name: [] for argument in known})
    registry.PLUGINS[plugin](PluginOption(plugin, arguments))

    for warning in arguments.warnings:
        name, _, told = warning.partition(": ")
        argument = find_argument(known, name)
        assert argument is not None
        comes_of_it = ", and the scheduler exits" if argument.is_fatal else "; the default "
        assert told.startswith(f"[] is not {argument.kind.value}{comes_of_it}")


def test_free_parts() -> None:
    """A name with a free part stands for many; one without goes first."""
    known = PLUGIN_ARGUMENTS["binpack"]
    names = ("binpack.resources", "binpack.resources.nvidia.com/gpu", "binpack.resources.", "binpack")
    found = [find_argument(known, name) for name in names]

    assert [argument and argument.name for argument in found] == [
        "binpack.resources",
        "binpack.resources.*",
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("kind", "value", "fits", "fits_decoded"),
    [
        (Kind.INT, 1, True, True),
        (Kind.INT, 1.5, False, True),
        (Kind.INT, "1", False, False),
        (Kind.INT, True, False, False),
        (Kind.INT, None, False, True),
        (Kind.NUMBER, 1.5, True, True),
        (Kind.BOOL, True, True, True),
        (Kind.BOOL, "true", False, False),
        (Kind.TEXT, "a", True, True),
        (Kind.DURATION, 60, False, False),
        (Kind.TEXTS, ["a"], True, True),
        (Kind.TEXTS, ["a", 1], False, False),
        (Kind.TEXTS, "a", False, False),
        (Kind.LIST, [], True, True),
        (Kind.OBJECT, {}, True, True),
        (Kind.OBJECT, [], False, False),
    ],
)
def test_types(kind: Kind, value: object, fits: bool, fits_decoded: bool) -> None:
    """Volcano asserts most types, and decodes some, which takes fractions and null, too."""
    assert Argument("a", kind).accepts(value) is fits
    assert Argument("a", kind, wrong=Outcome.EXIT).accepts(value) is fits_decoded


@pytest.mark.parametrize(
    ("text", "reads"), [("10:00-21:00", True), ("9:05-08:00", True), ("10-21", False), ("", False)]
)
def test_hours(text: str, reads: bool) -> None:
    """A revocable zone is open between two times of the day."""
    assert Argument("zone", Kind.HOURS).reads(text) is reads


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
def test_types_of_arguments(method: str, accepted: dict[str, object]) -> None:
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
