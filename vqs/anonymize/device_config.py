"""The configuration of devices under other names: resources and models of vendors stay, geometries have names."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from vqs.anonymize.devices import model
from vqs.anonymize.rules import resource
from vqs.anonymize.words import Naming
from vqs.engine.plugins.deviceshare.device_config import NpuConfig, read_device_config
from vqs.model.keys import DEVICE_CONFIG
from vqs.model.kubernetes import ConfigMap

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
