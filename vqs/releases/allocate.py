"""What releases decide differently in the action allocate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vqs.releases.behaviour import behaviour
from vqs.releases.release import Release


@dataclass(frozen=True, slots=True)
class AllocateBehaviours:
    """The behaviours of the action allocate."""

    nominated_node: Literal["anywhere", "in-hypernode"] = behaviour(
        "anywhere",
        {Release.V1_15: "in-hypernode"},
        decides="Whether a task takes the node that an earlier session chose for it outside the HyperNode tried.",
        why="A gang with a network topology was spread beyond the HyperNode it was placed in (#5250).",
        source="pkg/scheduler/actions/allocate/allocate.go",
    )
