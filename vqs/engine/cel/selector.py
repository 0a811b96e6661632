"""Selectors of devices: whether an expression is true of a device, found within a limit of time.

References: k8s.io/dynamic-resource-allocation/cel/compile.go (v0.34); doc/langdef.md of google/cel-spec.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from typing import Final

from vqs.engine.cel.check import OF_A_PATTERN, CompileError, check
from vqs.engine.cel.functions import (
    FUNCTIONS,
    NO_OVERLOAD,
    TYPES,
    Domains,
    EvaluationError,
    Function,
    Value,
    Version,
    quantity,
    version,
)
from vqs.engine.cel.syntax import Call, CelSyntaxError, Literal, Macro, Name, Node, NotModelled, parse
from vqs.model.devices import Device, DeviceAttribute

MOST_STEPS_OF_ALL: Final = 2_000_000
"""The steps that all evaluations of a session may take together: a few seconds."""
_MOST_STEPS: Final = 1_000_000
"""The steps that an evaluation may take: about a second. What the API server stores takes fewer."""
_UNITS_A_STEP: Final = 16
"""How many characters or items of a value count as a step."""
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
        self._trees: dict[str, Node | EvaluationError | NotModelled] = {}
        self._answers: dict[tuple[str, str, int], bool | EvaluationError | NotModelled] = {}
        self._devices: list[Device] = []
        self._steps = 0

    def matches(self, expression: str, driver: str, device: Device) -> bool:
        """True if a device is selected.

        Raises:
            EvaluationError: the expression cannot be read, or fails; the text is what the scheduler says.
            NotModelled: it uses what is not modelled, or takes too long.
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
        if expression not in self._trees:
            self._trees[expression] = self._compiled(expression)
        tree = self._trees[expression]
        if isinstance(tree, EvaluationError | NotModelled):
            raise tree
        evaluation = _Evaluation()
        try:
            attributes = ((name, _value(name, each)) for name, each in device.attributes.items())
            capacity = ((name, quantity(each.value)) for name, each in device.capacity.items())
            variable: Value = {
                "driver": driver,
                "allowMultipleAllocations": False,  # as without the feature gate DRAConsumableCapacity
                "attributes": _domains(driver, attributes),
                "capacity": _domains(driver, capacity),
            }
            value = evaluation.value(tree, {"device": variable})
        except EvaluationError as error:
            raise EvaluationError(f"CEL runtime error: {error}") from error
        finally:
            self._steps += evaluation.steps
        if not isinstance(value, bool):
            kind = TYPES[type(value)]
            text = f"CEL result of type {kind} could not be converted to bool: {_WHY_NO_BOOL.get(kind, '')}"
            raise EvaluationError(f"CEL runtime error: {text}")
        return value

    def _compiled(self, expression: str) -> Node | EvaluationError | NotModelled:
        try:
            tree = parse(expression)
            self._steps += check(tree, expression)
        except CelSyntaxError as error:
            return EvaluationError(f"CEL compile error: compilation failed: {error}")
        except CompileError as error:
            return EvaluationError(f"CEL compile error: {error}")
        except NotModelled as error:
            return error
        return tree


def _domains(driver: str, values: Iterable[tuple[str, Value]]) -> Domains:
    """Values by the domain and the identifier of their names; the driver is the domain of those without."""
    found: dict[str, dict[str, Value]] = {}
    for name, value in values:
        domain, slash, identifier = name.partition("/")
        found.setdefault(domain if slash else driver, {})[identifier if slash else name] = value
    return Domains(found)


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


# --- evaluation -------------------------------------------------------------------------------------------------------

Variables = Mapping[str, Value | Callable[[], Value]]


