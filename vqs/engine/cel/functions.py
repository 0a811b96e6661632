"""The functions and methods that selectors of devices may use, by name.

References: common/stdlib and ext (strings, lists, sets) of google/cel-go (v0.26); k8s.io/apiserver/pkg/cel/library
(v0.34).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cmp_to_key, partial
from itertools import islice, pairwise
from typing import Final, TypeVar

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
    whole,
)
from vqs.engine.cel.syntax import NotModelled
from vqs.engine.cel.times import GETTERS, duration, moment_of, seconds_of, timestamp
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


Kind = TypeVar("Kind")


def _typed(kind: type[Kind], value: Value) -> Kind:
    if not isinstance(value, kind):
        raise EvaluationError(NO_OVERLOAD)
    return value


def _of(kind: type[Kind], function: Callable[[Kind], Value]) -> Function:
    """A function of a value of one type."""
    return lambda target: function(_typed(kind, target))


# --- conversions ------------------------------------------------------------------------------------------------------


def _size(value: Value) -> int:
    if isinstance(value, str | bytes | list | dict):
        return len(value)
    if isinstance(value, DefaultMap):
        return len(value.domains)
    raise EvaluationError(NO_OVERLOAD)


def _no_conversion(kind: str) -> EvaluationError:
    return EvaluationError(f"type conversion error from 'string' to '{kind}'")


def _to_int(value: Value) -> Value:
    match value:
        case bool():
            raise EvaluationError(NO_OVERLOAD)
        case int():
            return whole(int(value))
        case float() if abs(value) < INT64.stop:
            return int(value)
        case float():
            raise EvaluationError("integer overflow")
        case str():
            if re.fullmatch(r"[+-]?[0-9]{1,19}", value, re.ASCII) and int(value) in INT64:
                return int(value)
            raise _no_conversion("int")
        case Timestamp():
            return seconds_of(value)
        case Duration():
            return value.nanoseconds
    raise EvaluationError(NO_OVERLOAD)


def _to_uint(value: Value) -> Value:
    match value:
        case bool():
            raise EvaluationError(NO_OVERLOAD)
        case int():
            return whole(value, Uint())
        case float() if 0 <= value < UINT64.stop:
            return Uint(value)
        case float():
            raise EvaluationError("unsigned integer overflow")
        case str():
            if re.fullmatch(r"[0-9]{1,20}", value, re.ASCII) and int(value) in UINT64:
                return Uint(value)
            raise _no_conversion("uint")
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
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value in _TRUE | _FALSE:
        return value in _TRUE
    raise _no_conversion("bool") if isinstance(value, str) else EvaluationError(NO_OVERLOAD)


_TRUE: Final = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_FALSE: Final = frozenset({"0", "f", "F", "FALSE", "false", "False"})


def _to_duration(value: Value) -> Value:
    if isinstance(value, int) and not isinstance(value, bool | Uint):
        raise EvaluationError("type conversion error from 'int' to 'google.protobuf.Duration'")
    return value if isinstance(value, Duration) else duration(_text(value))


def _to_timestamp(value: Value) -> Value:
    if isinstance(value, int) and not isinstance(value, bool | Uint):
        return moment_of(value * _NANOSECONDS)
    return value if isinstance(value, Timestamp) else timestamp(_text(value))


# --- texts ------------------------------------------------------------------------------------------------------------


def _text(value: Value) -> str:
    return _typed(str, value)


def _number(value: Value) -> int:
    if not isinstance(value, int) or isinstance(value, bool | Uint):
        raise EvaluationError(NO_OVERLOAD)
    return value


def _on_text(function: Callable[[str, str], Value]) -> Function:
    return lambda target, argument: function(_text(target), _text(argument))


def _ascii(text: str, *, upper: bool) -> str:
    return "".join((c.upper() if upper else c.lower()) if c.isascii() else c for c in text)


def _char_at(target: Value, at: Value) -> str:
    text, index = _text(target), _number(at)
    if not 0 <= index <= len(text):
        raise EvaluationError(f"index out of range: {index}")
    return text[index : index + 1]


def _substring(target: Value, begin: Value, end: Value = None) -> str:
    text = _text(target)
    first, last = _number(begin), len(text) if end is None else _number(end)
    for index in (first, last):
        if not 0 <= index <= len(text):
            raise EvaluationError(f"index out of range: {index}")
    if first > last:
        raise EvaluationError(f"invalid substring range. start: {first}, end: {last}")
    return text[first:last]


def _index_of(target: Value, part: Value, offset: Value = 0) -> int:
    if isinstance(target, list):
        return next((index for index, each in enumerate(target) if not differ(each, part)), -1)
    text, wanted, begin = _text(target), _text(part), _number(offset)
    if not wanted:
        return begin
    if not 0 <= begin <= len(text):
        raise EvaluationError(f"index out of range: {begin}")
    return text.find(wanted, begin)


def _last_index_of(target: Value, part: Value, offset: Value = None) -> int:
    if isinstance(target, list):
        return next((index for index in reversed(range(len(target))) if not differ(target[index], part)), -1)
    text, wanted = _text(target), _text(part)
    if offset is None:
        return text.rfind(wanted) if wanted else len(text)
    end = _number(offset)
    if not wanted:
        return end
    if not 0 <= end <= len(text):
        raise EvaluationError(f"index out of range: {end}")
    return text.rfind(wanted, 0, end + len(wanted))


def _replace(target: Value, old: Value, new: Value, most: Value = -1) -> str:
    text, gone, made = _text(target), _text(old), _text(new)
    if len(text) + (len(text) + 1) * len(made) > _LONGEST:
        raise EvaluationError(TOO_COSTLY)
    return text.replace(gone, made, _number(most))


def _split(target: Value, by: Value, most: Value = -1) -> list[Value]:
    text, separator, number = _text(target), _text(by), _number(most)
    if number == 0:
        return []
    cuts = -1 if number < 0 else number - 1
    if separator:
        return [*text.split(separator, cuts)]
    return [*text] if cuts < 0 or cuts >= len(text) else [*text[:cuts], text[cuts:]]


def _join(target: Value, separator: Value = "") -> str:
    by, parts = _text(separator), [_text(each) for each in _list(target)]
    if sum(map(len, parts)) + len(by) * len(parts) > _LONGEST:
        raise EvaluationError(TOO_COSTLY)
    return by.join(parts)


def _matches(text: str, pattern: str) -> bool:
    try:
        return _expression(pattern).matches(text)
    except UndecidedError as error:
        raise NotModelled(str(error)) from None


def _occurrences(text: str, pattern: str, most: int) -> list[Value]:
    try:
        return [*islice(_expression(pattern).found(text), None if most < 0 else most)]
    except UndecidedError as error:
        raise NotModelled(str(error)) from None


def _expression(pattern: str) -> Expression:
    try:
        return expression(pattern)
    except NotAnExpressionError:
        raise EvaluationError(f"error parsing regexp: {pattern}") from None


# --- lists and sets ---------------------------------------------------------------------------------------------------


def _list(value: Value) -> list[Value]:
    return _typed(list, value)


def _sum(target: Value) -> Value:
    items = _list(target)
    total: Value = items[0] if items else 0
    for each in items[1:]:
        total = add(total, each)
    if not (is_number(total) or isinstance(total, Duration)):
        raise EvaluationError(NO_OVERLOAD)
    return total


def _extreme(name: str, sign: int) -> Function:
    def extreme(target: Value) -> Value:
        items = _list(target)
        if not items:
            raise EvaluationError(f"{name} called on empty list")
        best = items[0]
        for each in items[1:]:
            best = each if compared(each, best) * sign > 0 else best
        return best

    return extreme


def _slice(target: Value, begin: Value, end: Value) -> list[Value]:
    items, first, last = _list(target), _number(begin), _number(end)
    if first < 0 or last < 0:
        raise EvaluationError(f"cannot slice({first}, {last}), negative indexes not supported")
    if first > last:
        raise EvaluationError(f"cannot slice({first}, {last}), start index must be less than or equal to end index")
    if last > len(items):
        raise EvaluationError(f"cannot slice({first}, {last}), list is length {len(items)}")
    return items[first:last]


def _flatten(target: Value, depth: Value = 1) -> list[Value]:
    levels = _number(depth)
    if levels < 0:
        raise EvaluationError("level must be non-negative")
    items = _list(target)
    while levels > 0 and any(isinstance(each, list) for each in items):
        if sum(len(each) if isinstance(each, list) else 1 for each in items) > _LONGEST:
            raise EvaluationError(TOO_COSTLY)
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


def _distinct(target: Value) -> list[Value]:
    kept: list[Value] = []
    for each in _list(target):
        if not contains(each, kept):
            kept.append(each)
    return kept


def _range(number: Value) -> list[Value]:
    if _number(number) > _LONGEST:
        raise EvaluationError(TOO_COSTLY)
    return [*range(_number(number))]


def _set_contains(container: Value, part: Value) -> bool:
    items = _list(container)
    return all(contains(each, items) for each in _list(part))


def _intersects(left: Value, right: Value) -> bool:
    items = _list(right)
    return any(contains(each, items) for each in _list(left))


def _end_of(index: int) -> Function:
    return _of(list, lambda items: Optional(has_value=True, value=items[index]) if items else NONE)


# --- optional values --------------------------------------------------------------------------------------------------


def _value_of(value: Value) -> Value:
    if not _typed(Optional, value).has_value:
        raise EvaluationError("optional.none() dereference")
    return _typed(Optional, value).value


def _of_non_zero(value: Value) -> Value:
    zero = value is None or (isinstance(value, bool | int | float | str | list | dict) and not value)
    return NONE if zero or value == Duration(0) else Optional(has_value=True, value=value)


def _unwrapped(target: Value) -> list[Value]:
    return [each.value for each in (_typed(Optional, item) for item in _list(target)) if each.has_value]


# --- addresses, URLs, formats -----------------------------------------------------------------------------------------


def _contains_address(target: Value, member: Value) -> bool:
    found = formats.address(member) if isinstance(member, str) else _typed(Address, member)
    return formats.contains_address(_typed(AddressRange, target), found)


def _contains_range(target: Value, member: Value) -> bool:
    found = formats.address_range(member) if isinstance(member, str) else _typed(AddressRange, member)
    return formats.contains_range(_typed(AddressRange, target), found)


def _format_named(value: Value) -> Value:
    found = formats.named(_text(value))
    return NONE if found is None else Optional(has_value=True, value=found)


def _validate(target: Value, value: Value) -> Value:
    faults = formats.faults(_typed(NamedFormat, target), _text(value))
    return Optional(has_value=True, value=[*faults]) if faults else NONE


# --- quantities and versions ------------------------------------------------------------------------------------------


def _versus(compare: Callable[[int], Value]) -> Function:
    """Compare two quantities, or two versions."""

    def function(target: Value, argument: Value) -> Value:
        if isinstance(target, Quantity) and isinstance(argument, Quantity):
            return compare((target > argument) - (target < argument))
        if isinstance(target, Version) and isinstance(argument, Version):
            return compare((target > argument) - (target < argument))
        raise EvaluationError(NO_OVERLOAD)

    return function


def _amounts(sign: int) -> Function:
    def on_amounts(target: Value, argument: Value) -> Value:
        other = (
            Quantity(quantity(_number(argument)).amount) if isinstance(argument, int) else _typed(Quantity, argument)
        )
        return Quantity(_typed(Quantity, target).amount + sign * other.amount)

    return on_amounts


def _is_integer(value: Value) -> bool:
    amount = _typed(Quantity, value).amount
    return amount.denominator == 1 and amount.numerator in INT64


def _as_integer(value: Value) -> int:
    if not _is_integer(value):
        raise EvaluationError("cannot convert value to integer")
    return _typed(Quantity, value).amount.numerator


def _sign(value: Value) -> int:
    amount = _typed(Quantity, value).amount
    return (amount > 0) - (amount < 0)


def _semver(value: Value, normalize: Value = False) -> Value:
    is_normalized = _typed(bool, normalize)
    return version(_text(value), normalize=is_normalized)


def _readable(read: Function) -> Function:
    def is_readable(value: Value, *more: Value) -> bool:
        _text(value)
        try:
            read(value, *more)
        except EvaluationError:
            return False
        return True

    return is_readable


FUNCTIONS: Final[Mapping[str, Function]] = {
    **OPERATORS,
    "size": _size,
    "bool": _to_bool,
    "int": _to_int,
    "uint": _to_uint,
    "double": _to_double,
    "string": to_string,
    "bytes": lambda value: value if isinstance(value, bytes) else _text(value).encode(),
    "type": lambda value: TypeValue(type_name(value)),
    "duration": _to_duration,
    "timestamp": _to_timestamp,
    "dyn": lambda value: value,
    "matches": _on_text(_matches),
    "quantity": _of(str, quantity),
    "isQuantity": _readable(_of(str, quantity)),
    "sign": _sign,
    "semver": _semver,
    "isSemver": _readable(_semver),
    "optional.of": lambda value: Optional(has_value=True, value=value),
    "optional.ofNonZeroValue": _of_non_zero,
    "optional.none": lambda: NONE,
    "sets.contains": _set_contains,
    "sets.equivalent": lambda left, right: _set_contains(left, right) and _set_contains(right, left),
    "sets.intersects": _intersects,
    "lists.range": _range,
    "optional.unwrap": _unwrapped,
    "strings.quote": _of(str, quote),
    "ip": _of(str, formats.address),
    "isIP": _readable(_of(str, formats.address)),
    "ip.isCanonical": _of(str, lambda text: str(formats.address(text).value) == text),
    "cidr": _of(str, formats.address_range),
    "isCIDR": _readable(_of(str, formats.address_range)),
    "url": _of(str, formats.url),
    "isURL": _of(str, formats.is_url),
    "format.named": _format_named,
    **{f"format.{name}": partial(NamedFormat, name) for name in formats.NAMES},
}
"""The operators and functions, with their namespaces."""

METHODS: Final[Mapping[str, Function]] = {
    **GETTERS,
    "size": _size,
    "startsWith": _on_text(str.startswith),
    "endsWith": _on_text(str.endswith),
    "contains": _on_text(lambda text, part: part in text),
    "matches": _on_text(_matches),
    "find": _on_text(lambda text, pattern: next(iter(_occurrences(text, pattern, 1)), "")),
    "findAll": lambda target, pattern, most=-1: _occurrences(_text(target), _text(pattern), _number(most)),
    "charAt": _char_at,
    "substring": _substring,
    "replace": _replace,
    "split": _split,
    "join": _join,
    "lowerAscii": _of(str, lambda text: _ascii(text, upper=False)),
    "upperAscii": _of(str, lambda text: _ascii(text, upper=True)),
    "trim": _of(str, str.strip),
    "indexOf": _index_of,
    "lastIndexOf": _last_index_of,
    "isSorted": _of(list, lambda items: all(compared(left, right) <= 0 for left, right in pairwise(items))),
    "sum": _sum,
    "min": _extreme("min", -1),
    "max": _extreme("max", 1),
    "slice": _slice,
    "flatten": _flatten,
    "sort": _of(list, lambda items: sort_by(items, items)),
    "distinct": _distinct,
    "reverse": _of(list, lambda items: items[::-1]),
    "first": _end_of(0),
    "last": _end_of(-1),
    "hasValue": lambda target: _typed(Optional, target).has_value,
    "value": _value_of,
    "isGreaterThan": _versus(lambda order: order > 0),
    "isLessThan": _versus(lambda order: order < 0),
    "compareTo": _versus(lambda order: order),
    "add": _amounts(1),
    "sub": _amounts(-1),
    "asInteger": _as_integer,
    "isInteger": _is_integer,
    "asApproximateFloat": lambda value: float(_typed(Quantity, value).amount),
    "sign": _sign,
    "major": _of(Version, lambda version: version.major),
    "minor": _of(Version, lambda version: version.minor),
    "patch": _of(Version, lambda version: version.patch),
    "format": lambda target, values: formatted(_text(target), _list(values)),
    "unwrapOpt": _unwrapped,
    "family": _of(Address, lambda address: address.value.version),
    "isUnspecified": _of(Address, lambda address: address.value.is_unspecified),
    "isLoopback": _of(Address, lambda address: address.value.is_loopback),
    "isLinkLocalUnicast": _of(Address, lambda address: address.value.is_link_local),
    "isLinkLocalMulticast": _of(Address, formats.is_link_local_multicast),
    "isGlobalUnicast": _of(Address, formats.is_global_unicast),
    "ip": lambda target: Address(_typed(AddressRange, target).value.ip),
    "prefixLength": lambda target: _typed(AddressRange, target).value.network.prefixlen,
    "masked": lambda target: formats.masked(_typed(AddressRange, target)),
    "containsIP": _contains_address,
    "containsCIDR": _contains_range,
    "getScheme": _of(URL, lambda url: url.scheme),
    "getHost": _of(URL, lambda url: url.host),
    "getHostname": _of(URL, formats.hostname),
    "getPort": _of(URL, formats.port),
    "getEscapedPath": _of(URL, formats.escaped_path),
    "getQuery": _of(URL, lambda url: {key: [*values] for key, values in formats.query_values(url).items()}),
    "validate": _validate,
}
"""The methods, whatever they are of."""
