"""Durations as Go writes them: `1h30m`, `1.5s`, `-2ms`. Reference: time.ParseDuration of Go's standard library."""

from __future__ import annotations

import re
from typing import Final

from vqs.model.units import SECONDS

DURATION: Final = r"[-+]?(?:0|(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+)"
"""The pattern of a duration."""

_DURATION: Final = re.compile(DURATION)
_PART: Final = re.compile(r"([0-9.]+)([a-zµμ]+)")
_UNITS: Final = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_LONGEST: Final = 2**63 / 1e9
"""In seconds; Go counts nanoseconds in 64 bits."""


_HUNDREDTHS: Final = 100

LONGEST: Final = 100 * 366 * 86_400.0
"""The longest span of time that a workload, or an option, may speak of: 100 years in seconds."""

_SPAN: Final = re.compile(r"(\d{1,30}(?:\.\d{1,9})?)|(?:(\d{1,30}(?:\.\d{1,9})?)d)?(\d[0-9.a-zµμ]{0,60})?")
"""A number of seconds; or days, and what is left of a day."""


def parse_duration(text: str) -> float | None:
    """A duration in seconds, None where the text is none.

    >>> parse_duration("1h30m"), parse_duration("-2ms"), parse_duration("5")
    (5400.0, -0.002, None)
    """
    if not _DURATION.fullmatch(text):
        return None
    seconds = _in_seconds(text)
    if seconds >= _LONGEST:
        return None
    return -seconds if text.startswith("-") else seconds


def _in_seconds(text: str) -> float:
    return sum((float(number) * _UNITS[unit] for number, unit in _PART.findall(text)), 0.0)


def read_seconds(text: str) -> float | None:
    """A span of time in seconds: a number of seconds, or amounts with units up to days; None where it is none.

    >>> read_seconds("90"), read_seconds("1d12h"), read_seconds("10m"), read_seconds("-5s"), read_seconds("soon")
    (90.0, 129600.0, 600.0, None, None)
    """
    match = _SPAN.fullmatch(text.strip())
    if match is None or not match[0]:
        return None
    number, days, rest = match.groups()
    if rest and not _DURATION.fullmatch(rest):
        return None
    return float(number or 0) + float(days or 0) * 86400 + _in_seconds(rest or "")


def write_seconds(seconds: float, between: str = "", *, most: int | None = None) -> str:
    """Write a span of time as `read_seconds` reads it: in full, to hundredths of a second, or in its largest units.

    >>> write_seconds(11520.0), write_seconds(3601.25), write_seconds(90061, " ", most=2), write_seconds(0)
    ('3h12m', '1h1.25s', '1d 1h', '0s')
    """
    left, parts = round(seconds * _HUNDREDTHS), []
    for size, unit in SECONDS:
        whole, rest = divmod(left, size * _HUNDREDTHS)
        amount = left / _HUNDREDTHS if size == 1 else whole
        left = rest
        if amount:
            parts.append(f"{amount:g}{unit}" if size == 1 else f"{amount}{unit}")
    return between.join(parts[:most]) or "0s"
