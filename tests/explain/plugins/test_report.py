"""What `vqs plugins` says comes from the tables and the plugins themselves."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.build import manifests
from vqs.config.known_arguments import ACTION_ARGUMENTS, PLUGIN_ARGUMENTS, known_in
from vqs.config.known_plugins import PLUGINS as KNOWN
from vqs.config.scheduler_conf import built_in_configuration
from vqs.engine.framework import registry
from vqs.explain.plugins.outcome import PluginResult
from vqs.explain.plugins.report import UnknownPlugin, about, plugin_report
from vqs.explain.texts.node_reasons import reason_meaning
from vqs.releases.profile import DEFAULT_PROFILE, profile_of
from vqs.releases.release import Build, Release

ENGINE = Path(registry.__file__).parents[1]
CONF = """
actions: enqueue, allocate, allocate
tiers:
- plugins:
  - name: gang
    enableJobOrder: false
- plugins:
  - name: binpack
    arguments: {binpack.weight: 5, binpack.resources: nvidia.com/gpu, binpack.resources.nvidia.com/gpu: 9}
  - name: gang
    enablePreemptable: false
configurations:
- name: allocate
  arguments: {predicateErrorCacheEnable: false}
"""


def plugin(name: str, conf: str = CONF) -> PluginResult:
    """Return what is said of a plugin in a configuration."""
    [found] = plugin_report(manifests([], conf).scheduler, name).plugins
    return found


def test_all_plugins_and_actions_are_listed() -> None:
    """Each has a sentence on what it decides, and its source in the reference."""
    report = plugin_report(built_in_configuration())
    assert [each.name for each in report.plugins] == [*KNOWN]
    assert [each.name for each in report.actions] == [*ACTION_ARGUMENTS]
    found = (*report.plugins, *report.actions)
    assert [each.name for each in found if not each.title or not each.source.startswith("pkg/scheduler/")] == []
    assert {each.name for each in report.plugins} == set(registry.PLUGINS)


def test_a_configuration_enables_plugins() -> None:
    """A plugin may be in several tiers; a point is enabled where one of them does."""
    gang = plugin("gang")
    assert gang.tiers == [1, 2]
    assert {point.point: point.enabled for point in gang.points if point.flag} == {
        point.point: True for point in gang.points if point.flag
    }
    assert plugin("pdb").tiers == []
    assert {point.enabled for point in plugin("pdb").points} == {None}


def test_a_point_is_off_where_its_flag_is() -> None:
    """One without a flag is always on."""
    only = plugin("gang", "actions: allocate\ntiers:\n- plugins:\n  - name: gang\n    enableJobOrder: false\n")
    assert {point.point for point in only.points if point.enabled is False} == {"jobOrder"}
    assert [point.enabled for point in only.points if point.point == "jobValid"] == [True]


def test_arguments_have_what_the_configuration_gives() -> None:
    """Those with a free part in their names are given by name."""
    given = {each.name: each.configured for each in plugin("binpack").arguments}
    assert given == {
        "binpack.weight": 5,
        "binpack.cpu": None,
        "binpack.memory": None,
        "binpack.resources": "nvidia.com/gpu",
        "binpack.resources.*": {"binpack.resources.nvidia.com/gpu": 9},
    }
    [action] = plugin_report(manifests([], CONF).scheduler, "allocate").actions
    assert action.positions == [2, 3]
    assert [each.configured for each in action.arguments] == [False]


@pytest.mark.parametrize("name", KNOWN)
def test_each_argument_is_told(name: str) -> None:
    """With its default, its kind, and its parts."""
    found = plugin(name).arguments
    known = known_in(PLUGIN_ARGUMENTS[name], DEFAULT_PROFILE)
    assert [each.name for each in found] == [each.name for each in known]
    assert all(each.kind and each.wrong_type for each in found)
    assert [len(each.fields) for each in found] == [len(each.fields) for each in known]


def test_arguments_of_a_later_release_are_told_for_that_release() -> None:
    """The plugin capacity has none before."""
    [found] = plugin_report(built_in_configuration(), "capacity", profile=profile_of(Build(Release.V1_15))).plugins
    assert "ancestorReclaimLevel" in [each.name for each in found.arguments]
    assert plugin("capacity").arguments == []


def test_what_there_is_not_is_said() -> None:
    """Neither a plugin nor an action has the name."""
    with pytest.raises(UnknownPlugin, match="gnag"):
        plugin_report(built_in_configuration(), "gnag")


def modules(made: Any) -> list[Path]:
    """Return the modules that a plugin is made of: one, or a folder."""
    path = ENGINE / "plugins" / made.__module__.split(".")[3]
    return sorted(path.glob("*.py")) if path.is_dir() else [path.with_suffix(".py")]


def nodes_of(made: Any) -> Iterator[ast.AST]:
    """Yield all nodes of the syntax trees of a plugin's modules."""
    return (node for path in modules(made) for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


@pytest.mark.parametrize("name", registry.PLUGINS)
def test_a_plugin_declares_the_codes_that_it_refuses_with(name: str) -> None:
    """Each that its modules name in code is in `refusals`; one from a module that it shares may be, too."""
    made: Any = registry.PLUGINS[name]
    used = {
        node.attr
        for node in nodes_of(made)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in {"VerdictCode", "EvictionCode"}
    }
    declared = {code.name for code in made.refusals}
    assert used - {"TAKEN_BACK"} <= declared
    assert declared - used <= {"EVICTIONS_NOT_TRIED"}


@pytest.mark.parametrize("name", registry.PLUGINS)
def test_the_reasons_of_a_plugin_are_explained(name: str) -> None:
    """Each text about a node has a meaning."""
    made: Any = registry.PLUGINS[name]
    assert [text for text in made.reasons if reason_meaning(text) == "a plugin's own words"] == []


@pytest.mark.parametrize("name", registry.PLUGINS)
def test_a_plugin_lists_the_reasons_that_its_modules_name(name: str) -> None:
    """A text that is about nodes is on the plugin's page; some go on with a name."""
    made: Any = registry.PLUGINS[name]
    texts = {
        node.value
        for node in nodes_of(made)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("node(s) ")
    }
    assert [text for text in texts if not any(reason.startswith(text) for reason in made.reasons)] == []


def test_a_plugin_that_refuses_nodes_says_why() -> None:
    """Whoever registers a predicate has reasons; what extender says are the texts of its server."""
    report = plugin_report(built_in_configuration())
    refusing = [each for each in report.plugins if any(point.point == "predicate" for point in each.points)]
    assert refusing
    assert [each.name for each in refusing if not each.reasons] == ["extender"]


def test_a_docstring_is_read_in_parts() -> None:
    """The first sentence says what is decided, items stand alone, and the reference is no part of the text."""

    class Own:
        """Serve the oldest. It looks at all. No arguments.

        - one
          thing
        - another

        References: a.go; b.go.
        """

    Own.__module__ = "somewhere"
    assert about(Own) == ("Serve the oldest", ["It looks at all.", "- one thing", "- another"], "a.go; b.go")
