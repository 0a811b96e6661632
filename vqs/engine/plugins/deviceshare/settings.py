"""What the plugin's arguments come to, and which kinds of devices they switch on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from vqs.config.scheduler_conf import PluginOption
from vqs.engine.plugins.deviceshare.ascend import Ascend
from vqs.engine.plugins.deviceshare.device_config import DEFAULT, DeviceConfig, read_device_config
from vqs.engine.plugins.deviceshare.devices import DeviceKind
from vqs.engine.plugins.deviceshare.gpu_share import GpuShare
from vqs.engine.plugins.deviceshare.virtual_gpu import ExclusiveRule, VirtualGpu
from vqs.releases.deviceshare import DeviceShareBehaviours

EXCLUSIVE_RULES: Final = "deviceshare.GPUExclusiveRules"

_DEFAULT_BEHAVIOURS: Final = DeviceShareBehaviours()


@dataclass(frozen=True, slots=True)
class Settings:
    """The arguments; what is not given has the default of `vqs.config.known_arguments`.

    Attributes:
        by_memory: GPUs are shared by memory.
        by_number: GPUs are given away whole.
        virtual_gpus: HAMi's virtual GPUs.
        npus: HAMi's virtual NPUs.
        mind_cluster: MindCluster's virtual NPUs, which are not modelled.
        policy: how nodes are scored.
        weight: what a score counts; 0 or less, and nodes are not scored.
        config_map: the namespace/name of the ConfigMap with the device configuration.
        scores: whether the plugin scores nodes.
    """

    by_memory: bool
    by_number: bool
    virtual_gpus: bool
    npus: bool
    mind_cluster: bool
    policy: str
    weight: int
    config_map: str
    scores: bool

    @classmethod
    def of(cls, option: PluginOption) -> Settings:
        """Read the arguments of an option."""
        given = option.arguments
        namespace = given.string("deviceshare.KnownGeometriesCMNamespace")
        weight = given.int("deviceshare.ScheduleWeight")
        return cls(
            by_memory=given.bool("deviceshare.GPUSharingEnable"),
            by_number=given.bool("deviceshare.GPUNumberEnable"),
            virtual_gpus=given.bool("deviceshare.VGPUEnable"),
            npus=given.bool("deviceshare.AscendHAMiVNPUEnable"),
            mind_cluster=given.bool("deviceshare.AscendMindClusterVNPUEnable"),
            policy=given.string("deviceshare.SchedulePolicy"),
            weight=weight,
            config_map=f"{namespace}/{given.string('deviceshare.KnownGeometriesCMName')}",
            scores=weight > 0 and option.enabled("enableNodeOrder"),
        )

    @property
    def conflict(self) -> str:
        """Why Volcano exits with these arguments, empty where it does not."""
        if self.by_memory and self.by_number:
            return "GPUSharingEnable and GPUNumberEnable are both true"
        if (self.by_memory or self.by_number) and self.virtual_gpus:
            return f"{'GPUSharingEnable' if self.by_memory else 'GPUNumberEnable'} and VGPUEnable are both true"
        return ""

    @property
    def reads_config(self) -> bool:
        """Whether the device configuration matters."""
        return self.virtual_gpus or self.npus

    def config(self, config_maps: Mapping[str, str]) -> DeviceConfig:
        """Return the device configuration; Volcano's own where there is none, or one that it cannot read."""
        text = config_maps.get(self.config_map)
        found = None if text is None else read_device_config(text)
        return DEFAULT if found is None else found

    def kinds(
        self,
        config: DeviceConfig,
        behaviours: DeviceShareBehaviours = _DEFAULT_BEHAVIOURS,
        rules: Sequence[ExclusiveRule] = (),
    ) -> list[DeviceKind[Any]]:
        """Return the kinds of devices that pods can ask for, in the order in which nodes are asked for them."""
        found: list[DeviceKind[Any]] = []
        if self.by_memory or self.by_number:
            found.append(GpuShare(by_memory=self.by_memory))
        if self.virtual_gpus:
            found.append(VirtualGpu(config.nvidia, self.policy, behaviours, rules))
        if self.npus:
            allocating = self.policy if self.scores else ""
            found += [Ascend(each, self.policy, allocating) for each in config.npus]
        return found


def exclusive_rules(option: PluginOption) -> Iterator[ExclusiveRule]:
    """Yield the rules of GPUExclusiveRules; what is no text is left out, and so is a rule without labels."""
    written = option.arguments.get(EXCLUSIVE_RULES)
    for rule in written if isinstance(written, list) else ():
        labels = rule.items() if isinstance(rule, dict) else ()
        texts = frozenset((key, value) for key, value in labels if isinstance(key, str) and isinstance(value, str))
        if texts:
            yield texts
