"""What releases decide differently in the plugin proportion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vqs.releases.behaviour import behaviour
from vqs.releases.release import Release


@dataclass(frozen=True, slots=True)
class ProportionBehaviours:
    """The behaviours of the plugin proportion."""

    proportion_inqueue: Literal["min-resources", "less-allocated"] = behaviour(
        "min-resources",
        {Release.V1_15: "less-allocated"},
        decides="What a job that is admitted and not running yet reserves: its minResources, or what it lacks of them.",
        why="What its first pods hold was counted twice, and kept other jobs out of the queue (#5100).",
        source="pkg/scheduler/plugins/proportion/proportion.go",
    )
