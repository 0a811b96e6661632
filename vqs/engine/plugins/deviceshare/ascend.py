"""HAMi's virtual NPUs: Ascend cards, whole or in the sizes of templates.

The annotation `hami.io/node-register-MODEL` lists a node's cards as JSON; `hami.io/MODEL-devices-allocated` of a pod
those that it holds. Where the reference leaves the choice between equal cards to chance, the one with the lowest ID is
taken. Reference: api/devices/ascend/hami.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Final, NamedTuple

import msgspec

from vqs.engine.plugins.deviceshare.device_config import NpuConfig
from vqs.engine.plugins.deviceshare.devices import (
    BINPACK,
    FULL_SCORE,
    SPREAD,
    WHOLE,
    Answer,
    DeviceKind,
    DeviceRequest,
    HeldDevice,
    NodeDevices,
    device_requests,
    held_devices,
)
from vqs.model.kubernetes import Node, Pod
from vqs.model.quantity import parse
from vqs.releases.deviceshare import DeviceShareBehaviours

NOT_AVAILABLE: Final = "no ascend device available"

BIND_PHASE: Final = "hami.io/bind-phase"
SUCCESS: Final = "success"
NETWORK_ID: Final = "NetworkID"
MODE: Final = "huawei.com/vnpu-mode"
HAMI_CORE: Final = "hami-core"
NODE_HAS_CORE: Final = "hami-vnpu-core"
NETWORK_SCORE: Final = 10.0
"""What a node scores more where all cards of a pod are in one network."""

_NETWORKED: Final = "Ascend910"

Int32 = Annotated[int, msgspec.Meta(ge=-(2**31), lt=2**31)]
Given = list[tuple[DeviceRequest, tuple["Npu", ...]]]
"""What each container gets: the request with the memory that is given for it, and the cards."""


class RegisteredNpu(msgspec.Struct, frozen=True):
    """A card as the device plugin lists it: how many pods may share it, its memory in MiB, its cores."""

    id: str = ""
    count: Int32 = 0
    devmem: Int32 = 0
    devcore: Int32 = 0
    custominfo: dict[str, Any] = {}

    @property
    def network(self) -> int | None:
        """The network that the card is in, None where none is named, or not by a number."""
        given = self.custominfo.get(NETWORK_ID)
        return int(given) if isinstance(given, int | float) and not isinstance(given, bool) else None


class Npu:
    """A card, and what is used of it."""

    __slots__ = ("cores_used", "info", "memory_used", "pods", "slots_used")

    def __init__(self, info: RegisteredNpu) -> None:
        self.info = info
        self.slots_used = self.memory_used = self.cores_used = 0
        self.pods: dict[str, HeldDevice] = {}

    def state(self) -> tuple[object, ...]:
        """All that the answer depends on."""
        info = self.info
        registered = (info.id, info.count, info.devmem, info.devcore, self.is_networked, info.network)
        return (*registered, self.slots_used, self.memory_used, self.cores_used)

    @property
    def is_networked(self) -> bool:
        """Whether the card says which network it is in."""
        return NETWORK_ID in self.info.custominfo

    def has_room(self, request: DeviceRequest, *, in_percent: bool) -> bool:
        """True if there is room for a container, which may ask for cores in percent."""
        info = self.info
        if info.count <= self.slots_used or info.devmem - self.memory_used < request.memory:
            return False
        cores = WHOLE if in_percent else info.devcore
        if cores - self.cores_used < request.cores:
            return False
        if cores == WHOLE and request.cores == WHOLE and self.slots_used > 0:
            return False
        return cores == 0 or self.cores_used != cores or request.cores != 0

    def score(self, policy: str, *, prefers_unused: bool) -> float:
        """How well the card suits, by what is used of it before."""
        if policy == BINPACK:
            without_memory = 0.0 if prefers_unused else float("nan")
            return FULL_SCORE * (self.memory_used / self.info.devmem) if self.info.devmem else without_memory
        return FULL_SCORE if policy == SPREAD and self.slots_used == (0 if prefers_unused else 1) else 0.0

    def count(self, held: HeldDevice, sign: int) -> None:
        """Count what a pod holds, or no longer."""
        self.slots_used += sign
        self.memory_used += sign * held.memory
        self.cores_used += sign * held.cores


class NpuRequest(NamedTuple):
    """What the containers of a pod ask for, and whether HAMi's core confines them, in place of templates."""

    containers: tuple[DeviceRequest, ...]
    confined: bool = False


