"""What releases decide differently when they evict tasks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vqs.releases.behaviour import behaviour
from vqs.releases.release import Release


@dataclass(frozen=True, slots=True)
class EvictionBehaviours:
    """The behaviours of evictions, whichever action asks for them."""

    victims_of_equal_jobs: Literal["youngest-job", "task-order"] = behaviour(
        "youngest-job",
        {Release.V1_15: "task-order"},
        decides="Which victim goes first where the plugins take the jobs of two victims for equal.",
        why="The priority of tasks counts also between tasks of different jobs.",
        source="pkg/scheduler/framework/session_plugins.go",
    )
    spared_victims: Literal["seen", "missed"] = behaviour(
        "seen",
        {Release.V1_15: "missed"},
        decides="Whether Kubernetes' plugins see a pod on its node whose eviction was rolled back in the session.",
        why="A pod is not counted on a node any more where reserving something for it fails, as it always does for a "
        "running pod.",
        source="pkg/scheduler/plugins/predicates/predicates.go",
    )
