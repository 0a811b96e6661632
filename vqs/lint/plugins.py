"""What a configuration makes of plugins: which it has, what they have a say in, and the arguments that it gives."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from vqs.config.known_arguments import ACTION_ARGUMENTS, PLUGIN_ARGUMENTS, Argument, Kind, find_argument, known_in
from vqs.config.known_plugins import NEEDS_HIERARCHY, PLUGINS
from vqs.config.scheduler_conf import BUILT_IN, PluginOption, SchedulerConfiguration
from vqs.lint.rule import ConfPlace, Evidence
from vqs.releases.profile import Profile
from vqs.snapshot.reading.diagnostics import Path


def is_given(conf: SchedulerConfiguration) -> bool:
    """True if a configuration was given; the built-in one may stand in for one that was not."""
    return conf.source != BUILT_IN


def uses(conf: SchedulerConfiguration, plugin: str) -> bool:
    """True if a plugin is used."""
    return conf.plugin(plugin) is not None


def has_hierarchy(conf: SchedulerConfiguration, plugin: str) -> bool:
    """True if a plugin is to look at queues as a tree."""
    found = conf.plugin(plugin)
    return found is not None and found.enabled("enableHierarchy")


def evidence_of_hierarchy(conf: SchedulerConfiguration) -> tuple[Evidence, ...]:
    """Say where it stands that the plugin capacity is to look at queues as a tree, if it is."""
    if not has_hierarchy(conf, "capacity"):
        return ()
    found = conf.plugin("capacity")
    place = ConfPlace((*found.path, "enableHierarchy")) if found is not None else None
    return (Evidence("the plugin capacity is used with enableHierarchy", place),)


TIERS = ConfPlace(("tiers",), key=True)


def given_plugins(conf: SchedulerConfiguration) -> Iterator[PluginOption]:
    """Yield the plugins of a given configuration in their order; none for the built-in one."""
    if is_given(conf):
        yield from conf.plugins


def answering(conf: SchedulerConfiguration, flag: str) -> list[PluginOption]:
    """The plugins that have a say in what a flag is about, where it is on."""
    return [option for tier in answering_by_tier(conf, flag) for option in tier]


def answering_by_tier(conf: SchedulerConfiguration, flag: str) -> list[list[PluginOption]]:
    """The plugins that have a say in what a flag is about, tier by tier."""
    return [
        [option for option in tier.plugins if has_a_say(conf, option, flag) and option.enabled(flag)]
        for tier in conf.tiers
    ]


def has_a_say(conf: SchedulerConfiguration, option: PluginOption, flag: str) -> bool:
    """True if a plugin has a say in what a flag is about, whether the flag is on or not. Unknown ones may."""
    if option.name not in PLUGINS:
        return True
    needs_hierarchy = flag in NEEDS_HIERARCHY.get(option.name, ())
    return flag in PLUGINS[option.name] and (not needs_hierarchy or has_hierarchy(conf, option.name))


def uses_action(conf: SchedulerConfiguration, action: str) -> bool:
    """True if a given configuration has an action."""
    return is_given(conf) and action in conf.actions


def action_place(conf: SchedulerConfiguration, action: str) -> ConfPlace:
    """The place where an action is first named."""
    return ConfPlace(("actions", conf.actions.index(action)))


_WIDTH = 40


@dataclass(frozen=True, slots=True)
class Given:
    """Names with values that are given to a plugin or an action, and those it knows; `before` names what is around."""

    owner: str
    values: Mapping[str, Any]
    known: tuple[Argument, ...]
    path: Path
    before: str = ""
    folds: bool = False

    def find(self, name: str) -> Argument | None:
        """All that is known about a name."""
        return find_argument(self.known, name, fold=self.folds)


@dataclass(frozen=True, slots=True)
class Value:
    """A value that is given for an argument or for a part of one."""

    owner: str
    name: str
    value: object
    argument: Argument
    path: Path


def given_arguments(conf: SchedulerConfiguration, profile: Profile) -> Iterator[Given]:
    """Yield the arguments of the plugins and actions that a release knows, and the objects inside of them."""
    for option in given_plugins(conf):
        if (known := PLUGIN_ARGUMENTS.get(option.name)) is not None:
            known = known_in(known, profile)
            yield from _with_inner(Given(f"plugin {option.name}", option.arguments, known, option.arguments.path))
    for name, arguments in conf.configurations.items() if is_given(conf) else ():
        if name in ACTION_ARGUMENTS:
            known = known_in(ACTION_ARGUMENTS[name], profile)
            yield from _with_inner(Given(f"action {name}", arguments, known, arguments.path))


def given_values(conf: SchedulerConfiguration, profile: Profile) -> Iterator[Value]:
    """Yield each value with the argument it is for, and those inside of it."""
    for given in given_arguments(conf, profile):
        for key, value in given.values.items():
            argument = given.find(key)
            if argument is not None:
                yield Value(given.owner, f"{given.before}{key}", value, argument, (*given.path, key))


def shown(value: object) -> str:
    """Write a value for a message, shortened."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]}..."


def _with_inner(given: Given) -> Iterator[Given]:
    yield given
    for key, value in given.values.items():
        argument = given.find(key)
        if argument is None or not argument.fields:
            continue
        name, path = f"{given.before}{key}", (*given.path, key)
        items = [(f"{name}.", path, value)]
        if argument.kind is Kind.LIST and isinstance(value, list):
            items = [(f"{name}[{index}].", (*path, index), item) for index, item in enumerate(value)]
        for before, inner, item in items:
            if isinstance(item, dict):
                yield from _with_inner(Given(given.owner, item, argument.fields, inner, before, argument.folds))
