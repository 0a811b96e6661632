"""The search for devices: the first that satisfy all claims of a pod together, in the order of pools and devices.

The scheduler asks Kubernetes' own plugin, with the feature gates that are on by default in v1.34: DRAAdminAccess,
DRAPrioritizedList, DRAResourceClaimDeviceStatus, DRASchedulerFilterTimeout. With the others off, devices that are made
ready or that share counters are not given, taints of devices do not count, and slices that name a node for each device
are left out. With those of v1.36, taints, counters and capacity count, and devices are given that are made ready. Not
modelled are slices that name a node for each device, and claims that share the capacity of a device.

Slips of the reference are kept: the second of several alternatives that want all devices takes the choice of the first
for its own, and after its first device, an alternative that wants all devices goes on as the first alternative. v0.36
has neither.
Reference: k8s.io/dynamic-resource-allocation/structured/internal/experimental (v0.34): allocator_experimental.go and
constraint.go.
"""

from __future__ import annotations

from collections.abc import Container, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from vqs.engine.plugins.predicates.pools import DeviceId, Pool
from vqs.model.devices import (
    ALL_DEVICES,
    EXACT_COUNT,
    Device,
    DeviceClass,
    DeviceConstraint,
    DeviceSelector,
    DeviceSubRequest,
    ExactDeviceRequest,
    ResourceClaim,
)
from vqs.model.quantity import parse
from vqs.model.selectors import tolerates

if TYPE_CHECKING:  # few snapshots have devices to select
    from vqs.engine.cel.selector import Selectors

_KEEPING: Final = ("NoSchedule", "NoExecute")
"""The effects of taints that keep devices from requests."""
MOST_DEVICES: Final = 32
"""How many devices a claim may be given."""
MOST_ALTERNATIVES: Final = 8
"""How many alternatives a request may have."""
MOST_STEPS: Final = 50_000
"""The steps of one search; the scheduler goes on for `dynamicresources.filterTimeoutSeconds`."""
MOST_STEPS_OF_ALL: Final = 1_500_000
"""The steps of all searches of a session: some seconds. Commands run several sessions."""


class AllocationError(Exception):
    """A claim, a class or a pool with which no devices can be found; the text is what the scheduler says."""


class SearchTimeout(Exception):  # noqa: N818 - the scheduler does not take it for an error
    """The search took too long."""


class Given(NamedTuple):
    """A device that a claim is given; with admin access, others may have it all the same."""

    device: DeviceId
    admin_access: bool


class Found(NamedTuple):
    """The devices for each of some claims, and how early the alternatives are that were taken: 8 for each first one."""

    given: list[list[Given]]
    rank: int


def _selectors() -> Selectors:
    from vqs.engine.cel.selector import Selectors  # noqa: PLC0415 - few snapshots have devices to select

    return Selectors()


@dataclass(slots=True)
class Devices:
    """What searches of a session share.

    Attributes:
        classes: the classes of devices, by name.
        selectors: evaluates expressions.
        steps: how many steps the searches have taken so far.
        not_modelled: expressions that could not be evaluated, and why; they are assumed to be true.
        unknown: the same expressions, with the claims that they choose devices for.
        skips_faulty_pools: whether incomplete pools are passed over, and invalid ones do not end a search.
        confuses_alternatives: whether those that want all devices are taken for others.
        reads_taints: whether a taint keeps a device from requests that do not tolerate it.
        counts: whether devices that take of shared counters are given.
        makes_ready: whether devices that are made ready afterwards are given.
        compares_capacity: whether requests may name how much of the capacity of a device they want.
    """

    classes: Mapping[str, DeviceClass]
    selectors: Selectors = field(default_factory=_selectors)
    steps: int = 0
    not_modelled: dict[str, str] = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)
    skips_faulty_pools: bool = False
    confuses_alternatives: bool = True
    reads_taints: bool = False
    counts: bool = False
    makes_ready: bool = False
    compares_capacity: bool = False


class _TooMany(Exception):  # noqa: N818 - it is caught within the search
    """A claim would be given more devices than it may have."""


