"""The pages on what is modelled: plugins and actions, and the behaviours in which releases differ."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from vqs.explain.plugins.outcome import ActionResult, ArgumentResult, PluginReport, PluginResult, PointResult
from vqs.explain.releases import BehaviourResult, VersionReport
from vqs.model.wording import count
from vqs.releases.release import titled
from vqs.report.formats import View
from vqs.report.page import At, Cell, Column, Line, Page, Part, table
from vqs.report.phrases import notes

_OF_WHAT: Final = "it is a "
"""How it is said what a number is of; the unit says so already."""


def page(result: PluginReport, _view: View, /) -> Page:
    """Return the page on all plugins and actions, or on the one that was asked for."""
    session = f", and a session on {result.snapshot}" if result.snapshot else ""
    headline = f"Volcano {titled(result.volcano)}, configuration: {result.configuration}{session}"
    if not result.query:
        plugins = sum(bool(each.tiers) for each in result.plugins)
        actions = sum(bool(each.positions) for each in result.actions)
        answer = (
            f"{plugins} of {count(len(result.plugins), 'plugin')} and {actions} of "
            f"{count(len(result.actions), 'action')} enabled"
        )
        return Page(headline=headline, parts=_listing(result), answer=[answer], answer_at=At.LAST)
    found = result.plugins[0] if result.plugins else result.actions[0]
    facts = [Line(text) for text in (f"{found.name}: {found.title}", *found.description)]
    if found.source:
        facts.append(Line(f"In Volcano: {found.source}"))
    if found.origin:
        facts.append(Line(f"A plugin or an action of your own: {found.origin}"))
    return Page(
        headline=headline,
        facts=facts,
        parts=_about(found, result),
        answer=[f"{found.name} {_enabled(found)}"],
        answer_at=At.LAST,
    )


# --- all of them ------------------------------------------------------------------------------------------------------


def _listing(result: PluginReport) -> Iterator[Part]:
    plugins: dict[Column, Callable[[PluginResult], Cell]] = {
        Column("PLUGIN", named=True): lambda plugin: plugin.name,
        Column("TIER"): lambda plugin: _numbers(plugin.tiers),
    }
    actions: dict[Column, Callable[[ActionResult], Cell]] = {
        Column("ACTION", named=True): lambda action: action.name,
        Column("POSITION"): lambda action: _numbers(action.positions),
    }
    legend = "off: the flag of this extension point is false"
    if result.snapshot:
        plugins |= {
            Column("VOTES", numeric=True): lambda plugin: plugin.votes if plugin.tiers else None,
            Column("VETOES", numeric=True): lambda plugin: plugin.vetoes if plugin.tiers else None,
            Column("SPREAD", numeric=True): lambda plugin: _spread(plugin.spread) if plugin.tiers else None,
        }
        actions |= {
            Column("ALLOCATED", numeric=True): lambda action: action.allocated,
            Column("PIPELINED", numeric=True): lambda action: action.pipelined,
            Column("EVICTED", numeric=True): lambda action: action.evicted,
            Column("ROLLED BACK", numeric=True): lambda action: action.rolled_back,
        }
        legend = (
            "votes: answers at all points; vetoes: how many of them were a no; spread: the largest difference between "
            f"the scores of two nodes for equal tasks; {legend}"
        )

    def points(plugin: PluginResult) -> str:
        return ", ".join(f"{each.point}{' (off)' * (each.enabled is False)}" for each in plugin.points) or "none"

    yield Part("Plugins", grid=table(result.plugins, plugins, "EXTENSION POINTS", points), legend=legend)
    yield Part("Actions", grid=table(result.actions, actions, "WHAT IT DOES", lambda action: action.title))
    yield from notes(result.diagnostics)


def _numbers(numbers: Sequence[int]) -> str | None:
    return ", ".join(map(str, numbers)) or None


def _spread(value: float | None) -> str | None:
    return None if value is None else f"{value:,.4g}"


# --- one of them ------------------------------------------------------------------------------------------------------


def _enabled(found: PluginResult | ActionResult) -> str:
    if isinstance(found, ActionResult):
        if not found.positions:
            return "is not among the configured actions"
        return f"is action {_numbers(found.positions)} of the configuration"
    if not found.tiers:
        return "is not enabled in this configuration"
    return f"is enabled in tier {_numbers(found.tiers)}"


def _about(found: PluginResult | ActionResult, result: PluginReport) -> Iterator[Part]:
    if isinstance(found, PluginResult):
        yield _points(found, counts=bool(result.snapshot and found.tiers))
    elif found.allocated is not None:
        done = (
            f"{found.allocated:,} allocated, {found.pipelined:,} pipelined, {found.evicted:,} evicted; "
            f"{count(found.rolled_back or 0, 'statement')} rolled back"
        )
        yield Part("In this session", lines=[done])
    yield _arguments(found)
    reasons = found.reasons if isinstance(found, PluginResult) else []
    for title, heading, remark, said in (
        ("Codes of its refusals", "CODE", "WHAT IT SAYS", found.verdicts),
        ("Its reasons in fit errors (0/N nodes are unavailable: ...)", "REASON", "WHAT IT MEANS", reasons),
    ):
        if said:
            columns = {Column(heading, named=heading == "CODE"): lambda each: each.says}
            yield Part(title, grid=table(said, columns, remark, lambda each: each.meaning))
    yield from notes(result.diagnostics)


def _points(plugin: PluginResult, *, counts: bool) -> Part:
    if not plugin.points:
        return Part("Extension points", lines=["none"])
    columns: dict[Column, Callable[[PointResult], Cell]] = {
        Column("POINT", named=True): lambda each: each.point,
        Column("FLAG", named=True): lambda each: each.flag or "always on",
        Column("STATE"): lambda each: None if each.enabled is None else "on" if each.enabled else "off",
    }
    if counts:
        columns |= {
            Column("VOTES", numeric=True): lambda each: each.votes,
            Column("VETOES", numeric=True): lambda each: each.vetoes,
            Column("SPREAD", numeric=True): lambda each: _spread(each.spread),
        }
    legend = "It reads enableHierarchy" if plugin.reads_hierarchy else ""
    return Part("Extension points", grid=table(plugin.points, columns), legend=legend)


def _arguments(found: PluginResult | ActionResult) -> Part:
    if not found.arguments:
        return Part("Arguments", lines=["none"])
    columns: dict[Column, Callable[[tuple[str, ArgumentResult]], Cell]] = {
        Column("ARGUMENT", named=True): lambda each: each[0]
    }
    if any(argument.configured is not None for argument in found.arguments):
        columns[Column("CONFIGURED")] = lambda each: (
            None if each[1].configured is None else json.dumps(each[1].configured, ensure_ascii=False, default=str)
        )

    def has_to_be(each: tuple[str, ArgumentResult]) -> str:
        default = each[1].default
        return f"{described(each[1])}; {default} by default" if default else described(each[1])

    return Part("Arguments", grid=table(flat(found.arguments), columns, "WHAT IT HAS TO BE", has_to_be))


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


# --- releases ---------------------------------------------------------------------------------------------------------


def page_of_releases(result: VersionReport, _view: View, /) -> Page:
    """Return the page on all behaviours in which releases differ, or on those that were asked for."""
    modelled = ", ".join(
        f"{each.name} ({each.tag}{', a pre-release' if each.is_pre_release else ''})" for each in result.releases
    )
    headline = f"Releases of Volcano that are modelled: {modelled}; {result.default} by default"
    if len(result.behaviours) == 1 and result.query == result.behaviours[0].name:
        [only] = result.behaviours
        facts = [
            f"{only.name} ({only.area.replace('_', ' ')}): {only.decides}",
            f"Why it changed: {only.why}",
            f"In Volcano: {only.source}",
        ]
        columns = {Column("RELEASE"): lambda each: each[0], Column("VALUE", named=True): lambda each: each[1]}
        rows = [*only.values.items(), *only.heads.items()]
        rows += [(f"proposed: {where}", value) for value, where in only.proposals.items()]
        values = Part("Values", grid=table(rows, columns))
        now = only.values[only.since]
        options = " or ".join(f"--behaviour {only.name}={choice}" for choice in only.choices if choice != now)
        since = f"since {only.since}" if len(set(only.values.values())) > 1 else "in all releases"
        answer = f"{only.name} is {now} {since}; {options} switches it"
        return Page(headline=headline, facts=[*map(Line, facts)], parts=[values], answer=[answer], answer_at=At.LAST)
    return Page(headline=headline, parts=_by_area(result), answer=[_number(result)], answer_at=At.LAST)


def _number(result: VersionReport) -> str:
    """Count the behaviours; those of a release are the ones that it changed."""
    number = count(len(result.behaviours), "behaviour")
    releases = [each.name for each in result.releases]
    if result.query not in releases:
        return f"{number}{f' of {result.query}' if result.query else ''} in which releases differ"
    if result.query == releases[0]:
        return f"{result.query} is the oldest release that is modelled: there is none before it to differ from"
    return f"{number} in which {result.query} differs from {releases[releases.index(result.query) - 1]}"


def _by_area(result: VersionReport) -> Iterator[Part]:
    """Yield a table for each area."""

    def value(release: str) -> Callable[[BehaviourResult], Cell]:
        return lambda each: each.values[release]

    columns: dict[Column, Callable[[BehaviourResult], Cell]] = {
        Column("BEHAVIOUR", named=True): lambda each: each.name,
        **{Column(each.name): value(each.name) for each in result.releases},
    }
    for area in dict.fromkeys(each.area for each in result.behaviours):
        shown = [each for each in result.behaviours if each.area == area]
        grid = table(shown, columns, "WHAT IT DECIDES", lambda each: each.decides)
        yield Part(area.replace("_", " "), grid=grid)
