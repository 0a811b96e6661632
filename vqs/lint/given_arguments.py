"""The arguments that a configuration gives to plugins and actions, beside what is known about them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from vqs.config.known_arguments import ACTION_ARGUMENTS, PLUGIN_ARGUMENTS, Argument, Kind, find_argument, known_in
from vqs.config.scheduler_conf import SchedulerConfiguration
from vqs.lint.plugins import given_plugins
from vqs.lint.queue_plugins import is_given
from vqs.releases.profile import Profile
from vqs.snapshot.reading.diagnostics import Path

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
        """Return what is known about a name."""
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
    for given in _outermost(conf, profile):
        yield from _with_inner(given)


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


def _outermost(conf: SchedulerConfiguration, profile: Profile) -> Iterator[Given]:
    for option in given_plugins(conf):
        known = PLUGIN_ARGUMENTS.get(option.name)
        if known is not None:
            yield Given(f"plugin {option.name}", option.arguments, known_in(known, profile), option.arguments.path)
    for name, arguments in conf.configurations.items() if is_given(conf) else ():
        if name in ACTION_ARGUMENTS:
            yield Given(f"action {name}", arguments, known_in(ACTION_ARGUMENTS[name], profile), arguments.path)


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