class Ascend(DeviceKind[NpuRequest]):
    """One model of NPU.

    `allocating_policy` is what cards are chosen by: that of the scores, where nodes are scored, else none. Releases
    take a lack of cards for an error, and evict nothing for it.
    """

    def __init__(
        self,
        config: NpuConfig,
        policy: str,
        allocating_policy: str,
        behaviours: DeviceShareBehaviours,
        *,
        has_core: bool = False,
    ) -> None:
        self.config = config
        self.knows_core = behaviours.virtual_npu_core == "known"
        self.finds_pods = behaviours.virtual_npu_release == "by-pod"
        self.prefers_unused = behaviours.virtual_npu_scores == "unused"
        self.has_core = has_core
        cores = f"{config.resource_name}-core" if self.knows_core else ""
        self.names = config.names._replace(cores=cores)
        self.resolvable = behaviours.virtual_npu_shortage == "unschedulable"
        self.needs_room = behaviours.virtual_npu_nodes == "allocatable"
        self.name = config.common_word
        self.ignored = tuple(filter(None, (config.resource_memory_name, cores)))
        self.policy = policy
        self.allocating_policy = allocating_policy
        self.prefers_network = self.name.startswith(_NETWORKED)
        self.register = f"hami.io/node-register-{self.name}"
        self.assigned = f"hami.io/{self.name}-devices-{behaviours.virtual_npu_usage}"

    def request(self, pod: Pod) -> NpuRequest | None:
        """What the containers ask for; init containers do not count."""
        found = device_requests(pod, self.names)
        confined = self.knows_core and pod.metadata.annotations.get(MODE) == HAMI_CORE
        return NpuRequest(found, confined) if found else None

    def on_node(self, node: Node) -> Npus | None:
        """The cards that a node registered."""
        if self.needs_room and not parse((node.status.allocatable or {}).get(self.config.resource_name, 0)):
            return None
        try:
            text = node.metadata.annotations.get(self.register, "")
            found = msgspec.json.decode(text, type=list[RegisteredNpu])
        except (msgspec.DecodeError, RecursionError):
            return None
        has_core = node.metadata.annotations.get(NODE_HAS_CORE, str(self.has_core).lower()) == "true"
        registered = sorted({each.id: each for each in found}.values(), key=lambda npu: npu.id)
        return Npus(self, registered, has_core=has_core) if found else None


