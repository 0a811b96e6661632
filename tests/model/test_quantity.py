"""Quantities are written as the API server writes them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vqs.model.quantity import Family, add, canonical, family, finite_number, parse, times, whole_number, written


@pytest.mark.parametrize(
    ("quantity", "text"),
    [
        ("0.5", "500m"),
        (0.25, "250m"),
        (12, "12"),
        ("1000", "1k"),
        ("1500", "1500"),
        ("0", "0"),
        ("0Gi", "0"),
        ("2048Mi", "2Gi"),
        ("1000Mi", "1000Mi"),
        ("1.5Gi", "1536Mi"),
        ("0.5Ki", "512"),
        ("0.1Ki", "102400m"),
        ("1e3", "1e3"),
        ("1200e1", "12e3"),
        ("1E", "1E"),
        ("1000E", "1000E"),
        ("1e-12", "1e-9"),
        ("100n", "100n"),
    ],
)
def test_canonical(quantity: str | float, text: str) -> None:
    """The largest unit that leaves a whole number, in the family of units that the quantity was written in."""
    assert canonical(quantity) == text


@pytest.mark.parametrize(
    ("first", "second", "total"),
    [("500m", "1", "1500m"), ("1Gi", "1G", "2073741824"), ("1G", "1Gi", "2073741824"), ("0", "1Gi", "1Gi")],
)
def test_sums(first: str, second: str, total: str) -> None:
    """A sum is written like its first part, unless that is zero."""
    assert add(first, second) == total


def test_multiples() -> None:
    """A multiple is written like the quantity."""
    assert times("512Mi", 4) == "2Gi"
    assert times("100M", 10) == "1G"


@given(
    st.fractions(min_value=0, max_value=10**15).map(lambda exact: Fraction(round(exact * 1000), 1000)),
    st.sampled_from([Family.DECIMAL, Family.EXPONENT]),
)
def test_nothing_is_lost(exact: Fraction, units: Family) -> None:
    """What is written reads as the amount it was written for."""
    assert parse(written(exact, units)) == exact


@given(st.integers(min_value=1024, max_value=2**60))
def test_powers_of_two(number: int) -> None:
    """Bytes are written exactly, and stay in their family if a unit is left to show it."""
    text = written(Fraction(number), Family.BINARY)
    assert parse(text) == number
    assert family(text) is (Family.DECIMAL if number % 1024 else Family.BINARY)


WHOLE = {
    "5": 5,
    "+5": 5,
    "-0": 0,
    "007": 7,
    "9223372036854775807": 2**63 - 1,
    "-9223372036854775808": -(2**63),
    "0" * 5000 + "1": 1,
}
NONE = (
    "",
    "-",
    "5.0",
    "1e3",
    "1_0",
    " 1",
    "1\n",
    "\u0663",
    "1\u00b2",
    "9223372036854775808",
    "9" * 20,
    "9" * 5000,
    "0" * 100_000 + "x",
)


@pytest.mark.parametrize(("text", "number"), WHOLE.items(), ids=lambda each: str(each)[:30])
def test_whole_numbers(text: str, number: int) -> None:
    """A number of 64 bits is read, with a sign or without, however many zeros it begins with."""
    assert whole_number(text) == number


@pytest.mark.parametrize("text", NONE, ids=lambda text: repr(text[:30]))
def test_no_whole_numbers(text: str) -> None:
    """What Go refuses is no number, however many digits it has."""
    assert whole_number(text) is None


@pytest.mark.parametrize("text", ["", "x", "nan", "-inf", "1e400", "9" * 5000])
def test_numbers_that_nothing_can_be_reckoned_with(text: str) -> None:
    """A text that is no number, or none that is finite, is as good as not there."""
    assert finite_number(text) is None
