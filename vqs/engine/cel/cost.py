"""What a call costs, in the units in which cel-go counts, and the API server limits, the evaluation of a selector.

References: interpreter/runtimecost.go of google/cel-go (v0.26); k8s.io/apiserver/pkg/cel/library/cost.go (v0.34).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import Final

from vqs.engine.cel import formats
from vqs.engine.cel.operators import OBJECTS
from vqs.engine.cel.values import (
    Address,
    AddressRange,
    DefaultMap,
    NamedFormat,
    Optional,
    Value,
)

MOST: Final = 1_000_000
"""The most that the evaluation of a selector may cost: CELSelectorExpressionMaxCost of resource.k8s.io/v1."""
LIST: Final = 10
MAP: Final = 30

_OF_A_CHARACTER: Final = 0.1
_OF_A_PATTERN: Final = 0.25

Arguments = Sequence[Value]


def of_call(function: str, arguments: Arguments) -> int:
    """Return the cost of a call, apart from that of what it makes."""
    cost = _OF_ARGUMENTS.get(function)
    return 1 if cost is None else cost(arguments)


def of_result(function: str, result: Value) -> int:
    """Return the cost of what a call has made."""
    cost = _OF_RESULT.get(function)
    return 0 if cost is None else cost(result)


def size(value: Value) -> int:
    """Return how much of a value a function may have to go through."""
    if isinstance(value, Optional) and value.has_value:
        return size(value.value)
    if isinstance(value, DefaultMap):
        return len(value.domains)
    if isinstance(value, Address):
        return value.value.max_prefixlen // 8
    if isinstance(value, AddressRange):
        return ceil(value.value.network.prefixlen / 8)
    return len(value) if isinstance(value, str | bytes | list | dict) else 1


def _traversal(number: float) -> int:
    return ceil(number * _OF_A_CHARACTER)


def _one(times: int = 1) -> Callable[[Arguments], int]:
    return lambda arguments: _traversal(size(arguments[0]) * times)


def _equality(arguments: Arguments) -> int:
    if isinstance(arguments[0], OBJECTS):
        return 1
    return _smaller(arguments)


def _smaller(arguments: Arguments) -> int:
    return _traversal(min(map(size, arguments)))


def _pattern(arguments: Arguments) -> int:
    return _traversal(1 + size(arguments[0])) * ceil(size(arguments[1]) * _OF_A_PATTERN)


def _in_range(arguments: Arguments) -> int:
    """Count the bytes of a range twice, and a text that is read first."""
    text = _traversal(size(arguments[1])) if isinstance(arguments[1], str) else 0
    return _traversal(2 * size(arguments[0])) + text


def _range_in_range(arguments: Arguments) -> int:
    return _in_range(arguments) + _traversal(size(arguments[0])) + 1


def _address(arguments: Arguments) -> int:
    return _traversal(size(arguments[0])) if isinstance(arguments[0], str) else 1


def _to_string(arguments: Arguments) -> int:
    return _traversal(size(arguments[0])) if isinstance(arguments[0], bytes) else 1


def _validation(arguments: Arguments) -> int:
    if not isinstance(arguments[0], NamedFormat):
        return 1
    pattern = formats.size_of_pattern(arguments[0])
    return _traversal(1 + size(arguments[1])) * ceil(pattern * _OF_A_PATTERN)


def _added(arguments: Arguments) -> int:
    return _traversal(sum(map(size, arguments))) if isinstance(arguments[0], str | bytes) else 1


def _ordered(arguments: Arguments) -> int:
    return _smaller(arguments) if isinstance(arguments[0], str | bytes) else 1


def _part(arguments: Arguments) -> int:
    return _traversal(size(arguments[0])) * _traversal(size(arguments[1]))


def _in(arguments: Arguments) -> int:
    return size(arguments[1]) if isinstance(arguments[1], list) else 1


def _items(arguments: Arguments) -> int:
    return size(arguments[0])


def _pairs(arguments: Arguments) -> int:
    return size(arguments[0]) * size(arguments[1])


def _squared(arguments: Arguments) -> int:
    return size(arguments[0]) ** 2


_OF_ARGUMENTS: Final[Mapping[str, Callable[[Arguments], int]]] = {
    "==": _equality,
    "!=": _smaller,
    **dict.fromkeys(("<", "<=", ">", ">="), _ordered),
    "+": _added,
    "in": _in,
    **dict.fromkeys(("startsWith", "endsWith", "lowerAscii", "upperAscii", "substring", "trim"), _one()),
    **dict.fromkeys(("quantity", "isQuantity", "semver", "isSemver"), _one()),
    **dict.fromkeys(("bytes", "strings.quote", "format"), _one()),
    "string": _to_string,
    **dict.fromkeys(("cidr", "isIP", "isCIDR", "url"), _one()),
    "ip": _address,
    "containsIP": _in_range,
    "containsCIDR": _range_in_range,
    "validate": _validation,
    **dict.fromkeys(("replace", "split", "ip.isCanonical"), _one(2)),
    **dict.fromkeys(("join", "lists.range"), lambda _: 0),
    "contains": _part,
    **dict.fromkeys(("matches", "find", "findAll"), _pattern),
    **dict.fromkeys(
        ("isSorted", "sum", "min", "max", "indexOf", "lastIndexOf", "slice", "flatten", "reverse", "sort"), _items
    ),
    "distinct": _squared,
    **dict.fromkeys(("sets.contains", "sets.equivalent", "sets.intersects"), _pairs),
}
_OF_RESULT: Final[Mapping[str, Callable[[Value], int]]] = {
    "join": lambda result: _traversal(size(result) * 2),
    "lists.range": size,
}
