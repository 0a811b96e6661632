"""Quotas and LimitRanges as the API server enforces them: which new pods it refuses, and what it makes of the others.

A pod is taken if what it uses fits into every quota whose scopes it is in, in each resource that the quota limits.
Where a quota limits cpu or memory, each container has to say how much of it it asks for. The quota controller copies
spec.hard to status.hard, and counts what it has not counted yet.
References: plugin/pkg/admission/resourcequota in kubernetes/kubernetes (CheckRequest),
pkg/quota/v1/evaluator/core/pods.go and pkg/controller/resourcequota.

A container gets the defaults of each LimitRange for what it does not say. Then each container, and each pod, has to ask
for at least and at most as much as the LimitRanges of its namespace say.
References: plugin/pkg/admission/limitranger/admission.go and pkg/apis/core/v1/defaults.go in kubernetes/kubernetes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from msgspec.structs import replace

from vqs.model import kubernetes as k8s
from vqs.model.awaited import PodRefusal
from vqs.model.quantity import add, canonical, family, parse, parse_all, written
from vqs.model.wording import listed_names
from vqs.snapshot.controllers.usage import total, usage_of_pod
from vqs.snapshot.reading.manifests import Manifests

EACH_HAS_TO_SAY: Final = ("cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory")
"""What each container of a pod has to say how much it asks for, where a quota limits it."""

_OF_LIMITS: Final = "limits."
_PREFIXED: Final = re.compile(r"(requests\.|limits\.|count/)")


class QuotaAdmission:
    """Takes pods into namespaces one after another, as long as their quotas allow it."""

    def __init__(self, quotas: Iterable[k8s.ResourceQuota], uncounted: Iterable[k8s.Pod] = ()) -> None:
        """Begin with what the quotas say is in use.

        Args:
            quotas: the quotas, as their controller has left them.
            uncounted: pods that are there, and not counted in that yet.
        """
        self._books: dict[str, list[_Book]] = {}
        self._usage: dict[int, tuple[k8s.PodSpec, Mapping[str, Fraction]]] = {}
        for quota in sorted(quotas, key=lambda each: each.metadata.key):
            self._books.setdefault(quota.metadata.namespace, []).append(_Book(quota))
        for pod in uncounted if self._books else ():
            for book in self._of(pod):
                book.charge(self._used_by(pod))

    def __bool__(self) -> bool:
        """True if there is any quota at all."""
        return bool(self._books)

    def refusal(self, pod: k8s.Pod, *, number: int = 0) -> PodRefusal | None:
        """Why a new pod is refused, once as many like it as a number says have been taken; None where it is not."""
        books = self._of(pod)
        if not books:
            return None
        usage = self._used_by(pod)
        found = (book.refusal(pod.spec, usage, number) for book in books)
        return next((each for each in found if each is not None), None)

    def admit(self, pod: k8s.Pod) -> PodRefusal | None:
        """Take a new pod; or say why it is refused."""
        refusal = self.refusal(pod)
        if refusal is None:
            for book in self._of(pod):
                book.charge(self._used_by(pod))
        return refusal

    def admit_object(self, namespace: str, resource: str) -> PodRefusal | None:
        """Take a new object that quotas count, such as ``count/jobs.batch``; or say why it is refused."""
        books = [book for book in self._books.get(namespace, ()) if resource in book.hard]
        usage = {resource: Fraction(1)}
        found = next(filter(None, (book.refusal(k8s.PodSpec(), usage, 0, unsaid=False) for book in books)), None)
        for book in books if found is None else ():
            book.charge(usage)
        return found

    def _of(self, pod: k8s.Pod) -> Sequence[_Book]:
        books = self._books.get(pod.metadata.namespace, ())
        return [book for book in books if in_scope(book.quota, pod)]

    def _used_by(self, pod: k8s.Pod) -> Mapping[str, Fraction]:
        """What a pod counts with; the specs of pods of one role are the same object."""
        if pod.status.phase in k8s.ENDED_PHASES:
            return parse_all(counted_usage(pod))
        if id(pod.spec) not in self._usage:
            self._usage[id(pod.spec)] = pod.spec, parse_all(counted_usage(pod))
        return self._usage[id(pod.spec)][1]


class _Book:
    """One quota, and what is in use of it by now."""

    def __init__(self, quota: k8s.ResourceQuota) -> None:
        self.quota = quota
        self.hard = parse_all(quota.status.hard)
        self.used = {name: parse(quota.status.used.get(name, 0)) for name in self.hard}

    def refusal(
        self, spec: k8s.PodSpec, usage: Mapping[str, Fraction], before: int, *, unsaid: bool = True
    ) -> PodRefusal | None:
        by = f"ResourceQuota {self.quota.metadata.key}"
        for name in _unsaid(spec, self.hard) if unsaid else ():
            return PodRefusal(
                by, name, None, self._written(name, self.used[name]), canonical(self.quota.status.hard[name])
            )
        for name in self.hard:
            asked = usage.get(name)
            used = self.used[name] + (asked * before if asked else 0)
            if asked is not None and used + asked > self.hard[name]:
                return PodRefusal(
                    by,
                    name,
                    self._written(name, asked),
                    self._written(name, used),
                    canonical(self.quota.status.hard[name]),
                )
        return None

    def charge(self, usage: Mapping[str, Fraction]) -> None:
        for name in usage.keys() & self.used.keys():
            self.used[name] += usage[name]

    def _written(self, name: str, amount: Fraction) -> str:
        return written(amount, family(self.quota.status.hard[name]))


def counted_usage(pod: k8s.Pod) -> k8s.ResourceList:
    """What a pod counts with in a quota: resources of devices by their names after ``requests.`` alone."""
    return {name: amount for name, amount in usage_of_pod(pod).items() if "/" not in name or _PREFIXED.match(name)}


def _unsaid(spec: k8s.PodSpec, hard: Mapping[str, Fraction]) -> Iterator[str]:
    """Yield what a quota limits and a pod does not ask for, though each container has to; a limit is a request too."""
    for name in EACH_HAS_TO_SAY:
        if name not in hard:
            continue
        resource = name.rpartition(".")[2]
        whole = [] if spec.resources is None else [spec.resources]
        if any(_says(each, name, resource) for each in whole):
            continue
        containers = (each.resources for each in (*spec.containers, *spec.init_containers))
        if not all(_says(each, name, resource) for each in containers):
            yield name


def _says(resources: k8s.ResourceRequirements, name: str, resource: str) -> bool:
    return resource in resources.limits or (not name.startswith(_OF_LIMITS) and resource in resources.requests)


# --- scopes -----------------------------------------------------------------------------------------------------------


def in_scope(quota: k8s.ResourceQuota, pod: k8s.Pod) -> bool:
    """True if a quota counts a pod: it is in each of its scopes."""
    spec = quota.spec
    if not spec.scopes and spec.scope_selector is None:
        return True
    conditions = [] if spec.scope_selector is None else spec.scope_selector.match_expressions
    return all(_in(scope, "Exists", (), pod) for scope in spec.scopes) and all(
        _in(each.scope_name, each.operator, each.values, pod) for each in conditions
    )


def _in(scope: str, operator: str, values: Sequence[str], pod: k8s.Pod) -> bool:
    spec = pod.spec
    match scope:
        case "Terminating" | "NotTerminating":
            ends = spec.active_deadline_seconds is not None and spec.active_deadline_seconds >= 0
            return ends is (scope == "Terminating")
        case "BestEffort" | "NotBestEffort":
            # A pod of the former asks for no cpu and no memory, and has no limit of them.
            parts = [each.resources for each in (*spec.containers, *spec.init_containers)]
            whole = [] if spec.resources is None else [spec.resources]
            asked = (amounts for each in (*whole, *parts) for amounts in (each.requests, each.limits))
            says = any(parse(amounts.get(name, 0)) for amounts in asked for name in ("cpu", "memory"))
            return says is (scope == "NotBestEffort")
        case "CrossNamespacePodAffinity":
            if spec.affinity is None:
                return False
            for rules in (spec.affinity.pod_affinity, spec.affinity.pod_anti_affinity):
                if rules is None:
                    continue
                terms = [*rules.required, *(each.pod_affinity_term for each in rules.preferred)]
                if any(term.namespaces or term.namespace_selector is not None for term in terms):
                    return True
            return False
        case "PriorityClass":
            name = spec.priority_class_name
            match operator:
                case "In":
                    return name in values
                case "NotIn":
                    return name not in values
                case "DoesNotExist":
                    return not name
                case _:
                    return bool(name)
    return False  # a scope of other objects than pods


# --- what the quota controller does -----------------------------------------------------------------------------------


def uncounted_pods(manifests: Manifests) -> list[k8s.Pod]:
    """The pods that the quotas have not counted yet: those that controllers have only just made, and those just added.

    After a session, all are counted. A pod is just added if it has no uid, and the quota of its namespace has one.
    """
    if manifests.sessions or not (manifests.resource_quotas or manifests.limit_ranges):
        return []
    made = manifests.created_from.get("pods", {})
    return [pod for pod in manifests.pods if pod.metadata.key in made] + new_pods(manifests)


def stored_limits(manifests: Manifests) -> set[str]:
    """The namespaces whose quotas or LimitRanges are from a cluster: they have counted and taken what is there."""
    limits: list[k8s.ResourceQuota | k8s.LimitRange] = [*manifests.resource_quotas, *manifests.limit_ranges]
    stored = manifests.stored_without_uid
    return {
        each.metadata.namespace for each in limits if each.metadata.uid or (type(each), each.metadata.key) in stored
    }


def new_pods(manifests: Manifests) -> list[k8s.Pod]:
    """The pods that are added to a cluster by themselves: it has yet to take them."""
    namespaces = set() if manifests.sessions else stored_limits(manifests)
    made = manifests.created_from.get("pods", {})
    return [
        pod
        for pod in (manifests.pods if namespaces else ())
        if pod.metadata.namespace in namespaces
        and not (pod.metadata.uid or pod.spec.node_name or pod.metadata.key in made)
        and pod.status.phase in ("", "Pending")
        and (k8s.Pod, pod.metadata.key) not in manifests.stored_without_uid
    ]


def settled_quota(quota: k8s.ResourceQuota, pods: Iterable[k8s.Pod]) -> k8s.ResourceQuota:
    """A quota whose status follows its spec: what was not limited before is counted from the pods.

    What is in use of the rest is as the quota says, whatever pods there are.
    """
    hard, status = quota.spec.hard, quota.status
    if not hard or hard == status.hard:
        return quota
    used = {name: status.used[name] for name in hard if name in status.used}
    if len(used) < len(hard):
        there = (pod for pod in pods if pod.metadata.namespace == quota.metadata.namespace and in_scope(quota, pod))
        counted = total((counted_usage(pod), 1) for pod in there)
        used |= {name: counted.get(name, "0") for name in hard if name not in used}
    return replace(quota, status=replace(status, hard=hard, used=used))


def freed_quota(quota: k8s.ResourceQuota, gone: Iterable[k8s.Pod]) -> k8s.ResourceQuota:
    """A quota once its controller has taken off what deleted pods used that were counted."""
    there = [pod for pod in gone if pod.metadata.namespace == quota.metadata.namespace and in_scope(quota, pod)]
    freed = total((counted_usage(pod), 1) for pod in there if pod.status.phase not in k8s.ENDED_PHASES)
    used = {
        name: written(max(parse(amount) - parse(freed[name]), Fraction(0)), family(amount)) if name in freed else amount
        for name, amount in quota.status.used.items()
    }
    return quota if used == quota.status.used else replace(quota, status=replace(quota.status, used=used))


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
