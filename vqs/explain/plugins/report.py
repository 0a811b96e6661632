"""Put together what there is to say of plugins and actions, in a configuration and in a session."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from vqs.config.arguments import Arguments
from vqs.config.known_arguments import ACTION_ARGUMENTS, PLUGIN_ARGUMENTS, Argument, known_in
from vqs.config.known_plugins import PLUGINS, WITH_HIERARCHY
from vqs.config.scheduler_conf import PluginOption, SchedulerConfiguration
from vqs.engine.framework import registry
from vqs.engine.framework.finished import FinishedSession
from vqs.engine.framework.points import Point
from vqs.engine.framework.tally import Contribution, Tally
from vqs.engine.framework.trace import Op, StatementResult
from vqs.explain.plugins.outcome import (
    ActionResult,
    ArgumentResult,
    PluginReport,
    PluginResult,
    PointResult,
    SaidResult,
)
from vqs.explain.plugins.registration import registered_points
from vqs.explain.plugins.texts import about
from vqs.explain.texts.node_reasons import reason_meaning
from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.explain.votes import eviction_meaning
from vqs.model.codes import EvictionCode, RefusalCode
from vqs.releases.profile import DEFAULT_PROFILE, Profile


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

    Args:
        conf: the configuration that enables them, or not.
        asked: the one that is asked for; empty for all.
        profile: how the release that is modelled decides.
        tally: what they contributed to a session.
        session: that session.

    Raises:
        UnknownPlugin: there is no such plugin or action.
    """
    if asked and asked not in {*PLUGINS, *ACTION_ARGUMENTS}:
        raise UnknownPlugin(asked)
    return PluginReport(
        volcano=str(profile.release),
        configuration=conf.source,
        asked=asked,
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
        about=said.paragraphs,
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
        least=argument.least,
        most=argument.most,
        outside=argument.outside,
        wrong=argument.malformed or argument.wrong.value,
        fields=[_argument(field) for field in argument.fields],
        given=None if given is None else _given(argument, given),
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
        about=said.paragraphs,
        source=said.source,
        origin=_origin(name, registry.ACTIONS.built_in, made),
        positions=[position for position, each in enumerate(conf.actions, 1) if each == name],
        arguments=_arguments(known_in(ACTION_ARGUMENTS[name], profile), conf.configurations.get(name)),
        verdicts=[_said(code) for code in refusals(made)],
    )
    if session is not None and result.positions:
        _count(result, session)
    return result


def _count(result: ActionResult, session: FinishedSession) -> None:
    """Count what an action did."""
    statements = [each for each in session.trace.statements if each.action == result.name]
    standing = [each for each in statements if each.result is not StatementResult.DISCARD]
    steps = Counter(operation.op for each in standing for operation in each.operations)
    result.allocated, result.pipelined, result.evicted = (steps[op] for op in (Op.ALLOCATE, Op.PIPELINE, Op.EVICT))
    result.rolled_back = len(statements) - len(standing)
