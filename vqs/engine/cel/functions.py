"""The values that only Kubernetes has, and the operators and functions of selectors.

References: common/stdlib and common/types of google/cel-go (v0.26); k8s.io/apiserver/pkg/cel (quantity.go, semver.go).
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Final, NamedTuple

from vqs.engine.cel.syntax import INT64, NotModelled
from vqs.model.quantity import QuantityError, parse
from vqs.snapshot.apiserver.validation.expressions import NotAnExpressionError, UndecidedError, expression

NO_OVERLOAD: Final = "no such overload"
_MOST_COMPARISONS: Final = 100_000
"""How many parts of two values are compared: lists may hold the same list many times."""

_PART: Final = r"(?:0|[1-9][0-9]*)"
_WORD: Final = r"(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
_VERSION: Final = re.compile(
    rf"({_PART})\.({_PART})\.({_PART})(?:-({_WORD}(?:\.{_WORD})*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?", re.ASCII
)
_LONGEST_VERSION: Final = 64
_VERSION_WORD: Final = re.compile(r"[0-9A-Za-z-]+")
_QUANTITY: Final = re.compile(r"[+-]?[0-9.]++[eEinumkKMGTP]*+[-+]?[0-9]*", re.ASCII)
_NO_QUANTITY: Final = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"


class EvaluationError(ValueError):
    """An expression that fails, in the words of cel-go."""


# --- values -----------------------------------------------------------------------------------------------------------


Quantity = Fraction
"""An amount, such as 10Gi."""


class Version(tuple[object, ...]):
    """A semantic version; what follows a plus sign does not count, and one still to be released comes before that."""

    __slots__ = ()


class Domains(dict[str, "Value"]):
    """The attributes or the capacity of a device by domain; a domain that it does not have is empty."""


Value = bool | int | str | None | list["Value"] | dict[str, "Value"] | Quantity | Version

TYPES: Final[Mapping[type, str]] = {
    bool: "bool",
    int: "int",
    str: "string",
    type(None): "null",
    list: "list",
    dict: "map",
    Domains: "map",
    Quantity: "kubernetes.Quantity",
    Version: "kubernetes.Semver",
}
"""The names of the types of values."""


def quantity(text: str | float) -> Quantity:
    """A quantity.

    Raises:
        EvaluationError: it is none.
    """
    try:
        return parse(text)
    except QuantityError as error:
        known = _QUANTITY.fullmatch(str(text)) is not None
        raise EvaluationError("unable to parse quantity's suffix" if known else _NO_QUANTITY) from error


def version(text: str, normalize: bool | None = None) -> Version:
    """A version.

    Raises:
        EvaluationError: it is none.
        NotModelled: it may be short, or begin with a letter.

    >>> version("1.10.0") > version("1.9.3") > version("1.9.3-rc.1")
    True
    """
    if normalize is not None:
        raise NotModelled("'semver' of a text to be normalized")
    found = _VERSION.fullmatch(text) if len(text) <= _LONGEST_VERSION else None
    if found is None:
        raise EvaluationError(next(_version_faults(text), f'"{text[:_LONGEST_VERSION]}" is no semantic version'))
    words = found[4].split(".") if found[4] else []
    before = tuple((not word.isdigit(), int(word) if word.isdigit() else 0, word) for word in words)
    return Version((*map(int, found.group(1, 2, 3)), not words, before))


def _version_faults(text: str) -> Iterator[str]:
    """Yield what is wrong with a text that is no version, in the order in which Go's parser looks."""
    numbers = text.split(".", 2)
    if len(numbers) < 3:  # noqa: PLR2004 - a version has three numbers
        yield "No Major.Minor.Patch elements found" if text else "Version string empty"
        return
    numbers[2], plus, build = numbers[2].partition("+")
    numbers[2], dash, before = numbers[2].partition("-")
    for name, number in zip(("major", "minor", "patch"), numbers, strict=True):
        if number.strip("0123456789"):
            yield f'Invalid character(s) found in {name} number "{number}"'
        elif not number:
            yield 'strconv.ParseUint: parsing "": invalid syntax'
        elif number[0] == "0" != number:
            yield f'{name.capitalize()} number must not contain leading zeroes "{number}"'
    for word in before.split(".") if dash else ():
        yield from _word_faults(word, "Prerelease", "prerelease")
        if word.isdigit() and word[0] == "0" != word:
            yield f'Numeric PreRelease version must not contain leading zeroes "{word}"'
    for word in build.split(".") if plus else ():
        yield from _word_faults(word, "Build meta data", "build meta data")


