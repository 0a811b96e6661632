"""Spans of the day such as `10:00-21:00`, as the plugin tdm reads them.

References: pkg/scheduler/plugins/tdm/tdm.go (parseRevocableZone); for the errors, time.Parse of Go's standard library.
"""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import Final, NamedTuple

_NUMBER: Final = re.compile(r"[0-9]{1,2}", re.ASCII)
_HOURS_OF_DAY: Final = 24
_MINUTES: Final = 60


class DayHours(NamedTuple):
    """From which minute of the day to which; where the end is not after the start, it is on the next day."""

    start: int
    end: int

    @property
    def ends_next_day(self) -> bool:
        """Whether the end is on the day after the start."""
        return self.start >= self.end

    def include(self, moment: datetime) -> bool:
        """True if a moment is in the span that starts on its own day; the last minute counts for one second.

        The span that started the day before is not looked at, so that 22:00-06:00 does not include 03:00.

        >>> night = DayHours(22 * 60, 6 * 60)
        >>> [night.include(datetime(2026, 1, 1, hour)) for hour in (3, 21, 22, 23)]
        [False, False, True, True]
        """
        second = (moment.hour * _MINUTES + moment.minute) * _MINUTES + moment.second
        return second >= self.start * _MINUTES and (self.ends_next_day or second <= self.end * _MINUTES)


def parse_day_hours(text: str) -> DayHours | str:
    """A span of the day, or what Volcano says where the text is none.

    >>> parse_day_hours("9:00-21:30")
    DayHours(start=540, end=1290)
    >>> parse_day_hours("10:00")
    'revocable zone 10:00 format error'
    >>> parse_day_hours("25:00-26:00")
    'parsing time "25:00": hour out of range'
    """
    parts = text.strip().split("-")
    if len(parts) != 2:  # noqa: PLR2004 - a start and an end
        return f"revocable zone {text} format error"
    start, end = (_clock(part) for part in parts)
    if isinstance(start, str):
        return start
    return end if isinstance(end, str) else DayHours(start, end)


def _clock(text: str) -> int | str:
    """The minute of the day that a text such as 15:04 means, or the error that Go has for it."""
    hour = _NUMBER.match(text)
    if hour is None:
        return _unread(text, text, "15")
    if int(hour[0]) >= _HOURS_OF_DAY:
        return f"parsing time {_quoted(text)}: hour out of range"
    rest = text[hour.end() :]
    if not rest.startswith(":"):
        return _unread(text, rest, ":")
    rest = rest[1:]
    minute = _NUMBER.match(rest)
    if minute is None or len(minute[0]) == 1:
        return _unread(text, rest, "04")
    if int(minute[0]) >= _MINUTES:
        return f"parsing time {_quoted(text)}: minute out of range"
    rest = rest[minute.end() :]
    if rest:
        return f"parsing time {_quoted(text)}: extra text: {_quoted(rest)}"
    return int(hour[0]) * _MINUTES + int(minute[0])


def _unread(text: str, rest: str, wanted: str) -> str:
    return f'parsing time {_quoted(text)} as "15:04": cannot parse {_quoted(rest)} as "{wanted}"'


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
