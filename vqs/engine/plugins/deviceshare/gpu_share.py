"""Shares of one GPU's memory, or whole GPUs, of nodes that only say how many GPUs and how much memory they have.

A pod's annotation `volcano.sh/gpu-index` names the GPUs that it holds. Reference: api/devices/nvidia/gpushare.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from vqs.engine.framework.points import Shortfall
from vqs.engine.plugins.deviceshare.devices import (
    UINT64,
    Answer,
    DeviceKind,
    NodeDevices,
    counted,
    number_of,
    on_devices,
)
from vqs.model.keys import UNHEALTHY_GPUS
from vqs.model.kubernetes import Node, Pod
from vqs.model.quantity import value
from vqs.releases.deviceshare import DeviceShareBehaviours

MEMORY: Final = "volcano.sh/gpu-memory"
NUMBER: Final = "volcano.sh/gpu-number"
GPU_INDEX: Final = "volcano.sh/gpu-index"
PREDICATE_TIME: Final = "volcano.sh/predicate-time"

MOST_GPUS: Final = 1024
"""GPUs of one node beyond these are not looked at: no machine has as many."""

_DEFAULT_BEHAVIOURS: Final = DeviceShareBehaviours()

NO_MEMORY: Final = "GpuShare no enough gpu memory on node {}"
NO_NUMBER: Final = "GpuNumber no enough gpu number on node {}"


class GpuRequest(NamedTuple):
    """The memory on one GPU, and the number of GPUs."""

    memory: int
    number: int


class GpuShare(DeviceKind[GpuRequest]):
    """GPUs that are shared by memory, or given away whole."""

    name = "GpuShare"
    needed = True

    def __init__(self, *, by_memory: bool, behaviours: DeviceShareBehaviours = _DEFAULT_BEHAVIOURS) -> None:
        self.by_memory = by_memory
        self.behaviours = behaviours

    def request(self, pod: Pod) -> GpuRequest | None:
        """What a pod asks for."""
        request = gpu_request(pod)
        return request if (request.memory if self.by_memory else request.number) > 0 else None

    def on_node(self, node: Node) -> SharedGpus | None:
        """The GPUs of a node, without those that its annotation says are unhealthy."""
        capacity = node.status.capacity or {}
        if MEMORY not in capacity or NUMBER not in capacity or value(capacity[NUMBER]) <= 0:
            return None
        number = value(capacity[NUMBER])
        unhealthy = set(_indices(node.metadata.annotations.get(UNHEALTHY_GPUS, ""), all_or_none=False))
        healthy = [index for index in range(min(number, MOST_GPUS)) if index not in unhealthy]
        return SharedGpus(self, node.metadata.name, value(capacity[MEMORY]) // number, healthy)


class SharedGpus(NodeDevices[GpuRequest]):
    """The GPUs of a node, and the memory that each pod holds of each; `patched` are the pods given some just now."""

    def __init__(self, kind: GpuShare, node: str, memory: int, gpus: list[int]) -> None:
        self.node = node
        self.memory = memory
        self.by_memory = kind.by_memory
        self.finds_pods = kind.behaviours.shared_gpu_release == "by-pod"
        self.fills_up = kind.behaviours.overfull_gpus == "full"
        self.patched: set[str] = set()
        self.pods: dict[int, dict[str, int]] = {gpu: {} for gpu in gpus}

    def state(self) -> tuple[object, ...]:
        """What is left of each GPU; the reason has the node's name in it."""
        return (self.node, *((self._idle(gpu), bool(pods)) for gpu, pods in self.pods.items()))

    def examine(self, request: GpuRequest) -> Answer:
        """Whether one GPU has the memory, or as many GPUs are free; nodes are not scored."""
        if self.by_memory:
            return Answer() if self._with_memory(request.memory) else Answer(NO_MEMORY.format(self.node))
        return Answer() if len(self._free()) >= request.number else Answer(NO_NUMBER.format(self.node))

    def shortfall(self, request: GpuRequest) -> Shortfall:
        """The memory of the GPU that has the most left, or how many GPUs are free."""
        if self.by_memory:
            return counted(MEMORY, request.memory, max(map(self._idle, self.pods), default=0), on_devices(1, "GPU"))
        return counted(NUMBER, request.number, len(self._free()))

    def add(self, pod: Pod) -> None:
        """Note a pod on the GPUs that its annotation names."""
        request = gpu_request(pod)
        if request.memory > 0 or request.number > 0:
            self._occupy(pod, _indices(pod.metadata.annotations.get(GPU_INDEX, ""), all_or_none=True))

    def subtract(self, pod: Pod) -> None:
        """Take a pod off the GPUs that its annotation names, or off all where pods are found without it."""
        named = _indices(pod.metadata.annotations.get(GPU_INDEX, ""), all_or_none=True)
        for gpu in named or ([*self.pods] if self.finds_pods else []):
            self.pods.get(gpu, {}).pop(pod.metadata.uid, None)

    def allocate(self, pod: Pod, request: GpuRequest) -> dict[str, str] | None:
        """Give a pod the first GPU with enough memory, and as many whole ones as it asks for."""
        given: list[int] = []
        if request.memory > 0:
            given = self._with_memory(request.memory)[:1]
            if not given:
                return None
            self._occupy(pod, given)
        if request.number > 0:
            free = self._free()
            if len(free) < request.number:
                return None
            given = free[: request.number]
            self._occupy(pod, given)
        self.patched.add(pod.metadata.uid)
        return {GPU_INDEX: ",".join(map(str, given)), PREDICATE_TIME: "0"}

    def release(self, pod: Pod) -> bool:
        """Give back what an evicted pod holds; one without both annotations cannot be patched, and keeps it."""
        is_patched = self.finds_pods or pod.metadata.uid in self.patched
        if not is_patched and not {GPU_INDEX, PREDICATE_TIME} <= pod.metadata.annotations.keys():
            return False
        self.patched.discard(pod.metadata.uid)
        self.subtract(pod)
        return True

    def _occupy(self, pod: Pod, gpus: list[int]) -> None:
        memory = gpu_request(pod).memory
        for gpu in gpus:
            if gpu in self.pods:
                self.pods[gpu][pod.metadata.uid] = memory

    def _idle(self, gpu: int) -> int:
        idle = self.memory - sum(self.pods[gpu].values())
        return max(idle, 0) if self.fills_up else idle & UINT64

    def _with_memory(self, memory: int) -> list[int]:
        return [gpu for gpu in self.pods if self._idle(gpu) >= memory]

    def _free(self) -> list[int]:
        return [gpu for gpu, pods in self.pods.items() if not pods]


def gpu_request(pod: Pod) -> GpuRequest:
    """The larger of what all containers and what one init container asks for."""
    amounts: list[int] = []
    for name in (MEMORY, NUMBER):
        together = sum(value(each.resources.limits.get(name, 0)) for each in pod.spec.containers)
        alone = [value(each.resources.limits.get(name, 0)) for each in pod.spec.init_containers]
        amounts.append(max([together, *alone]))
    return GpuRequest(*amounts)


def _indices(text: str, *, all_or_none: bool) -> list[int]:
    entries = text.split(",")
    numbers = [each for each in entries if each.lstrip("+-").isdecimal()]
    return [] if all_or_none and len(numbers) < len(entries) else [number_of(each) for each in numbers]
