"""The effective settings of two scheduler configurations, key by key, with the defaults filled in.

What has no effect is no setting: the flag of a function that a plugin does not have, an argument that no plugin reads,
or one of a plugin whose functions are all switched off. A value of a wrong type counts as not given where the scheduler
treats it so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from vqs.config.arguments import Arguments
from vqs.config.flags import FLAGS
from vqs.config.known_arguments import ACTION_ARGUMENTS, METRICS_KEYS, PLUGIN_ARGUMENTS, Argument
from vqs.config.known_plugins import PLUGINS, WITH_HIERARCHY
from vqs.config.scheduler_conf import PluginOption, SchedulerConfiguration
from vqs.diff.meanings import default_of, meaning, read, taken
from vqs.diff.outcome import SettingDifference
from vqs.snapshot.reading.diagnostics import Path

_HIERARCHY: Final = "enableHierarchy"
_ANY: Final = "*"
_ADMISSION: Final = "enableJobEnqueued"
_ENQUEUE: Final = "enqueue"
_ACTIONS: Final[Path] = ("actions",)
_TIERS: Final[Path] = ("tiers",)
ASKED_ONLY: Final = frozenset(
    {
        "binpack",
        "network-topology-aware",
        "nodegroup",
        "nodeorder",
        "overcommit",
        "resource-strategy-fit",
        "sla",
        "task-topology",
        "usage",
    }
)
"""Plugins whose arguments only matter to functions that flags switch off; others act whatever their flags are."""


class Setting(NamedTuple):
    """A value, whether it is the default, and what it means where it may be written in several ways.

    `path` leads to it in the configuration, or to where it would be written.
    """

    value: Any
    default: bool = False
    meaning: Any = None
    path: Path = ()

    @property
    def effect(self) -> Any:
        """What is compared."""
        return self.value if self.meaning is None else self.meaning


def setting_differences(before: SchedulerConfiguration, after: SchedulerConfiguration) -> list[SettingDifference]:
    """Return the settings that differ: actions and tiers first, then by plugin and action.

    Of a plugin that is only on one side, the settings that are not the defaults are returned.
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
    """Return the settings that a configuration results in, by key.

    >>> from vqs.config.scheduler_conf import built_in_configuration
    >>> settings = effective(built_in_configuration())
    >>> settings["actions"].value, settings["drf"].value, settings["overcommit.overcommit-factor"].value
    ('enqueue, allocate, backfill', 'tier 2', 1.2)
    """
    tiers = [tier for tier in conf.tiers if tier.plugins]
    settings = {
        "actions": Setting(", ".join(conf.actions), path=_ACTIONS),
        "tiers": Setting(" | ".join(", ".join(option.name for option in tier.plugins) for tier in tiers), path=_TIERS),
    }
    names = _Names(settings)
    for number, tier in enumerate(tiers, 1):
        for option in tier.plugins:
            name = names.free(option.name)
            settings[name] = Setting(f"tier {number}", path=(*option.path, "name"))
            settings.update((_key(name, key), setting) for key, setting in _of_plugin(option, conf))
    for action in dict.fromkeys(conf.actions):
        of_action = _arguments(ACTION_ARGUMENTS.get(action, ()), conf.action_arguments(action))
        settings.update((_key(action, key), setting) for key, setting in of_action)
    metrics = ((key, value) for key, value in conf.metrics.items() if key in METRICS_KEYS)
    settings.update((f"metrics.{key}", Setting(value, path=("metrics", key))) for key, value in metrics)
    return settings


def path_of(key: str, settings: Mapping[str, Setting]) -> Path:
    """Return where a setting is written in a configuration, or would be where the configuration lacks it."""
    owner = key.partition(".")[0]
    found = settings.get(key) or settings.get(owner)
    if found is not None:
        return found.path
    return _ACTIONS if owner in ACTION_ARGUMENTS else _TIERS


def _key(owner: str, name: str) -> str:
    return name if name.startswith(f"{owner}.") else f"{owner}.{name}"


class _Names:
    """Names for plugins: one that is configured twice has a number the second time."""

    def __init__(self, settings: Mapping[str, Setting]) -> None:
        self._settings = settings
        self._numbers: dict[str, int] = {}

    def free(self, name: str) -> str:
        """Return a name that no setting has."""
        if name not in self._settings:
            return name
        base = name.partition("#")[0]
        number = self._numbers.get(base, 1) + 1
        while f"{base}#{number}" in self._settings:
            number += 1
        self._numbers[base] = number
        return f"{base}#{number}"


def _of_plugin(option: PluginOption, conf: SchedulerConfiguration) -> Iterator[tuple[str, Setting]]:
    has_say = PLUGINS.get(option.name, frozenset(FLAGS))
    for flag in FLAGS:
        if flag in has_say or (flag == _HIERARCHY and option.name in WITH_HIERARCHY):
            value = option.enabled(flag)
            yield flag, Setting(value, default=value == FLAGS[flag], path=(*option.path, flag))
    if option.name not in PLUGIN_ARGUMENTS:  # what a plugin outside Volcano reads is not known
        path = option.arguments.path
        yield from ((name, Setting(value, path=(*path, name))) for name, value in option.arguments.items())
    elif option.name not in ASKED_ONLY or any(_counts(option, flag, conf) for flag in has_say):
        yield from _arguments(PLUGIN_ARGUMENTS[option.name], option.arguments)


def _counts(option: PluginOption, flag: str, conf: SchedulerConfiguration) -> bool:
    """Tell whether a plugin is asked; for admission, only where the action enqueue is configured."""
    return option.enabled(flag) and (flag != _ADMISSION or _ENQUEUE in conf.actions)


def _arguments(known: Sequence[Argument], given: Arguments) -> Iterator[tuple[str, Setting]]:
    def path(name: str) -> Path:
        return (*given.path, name) if given.path else _ACTIONS

    for argument in known:
        if _ANY not in argument.name and argument.name not in given:
            yield argument.name, Setting(default_of(argument), True, meaning(argument, None), path(argument.name))
    for name, argument in read(known, given):
        means = meaning(argument, given[name])
        default = means == meaning(argument, None)
        yield name, Setting(taken(argument, given[name]), default, means, path(name))


def _value(setting: Setting | None) -> Any:
    return None if setting is None else setting.value


def _differ(one: Setting | None, other: Setting | None) -> bool:
    if one is not None and other is not None:
        return bool(one.effect != other.effect)
    return any(each is not None and not each.default for each in (one, other))


def _ordered(one: Mapping[str, Setting], other: Mapping[str, Setting]) -> list[str]:
    """Return all keys: actions and tiers, then by name, so that the order of the sides does not show."""
    return sorted({*one, *other}, key=lambda key: (key not in ("actions", "tiers"), key.replace(".", "\0")))
