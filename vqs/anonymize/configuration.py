"""The scheduler's configuration under other names.

It contains only what Volcano reads of the original; comments and unknown keys are left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import yaml

from vqs.anonymize import vocabulary as public
from vqs.anonymize.rules import resource
from vqs.anonymize.words import Naming
from vqs.config.known_arguments import ACTION_ARGUMENTS, PLUGIN_ARGUMENTS, Argument, find_argument
from vqs.config.scheduler_conf import PluginOption, SchedulerConfiguration

_TELLS_NOTHING: Final = ("type", "interval")
"""What is kept of where metrics come from."""
_ZONES: Final = "tdm.revocable-zone."


def configuration_text(conf: SchedulerConfiguration, naming: Naming) -> str:
    """The text of a configuration."""
    written: dict[str, Any] = {
        "actions": ", ".join(_kept_if_known(name, public.ACTION_NAMES, naming) for name in conf.actions)
    }
    if conf.tiers:
        written["tiers"] = [{"plugins": [_plugin(option, naming) for option in tier.plugins]} for tier in conf.tiers]
    if conf.configurations:
        written["configurations"] = [
            _action(name, arguments, naming) for name, arguments in conf.configurations.items()
        ]
    metrics = {key: conf.metrics[key] for key in _TELLS_NOTHING if key in conf.metrics}
    if metrics:
        written["metrics"] = {naming.keep(key): _renamed_text(each, naming) for key, each in metrics.items()}
    for key in ("actions", "tiers", "plugins", "name", "arguments", "configurations", "metrics"):
        naming.keep(key)
    text: str = yaml.safe_dump(written, sort_keys=False)
    return text


def _plugin(option: PluginOption, naming: Naming) -> dict[str, Any]:
    written: dict[str, Any] = {"name": _kept_if_known(option.name, public.PLUGIN_NAMES, naming)}
    written |= {naming.keep(flag): value for flag, value in option.flags.items()}
    if option.arguments:
        written["arguments"] = _arguments(option.arguments, PLUGIN_ARGUMENTS.built_in.get(option.name, ()), naming)
    return written


def _action(name: str, arguments: Mapping[str, object], naming: Naming) -> dict[str, Any]:
    known = ACTION_ARGUMENTS.built_in.get(name, ())
    return {
        "name": _kept_if_known(name, public.ACTION_NAMES, naming),
        "arguments": _arguments(arguments, known, naming),
    }


def _arguments(values: Mapping[str, object], known: Sequence[Argument], naming: Naming) -> dict[str, Any]:
    """Write arguments; the free part of a name is that of a resource or a zone."""
    written = {}
    for key, value in values.items():
        argument = find_argument(known, str(key), fold=True)
        fields = argument.fields if argument else ()
        written[_argument_name(str(key), argument, naming)] = _value(value, fields, naming)
    return written


def _argument_name(name: str, argument: Argument | None, naming: Naming) -> str:
    if argument is None:
        return resource(name, naming)
    head, star, tail = argument.name.partition("*")
    if not star:
        return naming.keep(name)
    free = name.removeprefix(head).removesuffix(tail)
    return naming.keep(head) + (naming.name(free) if head == _ZONES else resource(free, naming)) + naming.keep(tail)


def _value(value: object, fields: Sequence[Argument], naming: Naming) -> object:
    if isinstance(value, dict):
        return _arguments(value, fields, naming)
    if isinstance(value, list):
        return [_value(each, fields, naming) for each in value]
    return _renamed_text(value, naming) if isinstance(value, str) else value


def _renamed_text(value: str, naming: Naming) -> str:
    """Write a text: a setting that is public, or names, of resources for example, with commas between them.

    Microseconds are written in ASCII: YAML escapes other letters, and what remains of the word would be none.
    """
    if public.SETTING.fullmatch(value):
        return naming.keep(re.sub("[µμ]s", "us", value))
    return ",".join(_renamed_part(part, naming) for part in value.split(","))


def _renamed_part(text: str, naming: Naming) -> str:
    name = text.strip(" ")
    return text.replace(name, resource(name, naming)) if name else text


def _kept_if_known(name: str, known: frozenset[str], naming: Naming) -> str:
    return naming.keep(name) if name in known else naming.name(name)
