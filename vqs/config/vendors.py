"""Builds of Volcano that vendors ship: what they add to a release, and how one knows them by it.

What a vendor's plugin decides is in the vendor's code, or depends on objects that no snapshot has; a session runs
without it, and says so. Public references: the documentation of MindCluster (Ascend/ascend-for-volcano and
gitcode.com/Ascend/mind-cluster), of the add-on Volcano Scheduler of Huawei Cloud CCE and of Open Telekom Cloud CCE, and
of HAMi (Project-HAMi/HAMi).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Final

_VOLUMES: Final = "which nodes have room for local volumes, empty directories and volumes of CSI drivers"
_GPUS: Final = "which nodes and GPUs a pod with GPUs takes, by their topology, and how a GPU is shared"
_CHIPS: Final = "which nodes and chips a pod with NPUs takes, and what follows a fault of a chip or a node"


@dataclass(frozen=True, slots=True)
class Vendor:
    """A build of a vendor, or what it adds to a release of Volcano.

    Attributes:
        name: its name, as in --volcano 1.14+NAME.
        title: what people call it.
        plugins: its plugins of the scheduler, and what each decides; a star stands for what is free, as a version.
        configurations: items of ``configurations`` that hold arguments for its plugins, with these arguments.
        images: what is part of the names of its images.
        node_labels: labels that it gives to nodes, each with how its value begins.
        resources: what its pods ask for; a star stands for what is free.
        modelled_by: the arguments of plugins of Volcano with which vqs models what it places, by plugin.
    """

    name: str
    title: str
    plugins: Mapping[str, str]
    configurations: Mapping[str, frozenset[str]] = field(default_factory=dict)
    images: tuple[str, ...] = ()
    node_labels: Mapping[str, str] = field(default_factory=dict)
    resources: tuple[str, ...] = ()
    modelled_by: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def decides(self, plugin: str) -> str:
        """What one of its plugins decides; empty for one that is none of them."""
        return next((what for name, what in self.plugins.items() if fnmatchcase(plugin, name)), "")

    def places(self, resource: str) -> bool:
        """True if it decides where pods go that ask for a resource."""
        return any(fnmatchcase(resource, name) for name in self.resources)

    def labels(self, labels: Mapping[str, str]) -> Iterator[str]:
        """The labels of a node that it gives to nodes."""
        return (name for name, begin in self.node_labels.items() if name in labels and labels[name].startswith(begin))


VENDORS: Final[Mapping[str, Vendor]] = {
    each.name: each
    for each in (
        Vendor(
            name="mindcluster",
            title="MindCluster",
            plugins={"volcano-npu[-_]*": _CHIPS},
            configurations={
                "init-params": frozenset(
                    {
                        "forceEnqueue",
                        "grace-over-time",
                        "nslb-version",
                        "prefer-previous-node",
                        "presetVirtualDevice",
                        "reserve-nodes",
                        "self-maintain-available-card",
                        "shared-tor-num",
                        "super-pod-size",
                        "useClusterInfoManager",
                    }
                )
            },
            images=("mindcluster", "mindx", "ascendhub"),
            node_labels={"accelerator": "huawei-", "servertype": "Ascend", "workerselector": "dls-"},
            resources=("huawei.com/Ascend*", "huawei.com/npu-core"),
            modelled_by={
                "deviceshare": frozenset(
                    {"deviceshare.AscendHAMiVNPUEnable", "deviceshare.AscendMindClusterVNPUEnable"}
                )
            },
        ),
        Vendor(
            name="cce",
            title="Huawei Cloud CCE",
            plugins={
                "cce-gpu*": _GPUS,
                "xgpu": _GPUS,
                "nodelocalvolume": _VOLUMES,
                "nodeemptydirvolume": _VOLUMES,
                "nodeCSIscheduling": _VOLUMES,
                "networkresource": "which nodes have network interfaces left for a pod",
                "oversubscription": "which nodes lend what is unused to offline pods, and which of these go first",
                "colocation": "which nodes take online and offline pods together",
            },
            images=("hwofficial",),
            node_labels={"cce.cloud.com/cce-nodepool": ""},
            resources=("huawei.com/ascend-*", "volcano.sh/gpu-mem.128Mi", "volcano.sh/gpu-core.percentage"),
        ),
        Vendor(
            name="hami",
            title="HAMi",
            plugins={},
            images=("projecthami",),
            node_labels={"ascend": "on"},
            resources=("nvidia.com/gpumem*", "nvidia.com/gpucores", "huawei.com/Ascend*-memory"),
            modelled_by={"deviceshare": frozenset({"deviceshare.VGPUEnable", "deviceshare.AscendHAMiVNPUEnable"})},
        ),
    )
}
"""By the name that --volcano takes after the release: one of `vqs.releases.release.VENDORS`."""


def vendor_of_image(image: str) -> Vendor | None:
    """The vendor whose images have such a name, None where none is known."""
    return next((each for each in VENDORS.values() if any(part in image for part in each.images)), None)


def vendor_of_plugin(plugin: str) -> Vendor | None:
    """The vendor that ships a plugin, None where none is known."""
    return next((each for each in VENDORS.values() if each.decides(plugin)), None)


def vendor_of_configuration(name: str) -> Vendor | None:
    """The vendor whose plugins read an item of ``configurations``, None where none is known."""
    return next((each for each in VENDORS.values() if name in each.configurations), None)


def vendors_of_plugins(plugins: Iterable[str]) -> dict[str, list[str]]:
    """The plugins that vendors ship among some, by the vendor's name."""
    found: dict[str, list[str]] = {}
    for plugin in plugins:
        vendor = vendor_of_plugin(plugin)
        if vendor is not None:
            found.setdefault(vendor.name, []).append(plugin)
    return found