class _Key(NamedTuple):
    """A request: of which claim, which one, and which of its alternatives."""

    claim: int
    request: int
    alternative: int


class _Place(NamedTuple):
    """A device that is searched for; `chosen` is set once an alternative has been chosen."""

    key: _Key
    device: int = 0
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class _Request:
    """A request or one of its alternatives, and how many devices it wants; `all_devices` are those of all."""

    written: ExactDeviceRequest | DeviceSubRequest
    name: str
    parent: str
    device_class: DeviceClass
    number: int
    all_devices: tuple[tuple[DeviceId, Device], ...]

    @property
    def wants_all(self) -> bool:
        return self.written.allocation_mode == ALL_DEVICES

    @property
    def admin_access(self) -> bool:
        return isinstance(self.written, ExactDeviceRequest) and bool(self.written.admin_access)

    @property
    def path(self) -> tuple[str, str]:
        """The names by which constraints know it."""
        return (self.parent, self.name) if self.parent else (self.name, "")


def allocate(
    devices: Devices, pools: Sequence[Pool], claims: Sequence[ResourceClaim], taken: Container[DeviceId]
) -> Found | None:
    """Devices for each of some claims, None where there are none.

    Raises:
        AllocationError: the scheduler fails.
        SearchTimeout: the search was broken off.
    """
    return _Search(devices, pools, claims, taken).run()


def short_of(
    devices: Devices, pools: Sequence[Pool], claims: Sequence[ResourceClaim], taken: Container[DeviceId]
) -> tuple[str, int, int] | None:
    """The class that has too few devices for a request of some claims, how many that wants, and how many it has.

    None where each request without alternatives would find enough by itself: then they want the same devices, or their
    constraints cannot be met.
    """
    steps = devices.steps
    try:
        return _Search(devices, pools, claims, taken).short_of()
    finally:
        devices.steps = steps  # to explain a refusal takes nothing from the searches that decide


