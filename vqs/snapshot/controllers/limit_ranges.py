"""What LimitRanges make of new pods: requests and limits that are missing, and pods that are refused.

A container gets the defaults of each LimitRange for what it does not say. Then each container, and each pod, has to ask
for at least and at most as much as the LimitRanges of its namespace say.
References: plugin/pkg/admission/limitranger/admission.go and pkg/apis/core/v1/defaults.go in kubernetes/kubernetes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from vqs.model import kubernetes as k8s
from vqs.model.awaited import PodRefusal
from vqs.model.quantity import add, canonical, parse

_OF_CONTAINERS: Final = "Container"
_OF_PODS: Final = "Pod"


class LimitRanges:
    """The LimitRanges of all namespaces."""

    def __init__(self, ranges: Iterable[k8s.LimitRange]) -> None:
        self._ranges: dict[str, list[k8s.LimitRange]] = {}
        for each in sorted(ranges, key=lambda each: each.metadata.key):
            self._ranges.setdefault(each.metadata.namespace, []).append(each)
        self._filled: dict[tuple[str, int], tuple[k8s.PodSpec, k8s.PodSpec]] = {}

    def __bool__(self) -> bool:
        """True if there are any at all."""
        return bool(self._ranges)

    def filled(self, namespace: str, spec: k8s.PodSpec) -> k8s.PodSpec:
        """The spec of a new pod with what its containers get by default; the same for the same spec."""
        if namespace not in self._ranges:
            return spec
        key = namespace, id(spec)
        if key not in self._filled:
            filled = replace(
                spec,
                containers=[self._with_defaults(namespace, each) for each in spec.containers],
                init_containers=[self._with_defaults(namespace, each) for each in spec.init_containers],
            )
            self._filled[key] = spec, filled
        return self._filled[key][1]

    def _with_defaults(self, namespace: str, container: k8s.Container) -> k8s.Container:
        requests, limits = dict(container.resources.requests), dict(container.resources.limits)
        requests = {**limits, **requests}
        items = (item for each in self._ranges.get(namespace, ()) for item in each.spec.limits)
        for item in (each for each in items if each.type == _OF_CONTAINERS):
            most = {**item.max, **item.default}
            least = {**item.min, **most, **item.default_request}
            limits = {**most, **limits}
            requests = {**least, **requests}
        return replace(container, resources=k8s.ResourceRequirements(requests=requests, limits=limits))

    def refusal(self, namespace: str, spec: k8s.PodSpec) -> PodRefusal | None:
        """Why a new pod with that spec, which has the defaults, is refused; None where it is not."""
        for each in self._ranges.get(namespace, ()):
            for item in each.spec.limits:
                for requests, limits in _parts(item.type, spec):
                    found = _refusal(each.metadata.key, item, requests, limits)
                    if found is not None:
                        return found
        return None


_Asked = tuple[Mapping[str, k8s.Quantity], Mapping[str, k8s.Quantity]]
"""Requests and limits."""


def _parts(kind: str, spec: k8s.PodSpec) -> Sequence[_Asked]:
    """What the containers of a pod, or the pod as a whole, request, and their limits."""
    if kind == _OF_CONTAINERS:
        every = (*spec.containers, *spec.init_containers)
        return [(each.resources.requests, each.resources.limits) for each in every]
    if kind != _OF_PODS:
        return []
    return [(_sum(spec, "requests"), _sum(spec, "limits"))]


def _sum(spec: k8s.PodSpec, name: str) -> Mapping[str, k8s.Quantity]:
    """What the containers of a pod ask for together, or one of those before them where that is more."""
    total: dict[str, k8s.Quantity] = {}
    for each in spec.containers:
        for resource, amount in getattr(each.resources, name).items():
            total[resource] = add(total.get(resource, "0"), amount)
    for each in spec.init_containers:
        for resource, amount in getattr(each.resources, name).items():
            if parse(amount) > parse(total.get(resource, 0)):
                total[resource] = amount
    return total


def _refusal(
    key: str, item: k8s.LimitRangeItem, requests: Mapping[str, k8s.Quantity], limits: Mapping[str, k8s.Quantity]
) -> PodRefusal | None:
    what = item.type.lower()
    for name, least in item.min.items():
        asked = requests.get(name)
        if asked is None or parse(asked) < parse(least):
            return _said(key, f"each {what} has to request at least", name, least, asked)
        if name in limits and parse(limits[name]) < parse(least):
            return _said(key, f"the limit of each {what} has to be at least", name, least, limits[name])
    for name, most in item.max.items():
        limit = limits.get(name)
        if limit is None or parse(limit) > parse(most):
            return _said(key, f"the limit of each {what} has to be at most", name, most, limit)
        if name in requests and parse(requests[name]) > parse(most):
            return _said(key, f"each {what} has to request at most", name, most, requests[name])
    return None


def _said(key: str, rule: str, name: str, bound: k8s.Quantity, asked: k8s.Quantity | None) -> PodRefusal:
    by, hard = f"LimitRange {key}", canonical(bound)
    written = None if asked is None else canonical(asked)
    said = f"{by} says that {rule} {hard} {name}, and here it is {written or 'not given'}"
    return PodRefusal(by, name, written, "0", hard, said)
