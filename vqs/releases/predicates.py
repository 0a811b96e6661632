"""What releases decide differently in the plugin predicates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vqs.releases.behaviour import behaviour
from vqs.releases.release import Release


@dataclass(frozen=True, slots=True)
class PredicatesBehaviours:
    """The behaviours of the plugin predicates."""

    dynamic_resources: Literal["argument", "always"] = behaviour(
        "argument",
        {Release.V1_15: "always"},
        decides="Whether claims on devices are looked at: where the argument predicate.DynamicResourceAllocationEnable "
        "says so, or always.",
        why="The feature gate DynamicResourceAllocation decides now, and it is on since Kubernetes 1.34.",
        source="pkg/scheduler/plugins/predicates/predicates.go",
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
