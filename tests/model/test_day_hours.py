"""Spans of the day are read as the plugin tdm reads them."""

from __future__ import annotations

from datetime import datetime

import pytest

from vqs.model.day_hours import DayHours, parse_day_hours


@pytest.mark.parametrize(
    ("text", "clocks"),
    [
        ("10:00-21:00", {"09:59:59": False, "10:00:00": True, "21:00:00": True, "21:00:01": False}),
        (" 9:05-9:06 ", {"09:05:00": True, "09:04:00": False, "09:07:00": False}),
        ("22:00-06:00", {"21:59:59": False, "22:00:00": True, "23:59:59": True, "00:00:00": False, "05:00:00": False}),
        ("00:00-00:00", {"00:00:00": True, "23:59:59": True}),
    ],
)
def test_both_ends_count_and_the_day_before_does_not(text: str, clocks: dict[str, bool]) -> None:
    """A span past midnight begins in the evening, and nothing of it is left in the morning."""
    hours = parse_day_hours(text)
    assert isinstance(hours, DayHours)
    assert {clock: hours.include(datetime.fromisoformat(f"2026-01-01T{clock}")) for clock in clocks} == clocks


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "revocable zone  format error"),
        ("10:00", "revocable zone 10:00 format error"),
        ("a-b-c", "revocable zone a-b-c format error"),
        ("24:00-6:00", 'parsing time "24:00": hour out of range'),
        ("1:00-6:60", 'parsing time "6:60": minute out of range'),
        ("day-night", 'parsing time "day" as "15:04": cannot parse "day" as "15"'),
        ("10-12", 'parsing time "10" as "15:04": cannot parse "" as ":"'),
        ("10:5-12:00", 'parsing time "10:5" as "15:04": cannot parse "5" as "04"'),
        ("10:00 - 12:00", 'parsing time "10:00 ": extra text: " "'),
    ],
)
def test_errors_are_those_of_the_scheduler(text: str, error: str) -> None:
    """Go's standard library writes most of them."""
    assert parse_day_hours(text) == error
