"""What releases decide differently in the controllers: which pods are created, and what their PodGroup asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vqs.releases.release import Release, behaviour


@dataclass(frozen=True, slots=True)
class ControllerBehaviours:
    """The behaviours of the controllers for Jobs and PodGroups."""

    ray_plugin: Literal["unknown", "known"] = behaviour(
        "unknown",
        {Release.V1_13: "known"},
        decides="Whether there is the Job plugin ray; the webhook denies a Job with a plugin that does not exist.",
        why="A Job can be a cluster of Ray.",
        source="pkg/controllers/job/plugins/factory.go",
    )
    pod_network_topology: Literal["ignored", "read"] = behaviour(
        "ignored",
        {Release.V1_13: "read"},
        decides="Whether the PodGroup that is made for a pod without one has the networkTopology that annotations of "
        "the pod ask for.",
        why="Only Volcano Jobs could ask for a network topology.",
        source="pkg/controllers/podgroup/pg_controller_handler.go",
    )
    succeeded_dependencies: Literal["only-while-ready", "count"] = behaviour(
        "only-while-ready",
        {Release.V1_14: "count"},
        heads={Release.V1_13: "count"},
        decides="Whether a pod that has succeeded counts for the tasks that depend on it (dependsOn), although its "
        "containers are no longer ready.",
        why="Tasks after one that had completed were never started (pull request 5439).",
        source="pkg/controllers/job/job_controller_actions.go",
    )
    pod_level_min_resources: Literal["ignored", "counted"] = behaviour(
        "ignored",
        {Release.V1_14_0: "counted"},
        decides="Whether the minResources of a PodGroup count what a pod requests as a whole (its spec.resources).",
        why="From Kubernetes 1.34 on, whose code the controllers use, the feature PodLevelResources is on by default.",
        source="pkg/controllers/util/util.go",
    )
    own_deletions: Literal["events", "ignored"] = behaviour(
        "events",
        {Release.V1_14_0: "ignored"},
        decides="Whether a pod that the controller of a Volcano Job deletes itself is an event for the Job's policies, "
        "PodFailed and PodEvicted, unless it deletes all of them. RestartTask restarts again, up to maxRetry times.",
        why="Tasks and partitions were restarted again and again when a pod was evicted (pull request 4815).",
        source="pkg/controllers/job/job_controller_handler.go",
    )
    group_of_restarted: Literal["deleted", "kept"] = behaviour(
        "deleted",
        {Release.V1_16: "kept"},
        decides="What becomes of the PodGroup of a Volcano Job as RestartPod, RestartTask or RestartPartition deletes "
        "some of its pods: it is deleted as well, so that the Job has to be admitted anew; or it stays.",
        why="A Job whose pod had failed waited behind all others again.",
        source="pkg/controllers/job/job_controller_actions.go",
    )
