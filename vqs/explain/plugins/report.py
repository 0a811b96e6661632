"""Puts together what plugins and actions do, in a configuration and in a session.

What one decides is read from its docstring. The extension points that a plugin registers are found as it registers
them, in sessions on a cluster without nodes and jobs. Some functions are only registered where an argument asks for
them. So one session has the default arguments, others have one argument on that is off by default, and one has all of
them on.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple, cast

from vqs.config.known_arguments import ACTION_ARGUMENTS, PLUGIN_ARGUMENTS, Argument, Arguments, Kind, known_in
from vqs.config.known_plugins import PLUGINS, WITH_HIERARCHY
from vqs.config.scheduler_conf import PluginOption, SchedulerConfiguration, Tier
from vqs.engine.framework import points, registry
from vqs.engine.framework.finished import FinishedSession
from vqs.engine.framework.points import Point
from vqs.engine.framework.session import SessionOptions
from vqs.engine.framework.tally import Contribution, Tally
from vqs.engine.framework.trace import Op, StatementResult
from vqs.engine.scheduler import open_session
from vqs.explain.plugins.outcome import (
    ActionResult,
    ArgumentResult,
    PluginReport,
    PluginResult,
    PointResult,
    SaidResult,
)
from vqs.explain.texts.node_reasons import reason_meaning
from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.explain.votes import eviction_meaning
from vqs.model.codes import EvictionCode, RefusalCode
from vqs.releases.profile import DEFAULT_PROFILE, Profile
from vqs.snapshot.cluster.build import build_cluster
from vqs.snapshot.reading.manifests import Manifests

_REFERENCE: Final = re.compile(r"References?: (.*?)\.?\s*(?:\n\n|\Z)", re.DOTALL)
_NO_ARGUMENTS: Final = re.compile(r"\s*\bNo\sarguments\.")
"""Said by those that read none; `vqs plugins` says so beside the tables of arguments."""

_ITEM: Final = re.compile(r"\n(?=[-*] )")
_FOLDERS: Final = ("vqs.engine.plugins", "vqs.engine.actions")


class About(NamedTuple):
    """What it decides in a sentence, then at length, paragraph by paragraph; and its source in the reference."""

    title: str
    paragraphs: list[str]
    source: str


def about(made: Any) -> About:
    """Return what a class says of itself: one from outside in its own docstring, others in that of their module.

    >>> from vqs.engine.plugins.binpack import BinpackPlugin
    >>> about(BinpackPlugin).title
    'prefer nodes that are full already, so that others stay free for large tasks'
    """
    module = str(made.__module__)
    folder = next((each for each in _FOLDERS if module.startswith(f"{each}.")), None)
    if folder is not None:
        made = sys.modules[f"{folder}.{module.removeprefix(f'{folder}.').partition('.')[0]}"]
    docstring = inspect.cleandoc(made.__doc__ or "")
    found = _REFERENCE.search(docstring)
    text = _NO_ARGUMENTS.sub("", docstring[: found.start()] if found else docstring)
    source = " ".join(found[1].split()) if found else ""
    paragraphs = [" ".join(item.split()) for each in text.split("\n\n") for item in _ITEM.split(each) if item.strip()]
    if not paragraphs:
        return About("", [], source)
    title, _, rest = re.sub(r"^[a-z-]+: ", "", paragraphs[0]).partition(". ")
    return About(title.removesuffix("."), [each for each in (rest, *paragraphs[1:]) if each], source)


EVENT_HANDLER: Final[Point[Any]] = Point("eventHandler", None)
"""What is called after a task was given, or has lost, a node."""

POINTS: Final[tuple[Point[Any], ...]] = (
    *(each for each in vars(points).values() if isinstance(each, Point)),
    EVENT_HANDLER,
)
"""All extension points."""

_ON: Final[dict[tuple[Kind, str], object]] = {
    (Kind.BOOL, "false"): True,
    (Kind.INT, "0"): 1,
    (Kind.NUMBER, "0"): 1,
    (Kind.TEXT, ""): "on",
}
"""What switches an argument on that is off by default."""

_NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)


def registered_points(name: str) -> list[Point[Any]]:
    """Return the extension points of a plugin that is modelled, in the order of `POINTS`."""
    declared: Iterable[Point[Any]] = cast("Any", registry.PLUGINS[name]).points
    if declared:
        return [point for point in POINTS if point in declared]
    known = PLUGIN_ARGUMENTS[name]
    every = _switched_on(known)
    tries = ({}, *({key: value} for key, value in every.items()), every)
    found = {point for values in tries for point in _registered(name, Arguments(known, values))}
    return [point for point in POINTS if point.name in found]


def _switched_on(known: Iterable[Argument]) -> dict[str, object]:
    values = {argument.name: _on(argument) for argument in known if "*" not in argument.name}
    return {name: value for name, value in values.items() if value is not None}


def _on(argument: Argument) -> object:
    """Return what switches an argument on, None where it is on, or is none of that sort."""
    if argument.kind is Kind.OBJECT:
        return _switched_on(argument.fields) or None
    return _ON.get((argument.kind, argument.default))


def _registered(name: str, arguments: Arguments) -> set[str]:
    """Return what a plugin registers with some arguments; none where these exclude each other."""
    flags = {"enableHierarchy": True} if name in WITH_HIERARCHY else {}
    conf = SchedulerConfiguration((), (Tier((PluginOption(name, arguments, flags),)),))
    session = open_session(build_cluster(Manifests()), conf, SessionOptions(_NOW))
    if session.standstill:
        return set()
    handles = {EVENT_HANDLER.name} if session.allocate_handlers else set()
    return {*session.plugins.points_of(name), *handles}


class UnknownPlugin(Exception):  # noqa: N818 - a question about something that is not there
    """There is no plugin or action of a name."""


def plugin_report(
    conf: SchedulerConfiguration,
    asked: str = "",
    *,
    profile: Profile = DEFAULT_PROFILE,
    tally: Tally | None = None,
    session: FinishedSession | None = None,
) -> PluginReport:
    """Say what plugins and actions there are, or what one of them does.

    Raises:
        UnknownPlugin: there is no such plugin or action.
    """
    if asked and asked not in {*PLUGINS, *ACTION_ARGUMENTS}:
        raise UnknownPlugin(asked)
    return PluginReport(
        volcano=profile.name,
        configuration=conf.source,
        query=asked,
        plugins=[_plugin(name, conf, profile, tally) for name in PLUGINS if asked in ("", name)],
        actions=[_action(name, conf, profile, session) for name in ACTION_ARGUMENTS if asked in ("", name)],
    )


# --- plugins ----------------------------------------------------------------------------------------------------------


def _plugin(name: str, conf: SchedulerConfiguration, profile: Profile, tally: Tally | None) -> PluginResult:
    options = [(tier, option) for tier, each in enumerate(conf.tiers, 1) for option in each.plugins]
    named = [(tier, option) for tier, option in options if option.name == name]
    made: Any = registry.PLUGINS[name]
    said = about(made)
    contributions = None if tally is None else tally.of(name)
    return PluginResult(
        name=name,
        title=said.title,
        description=said.paragraphs,
        source=said.source,
        origin=_origin(name, registry.PLUGINS.built_in, made),
        tiers=[tier for tier, _ in named],
        points=[_point(point, [option for _, option in named], contributions) for point in registered_points(name)],
        reads_hierarchy=name in WITH_HIERARCHY,
        arguments=_arguments(known_in(PLUGIN_ARGUMENTS[name], profile), named[-1][1].arguments if named else None),
        verdicts=[_said(code) for code in refusals(made)],
        reasons=[SaidResult(says=text, meaning=reason_meaning(text)) for text in made.reasons],
    )


def refusals(kind: Any) -> Sequence[RefusalCode]:
    """Return the codes that a plugin, or an action of one's own, refuses with."""
    own: Iterable[Any] = getattr(kind, "verdicts", ())
    return (*getattr(kind, "refusals", ()), *(rule.code for rule in own))


