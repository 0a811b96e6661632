"""Texts of a certain form: addresses and their ranges, URLs as Go reads them, and Kubernetes' named formats.

References: k8s.io/apiserver/pkg/cel and its library: ip.go, cidr.go, urls.go, format.go (v0.34); net/url of Go.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_interface
from typing import Final
from urllib.parse import quote, unquote, unquote_plus, unquote_to_bytes

from vqs.engine.cel.values import URL, Address, AddressRange, EvaluationError, NamedFormat, Value
from vqs.snapshot.apiserver.validation import names

# --- addresses --------------------------------------------------------------------------------------------------------

_BITS: Final = re.compile(r"0|[1-9][0-9]{0,2}", re.ASCII)
_LINK_LOCAL_MULTICAST: Final = 0xFF02
_SCOPE: Final = 0xFF0F


def address(text: str) -> Address:
    """An address of IPv4 or IPv6, without a zone.

    Raises:
        EvaluationError: it is none.

    >>> str(address("2001:db8::0:1").value)
    '2001:db8::1'
    """
    return Address(_address(text, f"IP Address {quoted(text)} parse error during conversion from string"))


def _address(text: str, failure: str) -> IPv4Address | IPv6Address:
    try:
        found = ip_address(text)
    except ValueError as error:
        raise EvaluationError(f"{failure}: ParseAddr({quoted(text)}): unable to parse IP") from error
    if isinstance(found, IPv6Address) and found.scope_id is not None:
        raise EvaluationError(f"IP address {quoted(text)} with zone value is not allowed")
    if isinstance(found, IPv6Address) and found.ipv4_mapped is not None:
        raise EvaluationError(f"IPv4-mapped IPv6 address {quoted(text)} is not allowed")
    return found


def address_range(text: str) -> AddressRange:
    """A range of addresses, such as 10.0.0.0/8; the bits after its prefix need not be zero.

    Raises:
        EvaluationError: it is none.
    """
    failure = "network address parse error during conversion from string"
    failure = f"{failure}: {failure}: netip.ParsePrefix({quoted(text)})"
    first, slash, bits = text.rpartition("/")
    if not slash:
        raise EvaluationError(f"{failure}: no '/'")
    found = _address(first, failure)
    if _BITS.fullmatch(bits) is None:
        raise EvaluationError(f"{failure}: bad bits after slash: {quoted(bits)}")
    if int(bits) > found.max_prefixlen:
        raise EvaluationError(f"{failure}: prefix length out of range")
    return AddressRange(ip_interface((found, int(bits))))


def contains_range(container: AddressRange, member: AddressRange) -> bool:
    """True if a range is within another."""
    outer, inner = container.value.network, member.value.network
    return outer.version == inner.version and outer.overlaps(inner) and outer.prefixlen <= inner.prefixlen


def masked(given: AddressRange) -> AddressRange:
    """A range with zeros after its prefix."""
    network = given.value.network
    return AddressRange(ip_interface((network.network_address, network.prefixlen)))


def is_link_local_multicast(given: Address) -> bool:
    """True if an address reaches several hosts of a link."""
    value = given.value
    if isinstance(value, IPv4Address):
        return value.packed[:3] == b"\xe0\x00\x00"
    return int.from_bytes(value.packed[:2]) & _SCOPE == _LINK_LOCAL_MULTICAST


def is_global_unicast(given: Address) -> bool:
    """True if an address is that of one host beyond its link, private ones included."""
    value = given.value
    is_broadcast = value.packed == b"\xff\xff\xff\xff"
    return not (value.is_unspecified or value.is_loopback or value.is_multicast or value.is_link_local or is_broadcast)


def quoted(text: str) -> str:
    """Write a text as Go does in messages."""
    return f'"{text[:100]}"'


# --- URLs -------------------------------------------------------------------------------------------------------------

_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)", re.DOTALL)
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_WRONG_ESCAPE: Final = re.compile(r"%(?![0-9A-Fa-f]{2}).{0,2}", re.DOTALL)
_PLAIN_PATH: Final = re.compile(r"[A-Za-z0-9._~!$&'()*+,;=:@\[\]%/-]*", re.ASCII)
_NOT_ESCAPED: Final = "$&+,/:;=@~"
_USER: Final = re.compile(r"[A-Za-z0-9._:~!$&'()*+,;=%@-]*", re.ASCII)
_HOST: Final = re.compile(r"(?:[A-Za-z0-9._~!$&'()*+,;=:\[\]<>\"-]|[^\x00-\x7f]|%[89A-Fa-f][0-9A-Fa-f]|%25)*")
_PORT: Final = re.compile(r"\[.*\](?::[0-9]*)?|(?!\[)(?:[^:]*|.*:[0-9]*)", re.ASCII | re.DOTALL)
"""A host, perhaps in brackets, with a port or without."""
_SHOWN: Final = 100
"""How many characters of a URL a message shows."""


def is_url(text: str) -> bool:
    """True if a text is a URL, or an absolute path, that a request may be about."""
    try:
        _parsed(text)
    except EvaluationError:
        return False
    return True


def url(text: str) -> URL:
    """A URL, or an absolute path.

    Raises:
        EvaluationError: it is none.

    >>> url("https://example.com:80/a%20b?x=1#y").host
    'example.com:80'
    """
    _parsed(text)  # in a request, what follows # is part of the path or the query
    rest, _, fragment = text.partition("#")
    wrong = _WRONG_ESCAPE.search(fragment)
    if wrong:
        raise _failure(text, f'invalid URL escape "{wrong[0]}"')
    return replace(_parsed(rest), fragment=f"#{fragment}" if fragment else "")


def _parsed(text: str) -> URL:
    if text == "*":
        return URL("", "", "", text, "", "")
    if fault := _control_fault(text):
        raise _failure(text, fault)
    found = _SCHEME.fullmatch(text)
    scheme, rest = (found[1].lower(), found[2]) if found else ("", text)
    path, mark, query = rest.partition("?")
    if scheme and not path.startswith("/"):
        return URL(scheme, "", "", path, mark + query, "", is_opaque=True)
    if not path.startswith("/"):
        raise _failure(text, "invalid URI for request")
    user = host = ""
    if scheme and path.startswith("//"):
        authority, slash, after = path[2:].partition("/")
        path = slash + after
        user, at, host = authority.rpartition("@")
        if fault := _authority_fault(user, host):
            raise _failure(text, fault)
        user += at
    if wrong := _WRONG_ESCAPE.search(path):
        raise _failure(text, f'invalid URL escape "{wrong[0]}"')
    return URL(scheme, user, unquote(host), path, mark + query, "")


def _failure(text: str, fault: str) -> EvaluationError:
    return EvaluationError(f'URL parse error during conversion from string: parse "{text[:_SHOWN]}": {fault}')


def _control_fault(text: str) -> str:
    if _CONTROL.search(text):
        return "net/url: invalid control character in URL"
    if text.startswith(":"):
        return "missing protocol scheme"
    return "" if text else "empty url"


def _authority_fault(user: str, host: str) -> str:
    if _USER.fullmatch(user) is None or _WRONG_ESCAPE.search(user):
        return "net/url: invalid userinfo"
    if _PORT.fullmatch(host) is None:
        return "invalid port after host"
    return "" if _HOST.fullmatch(host) else "invalid character in host name"


def hostname(given: URL) -> str:
    """The host without its port, and without brackets."""
    if given.host.startswith("["):
        return given.host[1 : given.host.rfind("]")]
    return given.host.rpartition(":")[0] if ":" in given.host else given.host


def port(given: URL) -> str:
    """The port, if there is one."""
    after = given.host[given.host.rfind("]") + 1 :]
    return after.rpartition(":")[2] if ":" in after else ""


def escaped_path(given: URL) -> str:
    """The path as it is written, or with escapes where it needs them."""
    if given.is_opaque:
        return ""
    if _PLAIN_PATH.fullmatch(given.path):
        return given.path
    return quote(unquote_to_bytes(given.path), safe=_NOT_ESCAPED)


def query_values(given: URL) -> dict[Value, Value]:
    """The values of each key of the query; parts that cannot be read are left out."""
    found: dict[str, list[str]] = {}
    for part in given.query.removeprefix("?").split("&"):
        key, _, value = part.partition("=")
        if part and ";" not in part and not _WRONG_ESCAPE.search(part):
            found.setdefault(unquote_plus(key), []).append(unquote_plus(value))
    return {key: [*values] for key, values in found.items()}


# --- named formats ----------------------------------------------------------------------------------------------------

_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}", re.ASCII | re.IGNORECASE)
_BASE64: Final = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})", re.ASCII)
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_TIME: Final = re.compile(r"([0-9]{2}):([0-9]{2}):([0-9]{2})(?:.[0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})", re.ASCII)
_DNS_1035: Final = re.compile(r"[a-z](?:[-a-z0-9]*[a-z0-9])?", re.ASCII)
_LONGEST_LABEL: Final = 63
_DATE_TIME_PATTERN: Final = 79
"""The length of Kubernetes' pattern for moments, which the cost of a comparison counts."""


