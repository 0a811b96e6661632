"""What is known about plugins and their arguments agrees with itself and with the plugins that are built."""

import pytest

from vqs.config.arguments import Arguments
from vqs.config.known_arguments import (
    ACTION_ARGUMENTS,
    PLUGIN_ARGUMENTS,
    Argument,
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
