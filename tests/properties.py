"""How many random examples a property is tried with."""

from __future__ import annotations

from typing import Final

from hypothesis import settings

WHOLE: Final = 100
"""The examples of a property that asks for no number of them, with ``--every-case``."""

PART: Final = 25
"""The examples of such a property in all other runs."""

_LEAST: Final = 4


def examples(count: int) -> int:
    """Return how many of a number of examples are tried in this run.

    Args:
        count: how many are tried with ``--every-case``.
    """
    return min(count, max(_LEAST, count * settings().max_examples // WHOLE))
