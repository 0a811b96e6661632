"""Durations and timestamps. References: common/types (duration.go, timestamp.go) of google/cel-go (v0.26)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta, timezone
from fractions import Fraction
from typing import Final

from vqs.engine.cel.values import INT64, Duration, EvaluationError, Timestamp, Value
from vqs.model.durations import DURATION

_SECOND: Final = 10**9
_UNITS: Final = {
    "ns": 1,
    "us": 1000,
    "µs": 1000,
    "μs": 1000,
    "ms": 10**6,
    "s": _SECOND,
    "m": 60 * _SECOND,
    "h": 3600 * _SECOND,
}
_PART: Final = re.compile(r"([0-9.]+)([a-zµμ]+)")
_TIMESTAMP: Final = re.compile(
    r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9})\d*)?(?:Z|([+-])(\d\d):(\d\d))", re.ASCII
)
_OFFSET: Final = re.compile(r"([+-]?)(\d\d):(\d\d)", re.ASCII)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST: Final = -62135596800
_LAST: Final = 253402300799
"""The seconds of the first and the last moment of the years 1 to 9999."""
_LONGEST: Final = 100


def duration(text: str) -> Duration:
    """A duration.

    Raises:
        EvaluationError: it is none.

    >>> duration("1h0.5s").nanoseconds
    3600500000000
    """
    if len(text) > _LONGEST or not re.fullmatch(DURATION, text):
        raise EvaluationError("type conversion error from 'string' to 'google.protobuf.Duration'")
    amount = sum(
        (
            Fraction(f"0{number}0" if number[0] == "." else number) * _UNITS[unit]
            for number, unit in _PART.findall(text)
        ),
        Fraction(),
    )
    return span(-int(amount) if text.startswith("-") else int(amount))


def span(nanoseconds: int) -> Duration:
    """A duration that 64 bits can hold."""
    if nanoseconds not in INT64:
        raise EvaluationError("integer overflow")
    return Duration(nanoseconds)


def timestamp(text: str) -> Timestamp:
    """The moment that a text in RFC 3339 names.

    Raises:
        EvaluationError: it names none.
    """
    found = _TIMESTAMP.fullmatch(text)
    try:
        moment = datetime.fromisoformat(f"{found[1]}+00:00") if found else None
    except ValueError:
        moment = None
    if found is None or moment is None:
        raise EvaluationError("type conversion error from 'string' to 'google.protobuf.Timestamp'")
    offset = (int(found[4]) * 60 + int(found[5])) * 60 if found[3] else 0
    seconds = (moment - _EPOCH) // timedelta(seconds=1) - (-offset if found[3] == "-" else offset)
    return moment_of(seconds * _SECOND + int((found[2] or "").ljust(9, "0")))


def moment_of(nanoseconds: int) -> Timestamp:
    """A moment of the years 1 to 9999."""
    if not _FIRST <= nanoseconds // _SECOND <= _LAST:
        raise EvaluationError("timestamp overflow")
    return Timestamp(nanoseconds)


def written(value: Duration | Timestamp) -> str:
    """Write a duration in seconds, and a moment in RFC 3339.

    >>> written(Duration(1_500_000_000)), written(Timestamp(0))
    ('1.5s', '1970-01-01T00:00:00Z')
    """
    is_span = isinstance(value, Duration)
    seconds, rest = divmod(abs(value.nanoseconds) if is_span else value.nanoseconds, _SECOND)
    fraction = f".{rest:09}".rstrip("0") if rest else ""
    if is_span:
        return f"{'-' if value.nanoseconds < 0 else ''}{seconds}{fraction}s"
    return f"{(_EPOCH + timedelta(seconds=seconds)).replace(tzinfo=None).isoformat()}{fraction}Z"


def _zone(name: Value) -> timezone:
    """A time zone that is a difference to UTC; Volcano's images, which lack tzdata, know none by name."""
    if not isinstance(name, str):
        raise EvaluationError("no such overload")
    if name in ("", "UTC", "Local"):
        return UTC
    found = _OFFSET.fullmatch(name)
    if found is None:
        raise EvaluationError(f"unknown time zone {name[:_LONGEST]}")
    minutes = int(found[2]) * 60 + int(found[3])
    try:
        return timezone(timedelta(minutes=-minutes if found[1] == "-" else minutes))
    except ValueError as error:
        raise EvaluationError("invalid timezone") from error


_OF_MOMENTS: Final[Mapping[str, Callable[[datetime], int]]] = {
    "getFullYear": lambda moment: moment.year,
    "getMonth": lambda moment: moment.month - 1,
    "getDate": lambda moment: moment.day,
    "getDayOfMonth": lambda moment: moment.day - 1,
    "getDayOfWeek": lambda moment: moment.isoweekday() % 7,
    "getDayOfYear": lambda moment: moment.timetuple().tm_yday - 1,
    "getHours": lambda moment: moment.hour,
    "getMinutes": lambda moment: moment.minute,
    "getSeconds": lambda moment: moment.second,
}
_OF_DURATIONS: Final[Mapping[str, int]] = {
    "getHours": _UNITS["h"],
    "getMinutes": _UNITS["m"],
    "getSeconds": _SECOND,
    "getMilliseconds": 10**6,
}


def _getter(name: str) -> Callable[..., Value]:
    def get(value: Value, zone: Value = "") -> Value:
        if isinstance(value, Timestamp):
            moment = (_EPOCH + timedelta(seconds=value.nanoseconds // _SECOND)).astimezone(_zone(zone))
            if name == "getMilliseconds":
                return value.nanoseconds % _SECOND // 10**6
            return _OF_MOMENTS[name](moment)
        if isinstance(value, Duration) and name in _OF_DURATIONS and zone == "":
            whole = abs(value.nanoseconds) // _OF_DURATIONS[name]
            return -whole if value.nanoseconds < 0 else whole
        raise EvaluationError("no such overload")

    return get


GETTERS: Final[Mapping[str, Callable[..., Value]]] = {
    name: _getter(name) for name in dict.fromkeys([*_OF_MOMENTS, *_OF_DURATIONS])
}
"""The methods of timestamps and durations that return a part of them."""
