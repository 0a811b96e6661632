"""What releases decide differently in the accounts that several plugins keep of queues."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vqs.releases.behaviour import behaviour
from vqs.releases.release import Release


@dataclass(frozen=True, slots=True)
class QueueBehaviours:
    """The behaviours of the accounts of queues that capacity, proportion and overcommit keep."""

    reserved_devices: Literal["in-wrong-unit", "in-full"] = behaviour(
        "in-wrong-unit",
        {Release.V1_14: "in-full"},
        decides=(
            "What a running job reserves in its queue of devices and pods that its minResources ask for and it does "
            "not hold yet: all of it, or, as the unit is mistaken, a thousandth of the devices, none of those that "
            "it holds some of, and no pods."
        ),
        why="Whole devices were compared with thousandths of a device (#5503).",
        source="pkg/scheduler/plugins/util/util.go",
    )
