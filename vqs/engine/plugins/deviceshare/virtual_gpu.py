"""HAMi's virtual GPUs: shares of the memory and the cores of GPUs, or MIG instances.

The annotation `volcano.sh/node-vgpu-register` lists a node's GPUs; `volcano.sh/vgpu-ids-new` of a pod those that it
holds. The health of a GPU in the list is not looked at, as in the reference, and the device plugin's handshake in old
releases only.
Reference: api/devices/nvidia/vgpu, mig.go there for the instances that a GPU is cut into.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from vqs.config.known_arguments import names_in
from vqs.engine.framework.points import Shortfall
from vqs.engine.plugins.deviceshare.device_config import Geometry, MigInstance, NvidiaConfig
from vqs.engine.plugins.deviceshare.devices import (
    BINPACK,
    FIXED,
    FULL_SCORE,
    NO_PERCENTAGE,
    SPREAD,
    UINT64,
    WHOLE,
    Answer,
    DeviceKind,
    DeviceRequest,
    HeldDevice,
    NodeDevices,
    ResourceNames,
    counted,
    device_requests,
    held_devices,
    number_of,
    on_devices,
)
from vqs.model.keys import GROUP_NAME, VOLCANO_GROUP_NAME
from vqs.model.kubernetes import Node, Pod
from vqs.model.quantity import value
from vqs.releases.deviceshare import DeviceShareBehaviours

REGISTER: Final = "volcano.sh/node-vgpu-register"
ASSIGNED: Final = "volcano.sh/vgpu-ids-new"
BIND_PHASE: Final = "volcano.sh/bind-phase"
MODE: Final = "volcano.sh/vgpu-mode"
NODE: Final = "volcano.sh/vgpu-node"
POD_GROUP_POLICY: Final = "volcano.sh/vgpu-podgroup-policy"
USE_TYPE: Final = "nvidia.com/use-gputype"
AVOID_TYPE: Final = "nvidia.com/nouse-gputype"
USE_UUIDS: Final = "volcano.sh/vgpu-use-gpuuuid"
AVOID_UUIDS: Final = "volcano.sh/vgpu-nouse-gpuuuid"

HANDSHAKE: Final = "volcano.sh/node-vgpu-handshake"
PATIENCE: Final = timedelta(seconds=60)
"""How long a device plugin that is asked may take to answer."""

REGISTERED: Final = ("volcano.sh/vgpu-number", "volcano.sh/vgpu-cores", "volcano.sh/vgpu-memory")
"""What a node needs in its allocatable for its GPUs to count."""

NOT_FITTING: Final = "hami-vgpuDeviceSharing error"

_DEFAULT_BEHAVIOURS: Final = DeviceShareBehaviours()

MIG: Final = "mig"
HAMI_CORE: Final = "hami-core"
_NVIDIA: Final = "NVIDIA"
_FIELDS: Final = 6


ExclusiveRule = frozenset[tuple[str, str]]
"""Labels; pods that have all of them share no GPU with each other."""


class VirtualGpuRequest(NamedTuple):
    """What the containers of a pod ask for, and its annotations: which GPUs to use, and which to avoid.

    `uuids` are the GPUs that it may use, all where there are none, and `other_uuids` those that it must not.
    `apart` is the PodGroup with which it shares no GPU, empty where there is none; `rules` are the numbers of the
    exclusive rules that it meets.
    """

    containers: tuple[DeviceRequest, ...]
    mode: str | None
    use: str | None
    avoid: str | None
    apart: str = ""
    rules: frozenset[int] = frozenset()
    uuids: frozenset[str] = frozenset()
    other_uuids: frozenset[str] = frozenset()

    def takes(self, gpu: Gpu) -> bool:
        """True if the pod takes a GPU, by its model, of which parts are enough in any case, and by its UUID."""
        model, uuid = gpu.model, gpu.uuid
        if _NVIDIA not in model or uuid in self.other_uuids or (self.uuids and uuid not in self.uuids):
            return False
        if not uuid and self.other_uuids:
            return False
        if self.use is not None:
            return _is_among(self.use, model)
        return self.avoid is None or not _is_among(self.avoid, model)


def _is_among(models: str, model: str) -> bool:
    return any(each in model.upper() for each in models.upper().split(","))


class Holder(NamedTuple):
    """A pod on a GPU: its PodGroup, empty where it holds nothing, and the exclusive rules that it meets."""

    group: str = ""
    rules: frozenset[int] = frozenset()


class Gpu:
    """A GPU, and what is used of it. `uuid`, `model`, `slots` and `memory` are as registered."""

    __slots__ = (
        "cores_used",
        "leaving",
        "memory",
        "memory_used",
        "mig",
        "model",
        "pods",
        "slots",
        "slots_used",
        "uuid",
    )

    def __init__(self, uuid: str, model: str, slots: int, memory: int, mig: MigUsage | None) -> None:
        self.uuid = uuid
        self.model = model
        self.slots = slots
        self.memory = memory
        self.mig = mig
        self.slots_used = self.memory_used = self.cores_used = 0
        self.pods: dict[str, Holder] = {}
        self.leaving: frozenset[int] = frozenset()

    def state(self) -> tuple[object, ...]:
        """All that the answer depends on."""
        used = (self.slots_used, self.memory_used, self.cores_used)
        holders = frozenset(each for each in self.pods.values() if any(each))
        return (self.model, self.slots, self.memory, *used, self.mig and self.mig.state(), holders, self.leaving)

    def is_closed_to(self, request: VirtualGpuRequest) -> bool:
        """True if a pod is on the GPU with which another one must not share it."""
        if not request.apart and not request.rules:
            return False
        holders = self.pods.values()
        if request.apart and any(each.group == request.apart for each in holders):
            return True
        return any(not request.rules.isdisjoint(rules) for rules in (self.leaving, *(each.rules for each in holders)))

    def has_room(self, request: DeviceRequest, memory: int) -> bool:
        """True if there is room for a container; one that asks for all cores wants the GPU for itself."""
        if (
            self.slots <= self.slots_used
            or self.memory - (self.memory_used - 2**64 if self.memory_used >= 2**63 else self.memory_used) < memory
        ):
            return False
        if (self.cores_used + request.cores) & UINT64 > WHOLE:
            return False
        if request.cores == WHOLE and self.slots_used > 0:
            return False
        return not (self.cores_used == WHOLE and request.cores == 0)

    def count(self, memory: int, cores: int, sign: int) -> None:
        """Count a container, or no longer."""
        self.slots_used = (self.slots_used + sign) & UINT64
        self.memory_used = (self.memory_used + sign * memory) & UINT64
        self.cores_used = (self.cores_used + sign * cores) & UINT64

    def score(self, policy: str, *, unused: int) -> float:
        """How well the GPU suits a container that is counted already; `unused` slots in use make it unused."""
        if policy == BINPACK:
            return FULL_SCORE * (self.memory_used / self.memory) if self.memory else float("nan")
        return FULL_SCORE if policy == SPREAD and self.slots_used == unused else 0.0


class VirtualGpu(DeviceKind[VirtualGpuRequest]):
    """Virtual GPUs, by the names that the device configuration gives their resources."""

    name = "hamivgpu"
    needed = needed_to_score = remembers_score = True

    def __init__(
        self,
        config: NvidiaConfig,
        policy: str,
        has_gpus: Callable[[Node], bool],
        behaviours: DeviceShareBehaviours = _DEFAULT_BEHAVIOURS,
        rules: Sequence[ExclusiveRule] = (),
    ) -> None:
        self.config = config
        self.policy = policy
        self.has_gpus = has_gpus
        self.behaviours = behaviours
        self.rules = rules

    @property
    def names(self) -> ResourceNames:
        """The resources that pods ask for."""
        return FIXED if self.behaviours.virtual_gpu_names == "fixed" else self.config.names

    @property
    def memory_factor(self) -> int:
        """How many units of a MIG instance's memory one unit is that pods ask for."""
        applied = self.behaviours.mig_memory_factor == "applied"
        return max(self.config.memory_factor, 1) if applied else 1

    def request(self, pod: Pod) -> VirtualGpuRequest | None:
        """What a pod asks for; init containers do not count."""
        containers = device_requests(pod, self.names)
        if not containers:
            return None
        annotations = pod.metadata.annotations
        spreads = annotations.get(POD_GROUP_POLICY) == "spread"
        apart = self.group_of(pod) if spreads else ""
        mode, use, avoid = map(annotations.get, (MODE, USE_TYPE, AVOID_TYPE))
        uuids = [frozenset[str](), frozenset[str]()]
        if self.behaviours.virtual_gpu_uuids == "known":
            uuids = [frozenset(names_in(annotations.get(key, ""))) for key in (USE_UUIDS, AVOID_UUIDS)]
        return VirtualGpuRequest(containers, mode, use, avoid, apart, self.rules_of(pod), *uuids)

    def group_of(self, pod: Pod) -> str:
        """The PodGroup of a pod, empty where it has none, or where groups do not matter."""
        if self.behaviours.virtual_gpu_pod_group_policy == "unknown":
            return ""
        annotations = pod.metadata.annotations
        name = annotations.get(GROUP_NAME) or annotations.get(VOLCANO_GROUP_NAME)
        return f"{pod.metadata.namespace}/{name}" if name else ""

    def rules_of(self, pod: Pod) -> frozenset[int]:
        """The numbers of the exclusive rules that a pod meets."""
        labels = pod.metadata.labels.items()
        return frozenset(number for number, rule in enumerate(self.rules) if rule <= labels)

    def on_node(self, node: Node) -> VirtualGpus | None:
        """The GPUs that a node registered."""
        text = node.metadata.annotations.get(REGISTER)
        if text is None or ":" not in text or not self.has_gpus(node):
            return None
        entries = [entry.split(",") for entry in text.split(":") if "," in entry]
        if not entries or any(len(fields) < _FIELDS for fields in entries):
            return None
        gpus = [self._gpu(fields) for fields in entries]
        return VirtualGpus(self, node.metadata.name, gpus, HAMI_CORE if gpus[-1].mig is None else MIG)

    def _gpu(self, fields: list[str]) -> Gpu:
        uuid, slots, memory, model, _, mode = fields[:_FIELDS]
        geometries = self.config.geometries(model) if mode == MIG else None
        mig = None if geometries is None else MigUsage(geometries)
        return Gpu(uuid, model, number_of(slots), number_of(memory), mig)


