"""What a pod asks for, in the several ways the scheduler counts it, and the names of its claims.

Volcano sums container by container in its own units; the Kubernetes scoring plugins it runs sum exact quantities, and
give containers without a cpu or memory request a small default. Pods with equal requests share one entry. The quality
of service that Kubernetes promises a pod follows from its requests, too.
References: pkg/scheduler/api/pod_info.go; k8s.io/component-helpers/resource/helpers.go (PodRequests);
k8s.io/kubernetes/pkg/scheduler/framework/types.go (CalculateResource), plugins/noderesources/resource_allocation.go and
pkg/apis/core/v1/helper/qos/qos.go.

Where volumes are counted, and where nodes are filtered, claims are known by the names that their pods give them.
Reference: k8s.io/component-helpers/storage
(ephemeral/ephemeral.go, volume/helpers.go).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, NamedTuple

from vqs.model.keys import CLASS_ANNOTATION
from vqs.model.kubernetes import Container, ContainerStatus, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass
from vqs.model.quantity import parse, parse_all
from vqs.model.resource import CPU, EPHEMERAL_STORAGE, MEMORY, PODS, Quantity, Resource, is_scalar_resource
from vqs.releases.pods import PodBehaviours

DEFAULT_MILLI_CPU = 100
DEFAULT_MEMORY = 200 * 1024 * 1024
"""What scoring takes a container without a request to ask for."""

GUARANTEED: Final = "Guaranteed"

Quantities = dict[str, Fraction]

_DEFAULT_BEHAVIOURS = PodBehaviours()

_DEFAULTS: Quantities = {CPU: Fraction(DEFAULT_MILLI_CPU, 1000), MEMORY: Fraction(DEFAULT_MEMORY)}


@dataclass(frozen=True, slots=True)
class PodRequests:
    """One distinct set of requests.

    `resource` is Volcano's account (never changed). `requested` and `nonzero` (millicores, bytes) are what a Kubernetes
    NodeInfo adds for such a pod, `scoring` and `scoring_nonzero` what its scorers take an incoming one to ask for:
    millicores, bytes, else whole units rounded up.
    """

    resource: Resource
    requested: dict[str, int]
    nonzero: tuple[int, int]
    scoring: dict[str, int]
    scoring_nonzero: tuple[int, int]


_NOTHING = PodRequests(Resource(), {}, (0, 0), {}, (0, 0))
"""What stands where requests were that no pod has any more."""


@dataclass(slots=True)
class RequestTable:
    """All distinct requests of a cluster's pods, numbered as they appear."""

    behaviours: PodBehaviours = field(default_factory=PodBehaviours)
    entries: list[PodRequests] = field(default_factory=list)
    _numbers: dict[Hashable, int] = field(default_factory=dict)
    _free: list[int] = field(default_factory=list)

    def number(self, pod: Pod, volumes: Mapping[str, int] | None = None) -> int:
        """The number of a pod's requests.

        Args:
            pod: the pod.
            volumes: how many attachable volumes it uses, by resource name; Volcano counts them as a resource.
        """
        key = request_key(pod, volumes)
        number = self._numbers.get(key)
        if number is None:
            entry = pod_requests(pod, volumes, self.behaviours)
            number = self._numbers[key] = self._free.pop() if self._free else len(self.entries)
            self.entries[number : number + 1] = [entry]
        return number

    def keep_only(self, numbers: Collection[int]) -> None:
        """Forget the requests that have none of some numbers; theirs go to the next new requests."""
        if len(numbers) == len(self._numbers):
            return
        for key, number in [*self._numbers.items()]:
            if number not in numbers:
                del self._numbers[key]
                self.entries[number] = _NOTHING
                self._free.append(number)


def request_key(pod: Pod, volumes: Mapping[str, int] | None = None) -> Hashable:
    """What is the same for pods with the same requests."""
    spec = pod.spec
    containers = tuple([_items(container_requests(c)) for c in spec.containers])
    rest: Hashable = None
    if spec.init_containers or spec.overhead or spec.resources or volumes or is_resized(pod):
        rest = (
            tuple((c.restart_policy, _items(container_requests(c))) for c in spec.init_containers),
            _items(spec.overhead),
            _items(spec.resources.requests) if spec.resources else (),
            _items(volumes),
            repr(_statuses(pod)) if is_resized(pod) else "",
            _resize_infeasible(pod),
        )
    return containers, rest


