"""The page on plugins and actions: a table of all, or what one of them does."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from vqs.explain.plugins.outcome import ActionResult, ArgumentResult, PluginReport, PluginResult, PointResult
from vqs.model.wording import count
from vqs.report.formats import View
from vqs.report.grid import Column, Grid, Row, cell
from vqs.report.page import Line, Page, Part
from vqs.report.phrases import notes

_NONE: Final = "-"
_OF_WHAT: Final = "it is a "
"""How it is said what a number is of; the unit says so already."""


def page(result: PluginReport, _view: View, /) -> Page:
    """Return the page on all plugins and actions, or on the one that was asked for."""
    session = f", and a session on {result.snapshot}" if result.snapshot else ""
    headline = f"Volcano {result.volcano}, configuration: {result.configuration}{session}"
    if not result.query:
        return Page(headline=headline, parts=_listing(result), answer=[_sum(result)])
    found = result.plugins[0] if result.plugins else result.actions[0]
    facts = [Line(text) for text in _facts(found)]
    answer = f"{found.name} {_enabled(found)}"
    return Page(headline=headline, facts=facts, parts=_about(found, result), answer=[answer])


def _sum(result: PluginReport) -> str:
    enabled = sum(bool(plugin.tiers) for plugin in result.plugins), sum(bool(each.positions) for each in result.actions)
    return (
        f"{enabled[0]} of {count(len(result.plugins), 'plugin')} and {enabled[1]} of "
        f"{count(len(result.actions), 'action')} enabled"
    )


# --- all of them ------------------------------------------------------------------------------------------------------


def _listing(result: PluginReport) -> Iterator[Part]:
    counts = bool(result.snapshot)
    columns = [Column("PLUGIN", named=True), Column("TIER")]
    if counts:
        columns += [Column("VOTES", numeric=True), Column("VETOES", numeric=True), Column("SPREAD", numeric=True)]
    rows = [_plugin_row(plugin, counts=counts) for plugin in result.plugins]
    legend = "off: the flag of this extension point is false"
    if counts:
        legend = (
            "votes: answers at all points; vetoes: how many of them were a no; spread: the largest difference between "
            f"the scores of two nodes for equal tasks; {legend}"
        )
    yield Part("Plugins", grid=Grid(tuple(columns), rows, "EXTENSION POINTS"), legend=legend)
    columns = [Column("ACTION", named=True), Column("POSITION")]
    if counts:
        columns += [Column(title, numeric=True) for title in ("ALLOCATED", "PIPELINED", "EVICTED", "ROLLED BACK")]
    yield Part(
        "Actions",
        grid=Grid(tuple(columns), [_action_row(action, counts=counts) for action in result.actions], "WHAT IT DOES"),
    )
    yield from notes(result.diagnostics)


def _plugin_row(plugin: PluginResult, *, counts: bool) -> Row:
    cells = [plugin.name, _numbers(plugin.tiers)]
    if counts:
        cells += (
            [_figure(plugin.votes), _figure(plugin.vetoes), _spread(plugin.spread)] if plugin.tiers else [_NONE] * 3
        )
    remark = ", ".join(map(_with_state, plugin.points))
    return Row(tuple(map(cell, cells)), remark or "none")


def _with_state(point: PointResult) -> str:
    return f"{point.point} (off)" if point.enabled is False else point.point


def _action_row(action: ActionResult, *, counts: bool) -> Row:
    cells = [action.name, _numbers(action.positions)]
    if counts:
        cells += [_figure(each) for each in (action.allocated, action.pipelined, action.evicted, action.rolled_back)]
    return Row(tuple(map(cell, cells)), action.title)


def _numbers(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers)) or _NONE


def _figure(value: int | None) -> str:
    return _NONE if value is None else f"{value:,}"


def _spread(value: float | None) -> str:
    return _NONE if value is None else f"{value:,.4g}"


# --- one of them ------------------------------------------------------------------------------------------------------


def _enabled(found: PluginResult | ActionResult) -> str:
    if isinstance(found, ActionResult):
        if not found.positions:
            return "is not among the configured actions"
        return f"is action {_numbers(found.positions)} of the configuration"
    if not found.tiers:
        return "is not enabled in this configuration"
    return f"is enabled in tier {_numbers(found.tiers)}"


def _facts(found: PluginResult | ActionResult) -> Iterator[str]:
    yield f"{found.name}: {found.title}"
    yield from found.description
    if found.source:
        yield f"In Volcano: {found.source}"
    if found.origin:
        yield f"A plugin or an action of your own: {found.origin}"


def _about(found: PluginResult | ActionResult, result: PluginReport) -> Iterator[Part]:
    if isinstance(found, PluginResult):
        yield _points(found, counts=bool(result.snapshot and found.tiers))
    elif found.allocated is not None:
        yield Part("In this session", lines=[_done(found)])
    yield _arguments(found)
    if found.verdicts:
        rows = [Row((cell(said.says),), said.meaning) for said in found.verdicts]
        yield Part("Codes of its refusals", grid=Grid((Column("CODE", named=True),), rows, "WHAT IT SAYS"))
    if isinstance(found, PluginResult) and found.reasons:
        rows = [Row((cell(said.says),), said.meaning) for said in found.reasons]
        title = "Its reasons in fit errors (0/N nodes are unavailable: ...)"
        yield Part(title, grid=Grid((Column("REASON"),), rows, "WHAT IT MEANS"))
    yield from notes(result.diagnostics)


def _points(plugin: PluginResult, *, counts: bool) -> Part:
    if not plugin.points:
        return Part("Extension points", lines=["none"])
    columns = [Column("POINT", named=True), Column("FLAG", named=True), Column("STATE")]
    if counts:
        columns += [Column("VOTES", numeric=True), Column("VETOES", numeric=True), Column("SPREAD", numeric=True)]
    rows = []
    for point in plugin.points:
        state = _NONE if point.enabled is None else "on" if point.enabled else "off"
        cells = [point.point, point.flag or "always on", state]
        if counts:
            cells += [_figure(point.votes), _figure(point.vetoes), _spread(point.spread)]
        rows.append(Row(tuple(map(cell, cells))))
    legend = "It reads enableHierarchy" if plugin.reads_hierarchy else ""
    return Part("Extension points", grid=Grid(tuple(columns), rows), legend=legend)


def _done(action: ActionResult) -> str:
    return (
        f"{action.allocated:,} allocated, {action.pipelined:,} pipelined, {action.evicted:,} evicted; "
        f"{count(action.rolled_back or 0, 'statement')} rolled back"
    )


def _arguments(found: PluginResult | ActionResult) -> Part:
    if not found.arguments:
        return Part("Arguments", lines=["none"])
    columns = [Column("ARGUMENT", named=True)]
    has_given = any(argument.configured is not None for argument in found.arguments)
    if has_given:
        columns.append(Column("CONFIGURED"))
    rows = []
    for name, argument in flat(found.arguments):
        cells = [name]
        if has_given:
            cells.append(_NONE if argument.configured is None else _shown(argument.configured))
        rows.append(Row(tuple(map(cell, cells)), _with_default(argument)))
    return Part("Arguments", grid=Grid(tuple(columns), rows, "WHAT IT HAS TO BE"))


def flat(arguments: Sequence[ArgumentResult], before: str = "") -> Iterator[tuple[str, ArgumentResult]]:
    """Yield arguments, each followed by its parts, with their names in full."""
    for argument in arguments:
        name = f"{before}{argument.name}"
        yield name, argument
        yield from flat(argument.fields, f"{name}.")


def described(argument: ArgumentResult) -> str:
    """Say what the value of an argument has to be, without its default."""
    unit = f" of {argument.unit}" if argument.unit else ""
    named = {"at least": argument.min, "at most": argument.max}
    bounds = [f"{name} {bound:g}" for name, bound in named.items() if bound is not None]
    limits = f", {' and '.join(bounds)}" if bounds else ""
    if bounds and not argument.out_of_range.startswith(_OF_WHAT):
        limits += f" (out of this range, {argument.out_of_range})"
    return f"{argument.kind}{unit}{limits}"


def _with_default(argument: ArgumentResult) -> str:
    return f"{described(argument)}; {argument.default} by default" if argument.default else described(argument)


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
