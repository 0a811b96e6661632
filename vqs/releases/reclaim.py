"""What releases decide differently in the action reclaim."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vqs.releases.behaviour import behaviour
from vqs.releases.release import Release

_SOURCE = "pkg/scheduler/actions/reclaim/reclaim.go"


@dataclass(frozen=True, slots=True)
class ReclaimBehaviours:
    """The behaviours of the action reclaim."""

    reclaim_unit: Literal["task", "gang"] = behaviour(
        "task",
        {Release.V1_14_0: "gang"},
        decides=(
            "What reclaim evicts for at a time: one task, after which the next queue is served and nothing is taken "
            "back, or a whole job, for which all evictions are taken back where its gang stays incomplete."
        ),
        why=(
            "Tasks were evicted for gangs that could not start, and a job that had enough kept the others of its "
            "queue waiting (#3738)."
        ),
        source=_SOURCE,
    )
    room_after_reclaim: Literal["victims-only", "with-idle"] = behaviour(
        "victims-only",
        {Release.V1_14_0: "with-idle"},
        decides=(
            "When enough is evicted on a node: when the victims alone hold what the task asks for, or when they do "
            "together with what is idle there."
        ),
        why="More tasks were evicted than needed.",
        source=_SOURCE,
    )
