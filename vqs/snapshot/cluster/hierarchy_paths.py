"""The annotations with a queue's path in the hierarchy of the plugin drf, and the weights along it."""

from __future__ import annotations

import re
from math import isinf
from typing import Final

PATH: Final = "volcano.sh/hierarchy"
WEIGHTS: Final = "volcano.sh/hierarchy-weights"

_DECIMAL: Final = re.compile(r"[+-]?(?:[0-9._]+(?:e[+-]?[0-9_]+)?|inf(?:inity)?)|nan", re.ASCII | re.IGNORECASE)
_HEXADECIMAL: Final = re.compile(
    r"[+-]?0x(?=[_.]?[0-9a-f])(?:_?[0-9a-f])*(?:\.(?:[0-9a-f](?:_?[0-9a-f])*)?)?p[+-]?[0-9](?:_?[0-9])*",
    re.ASCII | re.IGNORECASE,
)


def stored_path(path: str, weights: str) -> str:
    """A path as the webhook stores that of a new queue: from the root on.

    >>> stored_path("eng/dev", "1/2"), stored_path("root/eng", "1/1"), stored_path("eng", "")
    ('root/eng/dev', 'root/eng', 'eng')
    """
    return f"root/{path}" if path and weights and not path.startswith("root") else path


def stored_weights(path: str, weights: str) -> str:
    """The weights as the webhook stores those of a new queue: with one for the root."""
    return weights if stored_path(path, weights) == path else f"1/{weights}"


def number(text: str) -> float | None:
    """Read a weight as Go reads numbers; None where it is none, or too large to be one.

    >>> number("2.5"), number("1_0"), number("0x1p3"), number("heavy"), number(" 2"), number("1e400")
    (2.5, 10.0, 8.0, None, None, None)
    """
    try:
        if _HEXADECIMAL.fullmatch(text):
            return float.fromhex(text.replace("_", ""))
        found = float(text) if _DECIMAL.fullmatch(text) else None
    except (ValueError, OverflowError):
        return None
    return None if found is not None and isinf(found) and text[-1].isdigit() else found


def is_weight(text: str) -> bool:
    """True if the webhook takes a text for a weight; it accepts what Go reads as not a number.

    >>> is_weight("2.5"), is_weight("nan"), is_weight("0"), is_weight("heavy")
    (True, True, False, False)
    """
    weight = number(text)
    return weight is not None and not weight <= 0