class Npus(NodeDevices[NpuRequest]):
    """The cards of a node, by ID, and whether HAMi's core can confine pods there."""

    def __init__(self, kind: Ascend, registered: Sequence[RegisteredNpu], *, has_core: bool = False) -> None:
        self.kind = kind
        self.has_core = has_core
        self.npus = {each.id: Npu(each) for each in registered}

    def state(self) -> tuple[object, ...]:
        """The state of each card."""
        return (self.kind.name, self.has_core, *(npu.state() for npu in self.npus.values()))

    def examine(self, request: NpuRequest) -> Answer:
        """Whether there are cards for all containers, and a score by the first card of each."""
        given = self._select(request, self.kind.policy)
        if given is None:
            return Answer(NOT_AVAILABLE)
        first = [npus[0] for _, npus in given if npus]
        score = sum(npu.score(self.kind.policy, prefers_unused=self.kind.prefers_unused) for npu in first)
        if not (self.kind.prefers_network and all(npu.is_networked for npu in first)):
            return Answer(score=score)
        networks = Counter(npu.info.network for npu in first if npu.info.network is not None)
        if not networks:
            return Answer()
        return Answer(score=score + max(networks.values()) / networks.total() * NETWORK_SCORE)

    def add(self, pod: Pod) -> None:
        """Count what a pod's annotation says that it holds."""
        self._add(pod, pod.metadata.annotations.get(self.kind.assigned, ""))

    def _add(self, pod: Pod, text: str) -> None:
        for npu, held in self._held_npus(text):
            if pod.metadata.uid not in npu.pods:
                npu.pods[pod.metadata.uid] = held
                npu.count(held, 1)

    def subtract(self, pod: Pod) -> None:
        """Undo `add`; without the annotation, take a pod off all cards where pods are found there."""
        text = pod.metadata.annotations.get(self.kind.assigned)
        named = self._held_npus(text or "")
        found = ((npu, npu.pods.get(pod.metadata.uid)) for npu in self.npus.values())
        for npu, held in found if text is None and self.kind.finds_pods else named:
            if held is not None and npu.pods.pop(pod.metadata.uid, None) is not None:
                npu.count(held, -1)

    def _held_npus(self, text: str) -> Iterator[tuple[Npu, HeldDevice]]:
        """Yield the cards in a list; as in the reference, only the first container's names are read right."""
        for held in held_devices(text):
            if held.uuid in self.npus:
                yield self.npus[held.uuid], held

    def allocate(self, pod: Pod, request: NpuRequest) -> dict[str, str] | None:
        """Give a pod its cards."""
        given = self._select(request, self.kind.allocating_policy)
        if given is None:
            return None
        text = "".join(
            "".join(f"{npu.info.id},{self.kind.name},{sized.memory},{sized.cores}:" for npu in npus) + ";"
            for sized, npus in given
        )
        self._add(pod, text)
        return {self.kind.assigned: text, BIND_PHASE: SUCCESS}

    def release(self, pod: Pod) -> bool:
        """Give back what an evicted pod holds."""
        self.subtract(pod)
        return True

    def _select(self, request: NpuRequest, policy: str) -> Given | None:
        """The cards of each container, no card for two of them; None where there are too few.

        Several cards for one container are given whole only. One that asks for none gets one card all the same, and
        where cards are chosen by their network, every card that has room.
        """
        config, prefers_unused = self.kind.config, self.kind.prefers_unused
        if request.confined and not self.has_core:
            return None
        ordered = sorted(self.npus.values(), key=lambda npu: -npu.score(policy, prefers_unused=prefers_unused))
        networked = self.kind.prefers_network and all(npu.is_networked for npu in ordered)
        used: set[str] = set()
        given = []
        for container in request.containers:
            first = ordered[0]
            memory = container.memory or first.info.devmem * container.percentage // WHOLE
            sized = container._replace(memory=memory)
            if not request.confined:
                sized = container._replace(memory=config.memory_of(memory) if memory > 0 else memory)
                if sized.number > 1 and config.memory_of(sized.memory) != config.memory_allocatable:
                    return None
            free = (npu for npu in ordered if npu.info.id not in used)
            fitting = [npu for npu in free if npu.has_room(sized, in_percent=request.confined)]
            if len(fitting) < sized.number:
                return None
            chosen = _by_network(fitting)[: sized.number or None] if networked else fitting[: max(sized.number, 1)]
            used.update(npu.info.id for npu in chosen)
            given.append((sized, tuple(chosen)))
        return given


def _by_network(npus: Sequence[Npu]) -> list[Npu]:
    """The cards of the networks with the most of them first; those in no network are left out."""
    networks: dict[int, list[Npu]] = {}
    for npu in npus:
        if npu.info.network is not None:
            networks.setdefault(npu.info.network, []).append(npu)
    ordered = sorted(networks.items(), key=lambda each: (-len(each[1]), each[0]))
    return [npu for _, group in ordered for npu in group]