def _items(quantities: Mapping[str, Quantity] | None) -> tuple[tuple[str, Quantity], ...]:
    return tuple(quantities.items()) if quantities else ()


def pod_requests(
    pod: Pod, volumes: Mapping[str, int] | None = None, behaviours: PodBehaviours = _DEFAULT_BEHAVIOURS
) -> PodRequests:
    """Count a pod's requests in every way that is needed."""
    pod_level = behaviours.pod_level_resources == "scored"
    scores_whole = behaviours.pod_level_scores == "counted"
    resource = volcano_request(pod, behaviours)
    for name, number in (volumes or {}).items():
        resource.scalars[name] = resource.scalars.get(name, 0.0) + number
    requested = kubernetes_request(pod, use_status=True, pod_level=pod_level)
    missing = _DEFAULTS
    if pod.spec.resources and any(_is_pod_level(name) for name in pod.spec.resources.requests):
        missing = {name: amount for name, amount in _DEFAULTS.items() if name not in requested}
    nonzero = kubernetes_request(pod, defaults=missing, use_status=True, pod_level=pod_level) if missing else requested
    return PodRequests(
        resource=resource,
        requested=_whole_units(requested),
        nonzero=_cpu_and_memory(nonzero),
        scoring=_whole_units(kubernetes_request(pod, pod_level=scores_whole)),
        scoring_nonzero=_cpu_and_memory(kubernetes_request(pod, defaults=_DEFAULTS, pod_level=scores_whole)),
    )


# --- Volcano's account -----------------------------------------------------------------------------------------------


def volcano_request(pod: Pod, behaviours: PodBehaviours = _DEFAULT_BEHAVIOURS) -> Resource:
    """What Volcano holds a pod to need: the larger of its running and of its starting phase, and one pod."""
    is_resized = behaviours.resized_pods == "as-resized"

    def requests(container: Container) -> Resource:
        return Resource.from_quantities(
            _effective_requests(pod, container) if is_resized else container_requests(container)
        )

    result = Resource.total(map(requests, pod.spec.containers))
    if pod.spec.overhead and behaviours.pod_overhead == "before-init-containers":
        result.add(Resource.from_quantities(pod.spec.overhead))
    sidecars, start = Resource(), Resource()
    for container in pod.spec.init_containers:
        if container.restart_policy == "Always":
            request = requests(container)
            result.add(request)
            sidecars.add(request)
            start.set_max(sidecars)
        else:
            start.set_max(Resource.from_quantities(container_requests(container)).add(sidecars))
    result.set_max(start)
    if behaviours.pod_level_requests == "counted" and pod.spec.resources:
        # Replace those amounts that are set for a whole pod.
        quantities = pod.spec.resources.requests
        chosen = {name: quantity for name, quantity in quantities.items() if _is_pod_level(name)}
        amounts = Resource.from_quantities(chosen)
        if CPU in chosen:
            result.milli_cpu = amounts.milli_cpu
        if MEMORY in chosen:
            result.memory = amounts.memory
        result.scalars.update(amounts.scalars)
    if behaviours.pod_overhead == "after-init-containers":
        result.add(Resource.from_quantities(pod.spec.overhead))
    result.scalars[PODS] = result.scalars.get(PODS, 0.0) + 1.0
    return result


