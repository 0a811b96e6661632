"""What the devices of a claim have in common.

Reference: k8s.io/dynamic-resource-allocation/structured/internal/experimental (v0.34): allocator_experimental.go and
constraint.go.
"""

from __future__ import annotations

from vqs.engine.devices.pools import DeviceId
from vqs.model.devices import Device, DeviceConstraint


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
        """Tell whether a device may be given to a request, and count it if so."""
        if not self._concerns(request, sub_request):
            return True
        found = self._found(identity, device)
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

    def _found(self, identity: DeviceId, device: Device) -> object:
        """Return the attribute's type and value; a driver need not write its own name before those of its own."""
        attribute = device.attributes.get(self._attribute)
        if attribute is None:
            domain, slash, name = self._attribute.partition("/")
            if not slash or domain != identity.driver or name not in device.attributes:
                return None
            attribute = device.attributes[name]
        return attribute.typed or _UNTYPED


_UNTYPED = ("", "")
