"""The plugins and actions that Volcano v1.14.4 has, and the extension points that each plugin implements.

A plugin's say is named by the flag that switches it on and off, see `vqs.config.scheduler_conf`.

References in volcano-sh/volcano: ``pkg/scheduler/plugins/factory.go``, ``OnSessionOpen`` of each plugin, and
``pkg/scheduler/framework/session_plugins.go`` for the flag that each extension point looks at.
"""

from collections.abc import Mapping
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