class _Evaluation:
    """One evaluation of an expression whose types are checked; `steps` is how many it has taken."""

    def __init__(self) -> None:
        self.steps = 0

    def value(self, node: Node, variables: Variables) -> Value:
        """The value of an expression.

        Raises:
            EvaluationError: it has none.
            NotModelled: it takes too long.
        """
        self._step(1)
        match node:
            case Literal():
                return node.value
            case Name():
                found = variables[node.name]
                return found() if callable(found) else found
            case Macro():
                if node.name == "bind":  # what it binds is evaluated when that is first used
                    bound = cache(partial(self.value, node.over, variables))
                    return self.value(node.body, {**variables, node.variable: bound})
                over = self.value(node.over, variables)
                if not isinstance(over, list | dict):
                    raise EvaluationError(NO_OVERLOAD)
                each = ((node.body, {**variables, node.variable: item}) for item in over)
                return self._decided(each, decisive=node.name == "exists", last=True)
            case Call(function="&&" | "||"):
                sides = ((side, variables) for side in node.arguments)
                return self._decided(sides, decisive=node.function == "||", last=False)
            case Call(function="?:"):
                condition, then, otherwise = node.arguments
                return self.value(then if self._holds(condition, variables) else otherwise, variables)
            case Call(function="in", arguments=(_, Call(function="[...]", arguments=()))):
                return False  # whether or not there is a value to look for
        values = [self.value(each, variables) for each in node.arguments]
        listed = node.arguments[-1] if node.function == "in" and isinstance(values[0], Version) else None
        # A list of values that are written out is made a set before the expression is evaluated.
        if (
            isinstance(listed, Call)
            and listed.function == "[...]"
            and all(isinstance(each, Literal) for each in listed.arguments)
        ):
            raise EvaluationError("internal error: runtime error: hash of unhashable type cel.Semver")
        if node.function == "[...]":
            return values
        if node.function == "has":
            return isinstance(values[0], Domains) or (isinstance(values[0], dict) and values[1] in values[0])
        name = "[]" if node.function == "." else node.function
        function = FUNCTIONS[name]
        kinds = tuple(TYPES[type(each)] for each in values)
        if name != "[]" and not any(each.takes(kinds) for each in function.signatures):
            raise EvaluationError(_no_overload(name, function, kinds))
        result = function.apply(*values)
        sizes = [len(each) for each in (*values, result) if isinstance(each, str | list | dict)]
        self._step(sum(sizes) // _UNITS_A_STEP + (OF_A_PATTERN if name == "matches" else 0))
        return result

    def _step(self, steps: int) -> None:
        self.steps += steps
        if self.steps > _MOST_STEPS:
            raise NotModelled("an expression that takes so long")

    def _decided(self, asked: Iterable[tuple[Node, Variables]], *, decisive: bool, last: bool) -> bool:
        """Ask until one is decisive, which makes up for others that fail; of failures, the last or the first counts."""
        failure: EvaluationError | None = None
        for node, variables in asked:
            try:
                if self._holds(node, variables) is decisive:
                    return decisive
            except EvaluationError as error:
                failure = error if last or failure is None else failure
        if failure is not None:
            raise failure
        return not decisive

    def _holds(self, node: Node, variables: Variables) -> bool:
        value = self.value(node, variables)
        if not isinstance(value, bool):
            raise EvaluationError(NO_OVERLOAD)
        return value


def _no_overload(name: str, function: Function, kinds: Sequence[str]) -> str:
    """Say that a function cannot be called with values of such types, in the words of cel-go."""
    shown = ", ".join("null_type" if each == "null" else each for each in kinds)
    if name in ("<", "<=", ">", ">=", "+", "-", "*", "/", "%", "-_"):
        known = {"string"} | {each.arguments[0] for each in function.signatures}
        return NO_OVERLOAD if kinds[0] in known else f"{NO_OVERLOAD}: {name if name == '-_' else f'_{name}_'}"
    if name in ("in", "!_", "startsWith", "endsWith", "contains", "matches"):
        return NO_OVERLOAD
    if name == "size":
        return NO_OVERLOAD if kinds[0] == "string" else f"{NO_OVERLOAD}: {name}"
    return f"{NO_OVERLOAD}: {name}({shown})"
