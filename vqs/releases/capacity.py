"""What releases decide differently in the plugin capacity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vqs.releases.behaviour import behaviour
from vqs.releases.release import Release


@dataclass(frozen=True, slots=True)
class CapacityBehaviours:
    """The behaviours of the plugin capacity."""

    root_real_capability: Literal["total", "unlimited"] = behaviour(
        "total",
        {Release.V1_14: "unlimited"},
        decides="The real capability of the root queue where it has no capability: what the cluster has, or no limit.",
        why="Jobs may be submitted that ask for more than the cluster has at the moment.",
        source="pkg/scheduler/plugins/capacity/capacity.go",
    )
