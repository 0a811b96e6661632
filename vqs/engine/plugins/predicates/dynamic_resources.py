"""Dynamic resources: a pod goes where the devices that its claims ask for can be had.

What a claim holds when the session opens, it keeps. A claim that is given devices in the session holds them once its
pod has its node, and is bound only after the session: another pod that shares it waits for the next one. As in the
reference, devices are reserved on the node that the pod's spec names. Only allocating writes that: a pod that waits
for resources being released cannot be promised devices, unless it was allocated, and rolled back, before.
A kind of which the snapshot holds no object at all was most likely not dumped; then claims are assumed to be satisfied
everywhere, with a notice.
References: k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources (v1.34);
k8s.io/dynamic-resource-allocation/resourceclaim; runReservePlugins of pkg/scheduler/plugins/predicates.
"""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterator, Sequence
from dataclasses import dataclass, field

import msgspec
import numpy as np

from vqs.engine.framework.points import Shortfall, least
from vqs.engine.framework.session import Session
from vqs.engine.framework.votes import Refusal
from vqs.engine.nodes.pods import Surroundings
from vqs.engine.nodes.table import Floats, Integers, Masks, Nodes
from vqs.engine.plugins.predicates.allocator import (
    AllocationError,
    Devices,
    Found,
    Given,
    SearchTimeout,
    allocate,
    short_of,
)
from vqs.engine.plugins.predicates.filters import Verdict
from vqs.engine.plugins.predicates.pools import DeviceId, Views
from vqs.model.codes import VerdictCode
from vqs.model.devices import (
    AllocationResult,
    DeviceAllocationResult,
    DeviceClass,
    DeviceRequestAllocationResult,
    ResourceClaim,
    ResourceSlice,
)
from vqs.model.job import Task, TaskStatus
from vqs.model.kubernetes import Pod, PodResourceClaim
from vqs.model.wording import first_names
from vqs.snapshot.reading.kinds import WantedKind, how_to_add, wanted

FILTER = "DynamicResources"
DEVICES_OF_CLASS = "deviceclass/"
"""What Volcano puts before the name of a class of devices where it counts them as a resource."""

NOT_ALLOCATED = "cannot allocate all claims"
INVALID_POOLS = "invalid resource pools were encountered"
TIMED_OUT = "timed out trying to allocate devices"
NOT_AVAILABLE = "resourceclaim not available on the node"
NOT_FILTERED = "claim allocation not found for node"
SCORES_MIXED = "scores fail, as the pod has claims that hold devices already, beside others that hold none"
MOST_POINTS = 100
"""What the scheduler gives the best node for its alternatives."""

_MOST_NAMED = 3


class _Unschedulable(Exception):  # noqa: N818 - it is an answer
    """Why no node can take a pod, as the scheduler says it."""


@dataclass(slots=True)
class _Holdings:
    """The devices that are taken: by claims that held them when the session opened, and by those given since.

    `changes` has every device that was given (1) or taken back (-1), in order.
    """

    before: frozenset[DeviceId]
    in_flight: dict[str, list[Given]] = field(default_factory=dict)
    counts: dict[DeviceId, int] = field(default_factory=dict)
    changes: list[tuple[DeviceId, int]] = field(default_factory=list)

    def __contains__(self, device: object) -> bool:
        """True if a device is taken now."""
        return device in self.before or self.counts.get(device, 0) > 0  # type: ignore[call-overload]

    def give(self, claim: str, given: list[Given]) -> None:
        """Let a claim hold devices."""
        self.in_flight[claim] = given
        self._change(given, 1)

    def take_back(self, claim: str) -> None:
        """Take back what a claim was given in this session, if it was."""
        self._change(self.in_flight.pop(claim, []), -1)

    def _change(self, given: Sequence[Given], by: int) -> None:
        for device, admin_access in given:
            if not admin_access:
                self.counts[device] = self.counts.get(device, 0) + by
                self.changes.append((device, by))

    def at(self, moment: int) -> Container[DeviceId]:
        """What was taken after a number of changes."""
        if moment == len(self.changes):
            return self
        counts = dict(self.counts)
        for device, by in self.changes[moment:]:
            counts[device] -= by
        return self.before | {device for device, count in counts.items() if count > 0}


