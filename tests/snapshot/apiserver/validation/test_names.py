"""Schedules as the library reads them that Volcano's webhook uses."""

from __future__ import annotations

import pytest

from vqs.snapshot.apiserver.validation.names import schedule_fault


@pytest.mark.parametrize(
    "schedule",
    [
        "* * * * *",
        "? ? ? ? ?",
        "*/15 0-6/2 1,15 jan-MAR mon",
        "5/10 * 31 2 6",
        ",1, * * * *",
        "@daily",
        "@every 90s",
        "@every -1.5h",
        " 0\t5 * * * ",
        "+5 * * * *",
    ],
)
def test_a_schedule(schedule: str) -> None:
    """Five fields of numbers, names, ranges and steps can be read, and so can a word for them."""
    assert not schedule_fault(schedule)


@pytest.mark.parametrize(
    ("schedule", "fault"),
    [
        ("* * * *", "has 5 fields, and this has 4"),
        ("0 0 * * * *", "and this has 6"),
        ("60 * * * *", "the minute '60' goes beyond 59"),
        ("* * 0 * *", "begins before 1"),
        ("* * * 13 *", "the month '13' goes beyond 12"),
        ("* * * * 7", "the day of the week '7' goes beyond 6"),
        ("5-1 * * * *", "ends before it begins"),
        ("*/0 * * * *", "has a step of 0"),
        ("*/x * * * *", "no number as its step"),
        ("1/2/3 * * * *", "no number as its step"),
        ("1-2-3 * * * *", "is no number, name or range"),
        ("* * * foo *", "is no number, name or range"),
        ("-1 * * * *", "is no number, name or range"),
        ("@fortnightly", "is none of @yearly"),
        ("@every 5", "is not a duration"),
    ],
)
def test_no_schedule(schedule: str, fault: str) -> None:
    """What cannot be read is named."""
    assert fault in schedule_fault(schedule)
