"""What every kind of device answers, what pods ask of it, and how annotations list devices.

Reference: ExtractResourceRequest in api/devices/util.go.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable
from typing import Final, Generic, NamedTuple, TypeVar

from vqs.engine.framework.points import Shortfall
from vqs.model.kubernetes import Container, Node, Pod
from vqs.model.quantity import parse
from vqs.model.resource import Quantity

Request = TypeVar("Request", bound=Hashable)

BINPACK: Final = "binpack"
SPREAD: Final = "spread"
FULL_SCORE: Final = 100.0

UINT64: Final = 2**64 - 1
"""The reference counts in 64 bits without a sign: what is below 0 becomes very much."""


class Answer(NamedTuple):
    """Why the devices of a node have no room for a pod, empty where they have, and how well they suit it."""

    reason: str = ""
    score: float = 0.0


class HeldDevice(NamedTuple):
    """A device that a pod holds a part of, as its annotation says."""

    uuid: str
    memory: int
    cores: int


class NodeDevices(ABC, Generic[Request]):
    """The devices of one kind on one node."""

    @abstractmethod
    def state(self) -> Hashable:
        """All that the answer depends on, besides the request."""

    @abstractmethod
    def examine(self, request: Request) -> Answer:
        """Whether there is room for a pod, and how well it suits."""

    @abstractmethod
    def add(self, pod: Pod) -> None:
        """Count what a pod's annotation says that it holds."""

    @abstractmethod
    def subtract(self, pod: Pod) -> None:
        """Undo `add`."""

    @abstractmethod
    def allocate(self, pod: Pod, request: Request) -> dict[str, str] | None:
        """Give a pod its devices; return the annotations that say so, None where there is no room."""

    def shortfall(self, _: Request) -> Shortfall | None:
        """What there is too little of for a pod that has no room, None where there are no figures for it."""
        return None

    def leave(self, pod: Pod) -> None:
        """Note that a pod that is not counted is still leaving."""

    @abstractmethod
    def release(self, pod: Pod) -> bool:
        """Give back what an evicted pod holds, if that is known before the pod is gone; tell whether nothing failed."""


class DeviceKind(ABC, Generic[Request]):
    """A kind of device that pods can ask for."""

    name: str
    resolvable = True
    """Whether evicting pods may make room; if not, a lack is an error, which later actions have forgotten."""
    ignored: tuple[str, ...] = ()
    """The resources that scheduling ignores where a node has such devices."""
    needed = False
    """Whether the scheduler panics where a pod that asks for such devices gets a node without them."""

    needed_to_score = False
    """Whether it panics as soon as it scores such a node for such a pod."""
    remembers_score = False
    """Whether a node is scored by the last pod that its devices were found to have room for."""

    @abstractmethod
    def request(self, pod: Pod) -> Request | None:
        """What a pod asks for, None where it asks for no such device."""

    @abstractmethod
    def on_node(self, node: Node) -> NodeDevices[Request] | None:
        """The devices of a node, None where it has none."""


def counted(resource: str, need: int, have: int, where: str = "") -> Shortfall:
    """What there is too little of, in the scheduler's units: thousandths."""
    return Shortfall(resource, need * 1000.0, max(have, 0) * 1000.0, where)


def on_devices(number: int, noun: str) -> str:
    """Say on how many devices an amount has to be: one, or each of some."""
    return f"on one {noun}" if number <= 1 else f"on each of {number} {noun}s"


_FIELDS: Final = 4


def held_devices(text: str) -> Iterable[HeldDevice]:
    """Yield the devices that a list in an annotation names: uuid, type, memory and cores of each, and a colon.

    Where one of them has fewer fields, the list names none.

    >>> list(held_devices("GPU-1,NVIDIA,1000,30:"))
    [HeldDevice(uuid='GPU-1', memory=1000, cores=30)]
    """
    entries = [entry.split(",") for entry in text.split(":") if "," in entry]
    if all(len(fields) >= _FIELDS for fields in entries):
        for uuid, _, memory, cores, *_ in entries:
            yield HeldDevice(uuid, number_of(memory), number_of(cores))


def number_of(text: str) -> int:
    """A whole number in a text, 0 where it is none, as Go's strconv with its error thrown away."""
    digits = text.removeprefix("-") if text.startswith("-") else text.removeprefix("+")
    if not (digits.isascii() and digits.isdigit() and len(digits) < len(str(UINT64))):
        return 0
    return int(text)


NO_PERCENTAGE: Final = 101
"""The percentage of a device's memory that stands for none."""

WHOLE: Final = 100
"""The percentage that is a whole device, of its memory or of its cores."""

_INT64: Final = range(-(2**63), 2**63)


class ResourceNames(NamedTuple):
    """The resources that pods ask for devices by; those that a kind of device does not have are empty."""

    number: str
    memory: str
    percentage: str = ""
    cores: str = ""


FIXED: Final = ResourceNames(
    *(f"volcano.sh/vgpu-{name}" for name in ("number", "memory", "memory-percentage", "cores"))
)
"""Those of virtual GPUs in releases that read them from no configuration."""


class DeviceRequest(NamedTuple):
    """How many devices a container asks for, and of each of them memory or a percentage of it, and cores."""

    number: int
    memory: int
    percentage: int
    cores: int


def device_requests(pod: Pod, names: ResourceNames) -> tuple[DeviceRequest, ...]:
    """The requests of the containers that ask for devices; one that names memory alone asks for one device."""
    found: list[DeviceRequest] = []
    for container in pod.spec.containers:
        limits = container.resources.limits
        if names.number in limits:
            number = int32(_whole(limits[names.number]) or 0)
        elif names.memory in limits:
            number = 1
        else:
            continue
        memory = _amount(container, names.memory, 0)
        percentage = _amount(container, names.percentage, NO_PERCENTAGE)
        if percentage == NO_PERCENTAGE and memory == 0:
            percentage = WHOLE
        found.append(DeviceRequest(number, memory, percentage, _amount(container, names.cores, 0)))
    return tuple(found)


def _amount(container: Container, name: str, default: int) -> int:
    """A container's limit of a resource, else its request; an amount that is not whole counts as not given."""
    resources = container.resources
    quantity = resources.limits.get(name, resources.requests.get(name)) if name else None
    whole = None if quantity is None else _whole(quantity)
    return default if whole is None else int32(whole)


def _whole(quantity: Quantity) -> int | None:
    exact = parse(quantity)
    return exact.numerator if exact.denominator == 1 and exact.numerator in _INT64 else None


def int32(number: int) -> int:
    """A number as the reference stores it: its lowest 32 bits, with a sign."""
    return (number + 2**31) % 2**32 - 2**31
