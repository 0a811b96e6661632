"""Which plugins and actions exist, and how those of a configuration are made.

A plugin that Volcano does not know is skipped with a warning, as Volcano does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, Protocol

from vqs.config.scheduler_conf import PluginOption
from vqs.engine.actions import gangpreempt, gangreclaim
from vqs.engine.actions.allocate import Allocate
from vqs.engine.actions.backfill import Backfill
from vqs.engine.actions.enqueue import Enqueue
from vqs.engine.actions.preempt import Preempt
from vqs.engine.actions.reclaim import Reclaim
from vqs.engine.actions.shuffle import Shuffle
from vqs.engine.plugins import (
    binpack,
    capacity,
    cdp,
    conformance,
    deviceshare,
    drf,
    extender,
    gang,
    network_topology_aware,
    nodegroup,
    nodeorder,
    numa_aware,
    overcommit,
    pdb,
    predicates,
    priority,
    proportion,
    rescheduling,
    resource_strategy_fit,
    resourcequota,
    sla,
    task_topology,
    tdm,
    usage,
)
from vqs.engine.session import Plugin, Session
from vqs.extensible import Extensible
from vqs.model.codes import UNKNOWN_PLUGIN


class Action(Protocol):
    """A step of the scheduler."""

    def execute(self, session: Session) -> None:
        """Run on a session."""


_PLUGINS: Final[Mapping[str, Callable[[PluginOption], Plugin]]] = {
    binpack.NAME: binpack.BinpackPlugin,
    capacity.NAME: capacity.CapacityPlugin,
    cdp.NAME: cdp.CooldownPlugin,
    conformance.NAME: conformance.ConformancePlugin,
    deviceshare.NAME: deviceshare.DeviceSharePlugin,
    drf.NAME: drf.DrfPlugin,
    extender.NAME: extender.ExtenderPlugin,
    gang.NAME: gang.GangPlugin,
    network_topology_aware.NAME: network_topology_aware.NetworkTopologyAwarePlugin,
    nodegroup.NAME: nodegroup.NodeGroupPlugin,
    nodeorder.NAME: nodeorder.NodeOrderPlugin,
    numa_aware.NAME: numa_aware.NumaAwarePlugin,
    overcommit.NAME: overcommit.OvercommitPlugin,
    pdb.NAME: pdb.DisruptionBudgetPlugin,
    predicates.NAME: predicates.PredicatesPlugin,
    priority.NAME: priority.PriorityPlugin,
    proportion.NAME: proportion.ProportionPlugin,
    rescheduling.NAME: rescheduling.ReschedulingPlugin,
    resource_strategy_fit.NAME: resource_strategy_fit.ResourceStrategyFitPlugin,
    resourcequota.NAME: resourcequota.ResourceQuotaPlugin,
    sla.NAME: sla.SlaPlugin,
    task_topology.NAME: task_topology.TaskTopologyPlugin,
    tdm.NAME: tdm.TdmPlugin,
    usage.NAME: usage.UsagePlugin,
}
PLUGINS: Final = Extensible(_PLUGINS)
"""The plugins that are modelled, and those from outside the package."""

_ACTIONS: Final[Mapping[str, Callable[[], Action]]] = {
    "allocate": Allocate,
    "backfill": Backfill,
    "enqueue": Enqueue,
    gangpreempt.NAME: gangpreempt.GangPreempt,
    gangreclaim.NAME: gangreclaim.GangReclaim,
    "preempt": Preempt,
    "reclaim": Reclaim,
    "shuffle": Shuffle,
}
ACTIONS: Final = Extensible(_ACTIONS)
"""The actions, and those from outside the package."""


def make_plugins(options: Iterable[PluginOption], session: Session) -> list[Plugin]:
    """Make the plugins of a configuration, in order, and warn of those that are left out."""
    made = []
    for option in options:
        if option.name in PLUGINS:
            made.append(PLUGINS[option.name](option))
        else:
            session.warn(UNKNOWN_PLUGIN, f"plugin {option.name} is unknown: it is ignored, as in Volcano")
    return made


def make_actions(names: Iterable[str]) -> list[tuple[str, Action]]:
    """Make the actions of a configuration, in order; a name of none was refused when the configuration was read."""
    return [(name, ACTIONS[name]()) for name in names]
