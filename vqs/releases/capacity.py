"""What releases decide differently in the plugin capacity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vqs.releases.behaviour import behaviour
from vqs.releases.release import Release

_SOURCE = "pkg/scheduler/plugins/capacity/capacity.go"


@dataclass(frozen=True, slots=True)
class CapacityBehaviours:
    """The behaviours of the plugin capacity."""

    root_real_capability: Literal["total", "unlimited"] = behaviour(
        "total",
        {Release.V1_14: "unlimited"},
        decides=(
            "The limit of the root queue: what the cluster has, whatever its capability, or its capability, "
            "and no limit where it has none."
        ),
        why="Jobs may be submitted that ask for more than the cluster has at the moment.",
        source=_SOURCE,
    )
    root_deserved: Literal["configured", "sum-of-children"] = behaviour(
        "configured",
        {Release.V1_14: "sum-of-children"},
        decides=(
            "What the root queue deserves and is guaranteed: what its spec says (without deserved, what the cluster "
            "has; without a guarantee, the sum of its children), or always the sum of its children."
        ),
        why="Users do not manage the root queue, and its spec was written once and then went stale.",
        source=_SOURCE,
    )
    deserved_below_guarantee: Literal["kept", "raised"] = behaviour(
        "kept",
        {Release.V1_14: "raised"},
        decides=(
            "What a queue of a tree deserves whose spec.deserved is less than its guarantee: that, or the guarantee; "
            "queues without a tree deserve their guarantee in all releases."
        ),
        why="A queue deserves at least what is guaranteed to it.",
        source=_SOURCE,
    )
    queue_tree_violation: Literal["standstill", "warning"] = behaviour(
        "standstill",
        {Release.V1_14_0: "warning"},
        decides=(
            "What a queue does whose children have a larger capability than itself, or more deserved or guaranteed "
            "in all: it stops scheduling in all queues, or it leads to a line in the scheduler's log."
        ),
        why="One mistake in one queue stopped the whole cluster.",
        source=_SOURCE,
    )
    best_effort_queues: Literal["first", "last"] = behaviour(
        "first",
        {Release.V1_14_0: "last"},
        decides=(
            "When a queue is served that deserves nothing: before all others, as its share is 0, or after those that "
            "hold less than they deserve, as its share is 1."
        ),
        why="Queues without deserved took what was reclaimed for others, and it was reclaimed from them again.",
        source=_SOURCE,
    )
    capacity_victims: Literal["all-resources", "relevant-resources"] = behaviour(
        "all-resources",
        {Release.V1_14_0: "relevant-resources"},
        decides=(
            "Which tasks a queue gives up: all while it holds more than it deserves of any resource, or those that "
            "hold such a resource, and one that the reclaiming task asks for."
        ),
        why="Tasks were evicted that had nothing of what the reclaiming task asked for.",
        source=_SOURCE,
    )
