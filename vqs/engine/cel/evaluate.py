"""Evaluate an expression, within limits.

Each step is counted, and so is the work that texts and lists take: an expression is cut off after `MOST_STEPS`, with
the words of cel-go, which counts in another way. Unsigned numbers, bytes, times, optional values and the types of
protocol buffers are not modelled, nor is the check of types before evaluation: a mistake that this finds fails when it
is evaluated. References: doc/langdef.md of google/cel-spec; common/types and ext in google/cel-go (v0.26).
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final

from vqs.engine.cel.regex import matches
from vqs.engine.cel.syntax import (
    INT64,
    Call,
    ListOf,
    Literal,
    Macro,
    MapOf,
    Name,
    Node,
    NotModelled,
    Select,
)
from vqs.engine.cel.values import (
    DefaultMap,
    EvaluationError,
    Quantity,
    Value,
    Version,
    quantity,
    type_name,
    version,
)

MOST_STEPS: Final = 20_000
"""The steps that an evaluation may take: about 20 ms."""
_UNITS_A_STEP: Final = 64
"""How many characters or items of a result count as a step."""
_NO_OVERLOAD: Final = "no such overload"

Variables = Mapping[str, Value]


class Evaluator:
    """One evaluation; `steps` is how many it has taken."""

    def __init__(self) -> None:
        self.steps = 0

    def evaluate(self, node: Node, variables: Variables) -> Value:
        """Return the value of an expression.

        Raises:
            EvaluationError: it has none, or takes too many steps.
            NotModelled: it uses what is not modelled.
        """
        self._charge(1)
        match node:
            case Literal():
                return node.value
            case Name():
                if node.name not in variables:
                    raise EvaluationError(f"undeclared reference to '{node.name}' (in container '')")
                return variables[node.name]
            case Select():
                return self._select(self.evaluate(node.operand, variables), node)
            case ListOf():
                return [self.evaluate(item, variables) for item in node.items]
            case MapOf():
                return self._map_of(node, variables)
            case Macro():
                return self._macro(node, variables)
            case Call():
                return self._call(node, variables)

    def _charge(self, steps: int) -> None:
        self.steps += steps
        if self.steps > MOST_STEPS:
            raise EvaluationError("operation cancelled: actual cost limit exceeded")

    def _sized(self, value: Value) -> Value:
        if isinstance(value, str | list | dict):
            self._charge(len(value) // _UNITS_A_STEP)
        return value

    def _map_of(self, node: MapOf, variables: Variables) -> Value:
        made: dict[Value, Value] = {}
        for key_node, value_node in node.entries:
            key, value = self.evaluate(key_node, variables), self.evaluate(value_node, variables)
            if not isinstance(key, bool | int | str):
                raise EvaluationError("unsupported key type")
            made[_key(key)] = value
        return made

    def _select(self, value: Value, node: Select) -> Value:
        if not isinstance(value, dict | DefaultMap):
            raise EvaluationError(_NO_OVERLOAD)
        if node.test:
            return isinstance(value, DefaultMap) or _key(node.field) in value
        return _item(value, node.field)

    # --- macros ------------------------------------------------------------------------------------------------------

    def _macro(self, node: Macro, variables: Variables) -> Value:
        over = self.evaluate(node.over, variables)
        if node.name == "bind":
            return self.evaluate(node.body[0], {**variables, node.variable: over})
        elements = _elements(over)
        if node.name in ("all", "exists"):
            return self._quantified(node, elements, variables)
        if node.name == "exists_one":
            return sum(self._holds(node.body[0], {**variables, node.variable: each}) for each in elements) == 1
        result: list[Value] = []
        for each in elements:
            inner = {**variables, node.variable: each}
            if node.name == "filter":
                result += [each] if self._holds(node.body[0], inner) else []
            elif len(node.body) == 1 or self._holds(node.body[0], inner):
                result.append(self.evaluate(node.body[-1], inner))
        return result

    def _quantified(self, node: Macro, elements: list[Value], variables: Variables) -> Value:
        """Evaluate all or exists: an element that decides makes up for others that fail."""
        decisive = node.name == "exists"
        failure: EvaluationError | None = None
        for each in elements:
            try:
                if self._holds(node.body[0], {**variables, node.variable: each}) is decisive:
                    return decisive
            except EvaluationError as error:
                self._charge(0)
                failure = error
        if failure is not None:
            raise failure
        return not decisive

    def _holds(self, node: Node, variables: Variables) -> bool:
        value = self.evaluate(node, variables)
        if not isinstance(value, bool):
            raise EvaluationError(_NO_OVERLOAD)
        return value

    # --- operators and functions -------------------------------------------------------------------------------------

    def _call(self, node: Call, variables: Variables) -> Value:
        function = node.function
        if node.target is None and function in ("&&", "||"):
            return self._logical(node, decisive=function == "||", variables=variables)
        if node.target is None and function == "?:":
            condition, then, otherwise = node.arguments
            return self.evaluate(then if self._holds(condition, variables) else otherwise, variables)
        if isinstance(node.target, Name) and node.target.name not in variables:
            raise NotModelled(f"{node.target.name}.{function}")
        given = (*(() if node.target is None else (node.target,)), *node.arguments)
        values = [self.evaluate(each, variables) for each in given]
        table = _FUNCTIONS if node.target is None else _METHODS
        if function not in table:
            raise NotModelled(f"{function}()")
        for value in values:
            self._sized(value)
        try:
            return self._sized(table[function](*values))
        except TypeError as error:
            raise EvaluationError(_NO_OVERLOAD) from error

    def _logical(self, node: Call, *, decisive: bool, variables: Variables) -> bool:
        """Evaluate a conjunction or disjunction: the side that decides makes up for the other, if that fails."""
        failure: EvaluationError | None = None
        for side in node.arguments:
            try:
                if self._holds(side, variables) is decisive:
                    return decisive
            except EvaluationError as error:
                self._charge(0)
                failure = failure or error
        if failure is not None:
            raise failure
        return not decisive


def _key(value: Value) -> Value:
    """Return a key that is not taken for another: in Python, true equals 1."""
    return ("bool", value) if isinstance(value, bool) else value  # type: ignore[return-value]


def _unkeyed(key: Value) -> Value:
    return key[1] if isinstance(key, tuple) else key


def _elements(value: Value) -> list[Value]:
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        return [_unkeyed(key) for key in value]
    if isinstance(value, DefaultMap):
        return list(value.domains)
    raise EvaluationError(_NO_OVERLOAD)


def _item(value: Value, key: Value) -> Value:
    match value:
        case DefaultMap():
            found: dict[Value, Value] = {}
            found.update(value.domains.get(key, {}) if isinstance(key, str) else {})
            return found
        case dict():
            if isinstance(key, bool | int | str) and _key(key) in value:
                return value[_key(key)]
            raise EvaluationError(f"no such key: {_shown(key)}")
        case list() if isinstance(key, int) and not isinstance(key, bool):
            if 0 <= key < len(value):
                return value[key]
            raise EvaluationError(f"index out of bounds: {key}")
    raise EvaluationError(_NO_OVERLOAD)


def _shown(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _equal(left: Value, right: Value) -> bool:
    if _is_number(left) and _is_number(right):
        return left == right
    if type_name(left) != type_name(right):
        return False
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_equal, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_equal(value, right[key]) for key, value in left.items())
    return left == right


def _contains(item: Value, container: Value) -> bool:
    if isinstance(container, list):
        return any(_equal(item, each) for each in container)
    if isinstance(container, dict):
        return isinstance(item, bool | int | str) and _key(item) in container
    if isinstance(container, DefaultMap):
        return isinstance(item, str) and item in container.domains
    raise EvaluationError(_NO_OVERLOAD)


def _compared(compare: Callable[[Value, Value], bool]) -> Callable[[Value, Value], bool]:
    def order(left: Value, right: Value) -> bool:
        same = type_name(left) == type_name(right) and isinstance(left, bool | int | float | str)
        if not same and not (_is_number(left) and _is_number(right)):
            raise EvaluationError(_NO_OVERLOAD)
        return compare(left, right)

    return order


def _whole(number: int) -> int:
    if number not in INT64:
        raise EvaluationError("integer overflow")
    return number


def _arithmetic(left: Value, right: Value, function: Callable[[Value, Value], Value]) -> Value:
    if not _is_number(left) or type(left) is not type(right):
        raise EvaluationError(_NO_OVERLOAD)
    result = function(left, right)
    return _whole(result) if isinstance(result, int) else result


def _add(left: Value, right: Value) -> Value:
    if isinstance(left, str) and isinstance(right, str):
        return left + right
    if isinstance(left, list) and isinstance(right, list):
        return left + right
    return _arithmetic(left, right, operator.add)


def _divide(left: Value, right: Value) -> Value:
    if isinstance(left, float) and isinstance(right, float):
        if right == 0:
            return float("nan") if left == 0 or left != left else float("inf") * left  # noqa: PLR0124 - not a number
        return left / right
    if right == 0:
        raise EvaluationError("division by zero")
    return _arithmetic(left, right, lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1))  # type: ignore[arg-type,operator]


def _modulo(left: Value, right: Value) -> Value:
    if isinstance(left, float):
        raise EvaluationError(_NO_OVERLOAD)
    if right == 0:
        raise EvaluationError("modulus by zero")
    return _arithmetic(left, right, lambda a, b: abs(a) % abs(b) * (1 if a >= 0 else -1))  # type: ignore[arg-type,operator]


def _negate(value: Value) -> Value:
    if not _is_number(value):
        raise EvaluationError(_NO_OVERLOAD)
    return _whole(-value) if isinstance(value, int) else -value  # type: ignore[operator]


def _not(value: Value) -> Value:
    if not isinstance(value, bool):
        raise EvaluationError(_NO_OVERLOAD)
    return not value


def _size(value: Value) -> int:
    if isinstance(value, str | list | dict):
        return len(value)
    if isinstance(value, DefaultMap):
        return len(value.domains)
    raise EvaluationError(_NO_OVERLOAD)


def _to_int(value: Value) -> int:
    match value:
        case bool():
            raise EvaluationError(_NO_OVERLOAD)
        case int():
            return value
        case float() if abs(value) < INT64.stop:
            return int(value)
        case float():
            raise EvaluationError("integer overflow")
        case str() if re.fullmatch(r"[+-]?[0-9]{1,19}", value):
            return _whole(int(value))
    raise EvaluationError(_NO_OVERLOAD)


def _to_double(value: Value) -> float:
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError as error:
            raise EvaluationError("type conversion error") from error
    if not _is_number(value):
        raise EvaluationError(_NO_OVERLOAD)
    return float(value)  # type: ignore[arg-type]


def _to_string(value: Value) -> str:
    if isinstance(value, bool | int | str):
        return _shown(value)
    raise NotModelled("string() of such a value")


def _text(value: Value) -> str:
    if not isinstance(value, str):
        raise EvaluationError(_NO_OVERLOAD)
    return value


def _on_text(function: Callable[[str, str], Value]) -> Callable[[Value, Value], Value]:
    return lambda target, argument: function(_text(target), _text(argument))


def _of_text(function: Callable[[str], Value]) -> Callable[[Value], Value]:
    return lambda target: function(_text(target))


def _ascii(text: str, *, upper: bool) -> str:
    return "".join((c.upper() if upper else c.lower()) if c.isascii() else c for c in text)


def _versus(compare: Callable[[Value, Value], Value]) -> Callable[[Value, Value], Value]:
    """Compare two quantities, or two versions."""

    def function(target: Value, argument: Value) -> Value:
        if not isinstance(target, Quantity | Version) or type(target) is not type(argument):
            raise EvaluationError(_NO_OVERLOAD)
        return compare(target, argument)

    return function


def _order(left: Value, right: Value) -> int:
    return (left > right) - (left < right)  # type: ignore[operator]


def _amounts(function: Callable[[Quantity, Quantity], Value]) -> Callable[[Value, Value], Value]:
    def on_amounts(target: Value, argument: Value) -> Value:
        other = Quantity(quantity(argument).amount) if isinstance(argument, int) else argument
        if not isinstance(target, Quantity) or not isinstance(other, Quantity):
            raise EvaluationError(_NO_OVERLOAD)
        return function(target, other)

    return on_amounts


def _as_integer(value: Value) -> int:
    if not isinstance(value, Quantity):
        raise EvaluationError(_NO_OVERLOAD)
    if value.amount.denominator != 1 or value.amount.numerator not in INT64:
        raise EvaluationError("cannot convert value to integer")
    return value.amount.numerator


def _is_integer(value: Value) -> bool:
    if not isinstance(value, Quantity):
        raise EvaluationError(_NO_OVERLOAD)
    return value.amount.denominator == 1 and value.amount.numerator in INT64


def _readable(read: Callable[[str], Value]) -> Callable[[Value], bool]:
    def is_readable(value: Value) -> bool:
        try:
            read(_text(value))
        except EvaluationError:
            return False
        return True

    return is_readable


def _sign(value: Value) -> int:
    if not isinstance(value, Quantity):
        raise EvaluationError(_NO_OVERLOAD)
    return (value.amount > 0) - (value.amount < 0)


def _part(name: str) -> Callable[[Value], Value]:
    def part(value: Value) -> Value:
        if not isinstance(value, Version):
            raise EvaluationError(_NO_OVERLOAD)
        number: int = getattr(value, name)
        return number

    return part


@lru_cache(maxsize=256)
def _matches(text: str, pattern: str) -> bool:
    return matches(text, pattern)


_FUNCTIONS: Final[Mapping[str, Callable[..., Value]]] = {
    "==": _equal,
    "!=": lambda left, right: not _equal(left, right),
    "<": _compared(operator.lt),  # type: ignore[arg-type]
    "<=": _compared(operator.le),  # type: ignore[arg-type]
    ">": _compared(operator.gt),  # type: ignore[arg-type]
    ">=": _compared(operator.ge),  # type: ignore[arg-type]
    "in": _contains,
    "+": _add,
    "-": lambda left, right: _arithmetic(left, right, operator.sub),
    "*": lambda left, right: _arithmetic(left, right, operator.mul),
    "/": _divide,
    "%": _modulo,
    "!_": _not,
    "-_": _negate,
    "[]": _item,
    "size": _size,
    "int": _to_int,
    "double": _to_double,
    "string": _to_string,
    "dyn": lambda value: value,
    "matches": _on_text(_matches),
    "quantity": _of_text(quantity),
    "isQuantity": _readable(quantity),
    "semver": _of_text(version),
    "isSemver": _readable(version),
}

_METHODS: Final[Mapping[str, Callable[..., Value]]] = {
    "size": _size,
    "startsWith": _on_text(str.startswith),
    "endsWith": _on_text(str.endswith),
    "contains": _on_text(lambda text, part: part in text),
    "matches": _on_text(_matches),
    "lowerAscii": _of_text(lambda text: _ascii(text, upper=False)),
    "upperAscii": _of_text(lambda text: _ascii(text, upper=True)),
    "trim": _of_text(str.strip),
    "split": _on_text(lambda text, by: [*(text.split(by) if by else text)]),
    "isGreaterThan": _versus(lambda left, right: _order(left, right) > 0),
    "isLessThan": _versus(lambda left, right: _order(left, right) < 0),
    "compareTo": _versus(_order),
    "add": _amounts(lambda left, right: Quantity(left.amount + right.amount)),
    "sub": _amounts(lambda left, right: Quantity(left.amount - right.amount)),
    "asInteger": _as_integer,
    "isInteger": _is_integer,
    "asApproximateFloat": lambda value: float(value.amount),
    "sign": _sign,
    "major": _part("major"),
    "minor": _part("minor"),
    "patch": _part("patch"),
}