class _Search:
    def __init__(
        self, devices: Devices, pools: Sequence[Pool], claims: Sequence[ResourceClaim], taken: Container[DeviceId]
    ) -> None:
        self._devices = devices
        self._pools = pools
        self._claims = claims
        self._taken = taken
        self._steps = 0
        self._requests: dict[_Key, _Request] = {}
        self._choices: dict[tuple[_Key, DeviceId], bool] = {}
        self._constraints: list[list[Constraint]] = []
        self._holders: dict[DeviceId, set[int]] = {}
        self._given: list[list[Given]] = [[] for _ in claims]
        self._alternative: dict[tuple[int, int], int] = {}
        self._consuming: list[tuple[DeviceId, Device]] = []

    def run(self) -> Found | None:
        for number, claim in enumerate(self._claims):
            self._check(number, claim)
        self._choices.clear()
        if not self._searched():
            return None
        return Found(self._given, sum(MOST_ALTERNATIVES - number for number in self._alternative.values()))

    def short_of(self) -> tuple[str, int, int] | None:
        try:
            for number, claim in enumerate(self._claims):
                self._check(number, claim)
            for key, request in self._requests.items():
                if not self._claims[key.claim].spec.devices.requests[key.request].first_available:
                    usable = sum(
                        self._may_be_given(request, device)
                        and not self._is_taken(key, request, identity)
                        and self._is_chosen(key, request, identity, device)
                        for pool in self._pools
                        if not pool.invalid and not pool.incomplete
                        for identity, device in pool.devices
                    )
                    if usable < request.number:
                        return request.written.device_class_name, request.number, usable
        except (AllocationError, SearchTimeout):
            return None
        return None

    # --- the claims --------------------------------------------------------------------------------------------------

    def _check(self, number: int, claim: ResourceClaim) -> None:
        """Read the requests and constraints of a claim."""
        wanted = 0
        for index, request in enumerate(claim.spec.devices.requests):
            written = (request.exactly, *request.first_available)
            asks_for_parts = any(each.capacity is not None for each in written if each is not None)
            if asks_for_parts and not self._devices.compares_capacity:
                text = "has capacity requests, but the DRAConsumableCapacity feature is disabled"
                raise AllocationError(f"claim {claim.metadata.key}, request {request.name}: {text}")
            if request.first_available:
                numbers: list[int] = []
                for at, each in enumerate(request.first_available):
                    choices = _Key(number, index, max(at - 1, 0) if self._devices.confuses_alternatives else at)
                    made = self._request(choices, claim, each, each.name, request.name)
                    self._requests[_Key(number, index, at)] = made
                    numbers.append(made.number)
                wanted += min(numbers)
            elif request.exactly is not None:
                key = _Key(number, index, 0)
                self._requests[key] = made = self._request(key, claim, request.exactly, request.name)
                wanted += made.number
            else:
                raise AllocationError(f"claim {claim.metadata.key}, request {request.name}: unknown request type")
        if wanted > MOST_DEVICES:
            text = f"number of requested devices {wanted} exceeds the claim limit of {MOST_DEVICES}"
            raise AllocationError(f"claim {claim.metadata.key}: {text}")
        for index, constraint in enumerate(claim.spec.devices.constraints):
            if constraint.match_attribute is None and constraint.distinct_attribute is None:
                text = f"constraint #{index}: empty constraint (unsupported constraint type?)"
                raise AllocationError(f"claim {claim.metadata.key}, {text}")
        self._constraints.append([Constraint(each) for each in claim.spec.devices.constraints])

    def _request(
        self,
        key: _Key,
        claim: ResourceClaim,
        written: ExactDeviceRequest | DeviceSubRequest,
        name: str,
        parent: str = "",
    ) -> _Request:
        what = f"claim {claim.metadata.key}, request {name}"
        for index, selector in enumerate(written.selectors):
            if selector.cel is None:
                text = f"selector #{index}: CEL expression empty (unsupported selector type?)"
                raise AllocationError(f"{what}, {text}")
        device_class = self._devices.classes.get(written.device_class_name)
        if device_class is None:
            raise AllocationError(f"{what}: could not retrieve device class {written.device_class_name}")
        made = _Request(written, name, parent, device_class, 0, ())
        if written.allocation_mode in ("", EXACT_COUNT):
            number = written.count if written.allocation_mode else written.count or 1
            return _Request(written, name, parent, made.device_class, number, ())
        if written.allocation_mode != ALL_DEVICES:
            raise AllocationError(f"{what}: unsupported count mode {written.allocation_mode}")
        found: list[tuple[DeviceId, Device]] = []
        for pool in self._pools:
            state = "being updated" if pool.incomplete else "invalid" if pool.invalid else ""
            if state:
                text = f"asks for all devices, but resource pool {pool} is currently {state}"
                raise AllocationError(f"{what}: {text}")
            found += [each for each in pool.devices if self._is_chosen(key, made, *each)]
        return _Request(written, name, parent, made.device_class, len(found), tuple(found))

    # --- the search --------------------------------------------------------------------------------------------------

    def _searched(self) -> bool:
        """Go through all ways to satisfy the claims until one is found; as deep as the claims want devices."""
        ways = [self._ways(_Place(_Key(0, 0, 0)))]
        too_many = False
        while ways:
            self._count()
            try:
                place = ways[-1].throw(_TooMany()) if too_many else next(ways[-1])
            except (StopIteration, _TooMany) as end:
                ways.pop()
                too_many = isinstance(end, _TooMany)
                continue
            too_many = False
            if place is None:
                return True
            ways.append(self._ways(place))
        return False

    def _count(self) -> None:
        self._steps += 1
        self._devices.steps += 1
        if self._steps > MOST_STEPS or self._devices.steps > MOST_STEPS_OF_ALL:
            raise SearchTimeout

    def _ways(self, place: _Place) -> Generator[_Place | None]:
        """Yield each place to go on from; what was given before is taken back when it led nowhere."""
        key = place.key
        if key.claim >= len(self._claims):
            yield None
        elif key.request >= len(self._claims[key.claim].spec.devices.requests):
            try:
                yield _Place(_Key(key.claim + 1, 0, 0))
            except _TooMany:
                return
        elif not place.chosen and self._requests[key].parent:
            always_too_many = True
            while key in self._requests:
                self._alternative[key.claim, key.request] = key.alternative
                try:
                    yield _Place(key, chosen=True)
                    always_too_many = False
                except _TooMany:
                    pass
                key = key._replace(alternative=key.alternative + 1)
            if always_too_many:
                raise _TooMany
        else:
            yield from self._ways_of_request(place)

    def _ways_of_request(self, place: _Place) -> Generator[_Place | None]:
        key, request = place.key, self._requests[place.key]
        if request.wants_all and not request.all_devices:
            return
        if place.device >= request.number:
            yield _Place(_Key(key.claim, key.request + 1, 0))
            return
        if len(self._given[key.claim]) + request.number - place.device > MOST_DEVICES:
            raise _TooMany
        if request.wants_all:
            identity, device = request.all_devices[place.device]
            next_key = key._replace(alternative=0) if self._devices.confuses_alternatives else key
            after = _Place(next_key, place.device + 1, place.chosen)
            yield from self._after_giving(key, request, identity, device, after)
            return
        after = place._replace(device=place.device + 1)
        for pool in self._pools:
            if self._devices.skips_faulty_pools and (pool.invalid or pool.incomplete):
                continue
            if pool.invalid:
                raise AllocationError(f"pool {pool.name} is invalid: {pool.invalid}")
            for identity, device in pool.devices:
                if not self._is_taken(key, request, identity) and self._is_chosen(key, request, identity, device):
                    yield from self._after_giving(key, request, identity, device, after)

    def _after_giving(
        self, key: _Key, request: _Request, identity: DeviceId, device: Device, after: _Place
    ) -> Generator[_Place | None]:
        """Yield the place after a device was given to a request, if it may be."""
        self._count()
        if self._is_taken(key, request, identity) or not self._may_be_given(request, device):
            return
        if device.consumes_counters and not self._counters_suffice(identity, device):
            return
        if not self._constrained(key, request, identity, device):
            return
        self._holders.setdefault(identity, set()).add(key.claim)
        self._given[key.claim].append(Given(identity, request.admin_access))
        self._consuming.append((identity, device))
        try:
            yield after
        except _TooMany:
            self._take_back(key, request, identity)
            raise
        self._take_back(key, request, identity)

    def _take_back(self, key: _Key, request: _Request, identity: DeviceId) -> None:
        for each in self._constraints[key.claim]:
            each.remove(*request.path)
        self._holders[identity].discard(key.claim)
        self._given[key.claim].pop()
        self._consuming.pop()

    def _may_be_given(self, request: _Request, device: Device) -> bool:
        """True unless a device takes of counters that are not looked at, is too small, or has a taint that matters."""
        if device.consumes_counters and not self._devices.counts:
            return False
        asked = request.written.capacity.requests if request.written.capacity is not None else {}
        for name, amount in asked.items():
            if name not in device.capacity or parse(device.capacity[name].value) < parse(amount):
                return False
        return not self._devices.reads_taints or not any(
            taint.effect in _KEEPING and not tolerates(request.written.tolerations, taint) for taint in device.taints
        )

    def _counters_suffice(self, identity: DeviceId, device: Device) -> bool:
        """True if the counters of its pool suffice for a device beside those that are taken, and those given so far."""
        pool = next(each for each in self._pools if (each.driver, each.name) == identity[:2])
        taken = (each for other, each in (*pool.devices, *pool.elsewhere) if other in self._taken)
        given = (each for other, each in self._consuming if other[:2] == identity[:2])
        left = {name: dict(counters) for name, counters in pool.counters.items()}
        for each in (*taken, *given, device):
            for consumption in each.consumes_counters:
                counters = left.get(consumption.counter_set, {})
                for name in counters.keys() & consumption.counters.keys():
                    counters[name] -= parse(consumption.counters[name].value)
        return all(amount >= 0 for counters in left.values() for amount in counters.values())

    def _is_taken(self, key: _Key, request: _Request, identity: DeviceId) -> bool:
        holders = self._holders.get(identity, ())
        if request.admin_access:
            return key.claim in holders
        return bool(holders) or identity in self._taken

    def _constrained(self, key: _Key, request: _Request, identity: DeviceId, device: Device) -> bool:
        """Count a device for the constraints of its claim, unless one forbids it."""
        constraints = self._constraints[key.claim]
        for index, each in enumerate(constraints):
            if each.add(*request.path, identity, device):
                continue
            if request.wants_all:
                text = f"cannot add device {identity} because a claim constraint would not be satisfied"
                claim = self._claims[key.claim].metadata.key
                raise AllocationError(f"claim {claim}, request {request.name}: {text}")
            for earlier in constraints[:index]:
                earlier.remove(*request.path)
            return False
        return True

    # --- selectors ---------------------------------------------------------------------------------------------------

    def _is_chosen(self, key: _Key, request: _Request, identity: DeviceId, device: Device) -> bool:
        """True if the selectors of a request and of its class are true of a device."""
        if device.binding_conditions and not self._devices.makes_ready:
            return False
        chosen = self._choices.get((key, identity))
        if chosen is None:
            self._count()
            device_class = request.device_class
            claim = f"claim {self._claims[key.claim].metadata.key}"
            of_class = f"class {device_class.metadata.name}"
            chosen = self._selected(
                of_class, device_class.spec.selectors, identity, device, of=claim
            ) and self._selected(claim, request.written.selectors, identity, device)
            self._choices[key, identity] = chosen
        return chosen

    def _selected(
        self, owner: str, selectors: Sequence[DeviceSelector], identity: DeviceId, device: Device, of: str = ""
    ) -> bool:
        from vqs.engine.cel.functions import EvaluationError  # noqa: PLC0415 - as above
        from vqs.engine.cel.selector import TooManySteps  # noqa: PLC0415
        from vqs.engine.cel.syntax import NotModelled  # noqa: PLC0415

        for index, selector in enumerate(selectors):
            expression = selector.cel.expression if selector.cel is not None else ""
            try:
                if not self._devices.selectors.matches(expression, identity.driver, device):
                    return False
            except EvaluationError as error:
                raise AllocationError(f"{owner}: selector #{index}: {error}") from error
            except NotModelled as error:
                self._devices.not_modelled[expression] = str(error)
                self._devices.unknown.add(f"selector #{index} of {owner}{of and f' of {of}'}: {expression}")
            except TooManySteps as error:
                raise SearchTimeout from error
        return True