def _is_date(text: str) -> bool:
    try:
        return bool(_DATE.fullmatch(text) and date.fromisoformat(text))
    except ValueError:
        return False


def _is_date_time(text: str) -> bool:
    day, _, rest = text.lower().partition("t")
    found = _TIME.fullmatch(rest.partition("t")[0])
    return _is_date(day) and found is not None and found[1] <= "23" and found[2] <= "59" and found[3] <= "59"


def _dns_1035_label(text: str) -> str:
    if len(text) > _LONGEST_LABEL:
        return f"must be no more than {_LONGEST_LABEL} characters"
    return "" if _DNS_1035.fullmatch(text) else "is no DNS-1035 label"


def _prefix_of(judge: Callable[[str], str]) -> Callable[[str], str]:
    """Judge what a name begins with: it may end with a dash."""
    return lambda text: judge(f"{text[:-2]}a" if len(text) > 1 and text.endswith("-") else text)


def _judge(holds: Callable[[str], object], fault: str) -> Callable[[str], str]:
    return lambda text: "" if holds(text) else fault


FORMATS: Final[Mapping[str, tuple[Callable[[str], str], int]]] = {
    "dns1123Label": (names.label, 30),
    "dns1123Subdomain": (names.subdomain, 60),
    "dns1035Label": (_dns_1035_label, 30),
    "qualifiedName": (names.qualified_name, 60),
    "dns1123LabelPrefix": (_prefix_of(names.label), 30),
    "dns1123SubdomainPrefix": (_prefix_of(names.subdomain), 60),
    "dns1035LabelPrefix": (_prefix_of(_dns_1035_label), 30),
    "labelValue": (names.label_value, 40),
    "uri": (_judge(is_url, "invalid URI for request"), 1103),
    "uuid": (_judge(_UUID.fullmatch, "does not match the UUID format"), 78),
    "byte": (_judge(_BASE64.fullmatch, "invalid base64"), 84),
    "date": (_judge(_is_date, "invalid date"), _DATE_TIME_PATTERN),
    "datetime": (_judge(_is_date_time, "invalid datetime"), _DATE_TIME_PATTERN),
}
"""The formats by name: what is wrong with a text, and how long Kubernetes takes the pattern of the format to be."""


def faults(given: NamedFormat, text: str) -> list[Value]:
    """What is wrong with a text; the words are those of vqs."""
    fault = FORMATS[given.name][0](text)
    return [fault] if fault else []


def size_of_pattern(given: NamedFormat) -> int:
    """How long the pattern of a format counts as."""
    return FORMATS[given.name][1]
