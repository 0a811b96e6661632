"""What releases decide differently in the plugin deviceshare."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vqs.releases.behaviour import behaviour
from vqs.releases.release import Release

_NPU = "pkg/scheduler/api/devices/ascend/hami/device_info.go"


@dataclass(frozen=True, slots=True)
class DeviceBehaviours:
    """The behaviours of the plugin deviceshare."""

    virtual_gpu_nodes: Literal["by-handshake", "by-allocatable"] = behaviour(
        "by-handshake",
        {Release.V1_14: "by-allocatable"},
        decides=(
            "When the virtual GPUs that a node registered count: while its device plugin has answered the handshake "
            "in annotation volcano.sh/node-vgpu-handshake within 60 seconds, or while its allocatable has some."
        ),
        why="Clocks that differ made GPUs come and go; the kubelet knows better which devices are healthy.",
        source="pkg/scheduler/api/devices/nvidia/vgpu/device_info.go",
    )
    virtual_npus: Literal["unknown", "known"] = behaviour(
        "unknown",
        {Release.V1_14_0: "known"},
        decides="Whether deviceshare.AscendHAMiVNPUEnable means anything: old releases have no virtual NPUs of HAMi.",
        why="NPUs are shared like GPUs.",
        source="pkg/scheduler/plugins/deviceshare/deviceshare.go",
    )
    virtual_npu_nodes: Literal["registered", "allocatable"] = behaviour(
        "registered",
        {Release.V1_14: "allocatable"},
        decides="When the virtual NPUs that a node registered count: always, or while its allocatable has some.",
        why="Nodes whose NPUs are not healthy were given pods (#5418).",
        source=_NPU,
    )
    virtual_npu_usage: Literal["to-allocate", "allocated"] = behaviour(
        "to-allocate",
        {Release.V1_14: "allocated"},
        decides=(
            "Which annotation of a pod says what it holds of virtual NPUs: the one with what its device plugin still "
            "has to hand out, or the one with what it was given."
        ),
        why="What running pods hold was not counted once their devices had been handed out.",
        source=_NPU,
    )