def _word_faults(word: str, name: str, within: str) -> Iterator[str]:
    if not word:
        yield f"{name} is empty"
    elif not _VERSION_WORD.fullmatch(word):
        yield f'Invalid character(s) found in {within} "{word}"'


# --- what functions do ------------------------------------------------------------------------------------------------


def _item(value: Value, key: Value) -> Value:
    match value:
        case Domains():
            return value.get(key, {}) if isinstance(key, str) else {}
        case list() if type(key) is int:
            if 0 <= key < len(value):
                return value[key]
            raise EvaluationError(f"index out of bounds: {key}")
        case list():
            raise EvaluationError(f"unsupported index type '{TYPES[type(key)]}' in list")
        case dict() if isinstance(key, str) and key in value:
            return value[key]
    raise EvaluationError(f"no such key: {str(key).lower() if isinstance(key, bool) else key}")


def _equal(left: Value, right: Value) -> bool:
    found = _same(left, right, iter(range(_MOST_COMPARISONS)))
    if found is None:
        raise EvaluationError(NO_OVERLOAD)
    return found


def _differ(left: Value, right: Value) -> bool:
    """True if two values are not equal, as far as they can be compared."""
    return _same(left, right, iter(range(_MOST_COMPARISONS))) is not True


def _same(left: Value, right: Value, budget: Iterator[int]) -> bool | None:
    """Compare two values; what cannot be compared makes two lists, or two maps, no different."""
    if next(budget, None) is None:
        raise NotModelled("a comparison that takes so long")
    if TYPES[type(left)] != TYPES[type(right)]:
        return None if isinstance(left, Quantity | Version) and right is not None else False
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and _same([*left.values()], [right[key] for key in left], budget)
    if isinstance(left, list) and isinstance(right, list):
        pairs = zip(left, right, strict=False)
        return len(left) == len(right) and all(_same(one, other, budget) is not False for one, other in pairs)
    return left == right


def _contains(member: Value, container: Value) -> bool:
    if isinstance(container, list):
        return any(not _differ(member, each) for each in container)
    return isinstance(container, dict) and isinstance(member, str) and member in container


def _whole(function: Callable[..., Value]) -> Callable[..., Value]:
    """Have a function of numbers fail if 64 bits cannot hold what it returns."""

    def checked(*values: Value) -> Value:
        found = function(*values)
        if isinstance(found, int) and found not in INT64:
            raise EvaluationError("integer overflow")
        return found

    return checked


def _divide(left: int, right: int) -> int:
    if right == 0:
        raise EvaluationError("division by zero")
    return abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)


def _modulo(left: int, right: int) -> int:
    if right == 0:
        raise EvaluationError("modulus by zero")
    return abs(left) % abs(right) * (1 if left >= 0 else -1)


def _succeeds(function: Callable[..., Value], *values: Value) -> bool:
    try:
        function(*values)
    except EvaluationError:
        return False
    return True


def _matches(text: str, pattern: str) -> bool:
    try:
        return expression(pattern).matches(text)
    except NotAnExpressionError:
        raise EvaluationError(f"error parsing regexp: {pattern}") from None
    except UndecidedError as error:
        raise NotModelled(str(error)) from None


def _as_integer(value: Quantity) -> int:
    if value.denominator != 1 or value.numerator not in INT64:
        raise EvaluationError("cannot convert value to integer")
    return value.numerator


# --- the table --------------------------------------------------------------------------------------------------------


class Signature(NamedTuple):
    """One way to call a function: with a target or without, and of which types the arguments, the target first, are."""

    is_method: bool
    arguments: Sequence[str]
    result: str

    def takes(self, kinds: Sequence[str]) -> bool:
        """True if values of such types can be given."""
        return len(self.arguments) == len(kinds) and all(
            wanted in (kind, "any") for wanted, kind in zip(self.arguments, kinds, strict=True)
        )


class Function(NamedTuple):
    """An operator, function or method: what it does, and the ways to call it."""

    apply: Callable[..., Value]
    signatures: Sequence[Signature]


_SIGNATURE: Final = re.compile(r"(?:(\w+)\.)?\((.*?)\) (\w+)")
_FULL: Final = {"Quantity": "kubernetes.Quantity", "Semver": "kubernetes.Semver"}


