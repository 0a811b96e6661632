"""What releases decide differently in the plugin capacity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from vqs.releases.release import Release, behaviour

_SOURCE: Final = "pkg/scheduler/plugins/capacity/capacity.go"


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
    root_deserved: Literal["total", "configured", "sum-of-children"] = behaviour(
        "total",
        {Release.V1_13: "configured", Release.V1_14: "sum-of-children"},
        decides=(
            "What the root queue deserves and is guaranteed: what the cluster has, and the sum of its children, "
            "whatever its spec says; what its spec says (without deserved, what the cluster has; without a guarantee, "
            "the sum of its children); or always the sum of its children."
        ),
        why="Users do not manage the root queue, and its spec was written once and then went stale.",
        source=_SOURCE,
    )
    deserved_above_capability: Literal["lowered", "kept"] = behaviour(
        "lowered",
        {Release.V1_13: "kept"},
        decides=(
            "What a queue of a tree deserves whose spec.deserved is more than its real capability: that capability, or "
            "what the spec says; queues without a tree deserve no more than their real capability in all releases."
        ),
        why="The webhook checks what a queue deserves, and the scheduler changed it on top of that.",
        source=_SOURCE,
    )
    inherited_capability: Literal["cpu-and-memory", "all-resources"] = behaviour(
        "cpu-and-memory",
        {Release.V1_13: "all-resources"},
        decides=(
            "Of which resources a queue without a capability has that of its parent: of cpu and memory only, so that a "
            "queue below it that limits another one has more than its parent; or of all."
        ),
        why="A queue could not limit devices unless all queues above it did.",
        source=_SOURCE,
    )
    capacity_preemptive: Literal["every-resource", "one-resource"] = behaviour(
        "every-resource",
        {Release.V1_13: "one-resource"},
        decides=(
            "When a task may reclaim: if its queue then holds no more than it deserves of every resource that the task "
            "asks for, or of one of them."
        ),
        why="A queue that deserves one resource could not reclaim it for tasks that also ask for others.",
        source=_SOURCE,
    )
    deserved_below_guarantee: Literal["kept", "raised"] = behaviour(
        "raised",
        {Release.V1_13: "kept", Release.V1_14: "raised"},
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
    capacity_inqueue: Literal["whole-minimum", "unallocated-minimum"] = behaviour(
        "whole-minimum",
        {Release.V1_15: "unallocated-minimum"},
        decides="What a job that is admitted, and not running yet, reserves in its queue: its minResources, or what "
        "its tasks do not hold of that yet.",
        why="What tasks held counted twice: as allocated, and as reserved.",
        source=_SOURCE,
    )
    capacity_reclaim_limit: Literal["deserved", "real-capability"] = behaviour(
        "deserved",
        {Release.V1_15: "real-capability"},
        decides="Which limits of its queue a task has to keep to that wants to reclaim: what the queue deserves, or "
        "its real capability as well.",
        why="Tasks were evicted in favour of one that its queue had no room for (#5053).",
        source=_SOURCE,
    )
    queue_device_quota: Literal["none", "by-device-class"] = behaviour(
        "none",
        {Release.V1_15: "by-device-class"},
        decides="Whether the capability of a queue limits how many devices of a DeviceClass its tasks claim.",
        why="Queues had no quota of devices that are claimed by ResourceClaims.",
        source=_SOURCE,
    )
    ancestor_reclaim: Literal["unknown", "ancestorReclaimLevel"] = behaviour(
        "unknown",
        {Release.V1_15: "ancestorReclaimLevel"},
        decides="Whether the argument ancestorReclaimLevel of the plugin capacity exists: up to how many levels above "
        "a queue it counts what ancestors hold and deserve, where one queue reclaims from another.",
        why="A department below what it deserves can get that back, although no team of it deserves anything.",
        source=_SOURCE,
    )
    capacity_candidates: Literal["as-listed", "in-victim-order"] = behaviour(
        "as-listed",
        {Release.V1_15: "in-victim-order"},
        decides="In which order the plugin capacity counts tasks off what their queue has beyond what it deserves.",
        why="Tasks that are to go last could be taken, and those spared that are to go first (#5115).",
        source="pkg/scheduler/plugins/capacity/capacity.go",
    )
