"""What LimitRanges make of new pods: requests and limits that are missing, and pods that are refused.

A container gets the defaults of each LimitRange for what it does not say. Then each container, and each pod, has to ask
for at least and at most as much as the LimitRanges of its namespace say.
References: plugin/pkg/admission/limitranger/admission.go and pkg/apis/core/v1/defaults.go in kubernetes/kubernetes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from msgspec.structs import replace

from vqs.model import kubernetes as k8s
from vqs.model.awaited import PodRefusal
from vqs.model.quantity import add, canonical, parse
from vqs.model.wording import listed_names

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
        """Why a new pod with that spec, which is without the defaults, is refused; None where it is not."""
        filled = self.filled(namespace, spec)
        for each in self._ranges.get(namespace, ()):
            found = [*_breaches(each, spec, filled)]
            if found:
                return _refusal(found)
        return None

    def breaches(self, namespace: str, spec: k8s.PodSpec) -> list[Breach]:
        """What a new pod with that spec, which is without the defaults, does not keep to."""
        filled = self.filled(namespace, spec)
        return [found for each in self._ranges.get(namespace, ()) for found in _breaches(each, spec, filled)]


@dataclass(frozen=True, slots=True)
class Breach:
    """A bound of a LimitRange that a pod, or a container of it, does not keep to.

    Attributes:
        of: the LimitRange.
        index: which of its limits has the bound.
        field: where the bound stands there: min or max; or default, where that is a limit below what is requested.
        rule: what it says, in words.
        resource: of what.
        bound: how much has to be asked for at least or at most.
        asked: how much is asked for; None where it has to be said, and is not.
    """

    of: k8s.LimitRange
    index: int
    field: str
    rule: str
    resource: str
    bound: str
    asked: str | None

    @property
    def is_of_pods(self) -> bool:
        """True if it bounds what the containers of a pod ask for together."""
        return self.of.spec.limits[self.index].type == _OF_PODS


_Asked = tuple[Mapping[str, k8s.Quantity], Mapping[str, k8s.Quantity], Mapping[str, k8s.Quantity]]
"""Requests and limits, with the defaults, and the limits that are written."""


def _parts(kind: str, written: k8s.PodSpec, filled: k8s.PodSpec) -> Sequence[_Asked]:
    """What the containers of a pod, or the pod as a whole, request, and their limits."""
    if kind == _OF_CONTAINERS:
        every, own = ((*spec.containers, *spec.init_containers) for spec in (filled, written))
        return [
            (each.resources.requests, each.resources.limits, its.resources.limits)
            for each, its in zip(every, own, strict=True)
        ]
    if kind != _OF_PODS:
        return []
    return [(_sum(filled, "requests"), _sum(filled, "limits"), _sum(written, "limits"))]


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


def _breaches(of: k8s.LimitRange, written: k8s.PodSpec, filled: k8s.PodSpec) -> Iterator[Breach]:
    """Yield what the containers of a pod, or the pod, do not keep to, each once."""
    found = {
        (index, each): None
        for index, item in enumerate(of.spec.limits)
        for asked in _parts(item.type, written, filled)
        for each in _unkept(item, *asked)
    }
    for index, (field, rule, resource, bound, said) in found:
        yield Breach(of, index, field, rule, resource, canonical(bound), None if said is None else canonical(said))


def _unkept(
    item: k8s.LimitRangeItem,
    requests: Mapping[str, k8s.Quantity],
    limits: Mapping[str, k8s.Quantity],
    own_limits: Mapping[str, k8s.Quantity],
) -> Iterator[tuple[str, str, str, k8s.Quantity, k8s.Quantity | None]]:
    what = item.type.lower()
    for name, least in item.min.items():
        asked = requests.get(name)
        if asked is None or parse(asked) < parse(least):
            yield "min", f"each {what} has to request at least", name, least, asked
        elif name in limits and parse(limits[name]) < parse(least):
            yield "min", f"the limit of each {what} has to be at least", name, least, limits[name]
    for name, most in item.max.items():
        limit, asked = limits.get(name), requests.get(name)
        if limit is None or parse(limit) > parse(most):
            yield "max", f"the limit of each {what} has to be at most", name, most, limit
        elif asked is not None and parse(asked) > parse(most):
            yield "max", f"each {what} has to request at most", name, most, asked
    for name, usual in item.default.items() if item.type == _OF_CONTAINERS else ():
        # The API server takes no request above the limit; above its own limit, it is the mistake of the pod.
        if name in requests and name not in own_limits and parse(requests[name]) > parse(limits[name]) == parse(usual):
            yield "default", f"each {what} without a limit has to request at most", name, usual, requests[name]


def _refusal(breaches: Sequence[Breach]) -> PodRefusal:
    first, by = breaches[0], f"LimitRange {breaches[0].of.metadata.key}"
    rules: dict[str, list[Breach]] = {}
    for each in breaches:
        rules.setdefault(each.rule, []).append(each)
    said = (
        f"{rule} {listed_names([f'{each.bound} {each.resource}' for each in same])}, and here it is "
        f"{listed_names([each.asked or 'not given' for each in same])}"
        for rule, same in rules.items()
    )
    return PodRefusal(by, first.resource, first.asked, "0", first.bound, f"{by} says that {'; and that '.join(said)}")
