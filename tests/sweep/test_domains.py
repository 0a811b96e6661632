"""What values a parameter takes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vqs.sweep.domains import Domain, Span, Steps, Value, Values, written


@pytest.mark.parametrize(
    ("domain", "values"),
    [
        (Values(("a", True, 2)), ["a", True, 2]),
        (Steps(1, 10, 4), [1, 4, 7, 10]),
        (Steps(0.1, 0.5, 5), [0.1, 0.2, 0.3, 0.4, 0.5]),
        (Steps(1, 1000, 4, is_log=True), [1, 10, 100, 1000]),
        (Steps(5, 9, 1), [5]),
        (Span(2, 4, is_integer=True), [2, 3, 4]),
    ],
)
def test_values_in_order(domain: Domain, values: list[Value]) -> None:
    """The values of a list, of evenly spaced numbers, and of whole numbers, without the digits that computing adds."""
    assert domain.number == len(values)
    assert [domain.at(index) for index in range(len(values))] == values


@given(st.floats(0, 1, exclude_max=True), st.integers(1, 50), st.booleans(), st.booleans())
def test_a_part_is_a_value(part: float, length: int, is_log: bool, is_integer: bool) -> None:
    """Each part of a domain is one of its values, and of a span a number within it."""
    steps = Steps(1, length + 1, length, is_log)
    assert steps.part(part) in [steps.at(index) for index in range(length)]
    value = Span(1, length, is_log, is_integer).part(part)
    assert isinstance(value, int | float)
    assert 1 <= value <= length
    assert not is_integer or isinstance(value, int)


def test_whole_numbers_are_equally_likely() -> None:
    """The first and the last whole number of a span are drawn as often as the others."""
    span = Span(1, 4, is_integer=True)
    drawn = [span.part(number / 400) for number in range(400)]
    assert [drawn.count(value) for value in (1, 2, 3, 4)] == [100, 100, 100, 100]


def test_written() -> None:
    """Values are written as edits take them: YAML knows no True."""
    assert [written(each) for each in (True, 1, 0.5, "x")] == ["true", "1", "0.5", "x"]
