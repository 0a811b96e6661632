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
    reclaim_evictions_in_vain: Literal["kept", "rolled-back"] = behaviour(
        "kept",
        {Release.V1_15: "rolled-back"},
        decides="What becomes of the victims of reclaim on a node that cannot be given to the task in the end.",
        why="Pods were killed for nothing; now they stay, and the next node is tried (#5067).",
        source=_SOURCE,
    )
    reclaim_from_roomy_nodes: Literal["one-victim", "no-victim"] = behaviour(
        "one-victim",
        {Release.V1_15: "no-victim"},
        decides="How many tasks reclaim evicts on a node that has room for the task without it.",
        why="The first victim was evicted before the room was looked at (#5067).",
        source=_SOURCE,
    )
