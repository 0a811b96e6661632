"""ResourceSlices and claims of devices: their quantities, and the classes that claims ask for."""

from collections.abc import Iterator

from vqs.model.devices import DeviceClaim, ResourceClaim, ResourceClaimTemplate, ResourceSlice
from vqs.snapshot.apiserver.checks.values import readable
from vqs.snapshot.reading.diagnostics import Defect, Path


def of_resource_slice(offer: ResourceSlice) -> Iterator[Defect]:
    """Yield what is wrong with a ResourceSlice."""
    for index, device in enumerate(offer.spec.devices):
        path: Path = ("spec", "devices", index, "capacity")
        yield from readable(((*path, name), {"value": amount.value}) for name, amount in device.capacity.items())


def of_resource_claim(claim: ResourceClaim) -> Iterator[Defect]:
    """Yield what is wrong with a ResourceClaim."""
    return _claimed(("spec", "devices"), claim.spec.devices)


def of_resource_claim_template(template: ResourceClaimTemplate) -> Iterator[Defect]:
    """Yield what is wrong with a ResourceClaimTemplate."""
    return _claimed(("spec", "spec", "devices"), template.spec.spec.devices)


def _claimed(path: Path, claim: DeviceClaim) -> Iterator[Defect]:
    for index, request in enumerate(claim.requests):
        of_request: Path = (*path, "requests", index)
        choices = [((*of_request, "exactly"), request.exactly)] + [
            ((*of_request, "firstAvailable", number), each) for number, each in enumerate(request.first_available)
        ]
        for place, each in choices:
            if each is None:
                continue
            if not each.device_class_name:
                yield Defect("invalid-value", (*place, "deviceClassName"), "deviceClassName is missing")
            if each.capacity is not None:
                yield from readable([((*place, "capacity", "requests"), each.capacity.requests)])
