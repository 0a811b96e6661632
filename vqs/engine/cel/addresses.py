"""Addresses and address ranges. References: ip.go and cidr.go of k8s.io/apiserver/pkg/cel and its library (v0.34)."""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_interface
from typing import Final

from vqs.engine.cel.values import Address, AddressRange, EvaluationError

_BITS: Final = re.compile(r"0|[1-9][0-9]{0,2}", re.ASCII)
_LINK_LOCAL_MULTICAST: Final = 0xFF02
_SCOPE: Final = 0xFF0F


def address(text: str) -> Address:
    """Return an address of IPv4 or IPv6, without a zone.

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
    """Return a range of addresses, such as 10.0.0.0/8; the bits after its prefix need not be zero.

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


def contains_address(container: AddressRange, member: Address) -> bool:
    """Tell whether an address is in a range."""
    return member.value in container.value.network


def contains_range(container: AddressRange, member: AddressRange) -> bool:
    """Tell whether a range is within another."""
    outer, inner = container.value.network, member.value.network
    return outer.version == inner.version and outer.overlaps(inner) and outer.prefixlen <= inner.prefixlen


def masked(given: AddressRange) -> AddressRange:
    """Return a range with zeros after its prefix."""
    network = given.value.network
    return AddressRange(ip_interface((network.network_address, network.prefixlen)))


def is_link_local_multicast(given: Address) -> bool:
    """Tell whether an address reaches several hosts of a link."""
    value = given.value
    if isinstance(value, IPv4Address):
        return value.packed[:3] == b"\xe0\x00\x00"
    return int.from_bytes(value.packed[:2]) & _SCOPE == _LINK_LOCAL_MULTICAST


def is_global_unicast(given: Address) -> bool:
    """Tell whether an address is that of one host beyond its link, private ones included."""
    value = given.value
    is_broadcast = value.packed == b"\xff\xff\xff\xff"
    return not (value.is_unspecified or value.is_loopback or value.is_multicast or value.is_link_local or is_broadcast)


def quoted(text: str) -> str:
    """Write a text as Go does in messages."""
    return f'"{text[:100]}"'
