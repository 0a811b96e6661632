"""Quotas as the API server enforces them: which new pods it refuses, and what those that it takes use.

A pod is taken if what it uses fits into every quota whose scopes it is in, in each resource that the quota limits.
Where a quota limits cpu or memory, each container has to say how much of it it asks for. The quota controller copies
spec.hard to status.hard, and counts what it has not counted yet.
References: plugin/pkg/admission/resourcequota in kubernetes/kubernetes (CheckRequest),
pkg/quota/v1/evaluator/core/pods.go and pkg/controller/resourcequota.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from msgspec.structs import replace

from vqs.model import kubernetes as k8s
from vqs.model.awaited import PodRefusal
from vqs.model.quantity import canonical, family, parse, parse_all, written
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
