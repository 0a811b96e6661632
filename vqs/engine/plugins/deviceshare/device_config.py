"""The names, sizes and partitions of devices, as the device plugins' ConfigMap says.

Reference: pkg/scheduler/api/devices/config. What is wrong in it makes Volcano take its own default for all of it.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from vqs.engine.plugins.deviceshare.devices import ResourceNames
from vqs.snapshot.reading import yaml_text


class MigInstance(msgspec.Struct, frozen=True, rename="camel"):
    """How many MIG instances of one size a GPU is cut into."""

    name: str = ""
    memory: int = 0
    count: int = 0


class Geometry(msgspec.Struct, frozen=True, rename="camel"):
    """One way to cut a GPU into MIG instances."""

    group: str = ""
    instances: tuple[MigInstance, ...] = msgspec.field(default=(), name="geometries")


class ModelGeometries(msgspec.Struct, frozen=True, rename="camel"):
    """The ways in which some models of GPUs can be cut."""

    models: tuple[str, ...] = ()
    geometries: tuple[Geometry, ...] = msgspec.field(default=(), name="allowedGeometries")


class NvidiaConfig(msgspec.Struct, frozen=True, rename="camel"):
    """The resources of virtual GPUs, and the geometries of MIG; what is not given is empty."""

    count: str = msgspec.field(default="", name="resourceCountName")
    memory: str = msgspec.field(default="", name="resourceMemoryName")
    cores: str = msgspec.field(default="", name="resourceCoreName")
    percentage: str = msgspec.field(default="", name="resourceMemoryPercentageName")
    memory_factor: int = msgspec.field(default=0, name="gpuMemoryFactor")
    mig: tuple[ModelGeometries, ...] = msgspec.field(default=(), name="knownMigGeometries")

    @property
    def names(self) -> ResourceNames:
        """The resources that pods ask for."""
        return ResourceNames(self.count, self.memory, self.percentage, self.cores)

    def geometries(self, model: str) -> tuple[Geometry, ...] | None:
        """The geometries of the first entry with a part of a model's name, None where there is no such entry."""
        return next((each.geometries for each in self.mig if any(part in model for part in each.models)), None)


class NpuTemplate(msgspec.Struct, frozen=True, rename="camel"):
    """A size of virtual NPU, by its memory in MiB."""

    name: str = ""
    memory: int = 0


class NpuConfig(msgspec.Struct, frozen=True, rename="camel"):
    """A model of NPU: its resources, its memory in MiB, and the sizes of its virtual NPUs."""

    common_word: str = ""
    resource_name: str = ""
    resource_memory_name: str = ""
    memory_allocatable: int = 0
    memory_capacity: int = 0
    templates: tuple[NpuTemplate, ...] = ()

    @property
    def names(self) -> ResourceNames:
        """The resources that pods ask for."""
        return ResourceNames(self.resource_name, self.resource_memory_name)

    def memory_of(self, asked: int) -> int:
        """The memory that a pod gets where it asks for some; 0 where no NPU has as much."""
        sizes = sorted(template.memory for template in self.templates)
        fitting = next((size for size in sizes if asked <= size), None)
        if fitting is not None:
            return fitting
        return self.memory_allocatable if asked <= self.memory_capacity else 0


class _NpuConfigs(msgspec.Struct, frozen=True, rename="camel"):
    configs: tuple[NpuConfig, ...] = ()
    hami_vnpu_core: bool = False


class DeviceConfig(msgspec.Struct, frozen=True, rename="camel"):
    """The whole configuration; in an old form, `vnpus` is a list."""

    nvidia: NvidiaConfig = NvidiaConfig()
    vnpus: _NpuConfigs | tuple[NpuConfig, ...] = ()

    @property
    def npus(self) -> tuple[NpuConfig, ...]:
        """The models of NPUs."""
        return self.vnpus.configs if isinstance(self.vnpus, _NpuConfigs) else self.vnpus

    @property
    def has_core(self) -> bool:
        """Whether HAMi's core can confine pods on nodes that do not say so."""
        return isinstance(self.vnpus, _NpuConfigs) and self.vnpus.hami_vnpu_core


DEFAULT: Final = DeviceConfig(
    nvidia=NvidiaConfig(count="volcano.sh/vgpu-number", memory="volcano.sh/vgpu-memory", cores="volcano.sh/vgpu-cores"),
    vnpus=(
        NpuConfig(
            common_word="Ascend310P",
            resource_name="huawei.com/Ascend310P",
            resource_memory_name="huawei.com/Ascend310P-memory",
            memory_allocatable=21527,
            memory_capacity=24576,
            templates=(NpuTemplate("vir01", 3072), NpuTemplate("vir02", 6144), NpuTemplate("vir04", 12288)),
        ),
    ),
)
"""What holds where there is no ConfigMap: without geometries, so that MIG is never used."""


def read_device_config(text: str) -> DeviceConfig | None:
    """Read the text of a configuration; None where Volcano cannot."""
    try:
        documents = yaml_text.load(text)
        return msgspec.convert(_without_nulls(documents[0]) if documents else {}, DeviceConfig)
    except (yaml_text.YamlErrors, msgspec.ValidationError):
        return None


def _without_nulls(value: Any) -> Any:
    """Leave out what is null, which counts as not given."""
    if isinstance(value, dict):
        return {key: _without_nulls(each) for key, each in value.items() if each is not None}
    return [_without_nulls(each) for each in value] if isinstance(value, list) else value
