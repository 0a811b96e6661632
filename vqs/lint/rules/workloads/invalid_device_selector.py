"""A selector of devices whose expression cannot be compiled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vqs.engine.cel.syntax import CelSyntaxError, NotModelled, parse
from vqs.lint.context import LintContext
from vqs.lint.finding import Finding, Place, Severity
from vqs.lint.rule import Rule
from vqs.model.devices import DeviceClaim, DeviceSelector

_CLAIMS = "resource_claims"
_TEMPLATES = "resource_claim_templates"
_CLASSES = "device_classes"

Path = tuple[str | int, ...]


def check(context: LintContext) -> Iterator[Finding]:
    """Read the expressions of classes, and of claims that hold nothing yet."""
    for device_class, place in context.objects(_CLASSES):
        what = f"DeviceClass {device_class.metadata.name}"
        yield from _of_selectors(what, device_class.spec.selectors, place, ("spec",))
    for claim, place in context.objects(_CLAIMS):
        if claim.status.allocation is None:
            yield from _of_claim(f"ResourceClaim {claim.metadata.key}", claim.spec.devices, place, ("spec",))
    for template, place in context.objects(_TEMPLATES):
        what = f"ResourceClaimTemplate {template.metadata.key}"
        yield from _of_claim(what, template.spec.spec.devices, place, ("spec", "spec"))


def _of_claim(what: str, devices: DeviceClaim, place: Place, path: Path) -> Iterator[Finding]:
    for index, request in enumerate(devices.requests):
        inner = (*path, "devices", "requests", index)
        if request.exactly is not None:
            yield from _of_selectors(what, request.exactly.selectors, place, (*inner, "exactly"))
        for at, each in enumerate(request.first_available):
            yield from _of_selectors(what, each.selectors, place, (*inner, "firstAvailable", at))


def _of_selectors(what: str, selectors: Sequence[DeviceSelector], place: Place, path: Path) -> Iterator[Finding]:
    for index, selector in enumerate(selectors):
        fault = _fault(selector.cel.expression) if selector.cel is not None else ""
        if fault:
            at = Place(place.list_name, place.index, (*path, "selectors", index, "cel", "expression"))
            yield Finding(f"{what} selects devices by an expression that does not compile: {fault}", at)


def _fault(expression: str) -> str:
    """Return what is wrong with the syntax of an expression."""
    try:
        parse(expression)
    except CelSyntaxError as error:
        return str(error)
    except NotModelled:
        return ""
    return ""


RULE = Rule(
    code="invalid-device-selector",
    severity=Severity.ERROR,
    title="a selector of devices does not compile",
    meaning="The expression of a selector, in a DeviceClass or in a request of a claim, is not valid in the Common "
    "Expression Language. Only its syntax is checked, not the types of its values.",
    why="The API server refuses such an object. Where it is stored all the same, no device can be allocated with it, "
    "and the pods that claim one stay pending.",
    fix="Correct the expression.",
    source="k8s.io/kubernetes staging/src/k8s.io/dynamic-resource-allocation/cel/compile.go",
    check=check,
    looks_at=(_CLASSES, _CLAIMS, _TEMPLATES),
    example='expression: device.driver = "gpu.example.com", with one = too few',
)
