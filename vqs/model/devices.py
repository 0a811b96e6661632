"""Dynamic resources: devices of nodes, classes of devices, and claims on them.

The conventions are those of `vqs.model.kubernetes`. Fields of features that all releases leave off by default are kept
only where the scheduler still looks at them. Reference: k8s.io/api/resource/v1 (v0.36).
"""

from msgspec import Struct, field

from vqs.model.kubernetes import Int64, NodeSelector, ObjectMeta, Quantity, Taint, Toleration

EXACT_COUNT = "ExactCount"
ALL_DEVICES = "All"


class _Base(Struct, rename="camel", omit_defaults=True, gc=False):
    """What the structs below share."""


# --- what is asked for ------------------------------------------------------------------------------------------------


class CELDeviceSelector(_Base):
    """An expression in the Common Expression Language that is true for the devices wanted."""

    expression: str = ""


class DeviceSelector(_Base):
    """A way to choose devices; there is only one kind so far."""

    cel: CELDeviceSelector | None = None


class CapacityRequirements(_Base):
    """How much of a device is wanted; the scheduler refuses it before v1.16, as the feature is off by default."""

    requests: dict[str, Quantity] = {}


class ExactDeviceRequest(_Base):
    """A number of devices of a class, or all of them. The API server fills in the mode and the number."""

    device_class_name: str = ""
    selectors: list[DeviceSelector] = []
    allocation_mode: str = ""
    count: Int64 = 0
    admin_access: bool | None = None
    capacity: CapacityRequirements | None = None
    tolerations: list[Toleration] = []


class DeviceSubRequest(_Base):
    """One of several ways to satisfy a request."""

    name: str = ""
    device_class_name: str = ""
    selectors: list[DeviceSelector] = []
    allocation_mode: str = ""
    count: Int64 = 0
    capacity: CapacityRequirements | None = None
    tolerations: list[Toleration] = []


class DeviceRequest(_Base):
    """A request: for exactly these devices, or for the first of several alternatives that can be had."""

    name: str = ""
    exactly: ExactDeviceRequest | None = None
    first_available: list[DeviceSubRequest] = []


class DeviceConstraint(_Base):
    """What the devices of some requests, or of all, must have in common, or must differ in."""

    requests: list[str] = []
    match_attribute: str | None = None
    distinct_attribute: str | None = None


class DeviceClaim(_Base):
    """The requests of a claim, and their constraints."""

    requests: list[DeviceRequest] = []
    constraints: list[DeviceConstraint] = []


class ResourceClaimSpec(_Base):
    """What a claim asks for."""

    devices: DeviceClaim = field(default_factory=DeviceClaim)


class DeviceClassSpec(_Base):
    """Which devices are of a class."""

    selectors: list[DeviceSelector] = []


class DeviceClass(_Base):
    """A class of devices."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: DeviceClassSpec = field(default_factory=DeviceClassSpec)


# --- what was given ---------------------------------------------------------------------------------------------------


class DeviceRequestAllocationResult(_Base):
    """A device that a request was given."""

    request: str = ""
    driver: str = ""
    pool: str = ""
    device: str = ""
    admin_access: bool | None = None


class DeviceAllocationResult(_Base):
    """The devices that a claim was given."""

    results: list[DeviceRequestAllocationResult] = []


class AllocationResult(_Base):
    """What a claim was given, and the nodes that can use it."""

    devices: DeviceAllocationResult = field(default_factory=DeviceAllocationResult)
    node_selector: NodeSelector | None = None


class ResourceClaimConsumerReference(_Base):
    """A user of a claim."""

    resource: str = ""
    name: str = ""
    uid: str = ""


class ResourceClaimStatus(_Base):
    """What a claim was given, and who uses it."""

    allocation: AllocationResult | None = None
    reserved_for: list[ResourceClaimConsumerReference] = []


class ResourceClaim(_Base):
    """A claim on devices."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: ResourceClaimSpec = field(default_factory=ResourceClaimSpec)
    status: ResourceClaimStatus = field(default_factory=ResourceClaimStatus)


class ResourceClaimTemplateSpec(_Base):
    """The claim that is made for each pod."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: ResourceClaimSpec = field(default_factory=ResourceClaimSpec)


class ResourceClaimTemplate(_Base):
    """A template of claims."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: ResourceClaimTemplateSpec = field(default_factory=ResourceClaimTemplateSpec)


# --- what there is ----------------------------------------------------------------------------------------------------


class DeviceAttribute(_Base):
    """An attribute of a device, of one of four types."""

    bool_value: bool | None = field(default=None, name="bool")
    int_value: Int64 | None = field(default=None, name="int")
    string_value: str | None = field(default=None, name="string")
    version_value: str | None = field(default=None, name="version")

    @property
    def typed(self) -> tuple[str, bool | int | str] | None:
        """The type and the value, None where there is none; attributes are compared by both."""
        values = (
            ("string", self.string_value),
            ("int", self.int_value),
            ("bool", self.bool_value),
            ("version", self.version_value),
        )
        return next(((name, value) for name, value in values if value is not None), None)


class DeviceCapacity(_Base):
    """An amount that a device has of something."""

    value: Quantity = 0


class Counter(_Base):
    """An amount of something that devices share."""

    value: Quantity = 0


class CounterSet(_Base):
    """What the devices of a pool share."""

    name: str = ""
    counters: dict[str, Counter] = {}


class DeviceCounterConsumption(_Base):
    """What a partition takes of what it shares with others."""

    counter_set: str = ""
    counters: dict[str, Counter] = {}


class DeviceTaint(Taint):
    """A mark that keeps away claims that do not tolerate it; the effect None informs only."""


class Device(_Base):
    """A device. Before v1.16, one that takes counters of others or has to be made ready is never given."""

    name: str = ""
    attributes: dict[str, DeviceAttribute] = {}
    capacity: dict[str, DeviceCapacity] = {}
    consumes_counters: list[DeviceCounterConsumption] = []
    binding_conditions: list[str] | None = None
    taints: list[DeviceTaint] = []
    allow_multiple_allocations: bool | None = None


class ResourcePool(_Base):
    """The pool that a slice is a part of, and how many slices of its latest generation there should be."""

    name: str = ""
    generation: Int64 = 0
    resource_slice_count: Int64 = 0


class ResourceSliceSpec(_Base):
    """Devices of a driver, and the nodes that can use them."""

    driver: str = ""
    pool: ResourcePool = field(default_factory=ResourcePool)
    node_name: str = ""
    node_selector: NodeSelector | None = None
    all_nodes: bool = False
    per_device_node_selection: bool | None = None
    shared_counters: list[CounterSet] = []
    devices: list[Device] = []


class ResourceSlice(_Base):
    """A part of a pool of devices."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: ResourceSliceSpec = field(default_factory=ResourceSliceSpec)
