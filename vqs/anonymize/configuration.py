"""The scheduler's configuration under other names.

It contains only what Volcano reads of the original; comments and unknown keys are left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
import yaml

from vqs.anonymize import vocabulary as public
from vqs.anonymize.devices import model
from vqs.anonymize.rules import resource
from vqs.anonymize.words import Naming
from vqs.config.known_arguments import ACTION_ARGUMENTS, PLUGIN_ARGUMENTS, Argument, find_argument
from vqs.config.scheduler_conf import PluginOption, SchedulerConfiguration
from vqs.engine.plugins.deviceshare.device_config import NpuConfig, read_device_config
from vqs.model.keys import DEVICE_CONFIG
from vqs.model.kubernetes import ConfigMap

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
            {
                "name": _kept_if_known(name, public.ACTION_NAMES, naming),
                "arguments": _arguments(arguments, ACTION_ARGUMENTS.built_in.get(name, ()), naming),
            }
            for name, arguments in conf.configurations.items()
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
    names = ((part, part.strip(" ")) for part in value.split(","))
    return ",".join(part.replace(name, resource(name, naming)) if name else part for part, name in names)


def _kept_if_known(name: str, known: frozenset[str], naming: Naming) -> str:
    return naming.keep(name) if name in known else naming.name(name)


# --- devices ----------------------------------------------------------------------------------------------------------


USUAL_NAME: Final = "volcano-vgpu-device-config"


def device_config_maps(config_maps: list[ConfigMap], naming: Naming) -> Iterator[dict[str, Any]]:
    """Yield the ConfigMaps with a configuration of devices that can be read, with nothing else in them."""
    for each in config_maps:
        config = read_device_config(each.data.get(DEVICE_CONFIG, "")) if DEVICE_CONFIG in each.data else None
        if config is not None:
            name = each.metadata.name
            metadata = {
                "name": naming.keep(name) if name == USUAL_NAME else naming.name(name),
                "namespace": naming.name(each.metadata.namespace),
            }
            nvidia: dict[str, Any] = msgspec.to_builtins(config.nvidia)
            for key, value in nvidia.items():
                if isinstance(value, str):
                    nvidia[key] = resource(value, naming)
            for known in nvidia["knownMigGeometries"]:
                known["models"] = [model(name, naming) for name in known["models"]]
                for geometry in known["allowedGeometries"]:
                    geometry["group"] = naming.name(geometry["group"])
                    for instance in geometry["geometries"]:
                        instance["name"] = naming.name(instance["name"])
            renamed = {"nvidia": nvidia, "vnpus": [_npu(npu, naming) for npu in config.npus]}
            data = {naming.keep(DEVICE_CONFIG): json.dumps(_with_keys(renamed, naming), indent=1)}
            yield {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def _npu(config: NpuConfig, naming: Naming) -> dict[str, Any]:
    written: dict[str, Any] = msgspec.to_builtins(config)
    written["commonWord"] = model(config.common_word, naming)
    for key in ("resourceName", "resourceMemoryName"):
        written[key] = resource(written[key], naming)
    for template in written["templates"]:
        template["name"] = naming.name(template["name"])
    return written


def _with_keys(value: Any, naming: Naming) -> Any:
    """A value of which the keys are public."""
    if isinstance(value, dict):
        return {naming.keep(key): _with_keys(each, naming) for key, each in value.items()}
    return [_with_keys(each, naming) for each in value] if isinstance(value, list | tuple) else value
