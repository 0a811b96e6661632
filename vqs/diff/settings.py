"""The effective settings of two scheduler configurations, key by key, with the defaults filled in.

What has no effect is no setting: the flag of a function that a plugin does not have, an argument that no plugin reads,
or one of a plugin whose functions are all switched off. A value of a wrong type counts as not given where the scheduler
treats it so, and two that are spelled differently may mean the same to it. Settings may also be the same though neither
side's configuration is read: where each comes from is compared as well.
"""

from __future__ import annotations

import pathlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

import yaml

from vqs.config.known_arguments import (
    ACTION_ARGUMENTS,
    METRICS_KEYS,
    PLUGIN_ARGUMENTS,
    Argument,
    Arguments,
    Kind,
    Outcome,
    find_argument,
)
from vqs.config.known_plugins import PLUGINS, WITH_HIERARCHY
from vqs.config.scheduler_conf import BUILT_IN, FLAGS, PluginOption, SchedulerConfiguration
from vqs.diff.outcome import ConfigurationDifference, SettingDifference
from vqs.diff.run import Input
from vqs.model.durations import parse_duration
from vqs.snapshot.reading.configuration.text import ConfigText, configurations_of
from vqs.snapshot.reading.diagnostics import Path


def configuration_difference(before: Input, after: Input) -> ConfigurationDifference | None:
    """Return whether the configuration is gone, new or moved, or whether the change touches another one beside it.

    Without a configuration, the scheduler runs with its default. Another configuration beside the compared one is
    reported only where the change adds or edits it: in the cluster, it may be the one that the scheduler reads.

    A ConfigMap is moved if its name or its key changes. The scheduler does not see in which file a ConfigMap is, so
    file names do not count in a comparison of two snapshots. A comparison with a revision reads the same files twice:
    there the namespace counts as well, and so does the name of a file that holds only the configuration.
    """
    one, other = before.manifests.conf, after.manifests.conf
    if one is None or other is None:
        if one is other:
            return None
        said = {"before": _name(one), "after": _name(other)}
        return ConfigurationDifference(change="gone" if other is None else "new", **said)
    if _is_moved(_Place.of(one), _Place.of(other), before.revision, after.checkout):
        return ConfigurationDifference(change="moved", before=_name(one), after=_name(other))
    known, own = _in_config_maps(before), _Place.of(other)
    added = [
        name
        for place, (name, text) in _in_config_maps(after).items()
        if text != other.text
        and known.get(place, ("", None))[1] != text
        and not (place[1:] == own[:2] and own.namespace in ("", place[0]))
    ]
    return ConfigurationDifference(change="beside", before=_name(one), after=added[0]) if added else None


def _in_config_maps(side: Input) -> dict[tuple[str, str, str], tuple[str, str]]:
    """Return the configurations in ConfigMaps, by namespace, name and key: how they are called, and what they say."""
    pairs = side.manifests.with_origins("config_maps")
    found = (each for config_map, origin in pairs for each in configurations_of(config_map, origin))
    return {(each.namespace, each.owner, each.key): (each.name, each.text) for each in found}


class _Place(NamedTuple):
    """Where a configuration stands: in which ConfigMap, and under which key, or in which file."""

    name: str
    key: str
    namespace: str
    file: str

    @classmethod
    def of(cls, conf: ConfigText) -> _Place:
        """Return the place of a configuration."""
        return cls(conf.owner, conf.key, conf.namespace, conf.document.source.name)


def _is_moved(one: _Place, other: _Place, revision: str, checkout: str) -> bool:
    if one.name and other.name:
        return one[:2] != other[:2] or (bool(revision) and one.namespace != other.namespace)
    if not revision:
        return False
    if one.name or other.name:
        return True
    # What git calls the file; a link is not followed, as it is one to git as well.
    path = pathlib.Path(other.file).absolute()
    real = path.parent.resolve() / path.name
    named = real.relative_to(checkout).as_posix() if real.is_relative_to(checkout) else str(real)
    return one.file.removeprefix(f"{revision}:") != named


def _name(conf: ConfigText | None) -> str:
    return conf.name if conf is not None else BUILT_IN


_LISTED: Final = "resources"
"""What the name of a text ends with that lists names, separated by commas; the arguments below it are theirs."""

_DEPENDS: Final[Mapping[str, tuple[str, bool]]] = {
    "volumebinding.": ("predicate.VolumeBindingEnable", True),
    "dynamicresources.": ("predicate.DynamicResourceAllocationEnable", False),
}
"""Arguments of predicates that are looked at only where another one is true, with what that is by default."""


