"""Which plugins and actions exist, and how those of a configuration are made.

A plugin that Volcano does not know is skipped with a warning, as Volcano does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, Protocol

from vqs.config.known_plugins import VENDORS, unknown_plugins, vendors_of_plugins
from vqs.config.scheduler_conf import PluginOption
from vqs.engine.framework.session import Plugin, Session
from vqs.extensible import Extensible, Late
from vqs.model.codes import UNKNOWN_PLUGIN
from vqs.model.wording import listed_names


class Action(Protocol):
    """A step of the scheduler."""

    def execute(self, session: Session) -> None:
        """Run on a session."""


_PLUGINS: Final = Late[Callable[[PluginOption], Plugin]](
    {
        "binpack": "vqs.engine.plugins.binpack:BinpackPlugin",
        "capacity": "vqs.engine.plugins.capacity:CapacityPlugin",
        "cdp": "vqs.engine.plugins.cdp:CooldownPlugin",
        "conformance": "vqs.engine.plugins.conformance:ConformancePlugin",
        "deviceshare": "vqs.engine.plugins.deviceshare:DeviceSharePlugin",
        "drf": "vqs.engine.plugins.drf:DrfPlugin",
        "extender": "vqs.engine.plugins.extender:ExtenderPlugin",
        "gang": "vqs.engine.plugins.gang:GangPlugin",
        "network-topology-aware": "vqs.engine.plugins.network_topology_aware:NetworkTopologyAwarePlugin",
        "nodegroup": "vqs.engine.plugins.nodegroup:NodeGroupPlugin",
        "nodeorder": "vqs.engine.plugins.nodeorder:NodeOrderPlugin",
        "numa-aware": "vqs.engine.plugins.numa_aware:NumaAwarePlugin",
        "overcommit": "vqs.engine.plugins.overcommit:OvercommitPlugin",
        "pdb": "vqs.engine.plugins.pdb:DisruptionBudgetPlugin",
        "predicates": "vqs.engine.plugins.predicates:PredicatesPlugin",
        "priority": "vqs.engine.plugins.priority:PriorityPlugin",
        "proportion": "vqs.engine.plugins.proportion:ProportionPlugin",
        "rescheduling": "vqs.engine.plugins.rescheduling:ReschedulingPlugin",
        "resource-strategy-fit": "vqs.engine.plugins.resource_strategy_fit:ResourceStrategyFitPlugin",
        "resourcequota": "vqs.engine.plugins.resourcequota:ResourceQuotaPlugin",
        "sla": "vqs.engine.plugins.sla:SlaPlugin",
        "task-topology": "vqs.engine.plugins.task_topology:TaskTopologyPlugin",
        "tdm": "vqs.engine.plugins.tdm:TdmPlugin",
        "usage": "vqs.engine.plugins.usage:UsagePlugin",
    }
)
PLUGINS: Final = Extensible(_PLUGINS)
"""The plugins that are modelled, and those from outside the package."""

_ACTIONS: Final = Late[Callable[[], Action]](
    {
        "allocate": "vqs.engine.actions.allocate:Allocate",
        "backfill": "vqs.engine.actions.backfill:Backfill",
        "enqueue": "vqs.engine.actions.enqueue:Enqueue",
        "gangpreempt": "vqs.engine.actions.gangpreempt:GangPreempt",
        "gangreclaim": "vqs.engine.actions.gangreclaim:GangReclaim",
        "preempt": "vqs.engine.actions.preempt:Preempt",
        "reclaim": "vqs.engine.actions.reclaim:Reclaim",
        "shuffle": "vqs.engine.actions.shuffle:Shuffle",
    }
)
ACTIONS: Final = Extensible(_ACTIONS)
"""The actions, and those from outside the package."""


def make_plugins(options: Iterable[PluginOption], session: Session) -> list[Plugin]:
    """Make the plugins of a configuration, in order, and warn of those that are left out."""
    made, left_out = [], []
    unknown = unknown_plugins(session.profile)
    for option in options:
        if option.name in PLUGINS and option.name not in unknown:
            made.append(PLUGINS[option.name](option))
        else:
            left_out.append(option.name)
    of_vendors = vendors_of_plugins(left_out)
    for name in left_out:
        if not any(name in plugins for plugins in of_vendors.values()):
            text = f"plugin {name} is unknown: it is ignored, as in Volcano"
            session.warn(UNKNOWN_PLUGIN, text, unknown=[f"plugin {name}"])
    for name, plugins in of_vendors.items():
        decided = dict.fromkeys(map(VENDORS[name].decides, plugins))
        are = f"plugin {plugins[0]} is" if len(plugins) == 1 else f"plugins {listed_names(plugins)} are"
        text = f"{are} of {VENDORS[name].title}; not modelled is {'; '.join(decided)}"
        session.warn(UNKNOWN_PLUGIN, text, unknown=[f"plugin {plugin}" for plugin in plugins])
    return made
