"""The scheduler's configuration, ``volcano-scheduler.conf``, as Volcano understands it.

It decides which actions run, in which order, and which plugins have a say, in tiers. Keys are spelt as Volcano spells
them; some flags begin with ``enable``, some with ``enabled``, one with ``Enabled``.

References in volcano-sh/volcano: ``pkg/scheduler/conf/scheduler_conf.go``, ``pkg/scheduler/util.go`` and
``pkg/scheduler/plugins/defaults.go``.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from vqs.config.arguments import Arguments
from vqs.config.known_arguments import ACTION_ARGUMENTS, PLUGIN_ARGUMENTS
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

    def unread(self, profile: Profile = DEFAULT_PROFILE) -> "SchedulerConfiguration":
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
