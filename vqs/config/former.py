"""What earlier releases of Volcano had under other names, or elsewhere, and what no release has any more.

Plugins ignore arguments that they do not know, so that a configuration keeps what has moved for years. References in
volcano-sh/volcano: pkg/scheduler/plugins and pkg/scheduler/actions at v1.2.0 to v1.16.0-alpha.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

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

ACTIONS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("elect", "reserve"), _WITH_RESERVATION),
    "preemptall": "only builds of others have it; with the option --unknown-actions skip, vqs leaves it out",
}
"""What to do about actions that there were, and about one that forks are known to have."""

PLUGINS: Final[Mapping[str, str]] = {"reservation": _WITH_RESERVATION}
"""What to do about plugins that there were."""

_GANG: Final = "scheduling.volcano.sh/v1beta1"
GROUPS: Final[Mapping[str, Mapping[str, str]]] = {
    "scheduling.incubator.k8s.io": {"PodGroup": _GANG, "Queue": _GANG},
    "scheduling.sigs.dev": {"PodGroup": _GANG, "Queue": _GANG},
    "extensions": {
        **dict.fromkeys(("Deployment", "DaemonSet", "ReplicaSet"), "apps/v1"),
        **dict.fromkeys(("Ingress", "NetworkPolicy"), "networking.k8s.io/v1"),
        "PodSecurityPolicy": "",
    },
}
"""By API group that no cluster serves any more, where its kinds are now; empty where they are nowhere."""


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
