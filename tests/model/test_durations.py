"""Durations as Go writes them."""

import pytest

from vqs.model.durations import parse_duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1h30m", 5400),
        ("1.5s", 1.5),
        (".5m", 30),
        ("-2ms", -0.002),
        ("+1s", 1),
        ("0", 0),
        ("3us", 3e-6),
        ("3µs", 3e-6),
        ("1h2m3s4ms5µs", 3723.004005),
    ],
)
def test_a_duration_is_read(text: str, seconds: float) -> None:
    """Numbers with units, one after the other, with one sign for all."""
    assert parse_duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "-", "5", "1d", "1h30", "h", "h1", "1 h", "--1s", "1h-3m", "3000000h"])
def test_what_is_no_duration_is_none(text: str) -> None:
    """A number needs a unit, days are none, and Go counts no more than 292 years."""
    assert parse_duration(text) is None
