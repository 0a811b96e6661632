"""What releases decide differently in the plugin predicates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vqs.releases.behaviour import behaviour
from vqs.releases.release import Release

_PREDICATES = "pkg/scheduler/plugins/predicates/predicates.go"


@dataclass(frozen=True, slots=True)
class PredicatesBehaviours:
    """The behaviours of the plugin predicates."""

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
    device_claims: Literal["behind-feature-gate", "by-argument", "always"] = behaviour(
        "behind-feature-gate",
        {Release.V1_14_0: "by-argument", Release.V1_15: "always"},
        decides=(
            "When claims on devices are allocated, and not taken for fulfilled: if the feature gate "
            "DynamicResourceAllocation of the scheduler is set as well, which vqs takes to be off; if the argument "
            "predicate.DynamicResourceAllocationEnable is true; or always."
        ),
        why="The feature gate is on by default since Kubernetes 1.34, and since 1.15 it alone decides.",
        source=_PREDICATES,
    )
    node_shards: Literal["ignored", "honoured"] = behaviour(
        "ignored",
        {Release.V1_14_0: "honoured"},
        decides="Whether the scheduler has flags and NodeShards that confine it to nodes of its own.",
        why="Several schedulers share a cluster.",
        source="pkg/scheduler/util/predicate_helper.go",
    )
    device_pools: Literal["any", "complete-and-valid"] = behaviour(
        "any",
        {Release.V1_15: "complete-and-valid"},
        decides="Which pools of devices claims are satisfied from: also those of which ResourceSlices are missing, "
        "while one with two devices of one name fails the node; or only those that are complete and valid.",
        why="The release uses the scheduler plugins of Kubernetes 1.35, which leave out pools that are being updated.",
        source="pkg/scheduler/plugins/predicates/predicates.go",
    )
    taint_reason: Literal["first-taint", "unnamed"] = behaviour(
        "first-taint",
        {Release.V1_15: "unnamed"},
        decides="What a node says whose taints a task does not tolerate: the key and the value of the first such "
        "taint, or only that there are some.",
        why="The release uses the scheduler plugins of Kubernetes 1.35, which counts such nodes together.",
        source="pkg/scheduler/plugins/predicates/predicates.go",
    )
