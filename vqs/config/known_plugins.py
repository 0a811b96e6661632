"""What is known of the plugins and actions of Volcano v1.14.4, of earlier releases and of vendors, by their names.

A plugin's say is named by the flag that switches it on and off, see `vqs.config.scheduler_conf`.

References in volcano-sh/volcano: ``pkg/scheduler/plugins/factory.go``, ``OnSessionOpen`` of each plugin, and
``pkg/scheduler/framework/session_plugins.go`` for the flag that each extension point looks at.

Plugins ignore arguments that they do not know, so that a configuration keeps what has moved for years. References in
volcano-sh/volcano: pkg/scheduler/plugins and pkg/scheduler/actions at v1.2.0 to v1.16.0-alpha.1.

Builds that vendors ship are known by the plugins that they add. What these decide is in the vendor's code, or depends
on objects that no snapshot has; a session runs without them, and says so. Public references: the documentation of
MindCluster (Ascend/ascend-for-volcano and gitcode.com/Ascend/mind-cluster), of the add-on Volcano Scheduler of Huawei
Cloud CCE and of Open Telekom Cloud CCE, and of HAMi (Project-HAMi/HAMi).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Final

from vqs.config.known_arguments import ACTION_ARGUMENTS
from vqs.extensible import Extensible
from vqs.releases.profile import Profile

_FLAGS: Final[Mapping[str, frozenset[str]]] = {
    name: frozenset(flags.split())
    for name, flags in {
        "binpack": "enableNodeOrder",
        "capacity": "enableReclaimable enablePreemptive enabledAllocatable enableJobEnqueued enablePredicate "
        "enableQueueOrder",
        "cdp": "enablePreemptable enableReclaimable",
        "conformance": "enablePreemptable enableReclaimable",
        "deviceshare": "enablePredicate enableNodeOrder",
        "drf": "enablePreemptable enableJobOrder enableQueueOrder enableReclaimable",
        "extender": "enablePredicate enableNodeOrder enablePreemptable enableReclaimable enableJobEnqueued "
        "enabledOverused enableJobReady",
        "gang": "enableReclaimable enablePreemptable enableJobOrder enabledSubJobOrder enableJobReady "
        "enabledSubJobReady enableJobPipelined enabledSubJobPipelined enableJobStarving",
        "network-topology-aware": "enabledHyperNodeOrder enableNodeOrder enabledHyperNodeGradient",
        "nodegroup": "enableNodeOrder enablePredicate",
        "nodeorder": "enableNodeOrder",
        "numa-aware": "enablePredicate enableNodeOrder",
        "overcommit": "enableJobEnqueued",
        "pdb": "enabledVictim enableReclaimable enablePreemptable",
        "predicates": "enablePredicate enableNodeOrder",
        "priority": "enableTaskOrder enableJobOrder enabledSubJobOrder enablePreemptable enableJobStarving",
        "proportion": "enableQueueOrder enableReclaimable enabledOverused enabledAllocatable enablePreemptive "
        "enablePredicate enableJobEnqueued",
        "rescheduling": "enabledVictim",
        "resource-strategy-fit": "enablePredicate enableNodeOrder",
        "resourcequota": "enableJobEnqueued",
        "sla": "enableJobOrder enableJobEnqueued enableJobPipelined",
        "task-topology": "enableTaskOrder enableNodeOrder",
        "tdm": "enablePredicate enableNodeOrder enablePreemptable enabledVictim enableJobOrder enableJobPipelined "
        "enableJobStarving",
        "usage": "enablePredicate enableNodeOrder",
    }.items()
}
PLUGINS: Final = Extensible(_FLAGS)
"""The flags of the extension points of each plugin. drf orders queues and reclaims only with enableHierarchy."""


def unknown_plugins(profile: Profile) -> frozenset[str]:
    """The plugins that a release does not have."""
    known = profile.resource_strategy_fit.resource_strategy_fit == "known"
    return frozenset() if known else frozenset({"resource-strategy-fit"})


NEEDS_HIERARCHY: Final = {"drf": frozenset({"enableQueueOrder", "enableReclaimable"})}
"""The flags of the extension points that a plugin only implements where its enableHierarchy is true."""

OF_ENQUEUE: Final = frozenset(name for name, flags in _FLAGS.items() if flags == {"enableJobEnqueued"})
"""Those that only answer the action enqueue."""

QUEUE_PLUGINS: Final = ("proportion", "capacity")
"""Those that divide the cluster among queues."""

WITH_HIERARCHY: Final[Extensible[bool]] = Extensible({"capacity": True, "drf": True, "nodegroup": True})
"""The plugins that look at their enableHierarchy."""

REHEARSES: Final = {
    "capacity": frozenset({"enablePreemptable"}),
    "predicates": frozenset({"enablePreemptable", "enabledAllocatable"}),
    "proportion": frozenset({"enablePreemptable"}),
}
"""Further flags at which a plugin takes part when the action preempt tries victims out."""

ACTIONS: Final = ACTION_ARGUMENTS.keys()
"""The actions, those of the built-in configuration first."""

GANG_ACTIONS: Final = frozenset({"gangpreempt", "gangreclaim"})
"""The actions that not all releases have."""


_TO_DEVICESHARE: Final = ("GPUSharingEnable", "GPUNumberEnable", "VGPUEnable", "NodeLockEnable")
_PROPORTIONAL: Final = "plugin resource-strategy-fit does that now, with"

_ARGUMENTS: Final[Mapping[str, Mapping[str, str]]] = {
    "predicates": {
        **{
            f"predicate.{name}": f"it is deviceshare.{name} now, an argument of the plugin deviceshare"
            for name in _TO_DEVICESHARE
        },
        "predicate.ProportionalEnable": f"{_PROPORTIONAL} proportional.enable",
        "predicate.resources": f"{_PROPORTIONAL} proportional.resources",
        "predicate.resources.*": f"{_PROPORTIONAL} proportional.resourceProportion",
    },
    "nodeorder": {"selectorspread.weight": "podtopologyspread.weight took its place in Volcano 1.8"},
    "sla": {"JobWaitingTime": "write sla-waiting-time"},
    "tdm": {
        "tdm.evict.max-step": "the annotations volcano.sh/jdb-min-available and jdb-max-unavailable took its place"
    },
    "usage": {
        "CPUUsageAvg.*": "write cpu: the period is set where the metrics come from, under metrics",
        "MEMUsageAvg.*": "write mem: the period is set where the metrics come from, under metrics",
    },
}
"""By plugin, what to do about arguments that it read once; a star stands for what is free."""

_WITH_RESERVATION: Final = "Volcano 1.6 took the actions elect and reserve and the plugin reservation out: remove it"

FORMER_ACTIONS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("elect", "reserve"), _WITH_RESERVATION),
    "preemptall": "only builds of others have it; with the option --unknown-actions skip, vqs leaves it out",
}
"""What to do about actions that there were, and about one that forks are known to have."""

FORMER_PLUGINS: Final[Mapping[str, str]] = {"reservation": _WITH_RESERVATION}
"""What to do about plugins that there were."""


def advice(plugin: str, argument: str) -> str:
    """What to do about an argument that a plugin read once; empty where it never did.

    >>> advice("predicates", "predicate.GPUSharingEnable")
    'it is deviceshare.GPUSharingEnable now, an argument of the plugin deviceshare'
    >>> advice("predicates", "predicate.NodePortsEnable")
    ''
    """
    known = _ARGUMENTS.get(plugin, {})
    free = (text for name, text in known.items() if name.endswith("*") and argument.startswith(name[:-1]))
    return known.get(argument) or next(free, "")


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
