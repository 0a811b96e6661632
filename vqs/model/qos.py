"""The quality of service that Kubernetes promises a pod.

Reference: k8s.io/kubernetes/pkg/apis/core/v1/helper/qos/qos.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Final

from vqs.model.kubernetes import Pod, Quantity, ResourceList
from vqs.model.quantity import parse
from vqs.model.requests import container_requests
from vqs.model.resource import CPU, MEMORY

GUARANTEED: Final = "Guaranteed"


def is_guaranteed(pod: Pod) -> bool:
    """True if a pod is Guaranteed: as its status says, else where its limits are its requests everywhere."""
    if pod.status.qos_class:
        return pod.status.qos_class == GUARANTEED
    spec = pod.spec
    if spec.resources is not None:
        requests = {**spec.resources.limits, **spec.resources.requests}
        return _is_limited(spec.resources.limits) and _sum([requests]) == _sum([spec.resources.limits])
    containers = [*spec.containers, *spec.init_containers]
    if not containers or not all(_is_limited(each.resources.limits) for each in containers):
        return False
    requests_of_all = _sum(container_requests(each) for each in containers)
    return requests_of_all == _sum(each.resources.limits for each in containers)


def _is_limited(limits: ResourceList) -> bool:
    """True if both cpu and memory are limited."""
    return _sum([limits]).keys() == {CPU, MEMORY}


def _sum(lists: Iterable[Mapping[str, Quantity]]) -> dict[str, Fraction]:
    """Add up the cpu and memory of some lists of amounts; what is not above zero is left out."""
    total: dict[str, Fraction] = {}
    for amounts in lists:
        for name in (CPU, MEMORY):
            amount = parse(amounts[name]) if name in amounts else Fraction(0)
            if amount > 0:
                total[name] = total.get(name, Fraction(0)) + amount
    return total
