"""Durations as Go writes them: `1h30m`, `1.5s`, `-2ms`. Reference: time.ParseDuration of Go's standard library."""

from __future__ import annotations

import re

_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_PART = re.compile(r"(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)", re.ASCII)
_LONGEST = 2**63 / 1e9
"""In seconds; Go counts nanoseconds in 64 bits."""


def duration(text: str) -> float | None:
    """Return a duration in seconds, None where the text is none."""
    sign = -1.0 if text.startswith("-") else 1.0
    rest = text[1:] if text[:1] in ("+", "-") else text
    if rest == "0":
        return 0.0
    seconds, at = 0.0, 0
    while at < len(rest):
        part = _PART.match(rest, at)
        if part is None:
            return None
        seconds += float(part[1]) * _UNITS[part[2]]
        at = part.end()
    return sign * seconds if rest and seconds < _LONGEST else None
