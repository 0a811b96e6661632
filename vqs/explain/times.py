"""Spans of time as people write them: 3h 12m."""

from __future__ import annotations

from typing import Final

from vqs.explain.amounts import ABSENT, number

_UNITS: Final = ((86400, "d"), (3600, "h"), (60, "m"), (1, "s"))
_MINUTE: Final = 60
_PRECISE: Final = 9.95
"""Less than this, in seconds, is written with a decimal."""


def lasting(seconds: float | None) -> str:
    """Write a time in its two largest units.

    >>> lasting(11520.0), lasting(75.4), lasting(45.2), lasting(4.25), lasting(90061.0), lasting(None)
    ('3h 12m', '1m 15s', '45s', '4.2s', '1d 1h', '-')
    """
    if seconds is None:
        return ABSENT
    if seconds < 0:
        return f"-{lasting(-seconds)}"
    if seconds < _PRECISE:
        return f"{number(round(seconds, 1))}s"
    unit = next(size for size, _ in _UNITS if round(seconds) >= size)
    least = _UNITS[[size for size, _ in _UNITS].index(unit) + 1][0] if unit >= _MINUTE else 1
    return timed(round(seconds / least) * least, " ")


def timed(seconds: float, between: str = "") -> str:
    """Write a time in full, as `--at` takes it.

    >>> timed(11520.0), timed(3601.25), timed(0.0)
    ('3h12m', '1h1.25s', '0s')
    """
    left, parts = seconds, []
    for size, sign in _UNITS:
        some = round(left, 2) if size == 1 else left // size
        left -= some * size
        if some:
            parts.append(f"{number(some)}{sign}")
    return between.join(parts) or "0s"
