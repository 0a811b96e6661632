"""Kubernetes resource quantities, and other numbers in texts, read and rounded as Kubernetes and Go do it.

A quantity is a number with a unit: ``500m`` CPU, ``1.5Gi`` of memory, ``12e6`` bytes. `parse` gives its exact value,
`milli_value` and `value` give the integers on which the scheduler decides. Those are rounded away from zero. Beyond the
range of a 64-bit integer they do what the reference does there: wrap around, or become zero. One difference is meant: a
unit without a number, such as ``Gi``, is refused here and is zero there.

>>> parse("1.5Gi")
Fraction(1610612736, 1)
>>> milli_value("0.1"), value("0.1")
(100, 1)

Quantities are written as the API server writes them, in the family of units that they were written in: powers of two,
powers of ten, or an exponent. A sum is in the family of its first part that is not zero.

>>> canonical("0.5"), canonical("2048Mi"), add("1.5Gi", "1G")
('500m', '2Gi', '2610612736')

Reference: ``pkg/api/resource/quantity.go``, ``amount.go`` and ``scale_int.go`` in k8s.io/apimachinery v0.34.

Numbers and truth values in texts such as annotations and labels, read as Go's standard library reads them.

Reference: ``ParseInt``, ``ParseFloat`` and ``ParseBool`` in the package strconv.
"""

import math
import re
from collections.abc import Mapping
from enum import Enum, auto
from fractions import Fraction
from functools import lru_cache
from typing import Final, NamedTuple

_DECIMAL_EXPONENTS: Final = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY_EXPONENTS: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_SHAPE: Final = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[+-]?[0-9]*)", re.ASCII)
_EXPONENT: Final = re.compile(r"[eE]([+-]?[0-9]+)", re.ASCII)
_NANO: Final = -9
_MILLI: Final = -3
_INT64_MAX: Final = 2**63 - 1
_INT64_DIGITS: Final = 18
_UNCHECKED_SHIFTS: Final = (0, 1, 2, 3, 6, 9)
_LONGEST: Final = 400
"""Longer texts and larger exponents are no quantities that anyone means, and take very long to compute with."""

TOO_MUCH: Final = "it is more than Kubernetes can count"
_MOST_DIGITS: Final = 300
"""Larger amounts are none that anyone means either, and no floating-point number can hold them."""

_SHOWN: Final = 40
_SUGGESTED_UNITS: Final = {
    "b": "",
    "byte": "",
    "bytes": "",
    "core": "",
    "cores": "",
    "cpu": "",
    "cpus": "",
    **{f"{unit.lower()}{tail}": unit for unit in ("k", "M", "G", "T", "P", "E") for tail in ("", "b")},
    **{f"{unit.lower()}{tail}": unit for unit in _BINARY_EXPONENTS for tail in ("", "b")},
}


class QuantityError(ValueError):
    """A text that is no quantity.

    `message` says so and why; `suggestion` is the quantity that was probably meant, or None.
    """

    def __init__(self, text: str, reason: str, suggestion: str | None = None) -> None:
        hint = f" (did you mean {suggestion!r}?)" if suggestion else ""
        self.message = f"{text if len(text) <= _SHOWN else text[:_SHOWN] + '...'!r} is not a quantity: {reason}"
        super().__init__(f"{self.message}{hint}")
        self.reason = reason
        self.suggestion = suggestion


class _Amount(NamedTuple):
    """``unscaled * 10**scale``, and whether the reference keeps it in a 64-bit integer or as a big decimal."""

    unscaled: int
    scale: int
    is_int64: bool


@lru_cache(maxsize=65536)
def parse(quantity: str | float) -> Fraction:
    """The exact value of `quantity`, for comparing and adding."""
    unscaled, scale, _ = _amount(quantity)
    return unscaled * Fraction(10) ** scale


def parse_all(quantities: Mapping[str, str | float] | None) -> dict[str, Fraction]:
    """The exact values of the quantities of a resource list."""
    return {name: parse(quantity) for name, quantity in (quantities or {}).items()}


@lru_cache(maxsize=65536)
def milli_value(quantity: str | float) -> int:
    """Thousandths, rounded away from zero: what the scheduler counts CPU and extended resources in."""
    return _scaled(_amount(quantity), _MILLI)


@lru_cache(maxsize=65536)
def value(quantity: str | float) -> int:
    """Units, rounded away from zero: what the scheduler counts memory and pods in."""
    return _scaled(_amount(quantity), 0)


