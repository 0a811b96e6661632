"""What releases decide differently in the action allocate, and in what it says of tasks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vqs.releases.behaviour import behaviour
from vqs.releases.release import Release

_SOURCE = "pkg/scheduler/actions/allocate/allocate.go"


@dataclass(frozen=True, slots=True)
class AllocateBehaviours:
    """The behaviours of the action allocate."""

    incomplete_gangs: Literal["tried-again", "left"] = behaviour(
        "tried-again",
        {Release.V1_14_0: "left"},
        decides=(
            "What becomes of a job whose gang stays incomplete, and that has tasks which were not tried: it is tried "
            "again with these, or it waits for the next session."
        ),
        why="A try without the tasks that were placed before hardly ever completes the gang.",
        source=_SOURCE,
    )
    role_failed_message: Literal["absent", "given"] = behaviour(
        "absent",
        {Release.V1_14_0: "given"},
        decides="Whether a task that is not tried, as no node fits an earlier task of its role, is given that reason.",
        why="Such a pod said nothing about why it waits.",
        source=_SOURCE,
    )
    pre_predicate_failure: Literal["ends-the-try", "next-task"] = behaviour(
        "ends-the-try",
        {Release.V1_14: "next-task"},
        decides=(
            "What follows when a task is refused before any node is asked: the try of its job ends, or it goes on "
            "with the next task where the gang can still become complete."
        ),
        why="One task whose volume is missing kept all others of an elastic job waiting.",
        source=_SOURCE,
    )
    ready_job_summary: Literal["not-ready", "ready"] = behaviour(
        "not-ready",
        {Release.V1_14_0: "ready"},
        decides=(
            "How the summary begins that pods of a job with a complete gang show while they wait: "
            "pod group is not ready, or pod group is ready."
        ),
        why="Pods beyond the minimum of a running job said that their pod group is not ready.",
        source="pkg/scheduler/api/job_info.go",
    )
    nominated_node: Literal["anywhere", "in-hypernode"] = behaviour(
        "anywhere",
        {Release.V1_15: "in-hypernode"},
        decides="Whether a task takes the node that an earlier session chose for it outside the HyperNode tried.",
        why="A gang with a network topology was spread beyond the HyperNode it was placed in (#5250).",
        source=_SOURCE,
    )
