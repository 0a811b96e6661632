"""The scheduler's configuration, ``volcano-scheduler.conf``, as Volcano understands it, and what it makes matter.

It decides which actions run, in which order, and which plugins have a say, in tiers. Keys are spelt as Volcano spells
them; some flags begin with ``enable``, some with ``enabled``, one with ``Enabled``.

References in volcano-sh/volcano: ``pkg/scheduler/conf/scheduler_conf.go``, ``pkg/scheduler/util.go`` and
``pkg/scheduler/plugins/defaults.go``.

What people write on jobs and pods may be read by one plugin alone; without it, it is dropped without a word.
References in volcano-sh/volcano: pkg/scheduler/plugins, and pkg/scheduler/api/job_info.go, pod_info.go and devices.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from vqs.config.known_arguments import ACTION_ARGUMENTS, PLUGIN_ARGUMENTS, Arguments
from vqs.model import keys
from vqs.releases.profile import DEFAULT_PROFILE, Profile

BUILT_IN: Final = "built-in"
_BUILT_IN_ACTIONS: Final = ("enqueue", "allocate", "backfill")
_BUILT_IN_PLUGINS: Final = (
    ("priority", "gang", "conformance"),
    ("overcommit", "drf", "predicates", "proportion", "nodeorder"),
)


@dataclass(frozen=True, slots=True)
class PluginOption:
    """A plugin in a tier. `flags` are those that the configuration sets; `enabled` knows the defaults of the others.

    `path` leads to it in the configuration; there is none in the built-in one.
    """

    name: str
    arguments: Arguments
    flags: Mapping[str, bool] = field(default_factory=dict)
    path: tuple[str | int, ...] = field(default=(), compare=False)

    def enabled(self, flag: str) -> bool:
        """True if a flag is on. Raises KeyError for one that does not exist."""
        default = FLAGS[flag]
        return self.flags.get(flag, default)


@dataclass(frozen=True, slots=True)
class Tier:
    """Plugins that are asked together."""

    plugins: tuple[PluginOption, ...] = ()


@dataclass(frozen=True, slots=True)
class SchedulerConfiguration:
    """Actions in their order, tiers of plugins, and what else the configuration says.

    Attributes:
        actions: the names of the actions.
        left_out: the actions that vqs does not know, and leaves out as the caller asks.
        tiers: the plugins.
        configurations: arguments by action.
        repeated_configurations: actions that have arguments already, and the paths to those that do not count.
        metrics: where metrics come from, for plugins that use them.
        source: the file that says so, or ``built-in``.
    """

    actions: tuple[str, ...]
    tiers: tuple[Tier, ...]
    configurations: Mapping[str, Arguments] = field(default_factory=dict)
    metrics: Mapping[str, str] = field(default_factory=dict)
    source: str = BUILT_IN
    repeated_configurations: tuple[tuple[str, tuple[str | int, ...]], ...] = ()
    left_out: tuple[str, ...] = ()

    def unread(self, profile: Profile = DEFAULT_PROFILE) -> SchedulerConfiguration:
        """The same configuration as a release reads it, none of whose arguments has a warning yet.

        Sessions share no warnings.
        """
        reads_text = profile.arguments.text_as_boolean == "read"
        tiers = (
            Tier(
                tuple(
                    replace(option, arguments=option.arguments.unread(reads_text=reads_text)) for option in tier.plugins
                )
            )
            for tier in self.tiers
        )
        configurations = {
            name: arguments.unread(reads_text=reads_text) for name, arguments in self.configurations.items()
        }
        return replace(self, tiers=tuple(tiers), configurations=configurations)

    @property
    def plugins(self) -> Iterator[PluginOption]:
        """The plugins of all tiers, in their order."""
        return (option for tier in self.tiers for option in tier.plugins)

    def plugin(self, name: str) -> PluginOption | None:
        """A plugin where it is first named, which is what counts for hierarchy; None where it is not used."""
        return next((option for option in self.plugins if option.name == name), None)

    def action_arguments(self, action: str) -> Arguments:
        """The arguments of an action, without any if the configuration has none for it."""
        return self.configurations.get(action) or Arguments(ACTION_ARGUMENTS.get(action, ()))


def built_in_configuration() -> SchedulerConfiguration:
    """The configuration that the scheduler falls back to when it is given none."""
    tiers = (
        tuple(PluginOption(name, Arguments(PLUGIN_ARGUMENTS[name])) for name in names) for names in _BUILT_IN_PLUGINS
    )
    return SchedulerConfiguration(_BUILT_IN_ACTIONS, tuple(map(Tier, tiers)))


_CLUSTER_ORDER: Final = "EnabledClusterOrder"

FLAGS: Final[Mapping[str, bool]] = {
    "enableJobOrder": True,
    "enableHierarchy": False,
    "enableJobReady": True,
    "enableJobPipelined": True,
    "enableTaskOrder": True,
    "enablePreemptable": True,
    "enableReclaimable": True,
    "enablePreemptive": True,
    "enableQueueOrder": True,
    _CLUSTER_ORDER: False,
    "enablePredicate": True,
    "enableBestNode": True,
    "enableNodeOrder": True,
    "enableTargetJob": True,
    "enableReservedNodes": True,
    "enableJobEnqueued": True,
    "enabledVictim": True,
    "enableJobStarving": True,
    "enabledOverused": True,
    "enabledAllocatable": True,
    "enabledHyperNodeOrder": True,
    "enabledSubJobReady": True,
    "enabledSubJobPipelined": True,
    "enabledSubJobOrder": True,
    "enabledHyperNodeGradient": True,
}
"""The flags of a plugin, and what they are where the configuration does not say."""


def spelt_in(profile: Profile) -> tuple[str, ...]:
    """The flags as a release spells them."""
    return tuple(profile.flags.cluster_order_flag if flag == _CLUSTER_ORDER else flag for flag in FLAGS)


@dataclass(frozen=True, slots=True)
class PluginField:
    """Something that a plugin reads.

    Attributes:
        plugin: the plugin.
        what: names it, with its article.
        without: what becomes of it without the plugin.
        annotations: those that say it, of jobs, PodGroups and pods.
        resources: those that pods request for it.
        in_spec: whether the spec of a Job or PodGroup says it.
    """

    plugin: str
    what: str
    without: str
    annotations: frozenset[str] = frozenset()
    resources: frozenset[str] = frozenset()
    in_spec: bool = False


NETWORK_TOPOLOGY: Final = PluginField(
    "network-topology-aware",
    "a network topology",
    "the pods may be placed anywhere in the network",
    annotations=frozenset({keys.TOPOLOGY_MODE, keys.TOPOLOGY_TIER}),
    in_spec=True,
)

PLUGIN_FIELDS: Final = (
    NETWORK_TOPOLOGY,
    PluginField(
        "sla",
        "a waiting time",
        "the job waits like any other, however long",
        annotations=frozenset({"sla-waiting-time", "volcano.sh/sla-waiting-time"}),
    ),
    PluginField(
        "task-topology",
        "affinities or an order of tasks",
        "the tasks are placed without regard to one another",
        annotations=frozenset({keys.TOPOLOGY_AFFINITY, keys.TOPOLOGY_ANTI_AFFINITY, keys.TOPOLOGY_ORDER}),
    ),
    PluginField(
        "tdm",
        "a revocable zone",
        "nodes of such zones are like any other, at any time",
        annotations=frozenset({keys.REVOCABLE_ZONE}),
    ),
    PluginField(
        "tdm",
        "a limit on disruptions",
        "any number of the pods may be evicted at once",
        annotations=frozenset({keys.MIN_AVAILABLE, keys.MAX_UNAVAILABLE}),
    ),
    PluginField(
        "cdp",
        "a cooldown time",
        "the pods may be evicted as soon as they run",
        annotations=frozenset({keys.COOLDOWN_TIME}),
    ),
    PluginField(
        "resource-strategy-fit",
        "a scoring strategy",
        "nodes are rated without it",
        annotations=frozenset({keys.STRATEGY_TYPE, keys.STRATEGY_WEIGHTS}),
    ),
    PluginField(
        "deviceshare",
        "shares of cards",
        "requests are compared with the sum of all cards of the node, and no card is chosen",
        annotations=frozenset({"volcano.sh/vgpu-mode", "volcano.sh/vgpu-podgroup-policy"}),
        resources=frozenset(
            f"volcano.sh/{name}" for name in ("gpu-memory", "gpu-number", "vgpu-number", "vgpu-memory", "vgpu-cores")
        ),
    ),
)


def unread_fields(conf: SchedulerConfiguration) -> list[PluginField]:
    """The fields that no plugin of a configuration reads."""
    used = {option.name for option in conf.plugins}
    return [each for each in PLUGIN_FIELDS if each.plugin not in used]
