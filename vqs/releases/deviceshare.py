"""What releases decide differently in the plugin deviceshare, and for the devices of nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from vqs.releases.release import Release, behaviour

_VGPU: Final = "pkg/scheduler/api/devices/nvidia/vgpu"
_NPU: Final = "pkg/scheduler/api/devices/ascend/hami/device_info.go"


@dataclass(frozen=True, slots=True)
class DeviceShareBehaviours:
    """The behaviours of the plugin deviceshare."""

    device_scores: Literal["unused", "used"] = behaviour(
        "unused",
        {Release.V1_13: "used"},
        decides="Whether deviceshare.ScheduleWeight has an effect: whether the scores of devices count for a node.",
        why="The score was calculated, and 0 was returned.",
        source="pkg/scheduler/plugins/deviceshare/deviceshare.go",
    )
    virtual_gpu_amounts: Literal["ignored", "counted"] = behaviour(
        "ignored",
        {Release.V1_13: "counted"},
        decides="Whether volcano.sh/vgpu-memory, volcano.sh/vgpu-cores and volcano.sh/vgpu-memory-percentage count as "
        "resources of pods, nodes and queues, or for the GPUs of nodes only.",
        why="Queues could not limit the memory and the cores of virtual GPUs.",
        source=f"{_VGPU}/device_info.go",
    )
    virtual_gpu_names: Literal["fixed", "configured"] = behaviour(
        "fixed",
        {Release.V1_13: "configured"},
        decides="By which names pods ask for virtual GPUs: volcano.sh/vgpu-number and so on, or those that the device "
        "configuration gives.",
        why="The names of resources in the configuration had no effect.",
        source=f"{_VGPU}/utils.go",
    )
    virtual_gpu_order: Literal["last-first", "schedule-policy"] = behaviour(
        "last-first",
        {Release.V1_15: "schedule-policy"},
        decides="Which GPU of a node a container of virtual GPUs gets: the last one with room, or the one that "
        "deviceshare.SchedulePolicy asks for.",
        why="The policy chose the node, and then any of its GPUs was taken.",
        source=f"{_VGPU}/utils.go",
    )
    virtual_gpu_spread_score: Literal["unused-gpus", "none"] = behaviour(
        "unused-gpus",
        {Release.V1_15: "none"},
        decides="What a node scores with the policy spread: 100 for each unused GPU that the pod gets, or nothing.",
        why="The score was to be given for GPUs without a pod, and is asked for once the pod is counted on them.",
        source=f"{_VGPU}/utils.go",
    )
    virtual_gpu_percentage: Literal["rounded-down", "exact"] = behaviour(
        "rounded-down",
        {Release.V1_14_0: "exact"},
        decides="How much memory of a virtual GPU a percentage is, which is 100 where a container asks for no memory: "
        "that part of each GPU; or, unless an amount is asked for as well, nothing below 100, and with 100 all that "
        "the first GPU which is tried has, of the other GPUs, too.",
        why="GPUs of a node may have different amounts of memory.",
        source=f"{_VGPU}/utils.go",
    )
    virtual_gpu_failed_try: Literal["keeps-taken", "rolls-back"] = behaviour(
        "keeps-taken",
        {Release.V1_15: "rolls-back"},
        decides="Whether virtual GPUs that some containers of a pod got stay taken where another container gets none.",
        why="The GPUs of a node filled up with what no pod used.",
        source=f"{_VGPU}/utils.go",
    )
    virtual_gpu_account: Literal["by-first-container", "by-container", "by-pod"] = behaviour(
        "by-first-container",
        {Release.V1_13: "by-container", Release.V1_15: "by-pod"},
        decides="Whether a pod that holds parts of a GPU for several containers counts for the first of them or for "
        "each, and stays counted when its place is taken back; or it counts once, and not longer than it has its "
        "place, for what its annotations name; virtual-gpu-release decides on the rest.",
        why="Jobs can preempt others for virtual GPUs only if what is given and freed in a session is counted.",
        source=f"{_VGPU}/hamicore.go",
    )
    virtual_gpu_pod_group_policy: Literal["unknown", "spread"] = behaviour(
        "unknown",
        {Release.V1_15: "spread"},
        decides="Whether the annotation volcano.sh/vgpu-podgroup-policy: spread keeps pods of one PodGroup on "
        "different GPUs.",
        why="Pods of one job would not share a GPU (#5049).",
        source=f"{_VGPU}/utils.go",
    )
    mig_memory_factor: Literal["ignored", "applied"] = behaviour(
        "ignored",
        {Release.V1_15: "applied"},
        decides="Whether gpuMemoryFactor of the device configuration multiplies the memory that a pod asks for where a "
        "MIG instance is looked for.",
        why="Sizes of MIG instances are in MiB, whatever unit pods ask in.",
        source=f"{_VGPU}/mig.go",
    )
    gpu_exclusive_rules: Literal["unknown", "GPUExclusiveRules"] = behaviour(
        "unknown",
        {Release.V1_15: "GPUExclusiveRules"},
        decides="Whether the argument deviceshare.GPUExclusiveRules exists: pods with the labels of a rule share no "
        "GPU with each other.",
        why="Some pods of a cluster must not share a GPU (#5213).",
        source="pkg/scheduler/plugins/deviceshare/gpuexclusive.go",
    )
    failed_device_allocation: Literal["ignored", "fails"] = behaviour(
        "ignored",
        {Release.V1_15: "fails"},
        decides="Whether a task gets a node although it gets no devices there.",
        why="The pod was bound without its devices.",
        source="pkg/scheduler/plugins/predicates/predicates.go",
    )
    releasing_devices: Literal["held", "free"] = behaviour(
        "held",
        {Release.V1_15: "free"},
        decides="Whether a pod that is being deleted holds its devices until it is gone.",
        why="A job that preempts others could not be promised their devices.",
        source="pkg/scheduler/api/node_info.go",
    )
    simulated_devices: Literal["ignored", "checked"] = behaviour(
        "ignored",
        {Release.V1_15: "checked"},
        decides="Whether topology-aware preemption takes tasks away until the devices of the node have room for the "
        "task as well, or only until its resources have.",
        why="Pods were evicted for a task that asks for virtual GPUs, and none of its GPUs was free then.",
        source="pkg/scheduler/plugins/predicates/predicates.go",
    )
    missing_devices: Literal["refused", "passed-over"] = behaviour(
        "refused",
        {Release.V1_14: "passed-over"},
        decides="Whether a node that registers no GPUs takes pods that ask for shares of GPUs or for virtual ones.",
        why="Such pods were kept off all nodes without devices.",
        source="pkg/scheduler/plugins/deviceshare/deviceshare.go",
    )
    virtual_gpu_nodes: Literal["by-handshake", "by-allocatable"] = behaviour(
        "by-handshake",
        {Release.V1_14: "by-allocatable"},
        heads={Release.V1_13: "by-allocatable"},
        decides=(
            "When the virtual GPUs that a node registered count: while its device plugin has answered the handshake "
            "in annotation volcano.sh/node-vgpu-handshake within 60 seconds, or while its allocatable has some."
        ),
        why="Clocks that differ made GPUs come and go; the kubelet knows better which devices are healthy.",
        source="pkg/scheduler/api/devices/nvidia/vgpu/device_info.go",
    )
    virtual_npu_shortage: Literal["an-error", "unschedulable"] = behaviour(
        "an-error",
        {},
        heads={Release.V1_15: "unschedulable"},
        decides="What it is when no NPU of HAMi has what a pod asks for: an error, for which nothing is evicted, or a "
        "reason like others, which evictions may lift.",
        why="preempt never made room on NPUs (#5843).",
        source="pkg/scheduler/api/devices/ascend/hami/device_info.go",
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
    virtual_gpu_uuids: Literal["unknown", "known"] = behaviour(
        "unknown",
        {Release.V1_16: "known"},
        decides="Whether the annotations volcano.sh/vgpu-use-gpuuuid and volcano.sh/vgpu-nouse-gpuuuid of a pod say "
        "which GPUs it may use, and which not.",
        why="A pod can be kept to some GPUs, or off a faulty one.",
        source=f"{_VGPU}/utils.go",
    )
    virtual_npu_scores: Literal["used-once", "unused"] = behaviour(
        "used-once",
        {Release.V1_16: "unused"},
        decides="Which virtual NPUs the policy spread prefers: those that one pod uses, or those that none does. With "
        "binpack, cards without memory score 0 in the latter case, in place of no number at all.",
        why="Pods were put together on cards, with the policy that is to keep them apart.",
        source=_NPU,
    )
    virtual_npu_core: Literal["unknown", "known"] = behaviour(
        "unknown",
        {Release.V1_16: "known"},
        decides="Whether pods can ask for cores of virtual NPUs, and whether those with the annotation "
        "huawei.com/vnpu-mode: hami-core take memory and cores in percent of a card, in place of the sizes of "
        "templates, on nodes that are set up for it.",
        why="HAMi's core confines the containers on an NPU (#5462).",
        source=_NPU,
    )
    virtual_npu_release: Literal["by-annotation", "by-pod"] = behaviour(
        "by-annotation",
        {Release.V1_16: "by-pod"},
        decides="Whether a pod whose place is taken back gives back virtual NPUs only if its annotations name them, "
        "which they do not for those that it got in the session.",
        why="NPUs that no pod used stayed taken until the session ended.",
        source=_NPU,
    )
    shared_gpu_release: Literal["by-annotation", "by-pod"] = behaviour(
        "by-annotation",
        {Release.V1_16: "by-pod"},
        decides="Whether a pod whose place is taken back, or that is evicted, gives back shared GPUs only if its "
        "annotations name them, which they do not for those that it got in the session.",
        why="GPUs that no pod used stayed taken until the session ended.",
        source="pkg/scheduler/api/devices/nvidia/gpushare/device_info.go",
    )
    virtual_gpu_release: Literal["by-annotation", "by-pod"] = behaviour(
        "by-annotation",
        {Release.V1_15: "by-pod", Release.V1_16: "by-annotation"},
        decides="Whether a pod whose place is taken back gives back virtual GPUs only if its annotations name them, "
        "which they do not for those that it got in the session.",
        why="GPUs that no pod used stayed taken until the session ended. They do again since the scheduler no longer "
        "writes into pods that it shares with its cache.",
        source=f"{_VGPU}/device_info.go",
    )
    overfull_gpus: Literal["nearly-empty", "full"] = behaviour(
        "nearly-empty",
        {Release.V1_16: "full"},
        decides="What a shared GPU counts for of which pods hold more memory than it has: nearly empty, as the number "
        "wraps around, or full.",
        why="Pods were put on a GPU that was full (#5470).",
        source="pkg/scheduler/api/devices/nvidia/gpushare/share.go",
    )
