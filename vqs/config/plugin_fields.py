"""What people write on jobs and pods that one plugin alone reads: without the plugin, it is dropped without a word.

References in volcano-sh/volcano: pkg/scheduler/plugins, and pkg/scheduler/api/job_info.go, pod_info.go and devices.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from vqs.config.scheduler_conf import SchedulerConfiguration
from vqs.model import keys


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
