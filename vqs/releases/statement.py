"""What releases decide differently in statements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vqs.releases.behaviour import behaviour
from vqs.releases.release import Release


@dataclass(frozen=True, slots=True)
class StatementBehaviours:
    """The behaviours of statements."""

    failed_pipeline: Literal["stands", "rolled-back"] = behaviour(
        "stands",
        {Release.V1_15: "rolled-back"},
        decides="What becomes of a task that is promised room where a plugin then fails to reserve what it needs.",
        why="The task took up room on the node until the session ended, and its job counted it (#5073).",
        source="pkg/scheduler/framework/statement.go",
    )
