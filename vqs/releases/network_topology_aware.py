"""What releases decide differently in the plugin network-topology-aware."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vqs.releases.behaviour import behaviour
from vqs.releases.release import Release


@dataclass(frozen=True, slots=True)
class NetworkTopologyBehaviours:
    """The behaviours of the plugin network-topology-aware."""

    hyper_nodes_below: Literal["of-sub-groups", "of-all-jobs"] = behaviour(
        "of-sub-groups",
        {Release.V1_15: "of-all-jobs"},
        decides="For which jobs smaller HyperNodes are tried within the one that a job is tried in: those with "
        "subGroupPolicy, or all that have a hard limit.",
        why="What gangpreempt and gangreclaim choose for a job is chosen for its sub-jobs, and each job has one.",
        source="pkg/scheduler/plugins/network-topology-aware/network_topology_aware.go",
    )
