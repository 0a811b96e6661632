"""Numbers and truth values in texts such as annotations and labels, read as Go's standard library reads them.

Reference: ``ParseInt``, ``ParseFloat`` and ``ParseBool`` in the package strconv.
"""

import math
import re
from typing import Final

_DIGITS: Final = re.compile(r"[+-]?[0-9]+", re.ASCII)
_PERCENT: Final = re.compile(r"([0-9]{1,9})%", re.ASCII)
_INT64: Final = range(-(2**63), 2**63)
_MOST_DIGITS: Final = 19
_TRUE: Final = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_FALSE: Final = frozenset({"0", "f", "F", "FALSE", "false", "False"})


def whole_number(text: str) -> int | None:
    """Read a decimal number of 64 bits; None where a text is none.

    >>> whole_number("-0012"), whole_number("1_0"), whole_number("9223372036854775808"), whole_number("9" * 5000)
    (-12, None, None, None)
    """
    if len(text) < _MOST_DIGITS and text.isdecimal() and text.isascii():
        return int(text)
    digits = text.lstrip("+-0") or "0"
    if _DIGITS.fullmatch(text) is None or len(digits) > _MOST_DIGITS:
        return None
    number = -int(digits) if text.startswith("-") else int(digits)
    return number if number in _INT64 else None


def finite_number(text: str) -> float | None:
    """Read a number; None where a text is none, or one that cannot be calculated with.

    >>> finite_number("2.5"), finite_number("nan"), finite_number("inf"), finite_number("many")
    (2.5, None, None, None)
    """
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def part_of(limit: int | str, whole: int, *, up: bool) -> int | None:
    """A number as it is, or a percentage of a whole, rounded up or down; None for any other text.

    Reference: ``GetScaledValueFromIntOrPercent`` in k8s.io/apimachinery pkg/util/intstr.

    >>> part_of("25%", 10, up=True), part_of("25%", 10, up=False), part_of(4, 10, up=True), part_of("4", 10, up=True)
    (3, 2, 4, None)
    """
    if isinstance(limit, int):
        return limit
    percent = _PERCENT.fullmatch(limit)
    if percent is None:
        return None
    parts = int(percent[1]) * whole
    return -(-parts // 100) if up else parts // 100


def is_true(text: str) -> bool:
    """True if a text reads as true; one that is neither true nor false does not.

    >>> is_true("T"), is_true("0"), is_true("yes")
    (True, False, False)
    """
    return text in _TRUE


def is_boolean(text: str) -> bool:
    """True if a text reads as true or as false.

    >>> is_boolean("F"), is_boolean("1"), is_boolean("no")
    (True, True, False)
    """
    return text in _TRUE or text in _FALSE
