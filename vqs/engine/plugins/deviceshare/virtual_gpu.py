"""HAMi's virtual GPUs: shares of the memory and the cores of GPUs, or MIG instances.

The annotation `volcano.sh/node-vgpu-register` lists a node's GPUs; `volcano.sh/vgpu-ids-new` of a pod those that it
holds. The health of a GPU in the list is not looked at, as in the reference, and the device plugin's handshake in old
releases only.
Reference: api/devices/nvidia/vgpu.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from vqs.engine.plugins.deviceshare.device_config import NvidiaConfig
from vqs.engine.plugins.deviceshare.devices import (
    BINPACK,
    FULL_SCORE,
    SPREAD,
    UINT64,
    Answer,
    DeviceKind,
    HeldDevice,
    NodeDevices,
    held_devices,
    number_of,
)
from vqs.engine.plugins.deviceshare.mig import MigUsage, read_instance
from vqs.engine.plugins.deviceshare.requests import NO_PERCENTAGE, WHOLE, DeviceRequest, device_requests
from vqs.model.kubernetes import Node, Pod
from vqs.model.quantity import value

REGISTER: Final = "volcano.sh/node-vgpu-register"
ASSIGNED: Final = "volcano.sh/vgpu-ids-new"
BIND_PHASE: Final = "volcano.sh/bind-phase"
MODE: Final = "volcano.sh/vgpu-mode"
USE_TYPE: Final = "nvidia.com/use-gputype"
AVOID_TYPE: Final = "nvidia.com/nouse-gputype"

HANDSHAKE: Final = "volcano.sh/node-vgpu-handshake"
PATIENCE: Final = timedelta(seconds=60)
"""How long a device plugin that is asked may take to answer."""

REGISTERED: Final = ("volcano.sh/vgpu-number", "volcano.sh/vgpu-cores", "volcano.sh/vgpu-memory")
"""What a node needs in its allocatable for its GPUs to count."""

NOT_FITTING: Final = "hami-vgpuDeviceSharing error"

MIG: Final = "mig"
HAMI_CORE: Final = "hami-core"
_NVIDIA: Final = "NVIDIA"
_FIELDS: Final = 6


class VirtualGpuRequest(NamedTuple):
    """What the containers of a pod ask for, and its annotations: which GPUs to use, and which to avoid."""

    containers: tuple[DeviceRequest, ...]
    mode: str | None
    use: str | None
    avoid: str | None

    def takes(self, model: str) -> bool:
        """Tell whether the pod takes a GPU of a model; parts of names are enough, and case does not count."""
        if _NVIDIA not in model:
            return False
        if self.use is not None:
            return _names(self.use, model)
        return self.avoid is None or not _names(self.avoid, model)


def _names(models: str, model: str) -> bool:
    return any(each in model.upper() for each in models.upper().split(","))


class Gpu:
    """A GPU, and what is used of it. `uuid`, `model`, `slots` and `memory` are as registered."""

    __slots__ = ("cores_used", "memory", "memory_used", "mig", "model", "pods", "slots", "slots_used", "uuid")

    def __init__(self, uuid: str, model: str, slots: int, memory: int, mig: MigUsage | None) -> None:
        self.uuid = uuid
        self.model = model
        self.slots = slots
        self.memory = memory
        self.mig = mig
        self.slots_used = self.memory_used = self.cores_used = 0
        self.pods: set[str] = set()

    def state(self) -> tuple[object, ...]:
        """Return all that the answer depends on."""
        used = (self.slots_used, self.memory_used, self.cores_used)
        return (self.model, self.slots, self.memory, *used, self.mig and self.mig.state())

    def has_room(self, request: DeviceRequest, memory: int) -> bool:
        """Tell whether there is room for a container; one that asks for all cores wants the GPU for itself."""
        if self.slots <= self.slots_used or self.memory - _signed(self.memory_used) < memory:
            return False
        if (self.cores_used + request.cores) & UINT64 > WHOLE:
            return False
        if request.cores == WHOLE and self.slots_used > 0:
            return False
        return not (self.cores_used == WHOLE and request.cores == 0)

    def take(self, memory: int, cores: int) -> None:
        """Count a container."""
        self.slots_used = (self.slots_used + 1) & UINT64
        self.memory_used = (self.memory_used + memory) & UINT64
        self.cores_used = (self.cores_used + cores) & UINT64

    def give_back(self, memory: int, cores: int) -> None:
        """Undo `take`."""
        self.slots_used = (self.slots_used - 1) & UINT64
        self.memory_used = (self.memory_used - memory) & UINT64
        self.cores_used = (self.cores_used - cores) & UINT64

    def score(self, policy: str) -> float:
        """Return how well the GPU suits a container that is counted already."""
        if policy == BINPACK:
            return FULL_SCORE * (self.memory_used / self.memory) if self.memory else float("nan")
        return FULL_SCORE if policy == SPREAD and self.slots_used == 1 else 0.0


def _signed(number: int) -> int:
    return number - 2**64 if number >= 2**63 else number


class VirtualGpu(DeviceKind[VirtualGpuRequest]):
    """Virtual GPUs, by the names that the device configuration gives their resources."""

    name = "hamivgpu"
    needed = needed_to_score = remembers_score = True

    def __init__(self, config: NvidiaConfig, policy: str, has_gpus: Callable[[Node], bool]) -> None:
        self.config = config
        self.policy = policy
        self.has_gpus = has_gpus

    def request(self, pod: Pod) -> VirtualGpuRequest | None:
        """Return what a pod asks for; init containers do not count."""
        containers = device_requests(pod, self.config.names)
        if not containers:
            return None
        annotations = pod.metadata.annotations
        return VirtualGpuRequest(containers, *map(annotations.get, (MODE, USE_TYPE, AVOID_TYPE)))

    def on_node(self, node: Node) -> VirtualGpus | None:
        """Return the GPUs that a node registered."""
        text = node.metadata.annotations.get(REGISTER)
        if text is None or ":" not in text or not self.has_gpus(node):
            return None
        entries = [entry.split(",") for entry in text.split(":") if "," in entry]
        if not entries or any(len(fields) < _FIELDS for fields in entries):
            return None
        gpus = [self._gpu(fields) for fields in entries]
        return VirtualGpus(gpus, HAMI_CORE if gpus[-1].mig is None else MIG, self.policy)

    def _gpu(self, fields: list[str]) -> Gpu:
        uuid, slots, memory, model, _, mode = fields[:_FIELDS]
        geometries = self.config.geometries(model) if mode == MIG else None
        mig = None if geometries is None else MigUsage(geometries)
        return Gpu(uuid, model, number_of(slots), number_of(memory), mig)


def has_room(node: Node) -> bool:
    """Tell whether a node's allocatable has GPUs, cores and memory of them."""
    allocatable = node.status.allocatable or {}
    return all(value(allocatable.get(name, 0)) for name in REGISTERED)


