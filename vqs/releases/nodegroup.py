"""What releases decide differently in the plugin nodegroup."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vqs.releases.behaviour import behaviour
from vqs.releases.release import Release


@dataclass(frozen=True, slots=True)
class NodeGroupBehaviours:
    """The behaviours of the plugin nodegroup."""

    preferred_order: Literal["unknown", "enablePreferredOrder"] = behaviour(
        "unknown",
        {Release.V1_15: "enablePreferredOrder"},
        decides="Whether the argument enablePreferredOrder of the plugin nodegroup exists: of the node groups that a "
        "queue prefers, those that it lists first score more.",
        why="A queue may prefer one of its groups to the others.",
        source="pkg/scheduler/plugins/nodegroup/nodegroup.go",
    )
