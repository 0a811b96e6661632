"""What releases decide differently for jobs that ask for nodes that are near to each other in the network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vqs.releases.release import Release, behaviour

_ALLOCATE = "pkg/scheduler/actions/allocate/allocate.go"
_PLUGIN = "pkg/scheduler/plugins/network-topology-aware/network_topology_aware.go"
_SESSION = "pkg/scheduler/framework/session.go"


@dataclass(frozen=True, slots=True)
class NetworkTopologyBehaviours:
    """The behaviours of HyperNodes, of sub-groups, and of the plugin network-topology-aware."""

    hard_topology_scores: Literal["hyper-nodes", "nodes"] = behaviour(
        "hyper-nodes",
        {Release.V1_13: "nodes"},
        decides=(
            "What network-topology-aware scores for a job with a tier limit: the HyperNodes that it is tried in, by "
            "how near they are to what it has, or the nodes in each of them."
        ),
        why="Tasks were spread over a HyperNode where they could have been near to each other in it.",
        source=_PLUGIN,
    )
    negative_topology_weight: Literal["counts-as-it-is", "counts-as-1"] = behaviour(
        "counts-as-it-is",
        {Release.V1_14_0: "counts-as-1"},
        decides="Whether network-topology-aware with a negative weight keeps tasks apart, or takes the weight as 1.",
        why="All its weights are checked since it has several.",
        source=_PLUGIN,
    )
    hyper_node_search: Literal["tier-by-tier", "gradients"] = behaviour(
        "tier-by-tier",
        {Release.V1_14_0: "gradients"},
        decides=(
            "In which HyperNodes a job with a tier limit is tried: in all of the lowest tier that serves, of which "
            "the one wins whose nodes score highest in all, or in those that the plugin network-topology-aware names "
            "and compares. In the first case, its queue is not served any more where there is no HyperNode."
        ),
        why="Sub-groups are placed in HyperNodes of their own, and plugins choose these.",
        source=_ALLOCATE,
    )
    sub_groups_without_tier_limit: Literal["not-scheduled", "scheduled"] = behaviour(
        "not-scheduled",
        {Release.V1_14: "scheduled"},
        decides=(
            "Whether the pods of sub-groups are scheduled where neither the PodGroup nor a sub-group has a hard tier "
            "limit; pods that are in no sub-group always are."
        ),
        why="Jobs with sub-groups but without a hard network topology were never scheduled.",
        source=_ALLOCATE,
    )
    tier_names: Literal["of-jobs", "everywhere"] = behaviour(
        "of-jobs",
        {Release.V1_14: "everywhere"},
        decides="Where highestTierName limits the tier, if the release has it: in the networkTopology of a PodGroup, "
        "or of its sub-groups as well.",
        why="The names did not reach the sub-groups, which were placed on any tier.",
        source=_SESSION,
    )
    soft_network_topology: Literal["scored-nodes", "scored-hyper-nodes"] = behaviour(
        "scored-nodes",
        {Release.V1_14: "scored-hyper-nodes"},
        decides=(
            "How a soft network topology draws tasks together: by the scores of nodes alone, task after task, or by "
            "trying HyperNodes tier by tier, as for a hard one without a limit."
        ),
        why="Where the first task went decided, however little room there was around it.",
        source=_SESSION,
    )
    held_hyper_node: Literal["annotation", "fewest-nodes", "lowest-tier"] = behaviour(
        "annotation",
        {Release.V1_14_0: "fewest-nodes", Release.V1_14: "lowest-tier"},
        decides=(
            "Which HyperNode holds the tasks that were placed before: the one in the annotation "
            "volcano.sh/job-allocated-hypernode of the PodGroup, or, of those with all nodes of the tasks, the one "
            "with the fewest nodes or of the lowest tier."
        ),
        why="Of two HyperNodes with the same nodes, the one of the higher tier could be taken.",
        source=_SESSION,
    )
    topology_node_scores: Literal["nearness", "nearness-and-fullness"] = behaviour(
        "nearness",
        {Release.V1_14_0: "nearness-and-fullness"},
        decides=(
            "Which nodes network-topology-aware scores: those near to what the job has, or for tasks without a "
            "network topology also those whose HyperNodes are fullest."
        ),
        why="Ordinary pods are to leave whole HyperNodes free.",
        source=_PLUGIN,
    )
    hyper_node_in_message: Literal["absent", "named"] = behaviour(
        "absent",
        {Release.V1_14_0: "named"},
        decides="Whether the message of a task that no node of a HyperNode fits names the HyperNode.",
        why="The number of nodes in the message is that of one HyperNode only.",
        source=_ALLOCATE,
    )
    hyper_nodes_below: Literal["of-sub-groups", "of-all-jobs"] = behaviour(
        "of-sub-groups",
        {Release.V1_15: "of-all-jobs"},
        decides="For which jobs smaller HyperNodes are tried within the one that a job is tried in: those with "
        "subGroupPolicy, or all that have a hard limit.",
        why="What gangpreempt and gangreclaim choose for a job is chosen for its sub-jobs, and each job has one.",
        source="pkg/scheduler/plugins/network-topology-aware/network_topology_aware.go",
    )