def has_shaken_hands(now: datetime, node: Node) -> bool:
    """Tell whether a node's device plugin answers: it is not asked at the moment, or was asked a short while ago.

    A time that cannot be read is long ago.
    """
    handshake = node.metadata.annotations.get(HANDSHAKE)
    if handshake is None or ("Requesting" not in handshake and "Deleted" in handshake):
        return False
    if "Requesting" not in handshake:
        return True
    try:
        asked = datetime.strptime(handshake.split("_")[1], "%Y.%m.%d %H:%M:%S").replace(tzinfo=UTC)
    except (IndexError, ValueError):
        return False
    return now <= asked + PATIENCE


class VirtualGpus(NodeDevices[VirtualGpuRequest]):
    """The GPUs of a node. The one that is listed last says how all of them are shared."""

    def __init__(self, gpus: Sequence[Gpu], mode: str, policy: str) -> None:
        self.gpus = gpus
        self.mode = mode
        self.policy = policy

    def state(self) -> tuple[object, ...]:
        """Return the state of each GPU."""
        return (self.mode, *(gpu.state() for gpu in self.gpus))

    def examine(self, request: VirtualGpuRequest) -> Answer:
        """Try it on copies of the GPUs."""
        trial = _Trial([copy(gpu) for gpu in self.gpus], self.mode, self.policy)
        return Answer(NOT_FITTING) if trial.give(request) is None else Answer(score=trial.score)

    def add(self, pod: Pod) -> None:
        """Count what a pod's annotation says that it holds."""
        for gpu, held in self._held(pod.metadata.annotations.get(ASSIGNED, "")):
            if self.mode != MIG:
                gpu.take(held.memory, held.cores)
                gpu.pods.add(pod.metadata.uid)
            else:
                self._add_instance(gpu, held, pod.metadata.uid)

    def _add_instance(self, gpu: Gpu, held: HeldDevice, uid: str) -> None:
        instance = read_instance(held.uuid)
        if instance is not None and uid not in gpu.pods:
            gpu.pods.add(uid)
            gpu.take(0 if gpu.mig is None else gpu.mig.take(*instance), held.cores)

    def subtract(self, pod: Pod) -> None:
        """Undo `add`, but that a pod stays known: as in the reference, a MIG instance is not counted a second time."""
        for gpu, held in self._held(pod.metadata.annotations.get(ASSIGNED, "")):
            instance = read_instance(held.uuid) if self.mode == MIG else None
            if pod.metadata.uid not in gpu.pods or (self.mode == MIG and instance is None):
                continue
            gpu.give_back(held.memory, held.cores)
            if instance is not None and gpu.mig is not None:
                gpu.mig.give_back(*instance)

    def _held(self, text: str) -> Iterator[tuple[Gpu, HeldDevice]]:
        for container in text.split(";"):
            for held in held_devices(container):
                gpu = next((gpu for gpu in self.gpus if gpu.uuid in held.uuid), None)
                if gpu is not None:
                    yield gpu, held

    def allocate(self, pod: Pod, request: VirtualGpuRequest) -> dict[str, str] | None:
        """Give a pod its devices; where there is no room for all, as in the reference, some stay taken."""
        given = _Trial(self.gpus, self.mode, self.policy).give(request)
        if given is None:
            return None
        for gpu, _ in self._held(text := ";".join(map(_encoded, given))):
            gpu.pods.add(pod.metadata.uid)
        return {ASSIGNED: text, BIND_PHASE: "success"}


