"""What releases count differently of a pod, and of a job."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from vqs.releases.release import Release, behaviour

_POD_INFO: Final = "pkg/scheduler/api/pod_info.go"


@dataclass(frozen=True, slots=True)
class PodBehaviours:
    """The behaviours that have to do with what a pod asks for, and what it counts for."""

    releasing_pods: Literal["not-counted", "counted"] = behaviour(
        "not-counted",
        {},
        heads=dict.fromkeys((Release.V1_13, Release.V1_14, Release.V1_15), "counted"),
        decides="Whether pods that are being deleted and have a node count as scheduled for the phase of their "
        "PodGroup, and keep a job none of whose pods waits from being called unschedulable.",
        why="While pods of a running job ended, its PodGroup fell back to Inqueue or Pending (#5796).",
        source="pkg/scheduler/framework/session.go; pkg/scheduler/plugins/gang/gang.go",
    )
    missing_device_claim: Literal["refused", "left-out"] = behaviour(
        "refused",
        {Release.V1_15: "left-out"},
        decides="What becomes of a pod that names a ResourceClaim that does not exist: no node takes it, or it is not "
        "in the scheduler's cache, so that it counts for no job and no queue. One whose claim is made from a template "
        "is.",
        why="What a pod claims is counted when it enters the cache.",
        source="pkg/scheduler/cache/event_handlers.go",
    )
    pod_level_requests: Literal["ignored", "counted"] = behaviour(
        "ignored",
        {Release.V1_15: "counted"},
        decides="Whether requests that are set for a whole pod (spec.resources) replace the sum of its containers.",
        why="Kubernetes counts them since pod-level resources are on by default, in 1.34.",
        source=_POD_INFO,
    )
    queue_allocation_gate: Literal["frees-reserve", "keeps-reserve"] = behaviour(
        "frees-reserve",
        {Release.V1_15: "keeps-reserve"},
        decides="Whether what a pod asks for that only the scheduling gate scheduling.volcano.sh/queue-allocation-gate "
        "blocks is taken off what its job reserves in its queue, as for other gates.",
        why="Volcano takes this gate away itself, once the queue has room for the pod.",
        source="pkg/scheduler/api/job_info.go",
    )
    pod_overhead: Literal["before-init-containers", "after-init-containers"] = behaviour(
        "before-init-containers",
        {Release.V1_15: "after-init-containers"},
        decides="Whether a pod's overhead is added to its containers only, or to the larger of its containers and its "
        "init containers.",
        why="A pod needs its overhead as long as it runs, so also while its init containers do.",
        source=_POD_INFO,
    )
    resized_pods: Literal["as-specified", "as-resized"] = behaviour(
        "as-specified",
        {Release.V1_14_0: "as-resized"},
        decides=(
            "What a pod holds that is resized in place: what its spec requests, or the largest of that, what it has, "
            "and what is allocated to it."
        ),
        why="A pod holds what it had until the resize is done.",
        source=_POD_INFO,
    )
    pod_level_resources: Literal["not-scored", "scored"] = behaviour(
        "not-scored",
        {Release.V1_14_0: "scored"},
        decides="Whether requests of the pod as a whole count for nodeorder as what is in use on a node.",
        why="The feature gate PodLevelResources is on by default since Kubernetes 1.34, which is built in.",
        source="vendor/k8s.io/kubernetes/pkg/scheduler/framework/types.go",
    )
    pod_level_scores: Literal["ignored", "counted"] = behaviour(
        "ignored",
        {Release.V1_16: "counted"},
        decides="Whether requests of the pod as a whole are what nodeorder takes the pod that it places to ask for, in "
        "place of those of its containers.",
        why="The plugin hands on that the feature gate PodLevelResources is on.",
        source="pkg/scheduler/plugins/nodeorder/nodeorder.go",
    )


@dataclass(frozen=True, slots=True)
class JobBehaviours:
    """The behaviours that have to do with the state of a job."""

    pod_group_phase: Literal["allocated", "scheduled"] = behaviour(
        "allocated",
        {Release.V1_13: "scheduled"},
        decides="When a PodGroup is running: once minMember of its pods were given a node, in this session too, or "
        "once as many are bound.",
        why="A PodGroup was called running before one of its pods was bound, and bindings may fail.",
        source="pkg/scheduler/framework/session.go",
    )
