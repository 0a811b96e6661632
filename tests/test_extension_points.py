"""What `docs/extension-points.md` says that the plugins of v1.14.4 register, and what vqs registers."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from vqs.config.known_arguments import PLUGIN_ARGUMENTS
from vqs.config.known_plugins import PLUGINS as KNOWN
from vqs.config.scheduler_conf import FLAGS
from vqs.engine.framework.registry import PLUGINS
from vqs.explain.plugins.report import POINTS, registered_points

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = (ROOT / "docs" / "extension-points.md").read_text(encoding="utf-8")

SCORES: Final = frozenset({"nodeOrder", "batchNodeOrder"})
BOOKKEEPING: Final = frozenset(
    {
        "eventHandler",
        "prePredicate",
        "reserve",
        "simulateAddTask",
        "simulateAllocatable",
        "simulatePredicate",
        "simulateRemoveTask",
    }
)
"""The extension points by which plugins of Volcano keep figures: vqs needs them elsewhere, or not at all."""

EXTENDER_ARGUMENTS: Final = {
    "extender.urlPrefix": "",
    "extender.httpTimeout": "1s",
    "extender.predicateVerb": "",
    "extender.prioritizeVerb": "",
    "extender.ignorable": "false",
}
"""Some arguments of extender, and their defaults."""


def rows(head: str) -> list[list[str]]:
    """Return the cells of the table of the page with this head."""
    [body] = re.findall(rf"^\| {re.escape(head)} \|\n\| .*\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in body.splitlines()]


def names(cell: str) -> set[str]:
    """Return the names in a cell, plugins as a configuration spells them."""
    return {{"numaaware": "numa-aware"}.get(name, name) for name in re.split(r"[, ]+", cell) if name}


REFERENCE: Final = {plugin: names(points) for plugin, points in rows("plugin | extension points")}
"""What the plugins of v1.14.4 register, as the page says it."""


@cache
def registered(plugin: str) -> frozenset[str]:
    """Return what a plugin of vqs registers."""
    return frozenset(point.name for point in registered_points(plugin))


def deciding(points: set[str] | frozenset[str]) -> set[str]:
    """Return the extension points that decide, both kinds of scores as one."""
    return {"nodeOrder" if point in SCORES else point for point in points - BOOKKEEPING}


def test_the_page_has_all_plugins() -> None:
    """Those of v1.14.4, no others."""
    assert set(REFERENCE) == set(KNOWN)


@pytest.mark.parametrize("plugin", PLUGINS)
def test_a_plugin_registers_what_it_does_in_volcano(plugin: str) -> None:
    """It decides at the same extension points. Volume scores of predicates are no part of the model."""
    missing = {"nodeOrder"} if plugin == "predicates" else set()
    assert deciding(registered(plugin)) | missing == deciding(REFERENCE[plugin])


@pytest.mark.parametrize("plugin", PLUGINS)
def test_lint_knows_the_flags_of_what_is_registered(plugin: str) -> None:
    """The table that lint reads has the flags of all extension points at which a plugin decides."""
    flags = {point.flag for point in POINTS if point.name in deciding(registered(plugin)) and point.flag}
    assert flags <= KNOWN[plugin] <= set(FLAGS)


def test_the_arguments_of_extender() -> None:
    """They have the defaults of Volcano; the others are managedResources and verbs."""
    known = {argument.name: argument.default for argument in PLUGIN_ARGUMENTS["extender"]}
    assert EXTENDER_ARGUMENTS.items() <= known.items()
    others = known.keys() - EXTENDER_ARGUMENTS.keys()
    assert {name for name in others if not name.endswith("Verb") and name != "extender.allocateFuncVerb"} == {
        "extender.managedResources"
    }
