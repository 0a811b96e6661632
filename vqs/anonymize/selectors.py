"""Selectors of devices: no fake expression chooses fake devices, so each is replaced by what it says of them.

Every device gets an attribute for each expression, true or false, or none where the expression fails; the expression
becomes the question for this attribute. What else devices have is left out, but for what constraints compare.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from msgspec import structs

from vqs.engine.cel.functions import EvaluationError
from vqs.engine.cel.selector import Selectors, TooManySteps
from vqs.engine.cel.syntax import NotModelled
from vqs.model.devices import (
    CELDeviceSelector,
    Device,
    DeviceAttribute,
    DeviceClaim,
    DeviceSelector,
    ResourceSlice,
)
from vqs.snapshot.reading.manifests import Manifests

ATTRIBUTE: Final = "selector_"
"""What the attributes begin with that tell what an expression says."""


def with_plain_selectors(manifests: Manifests) -> tuple[Manifests, int]:
    """Manifests in which selectors ask for attributes of their own, and how many expressions there were."""
    found = dict.fromkeys(each.cel.expression for each in _selectors(manifests) if each.cel is not None)
    if not found and not manifests.resource_slices:
        return manifests, 0
    numbers = {expression: number for number, expression in enumerate(found)}
    constraints = [each for claim in _claims(manifests) for each in claim.constraints]
    compared = frozenset(
        filter(None, (name for each in constraints for name in (each.match_attribute, each.distinct_attribute)))
    )
    selectors = Selectors()
    return (
        replace(
            manifests,
            device_classes=[
                structs.replace(each, spec=structs.replace(each.spec, selectors=_asking(each.spec.selectors, numbers)))
                for each in manifests.device_classes
            ],
            resource_claims=[
                structs.replace(each, spec=structs.replace(each.spec, devices=_claim(each.spec.devices, numbers)))
                for each in manifests.resource_claims
            ],
            resource_claim_templates=[
                structs.replace(
                    each,
                    spec=structs.replace(
                        each.spec,
                        spec=structs.replace(each.spec.spec, devices=_claim(each.spec.spec.devices, numbers)),
                    ),
                )
                for each in manifests.resource_claim_templates
            ],
            resource_slices=[_slice(each, selectors, numbers, compared) for each in manifests.resource_slices],
        ),
        len(found),
    )


def _claims(manifests: Manifests) -> Iterator[DeviceClaim]:
    yield from (each.spec.devices for each in manifests.resource_claims)
    yield from (each.spec.spec.devices for each in manifests.resource_claim_templates)


def _selectors(manifests: Manifests) -> Iterator[DeviceSelector]:
    for each in manifests.device_classes:
        yield from each.spec.selectors
    for claim in _claims(manifests):
        for request in claim.requests:
            for one in (request.exactly, *request.first_available):
                yield from one.selectors if one is not None else ()


def _claim(claim: DeviceClaim, numbers: dict[str, int]) -> DeviceClaim:
    requests = []
    for request in claim.requests:
        exactly = request.exactly
        if exactly is not None:
            exactly = structs.replace(exactly, selectors=_asking(exactly.selectors, numbers))
        alternatives = [
            structs.replace(each, selectors=_asking(each.selectors, numbers)) for each in request.first_available
        ]
        requests.append(structs.replace(request, exactly=exactly, first_available=alternatives))
    return structs.replace(claim, requests=requests)


def _asking(selectors: list[DeviceSelector], numbers: dict[str, int]) -> list[DeviceSelector]:
    asked = f"device.attributes[device.driver].{ATTRIBUTE}"
    return [
        each if each.cel is None else DeviceSelector(CELDeviceSelector(f"{asked}{numbers[each.cel.expression]}"))
        for each in selectors
    ]


def _slice(
    written: ResourceSlice, selectors: Selectors, numbers: dict[str, int], compared: frozenset[str]
) -> ResourceSlice:
    driver = written.spec.driver
    devices = [
        structs.replace(
            device,
            attributes={
                **_compared_attributes(device, driver, compared),
                **{f"{ATTRIBUTE}{number}": each for number, each in _answers(device, driver, selectors, numbers)},
            },
            capacity={},
        )
        for device in written.spec.devices
    ]
    return structs.replace(written, spec=structs.replace(written.spec, devices=devices))


def _compared_attributes(device: Device, driver: str, compared: frozenset[str]) -> dict[str, DeviceAttribute]:
    """The values that constraints compare; versions are only ever compared with one another, and become texts."""
    kept = {
        name: each
        for name, each in device.attributes.items()
        if name in compared or ("/" not in name and f"{driver}/{name}" in compared)
    }
    return {
        name: each if each.version_value is None else DeviceAttribute(string_value=f"version {each.version_value}")
        for name, each in kept.items()
    }


def _answers(
    device: Device, driver: str, selectors: Selectors, numbers: dict[str, int]
) -> Iterator[tuple[int, DeviceAttribute]]:
    """Yield what each expression says of a device; what is not evaluated counts as true, as in a session."""
    for expression, number in numbers.items():
        try:
            yield number, DeviceAttribute(bool_value=selectors.matches(expression, driver, device))
        except EvaluationError:
            continue
        except (NotModelled, TooManySteps):
            yield number, DeviceAttribute(bool_value=True)
