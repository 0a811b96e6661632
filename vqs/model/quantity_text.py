"""Quantities written as the API server writes them: ``0.5`` is ``500m``, ``1000Mi`` stays, ``2048Mi`` is ``2Gi``.

A quantity keeps the family of units it was written in: powers of two, powers of ten, or an exponent. A sum is written
in the family of its first part that is not zero.

>>> canonical("0.5"), canonical("2048Mi"), add("1.5Gi", "1G")
('500m', '2Gi', '2610612736')

Reference: ``CanonicalizeBytes`` and ``Add`` in ``pkg/api/resource/quantity.go`` of k8s.io/apimachinery v0.34.
"""

import re
from enum import Enum, auto
from fractions import Fraction
from functools import lru_cache
from typing import Final

from vqs.model.quantity import parse

_EXPONENT: Final = re.compile(r".*[eE][+-]?[0-9]+")
_BINARY_UNITS: Final = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_DECIMAL_UNITS: Final = {-9: "n", -6: "u", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T", 15: "P", 18: "E"}
_LARGEST: Final = 18
_NANO: Final = -9
_KIBI: Final = 1024


class Family(Enum):
    """The units that a quantity is written in."""

    BINARY = auto()
    DECIMAL = auto()
    EXPONENT = auto()


@lru_cache(maxsize=4096)
def canonical(quantity: str | float) -> str:
    """Write a quantity in the largest unit of its family that leaves a whole number."""
    return written(parse(quantity), family(quantity))


def add(first: str | float, second: str | float) -> str:
    """Write the sum of two quantities."""
    one, other = parse(first), parse(second)
    return written(one + other, family(first if one else second))


def times(quantity: str | float, number: int) -> str:
    """Write a multiple of a quantity."""
    return written(parse(quantity) * number, family(quantity))


def family(quantity: str | float) -> Family:
    """The family of units of a quantity."""
    text = str(quantity).strip()
    if text.endswith("i"):
        return Family.BINARY
    return Family.EXPONENT if _EXPONENT.fullmatch(text) else Family.DECIMAL


def written(exact: Fraction, units: Family) -> str:
    """Write an exact amount in a family of units."""
    if units is Family.BINARY and abs(exact) >= _KIBI:
        return _in_powers_of_two(exact)
    return _in_powers_of_ten(exact, units)


def _in_powers_of_two(exact: Fraction) -> str:
    number, power = _away_from_zero(exact), 0
    while number % _KIBI == 0 and power < len(_BINARY_UNITS) - 1:
        number, power = number // _KIBI, power + 1
    return f"{number}{_BINARY_UNITS[power]}"


def _in_powers_of_ten(exact: Fraction, units: Family) -> str:
    number, power = _away_from_zero(exact * 10**-_NANO), _NANO
    if number == 0:
        return "0"
    while number % 1000 == 0 and (power < _LARGEST or units is Family.EXPONENT):
        number, power = number // 1000, power + 3
    if units is Family.EXPONENT:
        return f"{number}e{power}" if power else str(number)
    return f"{number}{_DECIMAL_UNITS[power]}"


def _away_from_zero(exact: Fraction) -> int:
    rounded = -(-abs(exact.numerator) // exact.denominator)
    return rounded if exact >= 0 else -rounded