def volcano_limit(pod: Pod) -> Resource:
    """The most cpu and memory that Volcano holds a pod to use, 0 where a container has no limit."""

    def limits(container: Container) -> Resource:
        given = Resource.from_quantities(container.resources.limits)
        status = next((each for each in _statuses(pod) if each.name == container.name), None)
        if status is not None and status.resources is not None:
            given.set_max(Resource.from_quantities(status.resources.limits))
        return given

    result = Resource.total(map(limits, pod.spec.containers))
    sidecars, start = Resource(), Resource()
    for container in pod.spec.init_containers:
        if container.restart_policy == "Always":
            result.add(limits(container))
            start.set_max(sidecars.add(limits(container)))
        else:
            start.set_max(Resource.from_quantities(container.resources.limits).add(sidecars))
    result.set_max(start)
    whole = pod.spec.resources.limits if pod.spec.resources else {}
    amounts, overhead = Resource.from_quantities(whole), Resource.from_quantities(pod.spec.overhead)
    cpu = amounts.milli_cpu if CPU in whole else result.milli_cpu
    memory = amounts.memory if MEMORY in whole else result.memory
    return Resource(cpu and cpu + overhead.milli_cpu, memory and memory + overhead.memory)


# --- Kubernetes' account ---------------------------------------------------------------------------------------------


def kubernetes_request(
    pod: Pod, *, defaults: Quantities | None = None, use_status: bool = False, pod_level: bool = False
) -> Quantities:
    """A pod's requests as exact quantities, as Kubernetes' PodRequests sums them.

    Args:
        pod: the pod.
        defaults: what a container is taken to request where it names no amount.
        use_status: count a pod that is being resized by its status.
        pod_level: let requests set for the whole pod replace the sum of its containers.
    """

    def requests(container: Container) -> Quantities:
        chosen = _effective_requests(pod, container) if use_status else container_requests(container)
        return {**(defaults or {}), **parse_all(chosen)}

    total: Quantities = {}
    for container in pod.spec.containers:
        _add(total, requests(container))
    sidecars: Quantities = {}
    start: Quantities = {}
    for container in pod.spec.init_containers:
        if container.restart_policy == "Always":
            _add(total, requests(container))
            _add(sidecars, requests(container))
            _raise_to(start, sidecars)
        else:
            own = {**(defaults or {}), **parse_all(container_requests(container))}
            _add(own, sidecars)
            _raise_to(start, own)
    _raise_to(total, start)
    if pod_level and pod.spec.resources:
        total.update(parse_all({n: q for n, q in pod.spec.resources.requests.items() if _is_pod_level(n)}))
    _add(total, parse_all(pod.spec.overhead))
    return total


def _is_pod_level(name: str) -> bool:
    return name in (CPU, MEMORY) or name.startswith("hugepages-")


def _add(total: Quantities, more: Quantities) -> None:
    for name, amount in more.items():
        total[name] = total.get(name, Fraction(0)) + amount


def _raise_to(total: Quantities, other: Quantities) -> None:
    for name, amount in other.items():
        if name not in total or amount > total[name]:
            total[name] = amount


def _whole_units(quantities: Quantities) -> dict[str, int]:
    units = {
        name: (_milli if name == CPU else math.ceil)(amount)
        for name, amount in quantities.items()
        if name in (CPU, MEMORY, EPHEMERAL_STORAGE) or is_scalar_resource(name)
    }
    units.setdefault(CPU, 0)
    units.setdefault(MEMORY, 0)
    return units


def _milli(amount: Fraction) -> int:
    return math.ceil(amount * 1000)


def _cpu_and_memory(quantities: Quantities) -> tuple[int, int]:
    return _milli(quantities.get(CPU, Fraction(0))), math.ceil(quantities.get(MEMORY, Fraction(0)))


# --- pods that are being resized -------------------------------------------------------------------------------------


def container_requests(container: Container) -> Mapping[str, Quantity]:
    """What a container requests: where it only sets a limit, that, as the API server would write it in."""
    requests, limits = container.resources.requests, container.resources.limits
    return {**limits, **requests} if limits and not limits.keys() <= requests.keys() else requests


def _effective_requests(pod: Pod, container: Container) -> Mapping[str, Quantity]:
    """A running container's requests: while it is resized, the largest of wanted, actual and allocated."""
    own = container_requests(container)
    status = next((s for s in _statuses(pod) if s.name == container.name), None)
    if status is None or status.resources is None:
        return own
    actual = [status.resources.requests, status.allocated_resources]
    lists = actual if _resize_infeasible(pod) else [own, *actual]
    result: dict[str, Quantity] = {}
    for quantities in lists:
        for name, quantity in quantities.items():
            if name not in result or parse(quantity) > parse(result[name]):
                result[name] = quantity
    return result