def _amount(quantity: str | float) -> _Amount:
    text = quantity.strip() if isinstance(quantity, str) else repr(quantity)
    if not text:
        raise QuantityError(text, "it is empty", "0")
    if len(text) > _LONGEST:
        raise QuantityError(text, f"it is longer than {_LONGEST} characters")
    match = _SHAPE.fullmatch(text)
    if match is None:
        raise QuantityError(text, "expected a number with an optional unit such as m, k, M, Ki, Mi or Gi", _guess(text))
    minus, whole, fraction, unit = match.groups(default="")
    if not whole and not fraction:
        raise QuantityError(text, "it has no digits")
    sign, whole = -1 if minus == "-" else 1, whole.lstrip("0") or "0"
    if unit in _BINARY_EXPONENTS:
        exponent = _BINARY_EXPONENTS[unit]
        multiplied = int(whole + fraction) << exponent
        has_room = len(whole) + exponent * 3 // 10 < 15  # noqa: PLR2004 - digits that are safe to multiply without a check
        if not fraction and has_room:
            return _Amount(sign * multiplied, 0, is_int64=True)
        amount = _big_amount(sign, multiplied, -len(fraction))
        if abs(amount.unscaled) > _INT64_MAX * 10**-amount.scale:
            return _Amount(sign * _INT64_MAX, 0, is_int64=False)
        return amount
    if unit in _DECIMAL_EXPONENTS:
        exponent = _DECIMAL_EXPONENTS[unit]
    else:
        match = _EXPONENT.fullmatch(unit)
        if match is None:
            raise QuantityError(text, f"unknown unit {unit!r}", _guess(text))
        exponent = int(match[1])
        if abs(exponent) > _LONGEST:
            raise QuantityError(text, "its exponent is out of range")
    if len(whole) + exponent > _MOST_DIGITS:
        raise QuantityError(text, TOO_MUCH)
    scale = exponent - len(fraction)
    unscaled = int(whole + fraction)
    if len(whole) + len(fraction) <= _INT64_DIGITS and scale >= _NANO:
        return _Amount(sign * unscaled, scale, is_int64=True)
    return _big_amount(sign, unscaled, scale)


def _big_amount(sign: int, unscaled: int, scale: int) -> _Amount:
    """Round away from zero to billionths, the finest that is kept."""
    if unscaled == 0:
        return _Amount(0, 0, is_int64=False)
    shift = scale - _NANO
    nanos = unscaled * 10**shift if shift >= 0 else -(-unscaled // 10**-shift)
    return _Amount(sign * nanos, _NANO, is_int64=False)


def _scaled(amount: _Amount, scale: int) -> int:
    unscaled, own_scale, is_int64 = amount
    shift = own_scale - scale
    if is_int64:
        # What overflows on the way up wraps around for usual units, and is zero for others.
        if shift < 0:
            rounded: int = -(-abs(unscaled) // 10**-shift)
            return rounded if unscaled >= 0 else -rounded
        scaled: int = unscaled * 10**shift
        if shift in _UNCHECKED_SHIFTS or abs(scaled) <= _INT64_MAX:
            return _wrapped(scaled)
        return 0
    if shift >= 0:
        return _wrapped(_wrapped(unscaled) * 10**shift)
    # The reference adds one to any remainder, even below zero.
    divisor: int = 10**-shift
    if unscaled >= _INT64_MAX:
        return _wrapped(-(-unscaled // divisor))
    unscaled = _wrapped(unscaled)
    quotient, remainder = divmod(abs(unscaled), divisor)
    return (quotient if unscaled >= 0 else -quotient) + (remainder != 0)


def _wrapped(number: int) -> int:
    """Keep the low 64 bits of `number`, as a conversion to int64 does."""
    return (number + 2**63) % 2**64 - 2**63


def _guess(text: str) -> str | None:
    """Guess which quantity was meant: one with blanks, separators, or the wrong spelling of a unit."""
    match = re.fullmatch(r"([+-]?(?:[0-9]+[.,]?[0-9]*|[.,][0-9]+))([a-z]*)", re.sub(r"[\s_]", "", text).lower())
    if match is None or match[2] not in _SUGGESTED_UNITS:
        return None
    candidate = match[1].replace(",", ".") + _SUGGESTED_UNITS[match[2]]
    return candidate if candidate != text else None


_HAS_EXPONENT: Final = re.compile(r".*[eE][+-]?[0-9]+")
_BINARY_UNITS: Final = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_DECIMAL_UNITS: Final = {-9: "n", -6: "u", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T", 15: "P", 18: "E"}
_LARGEST: Final = 18
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
    return Family.EXPONENT if _HAS_EXPONENT.fullmatch(text) else Family.DECIMAL


def written(exact: Fraction, units: Family) -> str:
    """Write an exact amount in a family of units."""
    binary = units is Family.BINARY and abs(exact) >= _KIBI
    power = 0 if binary else _NANO
    scaled = abs(exact) if binary else abs(exact) * 10**-_NANO
    number = -(-scaled.numerator // scaled.denominator)
    if number == 0:
        return "0"
    sign = "-" if exact < 0 else ""
    if binary:
        while number % _KIBI == 0 and power < len(_BINARY_UNITS) - 1:
            number, power = number // _KIBI, power + 1
        return f"{sign}{number}{_BINARY_UNITS[power]}"
    while number % 1000 == 0 and (power < _LARGEST or units is Family.EXPONENT):
        number, power = number // 1000, power + 3
    if units is Family.EXPONENT:
        return f"{sign}{number}e{power}" if power else f"{sign}{number}"
    return f"{sign}{number}{_DECIMAL_UNITS[power]}"


_DIGITS: Final = re.compile(r"[+-]?[0-9]+", re.ASCII)
_PERCENT: Final = re.compile(r"([0-9]{1,9})%", re.ASCII)
_INT64: Final = range(-(2**63), 2**63)
_MOST_OF_INT64: Final = 19
_TRUE: Final = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_FALSE: Final = frozenset({"0", "f", "F", "FALSE", "false", "False"})


def whole_number(text: str) -> int | None:
    """Read a decimal number of 64 bits; None where a text is none.

    >>> whole_number("-0012"), whole_number("1_0"), whole_number("9223372036854775808"), whole_number("9" * 5000)
    (-12, None, None, None)
    """
    if len(text) < _MOST_OF_INT64 and text.isdecimal() and text.isascii():
        return int(text)
    digits = text.lstrip("+-0") or "0"
    if _DIGITS.fullmatch(text) is None or len(digits) > _MOST_OF_INT64:
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
