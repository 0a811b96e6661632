"""The operators, and equality, of numbers, texts, lists, maps, times, quantities and versions.

Reference: doc/langdef.md of google/cel-spec; common/types of google/cel-go (v0.26).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isnan, nan
from typing import Final, TypeVar

from vqs.engine.cel.times import moment_of, span
from vqs.engine.cel.values import (
    INT64,
    NONE,
    UINT64,
    URL,
    Address,
    AddressRange,
    DefaultMap,
    Duration,
    EvaluationError,
    NamedFormat,
    Optional,
    Quantity,
    Timestamp,
    Uint,
    Value,
    Version,
    type_name,
)

Kind = TypeVar("Kind")

NO_OVERLOAD: Final = "no such overload"
TOO_COSTLY: Final = "operation cancelled: actual cost limit exceeded"
OBJECTS: Final = (Quantity, Version, Address, AddressRange, URL, NamedFormat)
"""The types of Kubernetes; their values are compared with their own kind only."""
_MOST_COMPARISONS: Final = 100_000
"""How many parts of two values are compared: lists may hold the same list many times."""


_NAMED_ALONE: Final = frozenset(("size", "sort"))
_NOT_NAMED: Final = frozenset(("startsWith", "endsWith", "contains", "matches", "find", "findAll"))
_NUMBERS: Final = frozenset(("int", "uint", "double"))
_SPANS: Final = frozenset(("google.protobuf.Duration", "google.protobuf.Timestamp"))
_ORDERED: Final = _NUMBERS | _SPANS | {"bool", "string", "bytes"}
_OPERANDS: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(("<", "<=", ">", ">="), _ORDERED),
    "+": _NUMBERS | _SPANS | {"string", "bytes", "list"},
    "-": _NUMBERS | _SPANS,
    "*": _NUMBERS,
    "/": _NUMBERS,
    "%": frozenset(("int", "uint")),
    "-_": frozenset(("bool", "int", "double", "google.protobuf.Duration")),
}
"""By operator: the types of a first operand that it is not named for; it is for no text, either."""


def no_overload(function: str, arguments: Sequence[Value]) -> str:
    """Say that a function cannot be called with what it is given, in the words of cel-go."""
    types = [type_name(each) for each in arguments]
    if function in _OPERANDS:
        shown_as = function if function.endswith("_") else f"_{function}_"
        return NO_OVERLOAD if types[0] in _OPERANDS[function] | {"string"} else f"{NO_OVERLOAD}: {shown_as}"
    if function in _NOT_NAMED or function in OPERATORS:
        return NO_OVERLOAD
    if function in _NAMED_ALONE:
        return NO_OVERLOAD if types[0] == "string" else f"{NO_OVERLOAD}: {function}"
    if function == "flatten":
        return f"{NO_OVERLOAD}: {types[0]}.flatten({', '.join(types[1:])})"
    return f"{NO_OVERLOAD}: {function}({', '.join(types)})"


def as_key(value: Value) -> Value:
    """A key that is not taken for another: in Python, true equals 1."""
    return ("bool", value) if isinstance(value, bool) else value  # type: ignore[return-value]


def as_element(key: Value) -> Value:
    """What a key was made of."""
    return key[1] if isinstance(key, tuple) else key


def elements(value: Value) -> list[Value]:
    """The items of a list, or the keys of a map."""
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        return [as_element(key) for key in value]
    if isinstance(value, DefaultMap):
        return list(value.domains)
    raise EvaluationError(NO_OVERLOAD)


def item(value: Value, key: Value) -> Value:
    """An item of a list or the value of a key; of an optional value, an optional one."""
    match value:
        case Optional():
            return optional_item(value.value, key) if value.has_value else NONE
        case DefaultMap():
            found: dict[Value, Value] = {}
            found.update(value.domains.get(key, {}) if isinstance(key, str) else {})
            return found
        case dict():
            if not isinstance(key, list | dict | DefaultMap) and as_key(key) in value:
                return value[as_key(key)]
            raise EvaluationError(f"no such key: {shown(key)}")
        case list() if isinstance(key, int) and not isinstance(key, bool):
            if 0 <= key < len(value):
                return value[key]
            raise EvaluationError(f"index out of bounds: {key}")
        case list():
            raise EvaluationError(f"unsupported index type '{type_name(key)}' in list")
    raise EvaluationError(f"no such key: {shown(key)}")


def optional_item(value: Value, key: Value) -> Optional:
    """An item that may not be there."""
    if isinstance(value, Optional):
        return optional_item(value.value, key) if value.has_value else NONE
    if not isinstance(value, dict | list | DefaultMap):
        return NONE
    is_there = 0 <= key < len(value) if isinstance(value, list) and is_number(key) else contains(key, value)  # type: ignore[operator]
    return Optional(has_value=True, value=item(value, key)) if is_there else NONE


def shown(value: Value) -> str:
    """Write a value as CEL does."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def typed(kind: type[Kind], value: Value) -> Kind:
    """A value of a type; neither a bool nor an unsigned number is an int.

    Raises:
        EvaluationError: it is of another type.
    """
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool | Uint)):
        raise EvaluationError(NO_OVERLOAD)
    return value


