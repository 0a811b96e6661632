"""The effective settings of two scheduler configurations, key by key, with the defaults filled in.

A flag of a plugin that has no say at it changes nothing, and is no setting; nor is an argument of a wrong type that
counts as not given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import yaml

from vqs.config.flags import FLAGS
from vqs.config.known_arguments import ACTION_ARGUMENTS, PLUGIN_ARGUMENTS, Outcome
from vqs.config.known_plugins import PLUGINS, WITH_HIERARCHY
from vqs.diff.outcome import SettingDifference

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from vqs.config.known_arguments import Argument
    from vqs.config.scheduler_conf import PluginOption, SchedulerConfiguration

_HIERARCHY: Final = "enableHierarchy"
_ANY: Final = "*"


class Setting(NamedTuple):
    """A value, and whether it is the default."""

    value: Any
    default: bool = False


def setting_differences(before: SchedulerConfiguration, after: SchedulerConfiguration) -> list[SettingDifference]:
    """Return the settings that differ: actions and tiers first, then by plugin and action.

    Of a plugin that is only on one side, the settings that are not the defaults are told.
    """
    one, other = effective(before), effective(after)
    return [
        SettingDifference(
            key=key,
            before=_value(one.get(key)),
            after=_value(other.get(key)),
            default_before=key in one and one[key].default,
            default_after=key in other and other[key].default,
        )
        for key in _ordered(one, other)
        if _differ(one.get(key), other.get(key))
    ]


def effective(conf: SchedulerConfiguration) -> dict[str, Setting]:
    """Return what a configuration comes to.

    >>> from vqs.config.scheduler_conf import built_in_configuration
    >>> settings = effective(built_in_configuration())
    >>> settings["actions"].value, settings["drf"].value, settings["overcommit.overcommit-factor"]
    ('enqueue, allocate, backfill', 'tier 2', Setting(value=1.2, default=True))
    """
    settings = {
        "actions": Setting(", ".join(conf.actions)),
        "tiers": Setting(" | ".join(", ".join(option.name for option in tier.plugins) for tier in conf.tiers)),
    }
    for number, tier in enumerate(conf.tiers, 1):
        for option in tier.plugins:
            name = _free(option.name, settings)
            settings[name] = Setting(f"tier {number}")
            settings.update((_key(name, key), setting) for key, setting in _of_plugin(option))
    for action in dict.fromkeys(conf.actions):
        of_action = _arguments(ACTION_ARGUMENTS.get(action, ()), conf.action_arguments(action))
        settings.update((_key(action, key), setting) for key, setting in of_action)
    settings.update((f"metrics.{key}", Setting(value)) for key, value in conf.metrics.items())
    return settings


def _key(owner: str, name: str) -> str:
    return name if name.startswith(f"{owner}.") else f"{owner}.{name}"


def _free(name: str, settings: Mapping[str, Setting]) -> str:
    """Return a name for a plugin; one that is configured twice has a number the second time."""
    number = 1
    while name in settings:
        number += 1
        name = f"{name.partition('#')[0]}#{number}"
    return name


def _of_plugin(option: PluginOption) -> Iterator[tuple[str, Setting]]:
    has_say = PLUGINS.get(option.name, frozenset(FLAGS))
    for flag in FLAGS:
        if flag in has_say or (flag == _HIERARCHY and option.name in WITH_HIERARCHY):
            yield flag, Setting(option.enabled(flag), default=option.enabled(flag) == FLAGS[flag])
    yield from _arguments(PLUGIN_ARGUMENTS.get(option.name, ()), option.arguments)


def _arguments(known: Sequence[Argument], given: Mapping[str, object]) -> Iterator[tuple[str, Setting]]:
    for argument in known:
        if _ANY not in argument.name and argument.name not in given:
            yield argument.name, Setting(_default(argument), default=True)
    for name, value in given.items():
        read = next((each for each in known if each.matches(name)), None)
        if read is not None and read.wrong is Outcome.IGNORED and not read.accepts(value):
            yield name, Setting(_default(read), default=True)
        else:
            yield name, Setting(value, default=read is not None and value == _default(read))


def _default(argument: Argument) -> Any:
    """Return the default as the value that it stands for."""
    return yaml.safe_load(argument.default) if argument.default else None


def _value(setting: Setting | None) -> Any:
    return None if setting is None else setting.value


def _differ(one: Setting | None, other: Setting | None) -> bool:
    if one is not None and other is not None:
        return bool(one.value != other.value)
    return any(each is not None and not each.default for each in (one, other))


def _ordered(one: Mapping[str, Setting], other: Mapping[str, Setting]) -> list[str]:
    """Return all keys: actions and tiers, then by name, so that the order of the sides does not show."""
    return sorted({*one, *other}, key=lambda key: (key not in ("actions", "tiers"), key.replace(".", "\0")))
