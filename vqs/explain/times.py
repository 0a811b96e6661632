"""Spans of time as people read them: 3h 12m."""

from __future__ import annotations

from typing import Final

from vqs.explain.amounts import ABSENT, number
from vqs.model.durations import UNITS, write_seconds

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
    sizes = [size for size, _ in UNITS]
    unit = next(size for size in sizes if round(seconds) >= size)
    least = sizes[sizes.index(unit) + 1] if unit >= _MINUTE else 1
    return write_seconds(round(seconds / least) * least, " ")