def is_number(value: Value) -> bool:
    """True if a value is signed, unsigned or a double."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def equal(left: Value, right: Value) -> bool:
    """True if two values are equal; those of different types are not, except numbers.

    Raises:
        EvaluationError: the first is of a type of Kubernetes, and the second is not.
    """
    found = _same(left, right, [_MOST_COMPARISONS])
    if found is None:
        raise EvaluationError(NO_OVERLOAD)
    return found


def differ(left: Value, right: Value) -> bool:
    """True if two values are not equal, as far as they can be compared."""
    return _same(left, right, [_MOST_COMPARISONS]) is not True


def _same(left: Value, right: Value, budget: list[int]) -> bool | None:
    """Compare two values; what cannot be compared makes two lists, or two maps, no different."""
    budget[0] -= 1
    if budget[0] < 0:
        raise EvaluationError(TOO_COSTLY)
    kinds = {type_name(left), type_name(right)}
    if kinds <= _NUMBERS:
        return left == right
    if len(kinds) > 1:
        return None if isinstance(left, OBJECTS) and right is not None else False
    pairs: Iterable[tuple[Value, Value]]
    match left, right:
        case list(), list():
            alike, pairs = len(left) == len(right), zip(left, right, strict=False)
        case dict(), dict():
            alike, pairs = left.keys() == right.keys(), ((value, right[key]) for key, value in left.items())
        case Optional(), Optional() if left.has_value and right.has_value:
            return _same(left.value, right.value, budget)
        case Optional(), Optional():
            return left.has_value is right.has_value
        case _:
            return left == right
    return alike and all(_same(one, other, budget) is not False for one, other in pairs)


def contains(member: Value, container: Value) -> bool:
    """True if a list has an item, or a map a key."""
    if isinstance(container, list):
        return any(not differ(member, each) for each in container)
    if isinstance(container, dict):
        return not isinstance(member, list | dict | DefaultMap) and as_key(member) in container
    if isinstance(container, DefaultMap):
        return isinstance(member, str) and member in container.domains
    raise EvaluationError(NO_OVERLOAD)


def compared(left: Value, right: Value) -> int:
    """Which of two values comes first: less than zero, zero, or more.

    Raises:
        EvaluationError: values of their types have no order.
    """
    if not (is_number(left) and is_number(right)):
        ordered = isinstance(left, bool | str | bytes | Duration | Timestamp)
        if not ordered or type_name(left) != type_name(right):
            raise EvaluationError(NO_OVERLOAD)
    return (left > right) - (left < right)  # type: ignore[operator]


def _order(left: Value, right: Value) -> float:
    """Compare two values; what is no number is neither less than another nor more."""
    unordered = any(isinstance(each, float) and isnan(each) for each in (left, right))
    return nan if unordered else compared(left, right)


def whole(number: int, like: Value = 0) -> Value:
    """A number of 64 bits, unsigned where another one is.

    Raises:
        EvaluationError: it needs more.
    """
    if isinstance(like, Uint):
        if number not in UINT64:
            raise EvaluationError("unsigned integer overflow")
        return Uint(number)
    if number not in INT64:
        raise EvaluationError("integer overflow")
    return int(number)


def _arithmetic(left: Value, right: Value, function: Callable[[Value, Value], Value]) -> Value:
    if not is_number(left) or type(left) is not type(right):
        raise EvaluationError(NO_OVERLOAD)
    result = function(left, right)
    return whole(result, left) if isinstance(result, int) else result


def add(left: Value, right: Value) -> Value:
    """Add numbers or times, or put texts or lists together."""
    if isinstance(left, str) and isinstance(right, str):
        return left + right
    if isinstance(left, bytes) and isinstance(right, bytes):
        return left + right
    if isinstance(left, list) and isinstance(right, list):
        return left + right
    if isinstance(left, Duration | Timestamp) and isinstance(right, Duration | Timestamp):
        total = left.nanoseconds + right.nanoseconds
        if isinstance(left, Duration) and isinstance(right, Duration):
            return span(total)
        if type(left) is not type(right):
            return moment_of(total)
    return _arithmetic(left, right, operator.add)


def _subtract(left: Value, right: Value) -> Value:
    if isinstance(left, Duration | Timestamp) and isinstance(right, Duration | Timestamp):
        difference = left.nanoseconds - right.nanoseconds
        if type(left) is type(right):
            return span(difference)
        if isinstance(left, Timestamp):
            return moment_of(difference)
    return _arithmetic(left, right, operator.sub)


def _divide(left: Value, right: Value) -> Value:
    if isinstance(left, float) and isinstance(right, float):
        if right == 0:
            return float("nan") if left == 0 or isnan(left) else float("inf") * left
        return left / right
    if right == 0 and is_number(right):
        raise EvaluationError("division by zero")
    return _arithmetic(left, right, lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1))  # type: ignore[arg-type,operator]


def _modulo(left: Value, right: Value) -> Value:
    if isinstance(left, float):
        raise EvaluationError(NO_OVERLOAD)
    if right == 0 and is_number(right):
        raise EvaluationError("modulus by zero")
    return _arithmetic(left, right, lambda a, b: abs(a) % abs(b) * (1 if a >= 0 else -1))  # type: ignore[arg-type,operator]


def _negate(value: Value) -> Value:
    if isinstance(value, Duration):
        return span(-value.nanoseconds)
    if not is_number(value) or isinstance(value, Uint):
        raise EvaluationError(NO_OVERLOAD)
    return whole(-value) if isinstance(value, int) else -value  # type: ignore[operator]


OPERATORS: Final[Mapping[str, Callable[..., Value]]] = {
    "==": equal,
    "!=": differ,
    "<": lambda left, right: _order(left, right) < 0,
    "<=": lambda left, right: _order(left, right) <= 0,
    ">": lambda left, right: _order(left, right) > 0,
    ">=": lambda left, right: _order(left, right) >= 0,
    "in": contains,
    "+": add,
    "-": _subtract,
    "*": lambda left, right: _arithmetic(left, right, operator.mul),
    "/": _divide,
    "%": _modulo,
    "!_": lambda value: not typed(bool, value),
    "-_": _negate,
    "[]": item,
    "[?]": optional_item,
}
