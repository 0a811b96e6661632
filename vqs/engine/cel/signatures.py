"""The functions, methods and operators that selectors of devices may use: what they take, and what they return.

Reference: k8s.io/apiserver/pkg/cel/environment/base.go (v0.34) and the libraries that it names, of google/cel-go
(v0.26) and of k8s.io/apiserver/pkg/cel/library. Those that ask an authorizer are left out: no selector has one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from vqs.engine.cel.types import Type

_OBJECTS: Final = {
    "Quantity": "kubernetes.Quantity",
    "Semver": "kubernetes.Semver",
    "URL": "kubernetes.URL",
    "NamedFormat": "kubernetes.NamedFormat",
    "IP": "net.IP",
    "CIDR": "net.CIDR",
}
_SCALARS: Final = ("int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes")
_TOKEN: Final = re.compile(r"[A-Za-z]+|[().,]")


class Signature(NamedTuple):
    """One way to call a function: with a target or without, and of which types the arguments, the target first, are."""

    is_method: bool
    arguments: Sequence[Type]
    result: Type


def _of_each(signature: str) -> str:
    return " | ".join(signature.replace("S", scalar) for scalar in _SCALARS)


_COMPARISON: Final = (
    "(bool, bool) bool | (int, int) bool | (int, double) bool | (int, uint) bool | (uint, uint) bool"
    " | (uint, double) bool | (uint, int) bool | (double, double) bool | (double, int) bool | (double, uint) bool"
    " | (string, string) bool | (bytes, bytes) bool | (timestamp, timestamp) bool | (duration, duration) bool"
)
_INDEX: Final = "(optional(list(A)), int) optional(A) | (optional(map(A, B)), A) optional(B)"

_SIGNATURES: Final[Mapping[str, str]] = {
    "== !=": "(A, A) bool",
    "< <= > >=": _COMPARISON,
    "in": "(A, list(A)) bool | (A, map(A, B)) bool",
    "+": "(bytes, bytes) bytes | (double, double) double | (duration, duration) duration"
    " | (duration, timestamp) timestamp | (timestamp, duration) timestamp | (int, int) int"
    " | (list(A), list(A)) list(A) | (string, string) string | (uint, uint) uint",
    "-": "(double, double) double | (duration, duration) duration | (int, int) int"
    " | (timestamp, duration) timestamp | (timestamp, timestamp) duration | (uint, uint) uint",
    "* /": "(double, double) double | (int, int) int | (uint, uint) uint",
    "%": "(int, int) int | (uint, uint) uint",
    "!_": "(bool) bool",
    "-_": "(double) double | (int) int",
    "?:": "(bool, A, A) A",
    "[]": f"(list(A), int) A | (map(A, B), A) B | {_INDEX}",
    "[?]": "(list(A), int) optional(A) | (optional(list(A)), int) optional(A) | (map(A, B), A) optional(B)"
    " | (optional(map(A, B)), A) optional(B)",
    "bool": "(bool) bool | (string) bool",
    "bytes": "(bytes) bytes | (string) bytes",
    "double": "(double) double | (int) double | (string) double | (uint) double",
    "duration": "(duration) duration | (int) duration | (string) duration",
    "dyn": "(A) dyn",
    "int": "(int) int | (double) int | (duration) int | (string) int | (timestamp) int | (uint) int",
    "string": "(string) string | (bool) string | (bytes) string | (double) string | (duration) string | (int) string"
    " | (timestamp) string | (uint) string | (IP) string | (CIDR) string",
    "timestamp": "(timestamp) timestamp | (int) timestamp | (string) timestamp",
    "type": "(A) type(A)",
    "uint": "(uint) uint | (double) uint | (int) uint | (string) uint",
    "size": "(bytes) int | bytes.() int | (list(A)) int | list(A).() int | (map(A, B)) int | map(A, B).() int"
    " | (string) int | string.() int",
    "matches": "(string, string) bool | string.(string) bool",
    "contains endsWith startsWith": "string.(string) bool",
    "charAt": "string.(int) string",
    "find": "string.(string) string",
    "findAll split": "string.(string) list(string) | string.(string, int) list(string)",
    "format": "string.(list(dyn)) string",
    "indexOf lastIndexOf": "list(A).(A) int | string.(string) int | string.(string, int) int",
    "join": "list(string).() string | list(string).(string) string",
    "lowerAscii trim upperAscii": "string.() string",
    "replace": "string.(string, string) string | string.(string, string, int) string",
    "strings.quote": "(string) string",
    "substring": "string.(int) string | string.(int, int) string",
    "distinct reverse": "list(A).() list(A)",
    "first last": "list(A).() optional(A)",
    "flatten": "list(list(A)).() list(A) | list(dyn).(int) list(dyn)",
    "isSorted": _of_each("list(S).() bool"),
    "lists.range": "(int) list(int)",
    "max min": _of_each("list(S).() S"),
    "sets.contains sets.equivalent sets.intersects": "(list(A), list(A)) bool",
    "slice": "list(A).(int, int) list(A)",
    "sort": _of_each("list(S).() list(S)"),
    "@sortByAssociatedKeys": _of_each("list(A).(list(S)) list(A)"),
    "sum": "list(int).() int | list(uint).() uint | list(double).() double | list(duration).() duration",
    "cel.@mapInsert": "(map(A, B), A, B) map(A, B) | (map(A, B), map(A, B)) map(A, B)",
    "getDate getDayOfMonth getDayOfWeek getDayOfYear getFullYear getMonth": "timestamp.() int | timestamp.(string) int",
    "getHours getMilliseconds getMinutes getSeconds": "timestamp.() int | timestamp.(string) int | duration.() int",
    "optional.none": "() optional(A)",
    "optional.of optional.ofNonZeroValue": "(A) optional(A)",
    "optional.unwrap": "(list(optional(A))) list(A)",
    "unwrapOpt": "list(optional(A)).() list(A)",
    "hasValue": "optional(A).() bool",
    "or": "optional(A).(optional(A)) optional(A)",
    "orValue": "optional(A).(A) A",
    "value": "optional(A).() A",
    "quantity": "(string) Quantity",
    "isQuantity isURL isIP isCIDR ip.isCanonical": "(string) bool",
    "add sub": "Quantity.(Quantity) Quantity | Quantity.(int) Quantity",
    "asApproximateFloat": "Quantity.() double",
    "asInteger": "Quantity.() int",
    "isInteger": "Quantity.() bool",
    "sign": "(Quantity) int",
    "compareTo": "Quantity.(Quantity) int | Semver.(Semver) int",
    "isGreaterThan isLessThan": "Quantity.(Quantity) bool | Semver.(Semver) bool",
    "semver": "(string) Semver | (string, bool) Semver",
    "isSemver": "(string) bool | (string, bool) bool",
    "major minor patch": "Semver.() int",
    "ip": "(string) IP | CIDR.() IP",
    "family": "IP.() int",
    "isGlobalUnicast isLinkLocalMulticast isLinkLocalUnicast isLoopback isUnspecified": "IP.() bool",
    "cidr": "(string) CIDR",
    "containsCIDR": "CIDR.(string) bool | CIDR.(CIDR) bool",
    "containsIP": "CIDR.(string) bool | CIDR.(IP) bool",
    "masked": "CIDR.() CIDR",
    "prefixLength": "CIDR.() int",
    "url": "(string) URL",
    "getEscapedPath getHost getHostname getPort getScheme": "URL.() string",
    "getQuery": "URL.() map(string, list(string))",
    "format.named": "(string) optional(NamedFormat)",
    "format.byte format.date format.datetime format.uri format.uuid format.labelValue format.qualifiedName"
    " format.dns1035Label format.dns1035LabelPrefix format.dns1123Label format.dns1123LabelPrefix"
    " format.dns1123Subdomain format.dns1123SubdomainPrefix": "() NamedFormat",
    "validate": "NamedFormat.(string) optional(list(string))",
}
"""By names, the ways to call what they name. A single letter stands for any type, the same one in one way."""

_TEXTS: Final = {name: text for names, text in _SIGNATURES.items() for name in names.split()}


@cache
def signatures(name: str) -> tuple[Signature, ...]:
    """The ways to call a function, method or operator; none if there is none of that name.

    >>> [(each.is_method, each.result.name) for each in signatures("matches")]
    [(False, 'bool'), (True, 'bool')]
    """
    return tuple(_signature(text) for text in _TEXTS[name].split(" | ")) if name in _TEXTS else ()


def _signature(text: str) -> Signature:
    tokens = _TOKEN.findall(text)
    target: tuple[Type, ...] = ()
    if "." in tokens:
        target = (_type(tokens),)
        tokens.pop(0)
    arguments = _types(tokens)
    return Signature(bool(target), (*target, *arguments), _type(tokens))


def _type(tokens: list[str]) -> Type:
    name = tokens.pop(0)
    parameters = _types(tokens) if tokens and tokens[0] == "(" else ()
    return Type(_OBJECTS.get(name, name), parameters, is_parameter=len(name) == 1)


def _types(tokens: list[str]) -> tuple[Type, ...]:
    """Take types in parentheses."""
    found: list[Type] = []
    tokens.pop(0)
    while tokens[0] != ")":
        found.append(_type(tokens))
        if tokens[0] == ",":
            tokens.pop(0)
    tokens.pop(0)
    return tuple(found)
