"""Schedules of CronJobs, as the library robfig/cron reads them for Volcano's webhook (ParseStandard)."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from vqs.model.number_text import whole_number
from vqs.snapshot.apiserver.validation import names

_DESCRIPTORS: Final = ("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly")
_EVERY: Final = "@every "
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS: Final = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_SPACE: Final = re.compile(r"[\t\n\v\f\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
"""What Go takes for white space."""


class _Bounds(NamedTuple):
    what: str
    least: int
    most: int
    words: tuple[str, ...] = ()


_FIELDS: Final = (
    _Bounds("minute", 0, 59),
    _Bounds("hour", 0, 23),
    _Bounds("day of the month", 1, 31),
    _Bounds("month", 1, 12, ("", *_MONTHS)),
    _Bounds("day of the week", 0, 6, _DAYS),
)


def schedule_fault(schedule: str) -> str:
    """What is wrong with a schedule; nothing if it can be read.

    >>> schedule_fault("*/5 8-18 * * mon-fri"), schedule_fault("@every 1h30m"), schedule_fault("60 * * * *")
    ('', '', "the minute '60' goes beyond 59")
    """
    if schedule.startswith("@"):
        if schedule.startswith(_EVERY):
            return names.duration(schedule.removeprefix(_EVERY))
        return "" if schedule in _DESCRIPTORS else f"{schedule!r} is none of {', '.join(_DESCRIPTORS)}"
    fields = [part for part in _SPACE.split(schedule) if part]
    if len(fields) != len(_FIELDS):
        return f"a schedule has {len(_FIELDS)} fields, and this has {len(fields)}"
    faults = (
        _range_fault(part, bounds)
        for field, bounds in zip(fields, _FIELDS, strict=True)
        for part in field.split(",")
        if part
    )
    return next(filter(None, faults), "")


def _range_fault(part: str, bounds: _Bounds) -> str:
    """Judge ``*``, ``5``, ``1-5``, each with a step behind a slash if there is one."""
    subject = f"the {bounds.what} {part!r}"
    span, *steps = part.split("/")
    low, *rest = span.split("-")
    if low in ("*", "?"):
        begin, end = bounds.least, bounds.most
    else:
        ends = [_number(each, bounds.words) for each in (low, *(rest or [low]))]
        if len(rest) > 1 or None in ends:
            return f"{subject} is no number, name or range"
        begin, end = ends[0] or 0, ends[1] or 0
    if len(steps) > 1 or (steps and _number(steps[0], ()) is None):
        return f"{subject} has no number as its step"
    if steps and not rest:
        end = bounds.most
    if begin < bounds.least:
        return f"{subject} begins before {bounds.least}"
    if end > bounds.most:
        return f"{subject} goes beyond {bounds.most}"
    if begin > end:
        return f"{subject} ends before it begins"
    return f"{subject} has a step of 0" if steps and _number(steps[0], ()) == 0 else ""


def _number(text: str, words: tuple[str, ...]) -> int | None:
    """Read a number that is not below zero, or a name that stands for one."""
    if text and text.lower() in words:
        return words.index(text.lower())
    number = whole_number(text)
    return None if number is None or number < 0 else number
