"""The functions and methods that selectors of devices may use, by name.

References: common/stdlib and ext (strings, lists, sets) of google/cel-go (v0.26); k8s.io/apiserver/pkg/cel/library
(v0.34).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cmp_to_key, partial
from itertools import islice, pairwise
from typing import Final

from vqs.engine.cel import formats
from vqs.engine.cel.formatting import formatted, quote, to_string
from vqs.engine.cel.operators import (
    NO_OVERLOAD,
    OPERATORS,
    TOO_COSTLY,
    add,
    compared,
    contains,
    differ,
    is_number,
    typed,
    whole,
)
from vqs.engine.cel.syntax import NotModelled
from vqs.engine.cel.times import GETTERS, duration, moment_of, timestamp
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
    TypeValue,
    Uint,
    Value,
    Version,
    quantity,
    type_name,
    version,
)
from vqs.snapshot.apiserver.validation.expressions import Expression, NotAnExpressionError, UndecidedError, expression

_LONGEST: Final = 1_000_000
"""How many characters or items a function may make."""
_PLAIN: Final = re.compile(r"[+\-.0-9A-Za-z]+")
"""What numbers consist of; Python would also take blanks, underscores and other digits."""
_NANOSECONDS: Final = 10**9

Function = Callable[..., Value]


def _takes(function: Function, *kinds: type) -> Function:
    """A function that takes values of these types only."""

    def checked(*values: Value) -> Value:
        for kind, value in zip(kinds, values, strict=False):
            typed(kind, value)
        return function(*values)

    return checked


def _succeeds(function: Function) -> Function:
    """Tell whether a function returns something."""

    def is_fine(*values: Value) -> bool:
        try:
            function(*values)
        except EvaluationError:
            return False
        return True

    return is_fine


def _limited(size: int) -> int:
    """How many characters or items something has that is not too large to be made."""
    if size > _LONGEST:
        raise EvaluationError(TOO_COSTLY)
    return size


# --- conversions ------------------------------------------------------------------------------------------------------


def _size(value: Value) -> int:
    if isinstance(value, str | bytes | list | dict):
        return len(value)
    return len(typed(DefaultMap, value).domains)


def _no_conversion(kind: str) -> EvaluationError:
    return EvaluationError(f"type conversion error from 'string' to '{kind}'")


def _to_whole(value: Value, like: int) -> Value:
    """Convert to a number that is unsigned where another one is."""
    unsigned = isinstance(like, Uint)
    match value:
        case bool():
            pass
        case int():
            return whole(int(value), like)
        case float():
            fits = 0 <= value < UINT64.stop if unsigned else abs(value) < INT64.stop
            if not fits:
                raise EvaluationError("unsigned integer overflow" if unsigned else "integer overflow")
            return whole(int(value), like)
        case str():
            digits = r"[0-9]{1,20}" if unsigned else r"[+-]?[0-9]{1,19}"
            if not re.fullmatch(digits, value, re.ASCII) or int(value) not in (UINT64 if unsigned else INT64):
                raise _no_conversion("uint" if unsigned else "int")
            return whole(int(value), like)
        case Timestamp() if not unsigned:
            return value.nanoseconds // _NANOSECONDS
        case Duration() if not unsigned:
            return value.nanoseconds
    raise EvaluationError(NO_OVERLOAD)


def _to_double(value: Value) -> float:
    if isinstance(value, str):
        try:
            return float(value if _PLAIN.fullmatch(value) else "")
        except ValueError as error:
            raise _no_conversion("double") from error
    if not is_number(value):
        raise EvaluationError(NO_OVERLOAD)
    return float(value)  # type: ignore[arg-type]


def _to_bool(value: Value) -> bool:
    if isinstance(value, str):
        if value not in _BOOLS:
            raise _no_conversion("bool")
        return _BOOLS[value]
    return typed(bool, value)


_BOOLS: Final = {
    **dict.fromkeys(("1", "t", "T", "TRUE", "true", "True"), True),
    **dict.fromkeys(("0", "f", "F", "FALSE", "false", "False"), False),
}


def _to_time(value: Value, kind: type[Duration | Timestamp]) -> Value:
    if isinstance(value, kind):
        return value
    if not isinstance(value, int) or isinstance(value, bool | Uint):
        return (timestamp if kind is Timestamp else duration)(typed(str, value))
    if kind is Duration:
        raise EvaluationError("type conversion error from 'int' to 'google.protobuf.Duration'")
    return moment_of(value * _NANOSECONDS)


# --- texts ------------------------------------------------------------------------------------------------------------


def _substring(text: str, first: int, end: int | None = None) -> str:
    last = len(text) if end is None else end
    for index in (first, last):
        if not 0 <= index <= len(text):
            raise EvaluationError(f"index out of range: {index}")
    if first > last:
        raise EvaluationError(f"invalid substring range. start: {first}, end: {last}")
    return text[first:last]


def _index_of(target: Value, part: Value, offset: Value = 0) -> int:
    if isinstance(target, list):
        return next((index for index, each in enumerate(target) if not differ(each, part)), -1)
    text, wanted, begin = typed(str, target), typed(str, part), typed(int, offset)
    if not wanted:
        return begin
    if not 0 <= begin <= len(text):
        raise EvaluationError(f"index out of range: {begin}")
    return text.find(wanted, begin)


def _last_index_of(target: Value, part: Value, offset: Value = None) -> int:
    if isinstance(target, list):
        return next((index for index in reversed(range(len(target))) if not differ(target[index], part)), -1)
    text, wanted = typed(str, target), typed(str, part)
    if offset is None:
        return text.rfind(wanted) if wanted else len(text)
    end = typed(int, offset)
    if not wanted:
        return end
    if not 0 <= end <= len(text):
        raise EvaluationError(f"index out of range: {end}")
    return text.rfind(wanted, 0, end + len(wanted))


def _replace(text: str, old: str, new: str, most: int = -1) -> str:
    _limited(len(text) + (len(text) + 1) * len(new))
    return text.replace(old, new, most)


def _split(text: str, separator: str, number: int = -1) -> list[Value]:
    if number == 0:
        return []
    cuts = -1 if number < 0 else number - 1
    if separator:
        return [*text.split(separator, cuts)]
    return [*text] if cuts < 0 or cuts >= len(text) else [*text[:cuts], text[cuts:]]


def _join(target: list[Value], separator: str = "") -> str:
    parts = [typed(str, each) for each in target]
    _limited(sum(map(len, parts)) + len(separator) * len(parts))
    return separator.join(parts)


def _by_pattern(pattern: str, use: Callable[[Expression], Value]) -> Value:
    """What comes of a regular expression."""
    try:
        return use(expression(pattern))
    except NotAnExpressionError:
        raise EvaluationError(f"error parsing regexp: {pattern}") from None
    except UndecidedError as error:
        raise NotModelled(str(error)) from None


# --- lists and sets ---------------------------------------------------------------------------------------------------


def _sum(items: list[Value]) -> Value:
    total: Value = items[0] if items else 0
    for each in items[1:]:
        total = add(total, each)
    if not (is_number(total) or isinstance(total, Duration)):
        raise EvaluationError(NO_OVERLOAD)
    return total


def _extreme(choose: Callable[..., Value], items: list[Value]) -> Value:
    """The first of the least or the greatest items: `choose` is min or max."""
    if not items:
        raise EvaluationError(f"{choose.__name__} called on empty list")
    return choose(items, key=cmp_to_key(compared))


def _slice(items: list[Value], first: int, last: int) -> list[Value]:
    if first < 0 or last < 0:
        raise EvaluationError(f"cannot slice({first}, {last}), negative indexes not supported")
    if first > last:
        raise EvaluationError(f"cannot slice({first}, {last}), start index must be less than or equal to end index")
    if last > len(items):
        raise EvaluationError(f"cannot slice({first}, {last}), list is length {len(items)}")
    return items[first:last]


def _flatten(items: list[Value], levels: int = 1) -> list[Value]:
    if levels < 0:
        raise EvaluationError("level must be non-negative")
    while levels > 0 and any(isinstance(each, list) for each in items):
        _limited(sum(len(each) if isinstance(each, list) else 1 for each in items))
        items = [inner for each in items for inner in (each if isinstance(each, list) else [each])]
        levels -= 1
    return items


def sort_by(items: Sequence[Value], keys: Sequence[Value]) -> list[Value]:
    """Some items in the order of their keys."""
    order = cmp_to_key(compared)
    if any(type_name(key) != type_name(keys[0]) for key in keys):
        raise EvaluationError("list elements must have the same type")
    numbers = sorted(range(len(items)), key=lambda index: order(keys[index]))
    return [items[index] for index in numbers]


def _distinct(items: list[Value]) -> list[Value]:
    kept: list[Value] = []
    for each in items:
        if not contains(each, kept):
            kept.append(each)
    return kept


def _has_all(items: list[Value], parts: list[Value]) -> bool:
    return all(contains(each, items) for each in parts)


# --- optional values, quantities and versions -------------------------------------------------------------------------


def _value_of(value: Optional) -> Value:
    if not value.has_value:
        raise EvaluationError("optional.none() dereference")
    return value.value


def _of_non_zero(value: Value) -> Value:
    zero = value is None or (isinstance(value, bool | int | float | str | list | dict) and not value)
    return NONE if zero or value == Duration(0) else Optional(has_value=True, value=value)


def _order(target: Value, argument: Value) -> int:
    """Compare two quantities, or two versions."""
    if isinstance(target, Quantity) and isinstance(argument, Quantity):
        return (target > argument) - (target < argument)
    one, other = typed(Version, target), typed(Version, argument)
    return (one > other) - (one < other)


def _plus(target: Quantity, argument: Value, sign: int) -> Value:
    other = quantity(typed(int, argument)) if isinstance(argument, int) else typed(Quantity, argument)
    return Quantity(target.amount + sign * other.amount)


def _as_integer(value: Quantity) -> int:
    if value.amount.denominator != 1 or value.amount.numerator not in INT64:
        raise EvaluationError("cannot convert value to integer")
    return value.amount.numerator


FUNCTIONS: Final[Mapping[str, Function]] = {
    **OPERATORS,
    "size": _size,
    "bool": _to_bool,
    "int": lambda value: _to_whole(value, 0),
    "uint": lambda value: _to_whole(value, Uint()),
    "double": _to_double,
    "string": to_string,
    "bytes": lambda value: value if isinstance(value, bytes) else typed(str, value).encode(),
    "type": lambda value: TypeValue(type_name(value)),
    "duration": lambda value: _to_time(value, Duration),
    "timestamp": lambda value: _to_time(value, Timestamp),
    "dyn": lambda value: value,
    "matches": _takes(lambda text, pattern: _by_pattern(pattern, lambda found: found.matches(text)), str, str),
    "quantity": _takes(quantity, str),
    "isQuantity": _takes(_succeeds(quantity), str),
    "sign": _takes(lambda quantity: (quantity.amount > 0) - (quantity.amount < 0), Quantity),
    "semver": _takes(_semver := lambda text, normalize=False: version(text, normalize=normalize), str, bool),
    "isSemver": _takes(_succeeds(_semver), str, bool),
    "optional.of": lambda value: Optional(has_value=True, value=value),
    "optional.ofNonZeroValue": _of_non_zero,
    "optional.none": lambda: NONE,
    "sets.contains": _takes(_has_all, list, list),
    "sets.equivalent": _takes(lambda left, right: _has_all(left, right) and _has_all(right, left), list, list),
    "sets.intersects": _takes(lambda left, right: any(contains(each, right) for each in left), list, list),
    "lists.range": _takes(lambda number: [*range(_limited(number))], int),
    "optional.unwrap": _takes(
        lambda items: [each.value for each in [typed(Optional, item) for item in items] if each.has_value], list
    ),
    "strings.quote": _takes(quote, str),
    "ip": _takes(formats.address, str),
    "isIP": _takes(_succeeds(formats.address), str),
    "ip.isCanonical": _takes(lambda text: str(formats.address(text).value) == text, str),
    "cidr": _takes(formats.address_range, str),
    "isCIDR": _takes(_succeeds(formats.address_range), str),
    "url": _takes(formats.url, str),
    "isURL": _takes(formats.is_url, str),
    "format.named": _takes(
        lambda name: Optional(has_value=True, value=NamedFormat(name)) if name in formats.FORMATS else NONE, str
    ),
    **{f"format.{name}": partial(NamedFormat, name) for name in formats.FORMATS},
}
"""The operators and functions, with their namespaces."""

METHODS: Final[Mapping[str, Function]] = {
    **GETTERS,
    **{name: FUNCTIONS[name] for name in ("size", "matches", "sign")},
    "startsWith": _takes(str.startswith, str, str),
    "endsWith": _takes(str.endswith, str, str),
    "contains": _takes(lambda text, part: part in text, str, str),
    "find": _takes(
        lambda text, pattern: _by_pattern(pattern, lambda found: next(iter(found.found(text)), "")), str, str
    ),
    "findAll": _takes(
        lambda text, pattern, most=-1: _by_pattern(
            pattern, lambda found: [*islice(found.found(text), None if most < 0 else most)]
        ),
        *(str, str, int),
    ),
    "charAt": _takes(lambda text, index: _substring(text, index, min(index + 1, len(text))), str, int),
    "substring": _takes(_substring, str, int, int),
    "replace": _takes(_replace, str, str, str, int),
    "split": _takes(_split, str, str, int),
    "join": _takes(_join, list, str),
    "lowerAscii": _takes(lambda text: "".join(c.lower() if c.isascii() else c for c in text), str),
    "upperAscii": _takes(lambda text: "".join(c.upper() if c.isascii() else c for c in text), str),
    "trim": _takes(str.strip, str),
    "indexOf": _index_of,
    "lastIndexOf": _last_index_of,
    "isSorted": _takes(lambda items: all(compared(left, right) <= 0 for left, right in pairwise(items)), list),
    "sum": _takes(_sum, list),
    "min": _takes(partial(_extreme, min), list),
    "max": _takes(partial(_extreme, max), list),
    "slice": _takes(_slice, list, int, int),
    "flatten": _takes(_flatten, list, int),
    "sort": _takes(lambda items: sort_by(items, items), list),
    "distinct": _takes(_distinct, list),
    "reverse": _takes(lambda items: items[::-1], list),
    "first": _takes(lambda items: Optional(has_value=True, value=items[0]) if items else NONE, list),
    "last": _takes(lambda items: Optional(has_value=True, value=items[-1]) if items else NONE, list),
    "hasValue": _takes(lambda target: target.has_value, Optional),
    "value": _takes(_value_of, Optional),
    "isGreaterThan": lambda target, argument: _order(target, argument) > 0,
    "isLessThan": lambda target, argument: _order(target, argument) < 0,
    "compareTo": _order,
    "add": _takes(lambda target, argument: _plus(target, argument, 1), Quantity),
    "sub": _takes(lambda target, argument: _plus(target, argument, -1), Quantity),
    "asInteger": _takes(_as_integer, Quantity),
    "isInteger": _takes(_succeeds(_as_integer), Quantity),
    "asApproximateFloat": _takes(lambda value: float(value.amount), Quantity),
    "major": _takes(lambda version: version.major, Version),
    "minor": _takes(lambda version: version.minor, Version),
    "patch": _takes(lambda version: version.patch, Version),
    "format": _takes(formatted, str, list),
    "unwrapOpt": FUNCTIONS["optional.unwrap"],
    "family": _takes(lambda address: address.value.version, Address),
    "isUnspecified": _takes(lambda address: address.value.is_unspecified, Address),
    "isLoopback": _takes(lambda address: address.value.is_loopback, Address),
    "isLinkLocalUnicast": _takes(lambda address: address.value.is_link_local, Address),
    "isLinkLocalMulticast": _takes(formats.is_link_local_multicast, Address),
    "isGlobalUnicast": _takes(formats.is_global_unicast, Address),
    "ip": _takes(lambda target: Address(target.value.ip), AddressRange),
    "prefixLength": _takes(lambda target: target.value.network.prefixlen, AddressRange),
    "masked": _takes(formats.masked, AddressRange),
    "containsIP": _takes(
        lambda outer, inner: (
            (formats.address(inner) if isinstance(inner, str) else typed(Address, inner)).value in outer.value.network
        ),
        AddressRange,
    ),
    "containsCIDR": _takes(
        lambda outer, inner: formats.contains_range(
            outer, formats.address_range(inner) if isinstance(inner, str) else typed(AddressRange, inner)
        ),
        AddressRange,
    ),
    "getScheme": _takes(lambda url: url.scheme, URL),
    "getHost": _takes(lambda url: url.host, URL),
    "getHostname": _takes(formats.hostname, URL),
    "getPort": _takes(formats.port, URL),
    "getEscapedPath": _takes(formats.escaped_path, URL),
    "getQuery": _takes(formats.query_values, URL),
    "validate": _takes(
        lambda form, text: Optional(has_value=True, value=faults) if (faults := formats.faults(form, text)) else NONE,
        *(NamedFormat, str),
    ),
}
"""The methods, whatever they are of."""
