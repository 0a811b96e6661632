"""What a pod asks of devices, container by container. Reference: ExtractResourceRequest in api/devices/util.go."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from vqs.model.kubernetes import Container, Pod
from vqs.model.quantity import parse
from vqs.model.resource import Quantity

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


class DeviceRequest(NamedTuple):
    """How many devices a container asks for, and of each of them memory or a percentage of it, and cores."""

    number: int
    memory: int
    percentage: int
    cores: int


def device_requests(pod: Pod, names: ResourceNames) -> tuple[DeviceRequest, ...]:
    """Return the requests of the containers that ask for devices; one that names memory alone asks for one device."""
    return tuple(_device_requests(pod, names))


def _device_requests(pod: Pod, names: ResourceNames) -> Iterator[DeviceRequest]:
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
        yield DeviceRequest(number, memory, percentage, _amount(container, names.cores, 0))


def _amount(container: Container, name: str, default: int) -> int:
    """Return a container's limit of a resource, else its request; an amount that is not whole counts as not given."""
    resources = container.resources
    quantity = resources.limits.get(name, resources.requests.get(name)) if name else None
    whole = None if quantity is None else _whole(quantity)
    return default if whole is None else int32(whole)


def _whole(quantity: Quantity) -> int | None:
    exact = parse(quantity)
    return exact.numerator if exact.denominator == 1 and exact.numerator in _INT64 else None


def int32(number: int) -> int:
    """Return a number as the reference stores it: its lowest 32 bits, with a sign."""
    return (number + 2**31) % 2**32 - 2**31