@dataclass(frozen=True, slots=True)
class _Prepared:
    """What the pre-predicate step found out for a task, and on which nodes its filter is run; None for all.

    `to_allocate` are those of its claims that hold nothing yet.
    """

    claims: list[ResourceClaim]
    to_allocate: list[ResourceClaim]
    moment: int
    asked: Integers | None


class DynamicResources:
    """The claims of a session and the devices that they are given."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._cluster = session.cluster
        self._labels = session.shared(Surroundings).labels
        behaviours = session.profile.predicates
        skips = behaviours.device_pools == "complete-and-valid"
        counts = behaviours.shared_counters == "counted"
        slices = self._cluster.resource_slices
        self.views = Views(self._labels, slices, complete_on_node=not skips, with_counters=counts)
        self.devices = Devices(
            self._cluster.device_classes,
            skips_faulty_pools=skips,
            confuses_alternatives=behaviours.device_alternatives == "first",
            reads_taints=behaviours.device_taints == "read",
            counts=counts,
            makes_ready=behaviours.binding_conditions == "given",
            compares_capacity=behaviours.device_capacity_requests == "compared",
        )
        self._kind_of_owner = behaviours.claim_owner_reason
        if self.devices.compares_capacity:
            self._warn_of_shared_devices()
        allocations = [claim.status.allocation for claim in self._cluster.resource_claims.values()]
        results = [result for each in allocations if each is not None for result in each.devices.results]
        held = (DeviceId(each.driver, each.pool, each.device) for each in results if not each.admin_access)
        self.holdings = _Holdings(frozenset(held))
        self._prepared: dict[str, _Prepared] = {}
        self._spec_node: dict[str, str] = {}
        self._faulty: set[Hashable] = set()
        self._views_of_pool: dict[tuple[str, str], list[int]] | None = None

    def _warn_of_shared_devices(self) -> None:
        shared = [
            f"{each.spec.driver}/{each.spec.pool.name}/{device.name}"
            for each in self._cluster.resource_slices
            for device in each.spec.devices
            if device.allow_multiple_allocations
        ]
        if shared:
            self._session.warn(
                "devices-shared",
                "several claims may share the capacity of a device, which is not modelled; each such device is given "
                f"to one claim: {first_names(shared, _MOST_NAMED)}",
                unknown=["claims that share devices"],
            )

    def missing_kinds(self, tasks: Sequence[Task]) -> list[WantedKind]:
        """The kinds that the snapshot should have objects of for some tasks, and has none."""
        cluster = self._cluster
        if not cluster.resource_claims:
            return [wanted(ResourceClaim)]
        claims = (claim for task in tasks for claim in self._claims_or_none(task.pod))
        if all(claim.status.allocation is not None for claim in claims):
            return []
        found = {DeviceClass: bool(cluster.device_classes), ResourceSlice: bool(cluster.resource_slices)}
        return [wanted(kind) for kind, there in found.items() if not there]

    def signature(self, task: Task) -> Hashable:
        """What tasks have in common whose claims ask for, or hold, the same.

        Claims with which the scheduler fails are told apart, as it names them.
        """
        if not task.pod.spec.resource_claims:
            return None
        claims = self._claims_or_none(task.pod)
        alike = tuple(msgspec.json.encode((claim.spec, claim.status.allocation)) for claim in claims)
        return (alike, *(claim.metadata.key for claim in claims)) if alike in self._faulty else alike

    # --- all nodes at once -------------------------------------------------------------------------------------------

    def refusal(self, task: Task) -> Refusal | None:
        """Why no node at all can take a task; its claims are noted for the steps that follow."""
        self._prepared.pop(task.uid, None)
        if not task.pod.spec.resource_claims:
            return None
        try:
            claims = self._claims(task.pod)
            for claim in claims:
                self._check(claim)
        except _Unschedulable as reason:
            return Refusal(VerdictCode.PRE_PREDICATE_FAILED, text=f"plugin {FILTER} pre-predicates failed {reason}")
        waiting = [claim for claim in claims if claim.status.allocation is None]
        self._prepared[task.uid] = _Prepared(
            claims, waiting, len(self.holdings.changes), self._session.kubernetes.asked
        )
        return None

    def _claims(self, pod: Pod) -> list[ResourceClaim]:
        """The claims of a pod, each as often as it is named."""
        named = ((each, _claim_name(pod, each)) for each in pod.spec.resource_claims)
        return [self._claim(pod, each, name) for each, name in named if name is not None]

    def _claims_or_none(self, pod: Pod) -> list[ResourceClaim]:
        try:
            return self._claims(pod)
        except _Unschedulable:
            return []

    def _claim(self, pod: Pod, named: PodResourceClaim, name: str) -> ResourceClaim:
        key = f"{pod.metadata.namespace}/{name}"
        claim = self._cluster.resource_claims.get(key)
        if claim is None:
            raise _Unschedulable(f'could not find ResourceClaim "{key}"')
        if claim.metadata.deletion_timestamp is not None:
            raise _Unschedulable(f'resourceclaim "{name}" is being deleted')
        owners, own = claim.metadata.owner_references, pod.metadata
        owner = next((owner for owner in owners if owner.controller), None)
        # Without a uid, pods are told apart by their names.
        is_own = owner is not None and owner.uid == own.uid and (bool(own.uid) or owner.name == own.name)
        if named.resource_claim_name is None and not is_own:
            kind = self._kind_of_owner
            text = f"ResourceClaim {key} was not created for {kind} {own.key} ({kind} is not owner)"
            raise _Unschedulable(text)
        return claim

    def _check(self, claim: ResourceClaim) -> None:
        """Refuse a claim that is being given devices, or that asks for devices of classes that do not exist."""
        if claim.status.allocation is not None:
            return
        key = claim.metadata.key
        if key in self.holdings.in_flight:
            raise _Unschedulable(f"resource claim {key} is in the process of being allocated")
        for request in claim.spec.devices.requests:
            if request.exactly is None and not request.first_available:
                raise _Unschedulable(f"resource claim {key}, request {request.name}: unknown request type")
            asked = [(f"{request.name}/{each.name}", each.device_class_name) for each in request.first_available]
            if request.exactly is not None:
                asked = [(request.name, request.exactly.device_class_name)]
            for name, device_class in asked:
                if not device_class:
                    raise _Unschedulable(f"request {name}: unsupported request type")
                if device_class not in self._cluster.device_classes:
                    raise _Unschedulable(f"request {name}: device class {device_class} does not exist")

    # --- node by node ------------------------------------------------------------------------------------------------

    def filter(self, task: Task) -> DeviceFilter | None:
        """The filter for a task and those of its class, None where any node will do."""
        claims = self._claims_or_none(task.pod)
        return DeviceFilter(self, claims, self.signature(task)) if claims else None

    def available(self, claims: Sequence[ResourceClaim]) -> Masks:
        """Which nodes can use what some claims hold already."""
        available: Masks = np.ones(len(self._labels.nodes), np.bool_)
        for claim in claims:
            allocation = claim.status.allocation
            if allocation is not None and allocation.node_selector is not None:
                available &= self._labels.selected(allocation.node_selector)
        return available

    def views_of(self, device: DeviceId) -> list[int]:
        """The views that have the pool of a device."""
        if self._views_of_pool is None:
            self._views_of_pool = {}
            for view in range(self.views.number):
                for pool in self.views.pools(view):
                    self._views_of_pool.setdefault((pool.driver, pool.name), []).append(view)
        return self._views_of_pool.get((device.driver, device.pool), [])

    def found(self, view: int, claims: Sequence[ResourceClaim], signature: Hashable) -> Found | str:
        """What a view has for some claims, else why it has nothing."""
        try:
            found = allocate(self.devices, self.views.pools(view), claims, self.holdings)
        except AllocationError as error:
            self._faulty.add(signature)
            return str(error)
        except SearchTimeout:
            self._session.warn(
                "device-search-stopped",
                "the search for devices was stopped where the scheduler may go on: it takes too many steps; "
                "the nodes in question count as refused",
                unknown=["the end of the search for devices"],
                once=True,
            )
            return TIMED_OUT
        if found is not None:
            return found
        is_faulty = self.devices.skips_faulty_pools and any(pool.invalid for pool in self.views.pools(view))
        return INVALID_POOLS if is_faulty else NOT_ALLOCATED

    def shortfall(self, view: int, claims: Sequence[ResourceClaim]) -> Shortfall | None:
        """Of which class a view has too few devices for some claims, None where that is not what is missing."""
        short = short_of(self.devices, self.views.pools(view), claims, self.holdings)
        if short is None:
            return None
        name, need, have = short
        return Shortfall(f"{DEVICES_OF_CLASS}{name}", need * 1000.0, have * 1000.0)

    # --- reserving ---------------------------------------------------------------------------------------------------

    def reserve(self, task: Task) -> Refusal | None:
        """Give the claims of a task the devices that were found for it; return why there are none."""
        if task.status is TaskStatus.Allocated:
            self._spec_node[task.uid] = task.node or ""
        prepared = self._prepared.get(task.uid)
        if prepared is None or not prepared.to_allocate:
            return None
        found = self._found_on(prepared, self._spec_node.get(task.uid, ""))
        if found is None:
            return Refusal(VerdictCode.RESERVE_FAILED, text=f"{FILTER}: {NOT_FILTERED}")
        allocations = self._cluster.given_devices[task.uid] = {}
        for claim, devices in zip(prepared.to_allocate, found.given, strict=True):
            self.holdings.give(claim.metadata.key, devices)
            results = [
                DeviceRequestAllocationResult("", *device, admin_access=admin_access)
                for device, admin_access in devices
            ]
            selector = self.views.node_selector([device for device, _ in devices])
            allocations[claim.metadata.key] = AllocationResult(DeviceAllocationResult(results), selector)
        return None

    def _found_on(self, prepared: _Prepared, name: str) -> Found | None:
        """What the last try of the task found on a node, None where the node was not asked or refused."""
        node = self._session.nodes.index.get(name)
        if node is None or (prepared.asked is not None and node not in prepared.asked):
            return None
        if not self.available(prepared.claims)[node]:
            return None
        pools = self.views.pools(int(self.views.of_node[node]))
        try:
            return allocate(self.devices, pools, prepared.to_allocate, self.holdings.at(prepared.moment))
        except (AllocationError, SearchTimeout):
            return None

    def unreserve(self, task: Task) -> None:
        """Take back what the claims of a task were given in this session."""
        self._cluster.given_devices.pop(task.uid, None)
        prepared = self._prepared.get(task.uid)
        for claim in prepared.claims if prepared is not None else ():
            self.holdings.take_back(claim.metadata.key)

    # --- what to tell ------------------------------------------------------------------------------------------------

    def report(self) -> None:
        """Name the expressions that could not be evaluated."""
        found = sorted(self.devices.not_modelled.items())
        if found:
            named = "; ".join(f"{expression} ({why})" for expression, why in found[:_MOST_NAMED])
            more = f"; and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
            self._session.warn(
                "selector-not-evaluated",
                f"selectors of devices use what vqs does not evaluate, and are assumed to be true: {named}{more}",
                unknown=sorted(self.devices.unknown),
            )


class DeviceFilter:
    """The claims of a class: where they can be used, or be given devices."""

    volatile = True

    def __init__(self, resources: DynamicResources, claims: Sequence[ResourceClaim], signature: Hashable) -> None:
        self._resources = resources
        self._signature = signature
        self._unavailable = ~resources.available(claims)
        self._claims = [claim for claim in claims if claim.status.allocation is None]
        self._holds_some = len(self._claims) < len(claims)
        self._texts: list[str] = [""]
        self._codes: Integers = np.zeros(resources.views.number, np.intp)
        self._ranks: Integers = np.zeros(resources.views.number, np.intp)
        self._seen = -1

    def verdicts(self, nodes: Nodes) -> Iterator[Verdict]:
        """Refuse the nodes without the devices, then those that cannot use what claims hold."""
        fine = np.ones_like(self._unavailable[nodes])
        if self._claims:
            self._refresh()
            codes = self._codes[self._resources.views.of_node[nodes]]
            for code in np.unique(codes).tolist():
                if code:
                    yield Verdict(codes == code, self._texts[code], final=True)
            fine = codes == 0
        yield Verdict(self._unavailable[nodes] & fine, NOT_AVAILABLE, final=True)

    @property
    def has_alternatives(self) -> bool:
        """True if nodes may differ in which alternatives of a request they have, or cannot be compared."""
        requests = (request for claim in self._claims for request in claim.spec.devices.requests)
        return bool(self._claims) and (self._holds_some or any(request.first_available for request in requests))

    def scores(self, nodes: Integers) -> Floats:
        """How early the alternatives are that nodes have, in percent of the best of them.

        Where a pod has claims that hold devices already, beside others, the scheduler takes what it found for one claim
        for that of another, and fails.
        """
        if self._holds_some:
            return np.full(len(nodes), -np.inf)
        self._refresh()
        ranks = self._ranks[self._resources.views.of_node[nodes]]
        return (ranks * MOST_POINTS // max(int(ranks.max()), 1)).astype(np.float64)

    def shortfall(self, nodes: Integers) -> tuple[int, Shortfall] | None:
        """The closest of some nodes without the devices, and of which class it has too few."""
        if not self._claims:
            return None
        self._refresh()
        views = self._resources.views.of_node[nodes]
        _, firsts = np.unique(views, return_index=True)
        lacking = [at for at in np.sort(firsts).tolist() if self._codes[views[at]]]
        return least((int(nodes[at]), self._resources.shortfall(int(views[at]), self._claims)) for at in lacking)

    def _refresh(self) -> None:
        """Search again in the views where devices were given or taken back since the last time."""
        changes = self._resources.holdings.changes
        views = self._resources.views
        if self._seen < 0:
            changed = set(range(views.number))
        else:
            devices = {device for device, _ in changes[self._seen :]}
            changed = {view for device in devices for view in self._resources.views_of(device)}
        for view in changed:
            found = self._resources.found(view, self._claims, self._signature)
            text, self._ranks[view] = (found, 0) if isinstance(found, str) else ("", found.rank)
            if text not in self._texts:
                self._texts.append(text)
            self._codes[view] = self._texts.index(text)
        self._seen = len(changes)


def watch(session: Session, tasks: Sequence[Task], *, enabled: bool) -> DynamicResources | None:
    """What looks at claims on devices; None where it is switched off, not needed, or lacks what it needs."""
    asking = [task for task in tasks if task.pod.spec.resource_claims]
    if not asking:
        return None
    if not enabled:
        session.warn(
            "devices-ignored",
            "pending pods use ResourceClaims, but predicate.DynamicResourceAllocationEnable is not true: "
            "they are placed without devices, and no kubelet starts them",
            help="set the argument predicate.DynamicResourceAllocationEnable of the plugin predicates to true",
            jobs=[task.job for task in asking],
        )
        return None
    resources = DynamicResources(session)
    missing = resources.missing_kinds(asking)
    if missing:
        kinds = ", ".join(each.kind.name for each in missing)
        session.warn(
            "devices-unknown",
            f"pending pods use ResourceClaims, but the snapshot has no {kinds}: "
            "their claims are assumed to be satisfied on every node",
            help=how_to_add(missing),
            unknown=[f"devices without {kinds}"],
            jobs=[task.job for task in asking],
        )
        return None
    return resources


def _claim_name(pod: Pod, named: PodResourceClaim) -> str | None:
    """The name of a pod's claim, None where none is needed."""
    if named.resource_claim_name is not None:
        return named.resource_claim_name
    if named.resource_claim_template_name is None:
        text = f'spec.resourceClaim "{named.name}": none of the supported fields are set'
        raise _Unschedulable(f'pod "{pod.metadata.key}", {text}')
    for status in pod.status.resource_claim_statuses:
        if status.name == named.name:
            return status.resource_claim_name
    raise _Unschedulable(f'pod "{pod.metadata.key}": ResourceClaim not created yet')
