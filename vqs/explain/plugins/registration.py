"""The extension points that a plugin registers, as it does so: in sessions on a cluster without nodes and jobs.

Some functions are only registered where an argument asks for them. So one session has the default arguments, others
have one argument on that is off by default, and one has all of them on.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, Final, cast

from vqs.config.arguments import Arguments
from vqs.config.known_arguments import PLUGIN_ARGUMENTS, Argument, Kind
from vqs.config.known_plugins import WITH_HIERARCHY
from vqs.config.scheduler_conf import PluginOption, SchedulerConfiguration, Tier
from vqs.engine.framework import points, registry
from vqs.engine.framework.points import Point
from vqs.engine.framework.session import SessionOptions
from vqs.engine.scheduler import open_session
from vqs.snapshot.cluster.build import build_cluster
from vqs.snapshot.reading.manifests import Manifests

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
    handles = {EVENT_HANDLER.name} if session.has_event_handlers else set()
    return {*session.plugins.points_of(name), *handles}