def _statuses(pod: Pod) -> list[ContainerStatus]:
    return [*pod.status.container_statuses, *pod.status.init_container_statuses]


def is_resized(pod: Pod) -> bool:
    """True if the status of a pod says what its containers were given, which may differ from their spec."""
    status = pod.status
    if not status.container_statuses and not status.init_container_statuses:
        return False
    return any(status.resources is not None for status in _statuses(pod))


def _resize_infeasible(pod: Pod) -> bool:
    pending = next((c for c in pod.status.conditions if c.type == "PodResizePending"), None)
    return pending is not None and pending.reason == "Infeasible"


def is_guaranteed(pod: Pod) -> bool:
    """True if a pod is Guaranteed: as its status says, else where its limits are its requests everywhere."""
    if pod.status.qos_class:
        return pod.status.qos_class == GUARANTEED

    def total(lists: Iterable[Mapping[str, Quantity]]) -> dict[str, Fraction]:
        """Add up the cpu and memory of some lists of amounts; what is not above zero is left out."""
        sums: dict[str, Fraction] = {}
        for name, amount in (item for amounts in lists for item in amounts.items()):
            if name in {CPU, MEMORY} and (exact := parse(amount)) > 0:
                sums[name] = sums.get(name, Fraction()) + exact
        return sums

    containers = [*pod.spec.containers, *pod.spec.init_containers]
    if (own := pod.spec.resources) is not None:
        limits: Sequence[Mapping[str, Quantity]] = [own.limits]
        requests: Sequence[Mapping[str, Quantity]] = [{**own.limits, **own.requests}]
    else:
        limits = [each.resources.limits for each in containers]
        requests = [container_requests(each) for each in containers]
    limited = bool(limits) and all(total([each]).keys() == {CPU, MEMORY} for each in limits)
    return limited and total(requests) == total(limits)


_IS_DEFAULT = ("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")
"""The annotations of a StorageClass that claims without a class get."""


class ClaimName(NamedTuple):
    """The name of a claim; an ephemeral one is made for the pod, and goes with it."""

    name: str
    ephemeral: bool


def claim_names(pod: Pod) -> list[ClaimName]:
    """The names of a pod's claims, in the order of its volumes."""
    names = []
    for volume in pod.spec.volumes:
        if volume.persistent_volume_claim is not None:
            names.append(ClaimName(volume.persistent_volume_claim.claim_name, False))
        elif volume.ephemeral is not None:
            names.append(ClaimName(f"{pod.metadata.name}-{volume.name}", True))
    return names


def class_name(claim: PersistentVolumeClaim | PersistentVolume) -> str:
    """The storage class of a claim or volume, empty where it has none; the old annotation comes first."""
    return claim.metadata.annotations.get(CLASS_ANNOTATION, claim.spec.storage_class_name or "")


def default_class(classes: Iterable[StorageClass]) -> str:
    """The class that a new claim gets which names none: the default, of several the newest; empty without any.

    Reference: plugin/pkg/admission/storage/storageclass/setdefault in kubernetes/kubernetes.
    """
    defaults = [each for each in classes if any(each.metadata.annotations.get(key) == "true" for key in _IS_DEFAULT)]
    born = {id(each): each.metadata.creation_timestamp for each in defaults}
    newest = max((time for time in born.values() if time is not None), default=None)
    return min((each.metadata.name for each in defaults if born[id(each)] == newest), default="")


def made_for(claim: PersistentVolumeClaim, pod: Pod) -> bool:
    """True if a claim is a pod's own ephemeral one."""
    return any(owner.controller and owner.uid == pod.metadata.uid for owner in claim.metadata.owner_references)


def device_claims(pod: Pod) -> Iterator[str]:
    """Yield the namespace/name of each claim on devices that a pod uses, as far as these were made."""
    made = {status.name: status.resource_claim_name for status in pod.status.resource_claim_statuses}
    for named in pod.spec.resource_claims:
        name = named.resource_claim_name or made.get(named.name)
        if name:
            yield f"{pod.metadata.namespace}/{name}"
