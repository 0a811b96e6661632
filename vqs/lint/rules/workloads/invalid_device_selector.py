"""A selector of devices whose expression cannot be compiled."""

from collections.abc import Sequence
from typing import Final

from vqs.lint.rule import Finding, Findings, LintContext, Place, Rule, Severity
from vqs.model.devices import DeviceClaim, DeviceSelector

_CLAIMS = "resource_claims"
_TEMPLATES = "resource_claim_templates"
_CLASSES = "device_classes"

Path = tuple[str | int, ...]


_MOST_STEPS: Final = 2_000_000
"""The steps that the check of all expressions may take: about two seconds. Beyond them, only syntax is checked."""


class _Reader:
    """Finds what is wrong with expressions, and what of them is not evaluated; one that is used often is read once."""

    def __init__(self) -> None:
        self._faults: dict[str, tuple[str, Severity | None]] = {}
        self._steps = 0

    def fault(self, expression: str) -> tuple[str, Severity | None]:
        """What to say of an expression, and how bad it is if that is no error; an empty text if there is nothing."""
        if expression not in self._faults:
            self._faults[expression] = self._fault(expression)
        return self._faults[expression]

    def _fault(self, expression: str) -> tuple[str, Severity | None]:
        from vqs.engine.cel.check import CompileError, check  # noqa: PLC0415 - few inputs have devices to select
        from vqs.engine.cel.syntax import CelSyntaxError, NotModelled, parse  # noqa: PLC0415

        try:
            tree = parse(expression)
            if self._steps < _MOST_STEPS:
                self._steps += check(tree, expression)
        except CelSyntaxError as error:
            return f"does not compile: {error}", None
        except CompileError as error:
            return f"does not compile: {'; '.join(error.mistakes)}", None
        except NotModelled as error:
            return f"vqs does not evaluate, and assumes to be true ({error})", Severity.NOTE
        return "", None


def check(context: LintContext) -> Findings:
    """Read the expressions of classes, and of claims that hold nothing yet."""
    reader = _Reader()
    for device_class, place in context.objects(_CLASSES):
        what = f"DeviceClass {device_class.metadata.name}"
        yield from _of_selectors(reader, what, device_class.spec.selectors, place, ("spec",))
    for claim, place in context.objects(_CLAIMS):
        if claim.status.allocation is None:
            yield from _of_claim(reader, f"ResourceClaim {claim.metadata.key}", claim.spec.devices, place, ("spec",))
    for template, place in context.objects(_TEMPLATES):
        what = f"ResourceClaimTemplate {template.metadata.key}"
        yield from _of_claim(reader, what, template.spec.spec.devices, place, ("spec", "spec"))


def _of_claim(reader: _Reader, what: str, devices: DeviceClaim, place: Place, path: Path) -> Findings:
    for index, request in enumerate(devices.requests):
        inner = (*path, "devices", "requests", index)
        if request.exactly is not None:
            yield from _of_selectors(reader, what, request.exactly.selectors, place, (*inner, "exactly"))
        for at, each in enumerate(request.first_available):
            yield from _of_selectors(reader, what, each.selectors, place, (*inner, "firstAvailable", at))


def _of_selectors(
    reader: _Reader, what: str, selectors: Sequence[DeviceSelector], place: Place, path: Path
) -> Findings:
    for index, selector in enumerate(selectors):
        fault, severity = reader.fault(selector.cel.expression if selector.cel is not None else "true")
        if fault:
            at = place.at(*path, "selectors", index, "cel", "expression")
            yield Finding(f"{what} selects devices by an expression that {fault}", at, severity=severity)


RULE = Rule(
    code="invalid-device-selector",
    severity=Severity.ERROR,
    title="a selector of devices does not compile",
    meaning="The expression of a selector, in a DeviceClass or in a request of a claim, is not valid in the Common "
    "Expression Language, or its types do not fit: an attribute may be of any type, all else is known beforehand. A "
    "note names an expression that vqs does not evaluate, and assumes to be true.",
    why="The API server refuses such an object. Where it is stored all the same, no device can be allocated with it, "
    "and the pods that claim one stay pending.",
    fix="Correct the expression.",
    source="k8s.io/kubernetes staging/src/k8s.io/dynamic-resource-allocation/cel/compile.go",
    check=check,
    looks_at=(_CLASSES, _CLAIMS, _TEMPLATES),
    example='device.capacity["gpu.example.com"].memory >= "40Gi", in place of compareTo(quantity("40Gi")) >= 0',
)