class Constraint:
    """A constraint, and the devices that it was asked about so far.

    All devices have the attribute, and its value is the same where it has to match. Where it has to be distinct, v1.34
    compares where values are stored in place of the values, so that two devices always differ.
    """

    def __init__(self, written: DeviceConstraint) -> None:
        self._requests = frozenset(written.requests)
        self._matches = written.match_attribute is not None
        self._attribute = written.match_attribute or written.distinct_attribute or ""
        self._value: object = None
        self._devices = 0

    def add(self, request: str, sub_request: str, identity: DeviceId, device: Device) -> bool:
        """True if a device may be given to a request; then it is counted."""
        if not self._concerns(request, sub_request):
            return True
        found = self._attribute_value(identity, device)
        if found is None:
            return False
        if self._devices and self._matches and (found != self._value or found == _UNTYPED):
            return False
        if not self._devices:
            self._value = found
        self._devices += 1
        return True

    def remove(self, request: str, sub_request: str) -> None:
        """Take back that a device was given to a request."""
        if self._concerns(request, sub_request):
            self._devices -= 1

    def _concerns(self, request: str, sub_request: str) -> bool:
        names = {request, f"{request}/{sub_request}"} if sub_request else {request}
        return not self._requests or not names.isdisjoint(self._requests)

    def _attribute_value(self, identity: DeviceId, device: Device) -> object:
        """The attribute's type and value; a driver need not write its own name before those of its own."""
        attribute = device.attributes.get(self._attribute)
        if attribute is None:
            domain, slash, name = self._attribute.partition("/")
            if not slash or domain != identity.driver or name not in device.attributes:
                return None
            attribute = device.attributes[name]
        return attribute.typed or _UNTYPED


_UNTYPED = ("", "")
