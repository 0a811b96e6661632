"""What a call costs, in the units in which cel-go counts, and the API server limits, the evaluation of a selector.

References: interpreter/runtimecost.go of google/cel-go (v0.26); k8s.io/apiserver/pkg/cel/library/cost.go (v0.34).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import Final

from vqs.engine.cel.values import DefaultMap, Optional, Value

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
    return len(value) if isinstance(value, str | list | dict) else 1


def _traversal(number: float) -> int:
    return ceil(number * _OF_A_CHARACTER)


def _one(times: int = 1) -> Callable[[Arguments], int]:
    return lambda arguments: _traversal(size(arguments[0]) * times)


def _smaller(arguments: Arguments) -> int:
    return _traversal(min(map(size, arguments)))


def _pattern(arguments: Arguments) -> int:
    return _traversal(1 + size(arguments[0])) * ceil(size(arguments[1]) * _OF_A_PATTERN)


def _added(arguments: Arguments) -> int:
    return _traversal(sum(map(size, arguments))) if isinstance(arguments[0], str) else 1


def _ordered(arguments: Arguments) -> int:
    return _smaller(arguments) if isinstance(arguments[0], str) else 1


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
    **dict.fromkeys(("==", "!="), _smaller),
    **dict.fromkeys(("<", "<=", ">", ">="), _ordered),
    "+": _added,
    "in": _in,
    **dict.fromkeys(("startsWith", "endsWith", "lowerAscii", "upperAscii", "substring", "trim"), _one()),
    **dict.fromkeys(("quantity", "isQuantity", "semver", "isSemver"), _one()),
    **dict.fromkeys(("replace", "split"), _one(2)),
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
