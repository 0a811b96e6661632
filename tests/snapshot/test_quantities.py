"""Quantities mean what they mean to Kubernetes."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vqs.model.quantity import QuantityError, milli_value, parse, value

RECORDED = [
    ("0", 0, 0),
    ("+1", 1000, 1),
    ("-1", -1000, -1),
    ("100m", 100, 1),
    (".5", 500, 1),
    ("5.", 5000, 5),
    ("0.0001", 1, 1),
    ("1n", 1, 1),
    ("1500u", 2, 1),
    ("1E3", 1000000, 1000),
    ("1e-3", 1, 1),
    ("12e6", 12000000000, 12000000),
    ("1E", 0, 1000000000000000000),
    ("1Ki", 1024000, 1024),
    ("1Ei", -9223372036854775808, 1152921504606846976),
    ("1.5Gi", 1610612736000, 1610612736),
    ("100000Gi", 107374182400000000, 107374182400000),
    ("8Ei", -1000, 9223372036854775807),
    ("-8Ei", 1000, -9223372036854775807),
    ("9223372036854775808", 0, -9223372036854775808),
    ("10E", 0, 0),
    ("123456789012345678901", -7269072992350064888, -5670419503621182411),
    ("-0.0000000001", 1, 1),
    ("-1500u", -2, -1),
    ("-1.0000000000000000001", -999, 0),
    ("9223372036854775807m", 9223372036854775807, 9223372036854776),
    ("595748906828836075M", -885731078393860608, -7139775687603990336),
    ("1655187880.344T", 0, -5019086289859645440),
    ("1e19", 0, 0),
    ("99999999999999999999999999", 7886392056514346008, -2537764290115403777),
]
"""What MilliValue() and Value() of k8s.io/apimachinery v0.34.1 return, overflow and all."""

FACTORS = {
    **{
        unit: Fraction(10) ** power
        for unit, power in {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9}.items()
    },
    **{unit: Fraction(1024) ** power for power, unit in enumerate(["Ki", "Mi", "Gi", "Ti"], 1)},
    **{f"{letter}{power}": Fraction(10) ** power for letter in "eE" for power in range(-6, 7)},
}


@pytest.mark.parametrize(("text", "milli", "units"), RECORDED)
def test_recorded(text: str, milli: int, units: int) -> None:
    """Integers are those that the API machinery computes, also beyond their range and below zero."""
    assert (milli_value(text), value(text)) == (milli, units)


@given(
    whole=st.integers(0, 8_000),
    fraction=st.none() | st.text("0123456789", max_size=6),
    unit=st.sampled_from(sorted(FACTORS)),
)
def test_agrees_with_exact_arithmetic(whole: int, fraction: str | None, unit: str) -> None:
    """In ordinary ranges, a quantity is number times unit, rounded up to billionths and then to what is asked for."""
    number = f"{whole}" if fraction is None else f"{whole}.{fraction}"
    exact = Fraction(math.ceil(Fraction(number.removesuffix(".")) * FACTORS[unit] * 10**9), 10**9)

    assert parse(number + unit) == exact
    assert value(number + unit) == math.ceil(exact)
    assert milli_value(number + unit) == math.ceil(exact * 1000)


@given(st.integers(-(2**53), 2**53) | st.floats(-1e15, 1e15))
def test_numbers_are_quantities(number: float) -> None:
    """A number from JSON or YAML means the same as its text."""
    assert parse(number) == parse(repr(number))


def test_blanks_around() -> None:
    """Blanks around a quantity do not matter."""
    assert parse(" 1Gi\n") == 2**30


@pytest.mark.parametrize(
    ("text", "suggestion"),
    [
        ("", "0"),
        ("1 Gi", "1Gi"),
        ("1GB", "1G"),
        ("1gi", "1Gi"),
        ("1GiB", "1Gi"),
        ("1K", "1k"),
        ("1,5Gi", "1.5Gi"),
        ("2 cores", "2"),
        ("Gi", None),
        ("-", None),
        ("lots", None),
        ("0x10", None),
        ("1e999999999", None),
        ("1" * 500, None),
        (float("nan"), None),
        (float("inf"), None),
    ],
)
def test_refused(text: str | float, suggestion: str | None) -> None:
    """What is no quantity is refused, with the one that was probably meant."""
    with pytest.raises(QuantityError) as caught:
        parse(text)

    assert caught.value.suggestion == suggestion
    assert (f"did you mean {suggestion!r}?" in str(caught.value)) == (suggestion is not None)
