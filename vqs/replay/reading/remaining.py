"""How long pods run of which only a part has been seen.

The rule: a pod that still runs when the record ends is taken to run as long as the pods of its task that have ended, by
their median, where it has not run that long yet; else as long again as it has run so far. What has run for long is
likely to run for long, so that this is a fair guess where nothing else is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median


def whole_duration(age: float, ended: Sequence[float]) -> float:
    """Return the seconds that a pod runs in all.

    >>> whole_duration(60, [100, 300, 200]), whole_duration(250, [100, 300, 200]), whole_duration(60, [])
    (200.0, 500.0, 120.0)

    Args:
        age: the seconds that it has run so far.
        ended: the seconds that pods like it ran that have ended.
    """
    usual = float(median(ended)) if ended else 0.0
    return usual if usual > age else 2.0 * age
