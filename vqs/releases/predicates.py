"""What releases decide differently of nodes: in the plugins predicates and nodeorder, and in what pods request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vqs.releases.behaviour import behaviour
from vqs.releases.release import Release

_PREDICATES = "pkg/scheduler/plugins/predicates/predicates.go"
_REQUESTS = "pkg/scheduler/api/pod_info.go"


@dataclass(frozen=True, slots=True)
class PredicatesBehaviours:
    """The behaviours of the plugins predicates and nodeorder, and of requests."""

    zone_and_affinity_pre_filters: Literal["absent", "run"] = behaviour(
        "absent",
        {Release.V1_14: "run"},
        decides=(
            "When a task is refused whose node affinity contradicts itself, or whose volumes have no zone that can be "
            "told: on each node, or before any node is asked."
        ),
        why="The filters expect their own preparation, and did that work again for every node.",
        source=_PREDICATES,
    )
    sidecar_host_ports: Literal["ignored", "reserved"] = behaviour(
        "ignored",
        {Release.V1_14_0: "reserved"},
        decides="Whether host ports of init containers that keep running take up the ports of a node.",
        why="Kubernetes 1.34, which is built in, counts them, as they stay for the life of the pod.",
        source="vendor/k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeports/node_ports.go",
    )
    image_locality: Literal["scored", "never-found"] = behaviour(
        "scored",
        {Release.V1_14_0: "never-found", Release.V1_14: "scored"},
        decides="Whether nodeorder prefers nodes that have the images of a pod, or finds no image on any node.",
        why="The images were lost when nodes were handed to the plugins in another form.",
        source="pkg/scheduler/framework/util.go",
    )
    device_claims: Literal["behind-feature-gate", "allocated"] = behaviour(
        "behind-feature-gate",
        {Release.V1_14_0: "allocated"},
        decides=(
            "Whether predicate.DynamicResourceAllocationEnable is enough for claims on devices to be allocated. Where "
            "it takes the feature gate DynamicResourceAllocation of the scheduler as well, which is off unless it is "
            "set, claims are taken for fulfilled."
        ),
        why="The feature is on by default since Kubernetes 1.34, which is built in.",
        source=_PREDICATES,
    )
    resized_pods: Literal["as-specified", "as-resized"] = behaviour(
        "as-specified",
        {Release.V1_14_0: "as-resized"},
        decides=(
            "What a pod holds that is resized in place: what its spec requests, or the largest of that, what it has, "
            "and what is allocated to it."
        ),
        why="A pod holds what it had until the resize is done.",
        source=_REQUESTS,
    )
    pod_level_resources: Literal["not-scored", "scored"] = behaviour(
        "not-scored",
        {Release.V1_14_0: "scored"},
        decides="Whether requests of the pod as a whole count for nodeorder as what is in use on a node.",
        why="The feature gate PodLevelResources is on by default since Kubernetes 1.34, which is built in.",
        source="vendor/k8s.io/kubernetes/pkg/scheduler/framework/types.go",
    )
    node_shards: Literal["ignored", "honoured"] = behaviour(
        "ignored",
        {Release.V1_14_0: "honoured"},
        decides="Whether the scheduler has flags and NodeShards that confine it to nodes of its own.",
        why="Several schedulers share a cluster.",
        source="pkg/scheduler/util/predicate_helper.go",
    )
