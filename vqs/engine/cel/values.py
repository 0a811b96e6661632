"""Values that Python does not have as CEL and Kubernetes have them, from unsigned numbers to URLs.

References: k8s.io/apiserver/pkg/cel (quantity.go, semver.go, ip.go, cidr.go, url.go, format.go) and its library;
k8s.io/dynamic-resource-allocation/cel.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import total_ordering
from ipaddress import IPv4Address, IPv4Interface, IPv6Address, IPv6Interface
from typing import Final

from vqs.model.quantity import QuantityError, parse

_PART: Final = r"(?:0|[1-9][0-9]*)"
_WORD: Final = r"(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
_VERSION: Final = re.compile(
    rf"({_PART})\.({_PART})\.({_PART})(?:-({_WORD}(?:\.{_WORD})*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?", re.ASCII
)
_LONGEST_VERSION: Final = 64
_QUANTITY: Final = re.compile(r"[+-]?[0-9.]++[eEinumkKMGTP]*+[-+]?[0-9]*", re.ASCII)
_NO_QUANTITY: Final = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"


INT64: Final = range(-(2**63), 2**63)
UINT64: Final = range(2**64)


class EvaluationError(ValueError):
    """An expression that fails, in the words of cel-go."""


class Uint(int):
    """An unsigned number of 64 bits; like other numbers, it equals those of the same value."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, order=True)
class Duration:
    """A span of time, in nanoseconds."""

    nanoseconds: int


@dataclass(frozen=True, slots=True, order=True)
class Timestamp:
    """A moment, in nanoseconds since 1970 in UTC."""

    nanoseconds: int


@dataclass(frozen=True, slots=True)
class Optional:
    """A value that may not be there; `has_value` tells whether it is."""

    has_value: bool
    value: Value = None


NONE: Final = Optional(has_value=False)


@total_ordering
@dataclass(frozen=True, slots=True)
class Quantity:
    """An amount, such as 10Gi."""

    amount: Fraction

    def __lt__(self, other: Quantity) -> bool:
        """Compare two amounts."""
        return self.amount < other.amount


@total_ordering
@dataclass(frozen=True, slots=True, eq=False)
class Version:
    """A semantic version; what follows a plus sign does not count."""

    major: int
    minor: int
    patch: int
    before: tuple[str, ...] = ()

    @property
    def _key(self) -> tuple[object, ...]:
        words = tuple((not word.isdigit(), int(word) if word.isdigit() else 0, word) for word in self.before)
        return self.major, self.minor, self.patch, not self.before, words

    def __eq__(self, other: object) -> bool:
        """Compare two versions."""
        return isinstance(other, Version) and self._key == other._key

    def __lt__(self, other: Version) -> bool:
        """True if a version comes before another; one that is still to be released comes before that."""
        return self._key < other._key

    def __hash__(self) -> int:
        """What is the same for equal versions."""
        return hash(self._key)


@dataclass(frozen=True, slots=True)
class Address:
    """An address of IPv4 or IPv6."""

    value: IPv4Address | IPv6Address


@dataclass(frozen=True, slots=True)
class AddressRange:
    """A range of addresses, such as 10.0.0.0/8."""

    value: IPv4Interface | IPv6Interface


@dataclass(frozen=True, slots=True)
class URL:
    """A URL, its parts as they are written: `user` ends with @, `query` begins with ?, `fragment` with #."""

    scheme: str
    user: str
    host: str
    path: str
    query: str
    fragment: str
    is_opaque: bool = False


@dataclass(frozen=True, slots=True)
class NamedFormat:
    """What texts of a kind look like."""

    name: str


@dataclass(frozen=True, slots=True)
class TypeValue:
    """A type as a value."""

    name: str


@dataclass(frozen=True, slots=True)
class DefaultMap:
    """The attributes or the capacity of a device by domain; a domain that it does not have is empty."""

    domains: Mapping[str, Mapping[str, Value]]


Value = (
    bool
    | int
    | float
    | str
    | bytes
    | None
    | list["Value"]
    | dict["Value", "Value"]
    | Quantity
    | Version
    | DefaultMap
    | Duration
    | Timestamp
    | Optional
    | Address
    | AddressRange
    | URL
    | NamedFormat
    | TypeValue
)


def quantity(text: str | float) -> Quantity:
    """A quantity.

    Raises:
        EvaluationError: it is none.
    """
    try:
        return Quantity(parse(text))
    except QuantityError as error:
        known = _QUANTITY.fullmatch(str(text)) is not None
        raise EvaluationError("unable to parse quantity's suffix" if known else _NO_QUANTITY) from error


def version(text: str, *, normalize: bool = False) -> Version:
    """A version; `normalize` takes what is short, has a leading v, or zeros before its numbers.

    Raises:
        EvaluationError: it is none.

    >>> version("1.10.0") > version("1.9.3") > version("1.9.3-rc.1")
    True
    """
    if normalize:
        # All of its three numbers, each without zeros before it.
        parts = [part if len(part) < 2 else _without_zeros(part) for part in text.removeprefix("v").split(".", 2)]  # noqa: PLR2004 - a single zero is a number
        missing = 3 - len(parts)
        if missing and any(sign in parts[-1] for sign in "+-"):
            raise EvaluationError("short version cannot contain PreRelease/Build meta data")
        text = ".".join([*parts, *(["0"] * missing)])
    found = _VERSION.fullmatch(text) if len(text) <= _LONGEST_VERSION else None
    if found is None:
        if text.count(".") < 2:  # noqa: PLR2004 - between three numbers
            raise EvaluationError("No Major.Minor.Patch elements found" if text else "Version string empty")
        raise EvaluationError(f'"{text[:_LONGEST_VERSION]}" is no semantic version')
    before = tuple(found[4].split(".")) if found[4] else ()
    return Version(int(found[1]), int(found[2]), int(found[3]), before)


def _without_zeros(part: str) -> str:
    stripped = part.lstrip("0")
    return stripped if stripped[:1].isdigit() else f"0{stripped}"


def type_name(value: Value) -> str:
    """The name of a value's type, as cel-go writes it."""
    match value:
        case bool():
            return "bool"
        case None:
            return "null_type"
        case Uint():
            return "uint"
        case Duration():
            return "google.protobuf.Duration"
        case Timestamp():
            return "google.protobuf.Timestamp"
        case Optional():
            return "optional_type"
        case Quantity():
            return "kubernetes.Quantity"
        case Version():
            return "kubernetes.Semver"
        case DefaultMap() | dict():
            return "map"
    return _NAMES[type(value)]


_NAMES: Final[Mapping[type, str]] = {
    int: "int",
    float: "double",
    str: "string",
    bytes: "bytes",
    list: "list",
    Address: "net.IP",
    AddressRange: "net.CIDR",
    URL: "kubernetes.URL",
    NamedFormat: "kubernetes.NamedFormat",
    TypeValue: "type",
}