def _said(code: RefusalCode) -> SaidResult:
    meaning = eviction_meaning(code) if isinstance(code, EvictionCode) else VERDICT_RULES[code].title
    return SaidResult(says=code.value, meaning=meaning)


def _point(
    point: Point[Any], options: Sequence[PluginOption], contributions: Mapping[str, Contribution] | None
) -> PointResult:
    result = PointResult(point=point.name, flag=point.flag or "")
    if options:
        result.enabled = point.flag is None or any(option.enabled(point.flag) for option in options)
    if contributions is not None and point.name in contributions:
        contribution = contributions[point.name]
        result.votes, result.vetoes, result.spread = contribution.votes, contribution.vetoes, contribution.spread
    return result


def _origin(name: str, built_in: Mapping[str, object], made: Any) -> str:
    """Say where a plugin or an action from outside comes from."""
    return "" if name in built_in else f"{made.__module__}:{made.__qualname__}"


# --- arguments --------------------------------------------------------------------------------------------------------


def _arguments(known: Sequence[Argument], given: Arguments | None) -> list[ArgumentResult]:
    return [_argument(argument, given) for argument in known]


def _argument(argument: Argument, given: Arguments | None = None) -> ArgumentResult:
    return ArgumentResult(
        name=argument.name,
        kind=argument.kind.value,
        default=argument.default,
        unit=argument.unit,
        min=argument.least,
        max=argument.most,
        out_of_range=argument.outside,
        wrong_type=argument.malformed or argument.wrong.value,
        fields=[_argument(field) for field in argument.fields],
        configured=None if given is None else _given(argument, given),
    )


def _given(argument: Argument, given: Arguments) -> Any:
    """Return the value in the configuration; of a name with a free part, all of them by name."""
    if "*" not in argument.name:
        return given.get(argument.name)
    return {name: value for name, value in given.items() if argument.matches(name)} or None


# --- actions ----------------------------------------------------------------------------------------------------------


def _action(name: str, conf: SchedulerConfiguration, profile: Profile, session: FinishedSession | None) -> ActionResult:
    made: Any = registry.ACTIONS[name]
    said = about(made)
    result = ActionResult(
        name=name,
        title=said.title,
        description=said.paragraphs,
        source=said.source,
        origin=_origin(name, registry.ACTIONS.built_in, made),
        positions=[position for position, each in enumerate(conf.actions, 1) if each == name],
        arguments=_arguments(known_in(ACTION_ARGUMENTS[name], profile), conf.configurations.get(name)),
        verdicts=[_said(code) for code in refusals(made)],
    )
    if session is not None and result.positions:
        statements = [each for each in session.trace.statements if each.action == result.name]
        standing = [each for each in statements if each.result is not StatementResult.DISCARD]
        steps = Counter(operation.op for each in standing for operation in each.operations)
        result.allocated, result.pipelined, result.evicted = (steps[op] for op in (Op.ALLOCATE, Op.PIPELINE, Op.EVICT))
        result.rolled_back = len(statements) - len(standing)
    return result
