"""Points in time, where they come to the ends of the calendar.

Go's times go on for billions of years, Python's from the year 1 to the year 9999. Whoever writes a manifest may write
any of these, so that nothing is added to them but here.
"""

from datetime import UTC, datetime, timedelta
from typing import Final

FIRST: Final = datetime(1, 1, 1, tzinfo=UTC)
LAST: Final = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)

_YEAR: Final = timedelta(days=366)
EARLIEST_SESSION: Final = FIRST + _YEAR
LATEST_SESSION: Final = LAST - _YEAR


def later(moment: datetime, seconds: float) -> datetime:
    """A point in time, in UTC, that is some seconds later, or the first or last one that there is."""
    since = moment - FIRST
    if since.total_seconds() + seconds < 0:
        return FIRST
    if since.total_seconds() + seconds > (LAST - FIRST).total_seconds():
        return LAST
    return FIRST + since + timedelta(seconds=seconds)


def timestamp(moment: datetime) -> str:
    """Write a point in time as Kubernetes does: in RFC 3339, and in UTC."""
    return moment.isoformat().replace("+00:00", "Z")


def has_room(moment: datetime) -> bool:
    """True if a session may be run at a point in time: a year before it and after it is in the calendar."""
    return EARLIEST_SESSION <= moment <= LATEST_SESSION


def zoned_moment(text: str) -> datetime | None:
    """A point in time; None where a text is none, has no zone, or is at the ends of the calendar."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo is not None and has_room(found) else None


def parse_moment(text: str) -> datetime | None:
    """Read such a point in time, in UTC.

    >>> parse_moment("2026-03-02T14:00:00+02:00").isoformat(), parse_moment("2026-03-02T14:00:00"), parse_moment("noon")
    ('2026-03-02T12:00:00+00:00', None, None)
    """
    found = zoned_moment(text)
    return None if found is None else found.astimezone(UTC)