def _function(text: str, apply: Callable[..., Value]) -> Function:
    signatures = [
        Signature(bool(target), [_FULL.get(each, each) for each in re.findall(r"\w+", f"{target} {arguments}")], result)
        for target, arguments, result in _SIGNATURE.findall(text)
    ]
    return Function(apply, [each._replace(result=_FULL.get(each.result, each.result)) for each in signatures])


_ORDER: Final = "(bool, bool) bool | (int, int) bool | (string, string) bool"
_NUMBERS: Final = "(int, int) int | (double, double) double"
_COMPARED: Final = "Quantity.(Quantity) {0} | Semver.(Semver) {0}"
_SUM: Final = "Quantity.(Quantity) Quantity | Quantity.(int) Quantity"

FUNCTIONS: Final[Mapping[str, Function]] = {
    "==": _function("(any, any) bool", _equal),
    "!=": _function("(any, any) bool", _differ),
    "<": _function(_ORDER, operator.lt),
    "<=": _function(_ORDER, operator.le),
    ">": _function(_ORDER, operator.gt),
    ">=": _function(_ORDER, operator.ge),
    "in": _function("(any, list) bool | (any, map) bool", _contains),
    "+": _function(f"{_NUMBERS} | (list, list) list | (string, string) string", _whole(operator.add)),
    "-": _function(_NUMBERS, _whole(operator.sub)),
    "*": _function(_NUMBERS, _whole(operator.mul)),
    "/": _function(_NUMBERS, _whole(_divide)),
    "%": _function("(int, int) int | (uint, uint) uint", _modulo),
    "!_": _function("(bool) bool", operator.not_),
    "-_": _function("(int) int | (double) double", _whole(operator.neg)),
    "?:": _function("(bool, any, any) any", lambda condition, then, otherwise: then if condition else otherwise),
    "[]": _function("(any, any) any", _item),
    "dyn": _function("(any) dyn", lambda value: value),
    "size": _function("(string) int | string.() int | (list) int | list.() int | (map) int | map.() int", len),
    "contains": _function("string.(string) bool", lambda text, part: part in text),
    "endsWith": _function("string.(string) bool", str.endswith),
    "startsWith": _function("string.(string) bool", str.startswith),
    "matches": _function("(string, string) bool | string.(string) bool", _matches),
    "lowerAscii": _function("string.() string", lambda text: "".join(c.lower() if c.isascii() else c for c in text)),
    "upperAscii": _function("string.() string", lambda text: "".join(c.upper() if c.isascii() else c for c in text)),
    "trim": _function("string.() string", str.strip),
    "quantity": _function("(string) Quantity", quantity),
    "isQuantity": _function("(string) bool", partial(_succeeds, quantity)),
    "add": _function(_SUM, operator.add),
    "sub": _function(_SUM, operator.sub),
    "asInteger": _function("Quantity.() int", _as_integer),
    "compareTo": _function(_COMPARED.format("int"), lambda one, other: (one > other) - (one < other)),
    "isGreaterThan": _function(_COMPARED.format("bool"), operator.gt),
    "isLessThan": _function(_COMPARED.format("bool"), operator.lt),
    "semver": _function("(string) Semver | (string, bool) Semver", version),
    "isSemver": _function("(string) bool | (string, bool) bool", partial(_succeeds, version)),
    "major": _function("Semver.() int", operator.itemgetter(0)),
    "minor": _function("Semver.() int", operator.itemgetter(1)),
    "patch": _function("Semver.() int", operator.itemgetter(2)),
}
"""The operators, functions and methods, by name; a number that is no int has signatures, although it has no values."""

_BEYOND: Final = """
all asApproximateFloat bool bytes charAt cidr containsCIDR containsIP distinct double duration exists existsOne
exists_one family filter find findAll first flatten format getDate getDayOfMonth getDayOfWeek getDayOfYear
getEscapedPath getFullYear getHost getHostname getHours getMilliseconds getMinutes getMonth getPort getQuery
getScheme getSeconds google hasValue indexOf int ip isCIDR isGlobalUnicast isIP isInteger isLinkLocalMulticast
isLinkLocalUnicast isLoopback isSorted isURL isUnspecified join last lastIndexOf list lists map masked max min
net null_type optFlatMap optMap optional optional_type or orValue prefixLength replace reverse sets sign slice
sort sortBy split string strings substring sum timestamp transformList transformMap transformMapEntry type uint
unwrapOpt url validate value
"""
NOT_MODELLED: Final = frozenset(_BEYOND.split())
"""The names of functions, macros and types that Kubernetes has beyond these."""