@cache
def default_of(written: str) -> Any:
    """Return the value that the default of an argument stands for; None for an empty one."""
    return yaml.safe_load(written)


def taken(argument: Argument, value: object) -> Any:
    """Return the value that the scheduler takes where one is given.

    >>> [taken(Argument("weight", Kind.INT, "1"), each) for each in (5, "5")]
    [5, 1]
    """
    if not argument.accepts(value):
        return {Outcome.IGNORED: default_of(argument.default), Outcome.ZERO: 0}.get(argument.wrong, value)
    if value is None or (
        not argument.allows(value) and argument.outside == f"Volcano takes {argument.default} in its place"
    ):
        return default_of(argument.default)
    return int(value) if argument.kind is Kind.INT and isinstance(value, float) else value


def meaning(argument: Argument, value: object) -> Any:
    """Return what a value comes to, so that values with the same effect are equal; None is none at all.

    >>> meaning(Argument("period", Kind.DURATION), "60s") == meaning(Argument("period", Kind.DURATION), "1m")
    True
    """
    value = taken(argument, value) if value is not None else default_of(argument.default)
    match argument.kind:
        case Kind.OBJECT if argument.fields:
            return _object(argument, value if isinstance(value, dict) else {})
        case Kind.LIST if argument.fields and isinstance(value, list):
            return [_object(argument, item) if isinstance(item, dict) else item for item in value]
        case Kind.DURATION if isinstance(value, str):
            seconds = parse_duration(value)
            return value if seconds is None else seconds
        case Kind.HOURS if isinstance(value, str):
            return value.strip()
        case Kind.TEXT if argument.name.endswith(_LISTED) and isinstance(value, str):
            return sorted(_listed(value))
    return value


def read(known: Sequence[Argument], given: Mapping[str, object]) -> Iterator[tuple[str, Argument]]:
    """Yield the names of those of the given arguments that are read, with what is known of them."""
    for name in given:
        argument = find_argument(known, name)
        if argument is not None and _has_effect(name, argument, given):
            yield name, argument


def _has_effect(name: str, argument: Argument, given: Mapping[str, object]) -> bool:
    """Tell whether an argument does not depend on another one, by which it does not count."""
    head, star, _ = argument.name.partition("*")
    listing = head.removesuffix(".")
    if star and listing.endswith(_LISTED):
        listed = given.get(listing)
        return isinstance(listed, str) and name.removeprefix(head) in _listed(listed)
    for prefix, (switch, default) in _DEPENDS.items():
        if name.startswith(prefix):
            value = given.get(switch)
            return value if isinstance(value, bool) else default
    return True


def _listed(text: str) -> set[str]:
    return {name.strip() for name in text.split(",")} - {""}


def _object(argument: Argument, given: Mapping[str, object]) -> dict[str, Any]:
    """Return what the fields of an object come to, those that are not given with their defaults."""
    found = {field.name: meaning(field, None) for field in argument.fields if "*" not in field.name}
    for name, value in given.items():
        field = find_argument(argument.fields, name, fold=argument.folds)
        if field is not None:
            found[name if "*" in field.name else field.name] = meaning(field, value)
    return found


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
            before=one[key].value if key in one else None,
            after=other[key].value if key in other else None,
            default_before=key in one and one[key].default,
            default_after=key in other and other[key].default,
        )
        for key in sorted({*one, *other}, key=lambda key: (key not in ("actions", "tiers"), key.replace(".", "\0")))
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
    elif option.name not in ASKED_ONLY or any(
        option.enabled(flag) and (flag != _ADMISSION or _ENQUEUE in conf.actions) for flag in has_say
    ):
        yield from _arguments(PLUGIN_ARGUMENTS[option.name], option.arguments)


def _arguments(known: Sequence[Argument], given: Arguments) -> Iterator[tuple[str, Setting]]:
    left_out = [(each.name, each) for each in known if _ANY not in each.name and each.name not in given]
    for name, argument in (*left_out, *read(known, given)):
        path = (*given.path, name) if given.path else _ACTIONS
        usual = meaning(argument, None)
        if name in given:
            means = meaning(argument, given[name])
            yield name, Setting(taken(argument, given[name]), means == usual, means, path)
        else:
            yield name, Setting(default_of(argument.default), True, usual, path)


def _differ(one: Setting | None, other: Setting | None) -> bool:
    if one is not None and other is not None:
        return bool(one.effect != other.effect)
    return any(each is not None and not each.default for each in (one, other))
