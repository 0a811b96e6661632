"""What releases decide differently about the flags of the scheduler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vqs.releases.behaviour import behaviour
from vqs.releases.release import Release


@dataclass(frozen=True, slots=True)
class FlagBehaviours:
    """The behaviours of the flags of the scheduler."""

    sharding_flags: Literal["unknown", "known"] = behaviour(
        "unknown",
        {Release.V1_14_0: "known"},
        decides="Whether the scheduler has the flags --scheduler-sharding-mode and --scheduler-sharding-name; it does "
        "not start with flags that it does not know.",
        why="Several schedulers share the nodes of a cluster.",
        source="cmd/scheduler/app/options/options.go",
    )
