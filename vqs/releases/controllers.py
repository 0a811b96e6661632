"""What releases decide differently in the controllers: which pods are created, and what their PodGroup asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vqs.releases.behaviour import behaviour
from vqs.releases.release import Release


@dataclass(frozen=True, slots=True)
class ControllerBehaviours:
    """The behaviours of the controllers for Jobs and PodGroups."""

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
