"""Durations as Go writes them: `1h30m`, `1.5s`, `-2ms`. Reference: time.ParseDuration of Go's standard library."""

from __future__ import annotations

import re
from typing import Final

DURATION: Final = r"[-+]?(?:0|(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+)"
"""The pattern of a duration."""

_DURATION: Final = re.compile(DURATION)
_PART: Final = re.compile(r"([0-9.]+)([a-zµμ]+)")
_UNITS: Final = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_LONGEST: Final = 2**63 / 1e9
"""In seconds; Go counts nanoseconds in 64 bits."""


def parse_duration(text: str) -> float | None:
    """Return a duration in seconds, None where the text is none.

    >>> parse_duration("1h30m"), parse_duration("-2ms"), parse_duration("5")
    (5400.0, -0.002, None)
    """
    if not _DURATION.fullmatch(text):
        return None
    seconds = sum((float(number) * _UNITS[unit] for number, unit in _PART.findall(text)), 0.0)
    if seconds >= _LONGEST:
        return None
    return -seconds if text.startswith("-") else seconds
