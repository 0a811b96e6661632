"""Every plugin and action of Volcano is modelled; what is unknown, or of a wrong type, is a warning."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from tests.build import CONF, gang, manifests, node, queue
from vqs.config.known_arguments import ACTION_ARGUMENTS
from vqs.config.known_plugins import PLUGINS as KNOWN
from vqs.engine.framework.registry import ACTIONS, PLUGINS
from vqs.explain.simulate import SimulateOptions, simulate


def warnings(*objects: Any, conf: str = CONF) -> list[str]:
    """Return what a simulation warns of."""
    result = simulate(manifests([node("n1"), queue("default"), gang("j", 1), *objects], conf), SimulateOptions())
    return [f"{each.code}: {each.message}" for each in result.diagnostics if each.severity == "warning"]


def test_every_plugin_of_volcano_is_modelled() -> None:
    """None that lint knows is left out of a session."""
    assert set(PLUGINS) == set(KNOWN)


def test_every_action_of_volcano_is_modelled() -> None:
    """None that a configuration may name is left out of a session."""
    assert set(ACTIONS) == set(ACTION_ARGUMENTS)


def test_a_plugin_nobody_knows_is_left_out_as_volcano_does() -> None:
    """A misspelt plugin has no effect in Volcano; here that is said."""
    assert warnings(conf=CONF + "  - name: gangs\n") == [
        "unknown-plugin: plugin gangs is unknown: it is ignored, as in Volcano"
    ]


def test_an_argument_of_the_wrong_type_is_named() -> None:
    """Volcano takes the default without a word, for plugins and for actions."""
    configuration = 'configurations:\n- name: allocate\n  arguments: {predicateErrorCacheEnable: "no"}\n'
    text = CONF.replace("name: binpack", 'name: binpack\n    arguments: {binpack.weight: "5"}') + configuration
    assert warnings(conf=text) == [
        "wrong-argument: plugin binpack: binpack.weight: '5' is not a whole number; the default 1 is used",
        "wrong-argument: action allocate: predicateErrorCacheEnable: 'no' is not true or false; the default True is used",  # noqa: E501
    ]


@pytest.mark.parametrize("name", PLUGINS)
def test_plugins_are_named_as_they_name_themselves(name: str) -> None:
    """A plugin that is looked up by name knows itself by this name."""
    made: Any = PLUGINS[name]
    assert name == sys.modules[made.__module__].NAME


@pytest.mark.parametrize("name", ACTIONS)
def test_actions_are_named_as_they_name_themselves(name: str) -> None:
    """An action that is looked up by name knows itself by this name."""
    made: Any = ACTIONS[name]
    assert name == sys.modules[made.__module__].NAME