class _Trial:
    """Gives the containers of a pod their devices, and sums up the score."""

    def __init__(self, gpus: Sequence[Gpu], mode: str, policy: str) -> None:
        self.gpus = gpus
        self.mode = mode
        self.policy = policy
        self.score = 0.0

    def give(self, request: VirtualGpuRequest) -> list[list[HeldDevice]] | None:
        """Return the devices of each container, None where one gets too few."""
        if request.mode is not None and request.mode != self.mode:
            return None
        given = []
        for container in request.containers:
            devices = self._of_container(container, request)
            if devices is None:
                return None
            given.append(devices)
        return given

    def _of_container(self, container: DeviceRequest, request: VirtualGpuRequest) -> list[HeldDevice] | None:
        """Return a container's devices, from the last GPU on; one that asks for none takes room on a GPU all the same.

        None where there are too few.
        """
        if container.number > len(self.gpus):
            return None
        devices: list[HeldDevice] = []
        for gpu in reversed(self.gpus):
            memory = _memory(container, gpu)
            if not gpu.has_room(container, memory) or not request.takes(gpu.model):
                continue
            found = (gpu.uuid, memory) if self.mode != MIG else self._instance(gpu, memory)
            if found is None:
                continue
            gpu.take(found[1], container.cores)
            if container.number > 0:
                devices.append(HeldDevice(found[0], memory, container.cores))
                self.score += gpu.score(self.policy)
            if len(devices) == container.number:
                break
        return devices if len(devices) >= container.number else None

    @staticmethod
    def _instance(gpu: Gpu, memory: int) -> tuple[str, int] | None:
        found = None if gpu.mig is None else gpu.mig.find(memory)
        return None if found is None else (f"{gpu.uuid}[{found[0]}]", found[1])


def _memory(request: DeviceRequest, gpu: Gpu) -> int:
    """Return the memory that a container asks for on a GPU; a percentage outweighs an amount."""
    if request.percentage == NO_PERCENTAGE:
        return request.memory
    return int(float(gpu.memory) * float(request.percentage) / 100.0)


def _encoded(devices: Iterable[HeldDevice]) -> str:
    return "".join(f"{each.uuid},{_NVIDIA},{each.memory},{each.cores}:" for each in devices)
