"""What releases decide differently in the plugin capacity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from vqs.releases.behaviour import behaviour
from vqs.releases.release import Release

_SOURCE: Final = "pkg/scheduler/plugins/capacity/capacity.go"


@dataclass(frozen=True, slots=True)
class CapacityBehaviours:
    """The behaviours of the plugin capacity."""

    root_real_capability: Literal["total", "unlimited"] = behaviour(
        "total",
        {Release.V1_14: "unlimited"},
        decides="The real capability of the root queue where it has no capability: what the cluster has, or no limit.",
        why="Jobs may be submitted that ask for more than the cluster has at the moment.",
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
