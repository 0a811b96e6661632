"""Points in time at the ends of the calendar."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vqs.model.moments import FIRST, LAST, has_room, later

AHEAD = timezone(timedelta(hours=12))
BEHIND = timezone(timedelta(hours=-12))


@given(st.datetimes(timezones=st.sampled_from((UTC, AHEAD, BEHIND))), st.integers(-(2**63), 2**63 - 1))
def test_there_is_always_a_later_moment(moment: datetime, seconds: int) -> None:
    """Whatever is added to whatever moment, the result is in the calendar."""
    assert FIRST <= later(moment, seconds) <= LAST.replace(microsecond=999_999)


@pytest.mark.parametrize("zone", [UTC, AHEAD, BEHIND])
def test_later(zone: timezone) -> None:
    """Within the calendar, it is as many seconds later, in UTC."""
    moment = datetime(2026, 3, 2, 12, 0, 0, 7, tzinfo=zone)
    assert later(moment, 90) == moment + timedelta(seconds=90)
    assert later(moment, -0.5) == moment - timedelta(seconds=0.5)
    assert later(moment, 0).tzinfo is UTC


def test_room() -> None:
    """A moment that is out of the calendar in UTC leaves no room for a session."""
    assert has_room(datetime(2026, 3, 2, tzinfo=AHEAD))
    assert not has_room(datetime(9999, 12, 31, 23, 59, 59, tzinfo=BEHIND))
    assert not has_room(datetime(1, 1, 1, tzinfo=AHEAD))
