"""Selectors of devices: whether an expression is true of a device.

Reference: k8s.io/dynamic-resource-allocation/cel/compile.go (v0.34).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from vqs.engine.cel.check import CompileError, check
from vqs.engine.cel.evaluate import Evaluator
from vqs.engine.cel.syntax import CelSyntaxError, Node, NotModelled, parse
from vqs.engine.cel.types import MOST_STEPS
from vqs.engine.cel.values import DefaultMap, EvaluationError, Value, quantity, type_name, version
from vqs.model.devices import Device, DeviceAttribute

MOST_STEPS_OF_ALL: Final = 2_000_000
"""The steps that all evaluations of a session may take together: a few seconds."""


_WHY_NO_BOOL: Final = {
    "int": "unsupported type conversion from 'int' to bool",
    "string": "unsupported native conversion from string to 'bool'",
    "kubernetes.Semver": "type conversion error from 'Semver' to 'bool'",
}
"""By type of an attribute: why it is neither true nor false."""


class TooManySteps(Exception):  # noqa: N818 - it is no error of the expression
    """The selectors of a session have taken all the steps that they may take."""


class Selectors:
    """The selectors of a session; each expression is read once, and evaluated once for each device."""

    def __init__(self) -> None:
        self._trees: dict[str, Node | CompileError | NotModelled] = {}
        self._answers: dict[tuple[str, str, int], bool | EvaluationError | NotModelled] = {}
        self._devices: list[Device] = []
        self._steps = 0

    def matches(self, expression: str, driver: str, device: Device) -> bool:
        """True if a device is selected.

        Raises:
            EvaluationError: the expression cannot be read, or fails; the text is what the scheduler says.
            NotModelled: it uses what is not modelled.
            TooManySteps: it was not evaluated.
        """
        key = (expression, driver, id(device))
        if key not in self._answers:
            self._devices.append(device)  # what is kept keeps its id
            try:
                self._answers[key] = self._evaluated(expression, driver, device)
            except (EvaluationError, NotModelled) as error:
                self._answers[key] = error
        answer = self._answers[key]
        if isinstance(answer, bool):
            return answer
        raise answer

    def _evaluated(self, expression: str, driver: str, device: Device) -> bool:
        if self._steps > MOST_STEPS_OF_ALL:
            raise TooManySteps
        tree = self._trees.get(expression)
        if tree is None:
            tree = self._compiled(expression)
            self._trees[expression] = tree
        if isinstance(tree, CompileError):
            raise EvaluationError(f"CEL compile error: {tree}") from tree
        if isinstance(tree, NotModelled):
            raise tree
        evaluator = Evaluator()
        try:
            variable: Value = {
                "driver": driver,
                "allowMultipleAllocations": False,  # as without the feature gate DRAConsumableCapacity
                "attributes": _domains(
                    driver, ((name, _value(name, each)) for name, each in device.attributes.items())
                ),
                "capacity": _domains(driver, ((name, quantity(each.value)) for name, each in device.capacity.items())),
            }
            value = evaluator.evaluate(tree, {"device": variable})
        except EvaluationError as error:
            raise EvaluationError(f"CEL runtime error: {error}") from error
        finally:
            self._steps += evaluator.steps
        if not isinstance(value, bool):
            kind = type_name(value)
            text = f"CEL result of type {kind} could not be converted to bool: {_WHY_NO_BOOL.get(kind, '')}"
            raise EvaluationError(f"CEL runtime error: {text}")
        return value

    def _compiled(self, expression: str) -> Node | CompileError | NotModelled:
        try:
            tree = parse(expression)
            self._steps += check(tree, expression)
        except CelSyntaxError as error:
            return CompileError(f"compilation failed: {error}")
        except (CompileError, NotModelled) as error:
            self._steps += MOST_STEPS // 10
            return error
        return tree


def _domains(driver: str, values: Iterable[tuple[str, Value]]) -> Value:
    """Values by the domain and the identifier of their names; the driver is the domain of those without."""
    found: dict[str, dict[str, Value]] = {}
    for name, value in values:
        domain, slash, identifier = name.partition("/")
        found.setdefault(domain if slash else driver, {})[identifier if slash else name] = value
    return DefaultMap(found)


def _value(name: str, attribute: DeviceAttribute) -> Value:
    typed = attribute.typed
    if typed is None:
        raise EvaluationError(f"attribute {name}: unsupported attribute value")
    kind, value = typed
    if kind != "version" or not isinstance(value, str):
        return value
    try:
        return version(value)
    except EvaluationError as error:
        raise EvaluationError(f"attribute {name}: parse semantic version: {error}") from error
