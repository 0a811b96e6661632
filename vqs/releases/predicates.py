"""What releases decide differently in the plugin predicates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vqs.releases.behaviour import behaviour
from vqs.releases.release import Release


@dataclass(frozen=True, slots=True)
class PredicatesBehaviours:
    """The behaviours of the plugin predicates."""

    taint_reason: Literal["first-taint", "unnamed"] = behaviour(
        "first-taint",
        {Release.V1_15: "unnamed"},
        decides="What a node says whose taints a task does not tolerate: the key and the value of the first such "
        "taint, or only that there are some.",
        why="The release uses the scheduler plugins of Kubernetes 1.35, which counts such nodes together.",
        source="pkg/scheduler/plugins/predicates/predicates.go",
    )