def has_room(node: Node) -> bool:
    """True if a node's allocatable has GPUs, cores and memory of them."""
    allocatable = node.status.allocatable or {}
    return all(value(allocatable.get(name, 0)) for name in REGISTERED)


def has_shaken_hands(now: datetime, node: Node) -> bool:
    """True if a node's device plugin answers: it is not asked at the moment, or was asked a short while ago.

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
    """The GPUs of a node. The one that is listed last says how all of them are shared.

    `written` has what is written into pods of the session instead of what their annotations say, by uid.
    """

    def __init__(self, kind: VirtualGpu, node: str, gpus: Sequence[Gpu], mode: str) -> None:
        self.kind = kind
        self.node = node
        self.gpus = gpus
        self.mode = mode
        self.by_pod = kind.behaviours.virtual_gpu_account == "by-pod"
        self.writes = kind.behaviours.virtual_gpu_release == "by-pod"
        self.counts_all = kind.behaviours.virtual_gpu_account == "by-container"
        self.written: dict[str, str] = {}

    def state(self) -> tuple[object, ...]:
        """The state of each GPU."""
        return (self.mode, *(gpu.state() for gpu in self.gpus))

    def examine(self, request: VirtualGpuRequest) -> Answer:
        """Try it on copies of the GPUs."""
        trial = _Trial([copy(gpu) for gpu in self.gpus], self.mode, self.kind)
        return Answer(NOT_FITTING) if trial.give(request) is None else Answer(score=trial.score)

    def shortfall(self, request: VirtualGpuRequest) -> Shortfall | None:
        """What the first container that has no room lacks on copies of the GPUs."""
        if request.mode is not None and request.mode != self.mode:
            return None
        gpus = [copy(gpu) for gpu in self.gpus]
        for container in request.containers:
            before = [copy(gpu) for gpu in gpus if request.takes(gpu) and not gpu.is_closed_to(request)]
            if _Trial(gpus, self.mode, self.kind).give(request._replace(containers=(container,))) is None:
                # Of memory and cores, it is what the GPU has left that would be the last to be taken. Where each is on
                # enough GPUs, but not on the same, it is the number of GPUs that have all.
                number = max(container.number, 1)
                with_place = [gpu for gpu in before if gpu.slots > gpu.slots_used]
                if len(with_place) < number:
                    return counted(self.kind.names.number, number, len(with_place))
                where = on_devices(number, "GPU")
                memory = sorted((gpu.memory - gpu.memory_used, _memory(container, gpu)) for gpu in with_place)[-number]
                cores = sorted(WHOLE - gpu.cores_used for gpu in with_place)[-number]
                lacks = [
                    counted(self.kind.names.memory, memory[1], memory[0], where),
                    counted(self.kind.names.cores, container.cores, cores, where),
                ]
                short = [each for each in lacks if each.resource and each.need > each.have]
                roomy = sum(gpu.has_room(container, _memory(container, gpu)) for gpu in with_place)
                return max(
                    short,
                    key=lambda each: each.part,
                    default=counted(self.kind.names.number, number, min(roomy, number - 1)),
                )
        return None

    def add(self, pod: Pod) -> None:
        """Count what a pod's annotation says that it holds."""
        for gpu, held in self._held_gpus(self._assigned(pod)):
            uid = pod.metadata.uid
            if self.mode == MIG:
                instance = read_instance(held.uuid)
                if instance is not None and pod.metadata.uid not in gpu.pods:
                    gpu.pods[pod.metadata.uid] = self._holder(pod, held)
                    memory = 0 if gpu.mig is None else gpu.mig.take(*instance)
                    gpu.count(memory // self.kind.memory_factor, held.cores, 1)
            elif self.counts_all or uid not in gpu.pods:
                gpu.count(held.memory, held.cores, 1)
                gpu.pods[uid] = self._holder(pod, held)

    def _holder(self, pod: Pod, held: HeldDevice) -> Holder:
        group = self.kind.group_of(pod) if held.memory or held.cores else ""
        return Holder(group, self.kind.rules_of(pod) if self.mode == HAMI_CORE else frozenset())

    def _assigned(self, pod: Pod) -> str:
        """The devices that a pod holds, as its annotation says it now."""
        return self.written.get(pod.metadata.uid, pod.metadata.annotations.get(ASSIGNED, ""))

    def leave(self, pod: Pod) -> None:
        """Note that a pod is leaving: its devices are free, but not for pods that must not share a GPU with it."""
        rules = self.kind.rules_of(pod) if self.mode == HAMI_CORE else frozenset()
        for gpu, _ in self._held_gpus(self._assigned(pod)):
            gpu.leaving |= rules

    def subtract(self, pod: Pod) -> None:
        """Undo `add`.

        Where containers count, as in the reference, a pod stays known: a MIG instance is not counted a second time.
        """
        for gpu, held in self._held_gpus(self._assigned(pod)):
            instance = read_instance(held.uuid) if self.mode == MIG else None
            if pod.metadata.uid not in gpu.pods or (self.mode == MIG and instance is None):
                continue
            memory = held.memory
            if instance is not None:
                found = 0 if gpu.mig is None else gpu.mig.give_back(*instance)
                memory = found // self.kind.memory_factor if self.by_pod else memory
            gpu.count(memory, held.cores, -1)
            if self.by_pod:
                del gpu.pods[pod.metadata.uid]

    def _held_gpus(self, text: str) -> Iterator[tuple[Gpu, HeldDevice]]:
        for container in text.split(";"):
            for held in held_devices(container):
                gpu = next((gpu for gpu in self.gpus if gpu.uuid in held.uuid), None)
                if gpu is not None:
                    yield gpu, held

    def allocate(self, pod: Pod, request: VirtualGpuRequest) -> dict[str, str] | None:
        """Give a pod its devices, unless it has them; where there is no room for all, some may stay taken."""
        written = self._assigned(pod)
        if (
            self.writes
            and written
            and (pod.metadata.uid in self.written or pod.metadata.annotations.get(NODE) == self.node)
        ):
            return {ASSIGNED: written, BIND_PHASE: "success"}
        given = _Trial(self.gpus, self.mode, self.kind).give(request)
        if given is None:
            return None
        text = ";".join(
            "".join(f"{each.uuid},{_NVIDIA},{each.memory},{each.cores}:" for each in devices) for devices in given
        )
        for gpu, held in self._held_gpus(text):
            before = gpu.pods.get(pod.metadata.uid, Holder())
            now = self._holder(pod, held)
            gpu.pods[pod.metadata.uid] = Holder(before.group or now.group, now.rules)
        if self.writes:
            self.written[pod.metadata.uid] = text
        return {ASSIGNED: text, BIND_PHASE: "success"}

    def release(self, pod: Pod) -> bool:
        """Give back what the annotation of a pod names; what was written into it in the session is removed."""
        if self.by_pod or self.writes:
            self.subtract(pod)
        if self.writes and (pod.metadata.uid in self.written or pod.metadata.annotations.get(BIND_PHASE) != "success"):
            self.written[pod.metadata.uid] = ""
        return True


class _Trial:
    """Gives the containers of a pod their devices, and sums up the score."""

    def __init__(self, gpus: Sequence[Gpu], mode: str, kind: VirtualGpu) -> None:
        self.gpus = gpus
        self.mode = mode
        self.kind = kind
        self.score = 0.0
        self._taken: list[tuple[Gpu, int, int]] = []

    def give(self, request: VirtualGpuRequest) -> list[list[HeldDevice]] | None:
        """The devices of each container, None where one gets too few."""
        if request.mode is not None and request.mode != self.mode:
            return None
        given = []
        for container in request.containers:
            devices = self._of_container(container, request)
            if devices is None:
                if self.kind.behaviours.virtual_gpu_failed_try == "rolls-back":
                    for gpu, memory, cores in self._taken:
                        gpu.slots_used = max(gpu.slots_used - 1, 0)
                        gpu.memory_used = max(gpu.memory_used - memory, 0)
                        gpu.cores_used = max(gpu.cores_used - cores, 0)
                return None
            given.append(devices)
        return given

    def _of_container(self, container: DeviceRequest, request: VirtualGpuRequest) -> list[HeldDevice] | None:
        """A container's devices, GPU by GPU; one that asks for none takes room on a GPU all the same.

        None where there are too few.
        """
        if container.number > len(self.gpus):
            return None
        devices: list[HeldDevice] = []
        rounded = container.memory
        for gpu in self._in_order():
            if self.kind.behaviours.virtual_gpu_percentage == "rounded-down":
                memory = rounded = rounded or (
                    0
                    if container.percentage == NO_PERCENTAGE or gpu.slots <= gpu.slots_used
                    else gpu.memory * (container.percentage // WHOLE)
                )
            else:
                memory = _memory(container, gpu)
            if gpu.is_closed_to(request) or not gpu.has_room(container, memory) or not request.takes(gpu):
                continue
            found = (gpu.uuid, memory) if self.mode != MIG else self._instance(gpu, memory)
            if found is None:
                continue
            gpu.count(found[1], container.cores, 1)
            self._taken.append((gpu, memory, container.cores))
            if container.number > 0:
                devices.append(HeldDevice(found[0], memory, container.cores))
                unused = 1 if self.kind.behaviours.virtual_gpu_spread_score == "unused-gpus" else 0
                self.score += gpu.score(self.kind.policy, unused=unused)
            if len(devices) == container.number:
                break
        return devices if len(devices) >= container.number else None

    def _in_order(self) -> list[Gpu]:
        """The GPUs in the order in which they are tried."""
        if self.kind.behaviours.virtual_gpu_order == "schedule-policy":
            if self.kind.policy == BINPACK:
                return sorted(self.gpus, key=lambda gpu: -gpu.memory_used)
            if self.kind.policy == SPREAD:
                return sorted(self.gpus, key=lambda gpu: gpu.slots_used)
        return [*reversed(self.gpus)]

    def _instance(self, gpu: Gpu, memory: int) -> tuple[str, int] | None:
        factor = self.kind.memory_factor
        found = None if gpu.mig is None else gpu.mig.find(memory * factor)
        return None if found is None else (f"{gpu.uuid}[{found[0]}]", found[1] // factor)


def _memory(request: DeviceRequest, gpu: Gpu) -> int:
    """The memory that a container asks for on a GPU; a percentage outweighs an amount."""
    if request.percentage == NO_PERCENTAGE:
        return request.memory
    return int(float(gpu.memory) * float(request.percentage) / 100.0)


_INSTANCE: Final = re.compile(r"[^\[]*\[(?P<group>[^\]\-]*)-(?P<position>[-+]?[0-9]{1,18})\].*", re.DOTALL | re.ASCII)


class MigUsage:
    """The geometry that a GPU has, once a pod has held an instance of it, and the instances that pods hold.

    A geometry stays once it is chosen. `used` has the numbers of the instances in use, by the name of their size.
    """

    def __init__(self, geometries: Sequence[Geometry]) -> None:
        self.geometries = geometries
        self.chosen: int | None = None
        self.used: dict[str, list[int]] = {}

    def state(self) -> tuple[object, ...]:
        """All that says which instance is given to the next pod."""
        return (self.chosen, *((name, tuple(used)) for name, used in self.used.items()))

    def find(self, memory: int) -> tuple[str, int] | None:
        """The instance that a pod would get, as `group-position`, and its memory; None where none fits."""
        if self.chosen is not None:
            return _pick(self.geometries[self.chosen], self.used, memory)
        return next((found for each in self.geometries if (found := _pick(each, {}, memory))), None)

    def take(self, group: str, position: int) -> int:
        """Note that an instance is in use; return its memory, 0 where there is no such one."""
        instance, number = self._settle(group, position)
        if instance is None:
            return 0
        used = self.used.setdefault(instance.name, [])
        if number not in used:
            used.append(number)
            used.sort()
        return instance.memory

    def give_back(self, group: str, position: int) -> int:
        """Note that an instance is in use no longer; return its memory, 0 where none of its size was."""
        instance, number = self._settle(group, position)
        memory = instance.memory if instance is not None and instance.name in self.used else 0
        used = [] if instance is None else self.used.get(instance.name, [])
        if number in used:
            used.remove(number)
        if instance is not None and not used:
            self.used.pop(instance.name, None)
        return memory

    def _settle(self, group: str, position: int) -> tuple[MigInstance | None, int]:
        """Choose the geometry of a name; return the instance at a position, and its number among those of its size."""
        index = next((index for index, each in enumerate(self.geometries) if each.group == group), None)
        if index is not None:
            self.chosen = index
            first = 0
            for instance in self.geometries[index].instances:
                if position < first + instance.count:
                    return instance, position - first
                first += instance.count
        return None, -1


def _pick(geometry: Geometry, used: dict[str, list[int]], memory: int) -> tuple[str, int] | None:
    """The smallest instance with enough memory.

    As in the reference, only sizes count of which one is in use, where any is.
    """
    positions = [sum(each.count for each in geometry.instances[:index]) for index in range(len(geometry.instances))]
    for position, instance in sorted(zip(positions, geometry.instances, strict=True), key=lambda each: each[1].memory):
        if instance.memory < memory:
            continue
        taken = used.get(instance.name)
        if used and (taken is None or instance.count <= len(taken)):
            continue
        free = next((each for each in range(instance.count) if each not in (taken or ())), 0)
        return f"{geometry.group}-{position + free}", instance.memory
    return None


def read_instance(uuid: str) -> tuple[str, int] | None:
    """The group and the position in the name of an instance, None where it names none.

    >>> read_instance("GPU-0fc3[group2-3]")
    ('group2', 3)
    """
    found = _INSTANCE.fullmatch(uuid)
    return None if found is None else (found["group"], int(found["position"]))
