"""What holds for each point of a space."""

from __future__ import annotations

import pytest

from vqs.sweep.constraints import ExpressionError, NoValueError, parse_constraint
from vqs.sweep.domains import Value

VALUES: dict[str, Value] = {"a": 2, "b": 4.5, "mode": "best", "on": True}


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("a < b", True),
        ("a < b < 4", False),
        ("a * 2 + 0.5 == b", True),
        ("b - a > 3", False),
        ("b % a == 0.5", True),
        ("-a < 0 and +a > 0", True),
        ("mode == 'best' or a > 100", True),
        ("mode != 'best'", False),
        ("not on", False),
        ("on == true and not false", True),
        ("(a + b) / 2 >= 3.25", True),
    ],
)
def test_holds(text: str, holds: bool) -> None:
    """Comparisons, also chained ones, arithmetic, and, or, not, texts and truth values."""
    assert parse_constraint(text, [*VALUES]).holds(VALUES) is holds


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "this is no expression"),
        ("a <", "this is no expression"),
        ("c > 1", "there is no parameter 'c'"),
        ("weigth > 1", "there is no parameter 'weigth'"),
        ("__import__('os')", "not allowed"),
        ("a.real > 1", "not allowed"),
        ("a ** 9 > 1", "not allowed"),
        ("a if on else b", "not allowed"),
        ("[a for a in b]", "not allowed"),
        ("lambda: a", "not allowed"),
        ("f'{a}' == ''", "not allowed"),
        ("a in (1, 2)", "not allowed"),
        ("(a := 2) > 1", "not allowed"),
        ("None == a", "not allowed"),
        ("1j > a", "not allowed"),
        ("a << 1000 > 1", "not allowed"),
        ("a > 1 " + "and a > 1 " * 60, "parts"),
        ("a" + " " * 1000 + "> 1", "characters"),
        ("(" * 400 + "a" + ")" * 400, "no expression"),
        ("a > 1\0", "no expression"),
    ],
)
def test_refused(text: str, message: str) -> None:
    """What is no part of the grammar is refused when the plan is read, before anything is computed."""
    with pytest.raises(ExpressionError, match=message):
        parse_constraint(text, [*VALUES])


def test_a_name_is_guessed() -> None:
    """A parameter that was probably meant is named."""
    with pytest.raises(ExpressionError) as refused:
        parse_constraint("weigth > 1", ["weight"])
    assert refused.value.hint == "did you mean 'weight'?"


@pytest.mark.parametrize("text", ["a / 0 > 1", "mode * 9 == 'x'", "mode + mode == 'x'", "mode < a", "b % 0 == 1"])
def test_without_a_value(text: str) -> None:
    """What has no value for a point says so, be it a division by zero or arithmetic with texts."""
    with pytest.raises(NoValueError, match="has no value"):
        parse_constraint(text, [*VALUES]).holds(VALUES)


def test_numbers_are_floating_point() -> None:
    """Whole numbers, which would grow with each product, are not computed with as such."""
    with pytest.raises(NoValueError, match="too large"):
        parse_constraint("1" + "0" * 400 + " * 2 > 1", []).holds({})
