"""What releases decide differently about the list of actions in the scheduler's configuration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vqs.releases.behaviour import behaviour
from vqs.releases.release import Release


@dataclass(frozen=True, slots=True)
class ActionBehaviours:
    """The behaviours of the list of actions."""

    unknown_action: Literal["skipped", "refused"] = behaviour(
        "skipped",
        {Release.V1_14_0: "refused"},
        decides="What becomes of a configuration with an action that does not exist: the action is left out, or the "
        "whole configuration is refused.",
        why="A misspelt action went unnoticed.",
        source="pkg/scheduler/util.go",
    )
    gang_actions: Literal["unknown", "known"] = behaviour(
        "unknown",
        {Release.V1_15: "known"},
        decides="Whether there are the actions gangpreempt and gangreclaim; an unknown one is refused.",
        why="Task by task, preempt and reclaim disrupt many gangs, and may not make room for one (#5250).",
        source="pkg/scheduler/actions/factory.go",
    )
