"""The tables of the documents that vqs was written from, v1.14.4, and what vqs registers.

`docs/extension-points.md` names where they differ. The documents are on v1.14.0 and before; v1.14.4 decides.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from vqs.config.flags import FLAGS
from vqs.config.known_arguments import PLUGIN_ARGUMENTS
from vqs.config.known_plugins import PLUGINS as KNOWN
from vqs.engine.framework.registry import PLUGINS
from vqs.explain.plugins.registration import POINTS, registered_points

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = (ROOT / "docs" / "extension-points.md").read_text(encoding="utf-8")
SEEDS: Final = ROOT.parent / "shared" / "seeds"

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

ALLOCATE: Final = {
    "queueOrder": "proportion",
    "overused": "proportion",
    "jobOrder": "gang, drf, priority",
    "jobValid": "gang",
    "taskOrder": "priority",
    "prePredicate": "predicates",
    "predicate": "predicates, nodeorder, numaaware",
    "nodeOrder": "binpack, nodeorder",
    "batchNodeOrder": "nodeorder",
    "bestNode": "",
    "allocatable": "proportion",
    "jobReady": "gang",
    "jobPipelined": "gang",
}
"""Hooks and the plugins that provide them: 002_99b02bfa85130e24.txt, 9.2."""

PROPORTION: Final = (
    "queueOrder reclaimable overused allocatable simulateAllocatable preemptive prePredicate jobEnqueueable "
    "simulateAddTask simulateRemoveTask eventHandler"
)
"""The eleven extension points of proportion: 001_54a6cbeedd554ce9.txt."""

FAIRNESS: Final = (
    "queueOrder overused allocatable reclaimable jobEnqueueable eventHandler simulateAllocatable simulateAddTask "
    "simulateRemoveTask"
)
"""What proportion registers: 000_4477299607656fe6.txt, 5 to 12."""

OF_PLUGINS: Final = {
    "gang": "jobValid reclaimable preemptable jobOrder jobReady jobPipelined jobStarving",
    "binpack": "nodeOrder",
    "capacity": "reclaimable preemptive allocatable jobEnqueueable eventHandler queueOrder victimQueueOrder",
    "cdp": "preemptable",
    "conformance": "preemptable reclaimable",
    "drf": "preemptable queueOrder reclaimable jobOrder eventHandler",
    "extender": "predicate batchNodeOrder preemptable reclaimable jobEnqueueable overused jobReady",
    "nodegroup": "nodeOrder predicate",
}
"""What each plugin registers: 004_a16c0c5c90e70cef.txt, by section."""

EXTENDER_ARGUMENTS: Final = {
    "extender.urlPrefix": "",
    "extender.httpTimeout": "1s",
    "extender.predicateVerb": "",
    "extender.prioritizeVerb": "",
    "extender.ignorable": "false",
}
"""Arguments of extender and their defaults: 004_a16c0c5c90e70cef.txt, extender."""


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


# --- vqs and v1.14.4 --------------------------------------------------------------------------------------------------


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


# --- the documents and v1.14.4 ----------------------------------------------------------------------------------------


def test_the_hooks_of_allocate() -> None:
    """The page names each plugin that the document on allocate lists too many, and each that it leaves out."""
    wrong, further = set(), {}
    for hook, listed in ALLOCATE.items():
        providers = {plugin for plugin, points in REFERENCE.items() if hook in points}
        wrong |= {(hook, plugin) for plugin in names(listed) - providers}
        if providers - names(listed):
            further[hook] = providers - names(listed)
    otherwise = [row for row in rows("document | extension point | it says | v1.14.4") if row[0] == "allocate, 9.2"]
    assert wrong == {(hook, plugin) for _, hook, says, _ in otherwise for plugin in names(says) if plugin in REFERENCE}
    said = {hook: names(plugins) for hook, plugins in rows("extension point | further plugins in v1.14.4")}
    assert further == said


def test_the_extension_points_of_proportion() -> None:
    """There are eleven, as both documents on it say, and those of v1.14.4 are the same."""
    assert len(names(PROPORTION)) == 11
    assert names(PROPORTION) == REFERENCE["proportion"]
    assert names(FAIRNESS) <= names(PROPORTION)


def test_the_extension_points_of_plugins() -> None:
    """The page names each extension point that the document on plugins leaves out; it lists none too many."""
    listed = {plugin: names(points) for plugin, points in OF_PLUGINS.items()}
    assert {plugin: points - REFERENCE[plugin] for plugin, points in listed.items() if points - REFERENCE[plugin]} == {}
    assert {plugin: REFERENCE[plugin] - points for plugin, points in listed.items() if REFERENCE[plugin] - points} == {
        plugin: names(points) for plugin, points in rows("plugin | further extension points in v1.14.4")
    }


def test_the_arguments_of_extender() -> None:
    """Those that the document lists exist and have its defaults; the page says which others there are."""
    known = {argument.name: argument.default for argument in PLUGIN_ARGUMENTS["extender"]}
    assert EXTENDER_ARGUMENTS.items() <= known.items()
    others = known.keys() - EXTENDER_ARGUMENTS.keys()
    assert {name for name in others if not name.endswith("Verb") and name != "extender.allocateFuncVerb"} == {
        "extender.managedResources"
    }


# --- the documents themselves -----------------------------------------------------------------------------------------


def seed(beginning: str) -> str:
    """Return the text of a document, where the documents are there."""
    found = sorted(SEEDS.glob(f"{beginning}*.txt"))
    if not found:
        pytest.skip("the documents are not there")
    return found[0].read_text(encoding="utf-8")


def spelt(point: str) -> str:
    """Return an extension point as Go code spells it."""
    return f"{point[0].upper()}{point[1:]}"


def test_the_table_of_allocate_is_quoted_in_full() -> None:
    """Each row of its table, whose columns run together, has the plugins that are compared above."""
    table = seed("002").partition("Hook提供 Plugin调用时机\n")[2].partition("\n\n")[0].splitlines()
    assert len(table) == len(ALLOCATE)
    for line, (hook, plugins) in zip(table, ALLOCATE.items(), strict=True):
        assert line.startswith(f"{spelt(hook)}Fn{plugins or '(默认实现)'}"), line


def test_the_code_of_plugins_is_quoted_in_full() -> None:
    """Each function that the document on plugins adds is compared above, under the plugin of its section."""
    sections: dict[str, set[str]] = {}
    section = ""
    for line in seed("004").splitlines():
        section = line if line in KNOWN else section
        if found := re.search(r"ssn\.Add(\w+?)(?:Fns?)?\(", line):
            sections.setdefault(section, set()).add(found[1])
    assert sections == {plugin: {spelt(point) for point in names(points)} for plugin, points in OF_PLUGINS.items()}


def test_the_extension_points_of_proportion_are_quoted_in_full() -> None:
    """Both documents on proportion name each of them, one says how many there are."""
    detailed, fairness = seed("001"), seed("000")
    assert "**11 个扩展点**" in detailed
    assert [point for point in names(PROPORTION) if spelt(point) not in detailed] == []
    assert [point for point in names(FAIRNESS) if spelt(point) not in fairness] == []


def test_the_tables_of_extender_are_quoted_in_full() -> None:
    """Its arguments, and the functions of event handlers, of which v1.14.4 lacks one, are those of the document."""
    text = seed("004")
    table = text.partition("参数名\n\n类型\n\n默认值\n\n说明\n")[2].partition("func (ep")[0]
    assert re.findall(r"^extender\.\w+$", table, re.MULTILINE) == [*EXTENDER_ARGUMENTS]
    assert re.findall(r"^(\w+Func)$", text, re.MULTILINE) == ["AllocateFunc", "DeallocateFunc", "ExecuteFunc"]
    assert "| ExecuteFunc |" in PAGE
