"""What names, keys, paths, addresses and schedules may look like, and requirements of selectors and tolerations.

Each function returns what is wrong with a text, or nothing: ``"Bad_Name" is not ...``.
References: k8s.io/apimachinery pkg/util/validation/validation.go; ParseStandard of robfig/cron, with which Volcano's
webhook reads the schedules of CronJobs.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from vqs.model.durations import parse_duration
from vqs.model.quantity import part_of, whole_number
from vqs.snapshot.reading.diagnostics import Path

_LABEL: Final = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?", re.ASCII)
_SUBDOMAIN: Final = re.compile(rf"{_LABEL.pattern}(?:\.{_LABEL.pattern})*", re.ASCII)
_WORD: Final = re.compile(r"[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?", re.ASCII)

LONGEST_LABEL: Final = 63
LONGEST_SUBDOMAIN: Final = 253
_MOST_PORTS: Final = 65535
MOST_INT32: Final = 2**31 - 1


def _judge(pattern: str, what: str) -> Callable[[str], str]:
    """Return what judges a text by a pattern.

    >>> port_name("http"), port_name("8080")
    ('', "'8080' cannot be the name of a port")
    """
    made_of = re.compile(pattern, re.ASCII)
    return lambda text: "" if made_of.fullmatch(text) else f"{text!r} cannot be {what}"


_NO_FOLDER: Final = r"(?!\.\Z|\.\.)"
_SHORT: Final = rf"(?=.{{,{LONGEST_SUBDOMAIN}}}\Z)"
_PART: Final = "[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?"
_VARIABLE: Final = "the name of an environment variable"

search_domain: Final = _judge(rf"{_SHORT}_?{_PART}(?:\._?{_PART})*", "a domain")
"""Judges a domain to search, in which underscores may be."""
variable_name: Final = _judge(rf"{_NO_FOLDER}[-._a-zA-Z][-._a-zA-Z0-9]*", _VARIABLE)
relaxed_variable_name: Final = _judge(r"[\x20-\x3c\x3e-\x7e]+", _VARIABLE)
"""Each judges the name of an environment variable, or the beginning of one."""
config_key: Final = _judge(rf"{_NO_FOLDER}{_SHORT}[-._a-zA-Z0-9]+", "a key of a ConfigMap or Secret")
port_name: Final = _judge(r"(?=.{,15}\Z)(?=.*[a-z])(?!-)(?!.*--)[-a-z0-9]*[a-z0-9]", "the name of a port")
header_name: Final = _judge("[-A-Za-z0-9]+", "the name of an HTTP header")
sysctl: Final = _judge(rf"{_SHORT}(?:{_PART}[./])*{_PART}", "the name of a kernel parameter")


def label(name: str) -> str:
    """Judge a name that is one part of a domain.

    >>> label("web-1"), label("Web")
    ('', "'Web' is not valid; expected lower case letters, digits and dashes, with a letter or digit at both ends")
    """
    return _judged(name, _LABEL, LONGEST_LABEL, "lower case letters, digits and dashes")


def subdomain(name: str) -> str:
    """Judge a name that may have several parts.

    >>> subdomain("a.b")
    ''
    >>> subdomain("a_b")
    "'a_b' is not valid; expected lower case letters, digits, dashes and dots, with a letter or digit at both ends"
    """
    return _judged(name, _SUBDOMAIN, LONGEST_SUBDOMAIN, "lower case letters, digits, dashes and dots")


def _judged(name: str, pattern: re.Pattern[str], longest: int, characters: str) -> str:
    if len(name) > longest:
        return f"{name!r} is longer than {longest} characters"
    if not pattern.fullmatch(name):
        return f"{name!r} is not valid; expected {characters}, with a letter or digit at both ends"
    return ""


def prefix(name: str) -> str:
    """Judge the beginning of a name, which may end in a dash."""
    return subdomain(f"{name[:-1]}a" if name.endswith("-") else name)


def qualified_name(name: str) -> str:
    """Judge the key of a label or annotation: a word, with a domain and a slash before it if it has an owner.

    >>> qualified_name("example.com/zone"), qualified_name("a b")
    ('', "'a b' is not of letters, digits, dashes, underscores and dots, with a domain before it if any")
    """
    domain, slash, word = name.rpartition("/")
    if len(word) > LONGEST_LABEL:
        return f"the name part of {name!r} is longer than {LONGEST_LABEL} characters"
    if not _WORD.fullmatch(word) or (slash and subdomain(domain)):
        return f"{name!r} is not of letters, digits, dashes, underscores and dots, with a domain before it if any"
    return ""


def label_value(value: str) -> str:
    """Judge the value of a label."""
    if len(value) > LONGEST_LABEL:
        return f"the value {value!r} is longer than {LONGEST_LABEL} characters"
    if value and not _WORD.fullmatch(value):
        return f"the value {value!r} is not of letters, digits, dashes, underscores and dots"
    return ""


def port_number(port: int) -> str:
    """Judge the number of a port."""
    return "" if 1 <= port <= _MOST_PORTS else f"{port} is not a port: ports are from 1 to {_MOST_PORTS}"


def address(text: str) -> str:
    """Judge an IP address, which old clusters may write with leading zeros."""
    try:
        ipaddress.ip_address(".".join(part.lstrip("0") or "0" for part in text.split(".")) if "." in text else text)
    except ValueError:
        return f"{text!r} is not an IP address"
    return ""


def user_id(number: int) -> str:
    """Judge the number of a user or group."""
    return "" if 0 <= number <= MOST_INT32 else f"{number} is not from 0 to {MOST_INT32}"


def duration(text: str) -> str:
    """Judge a length of time as Go writes it.

    >>> duration("1h30m"), duration("5")
    ('', "'5' is not a duration such as 1h30m")
    """
    return f"{text!r} is not a duration such as 1h30m" if parse_duration(text) is None else ""


def local_path(path: str) -> str:
    """Judge a path that has to stay below a folder.

    >>> local_path("a/b"), local_path("/a"), local_path("../a")
    ('', "'/a' is not relative", "'../a' leads out of its folder")
    """
    if path.startswith("/"):
        return f"{path!r} is not relative"
    return backsteps(path)


def backsteps(path: str) -> str:
    """Judge whether a path leads upwards."""
    return f"{path!r} leads out of its folder" if ".." in path.split("/") else ""


def file_path(path: str) -> str:
    """Judge the path of a file in a volume, which may not begin with two dots either."""
    return local_path(path) or (f"{path!r} begins with two dots" if path.startswith("..") else "")


# --- schedules --------------------------------------------------------------------------------------------------------

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


def percentage(text: str) -> str:
    """Judge what stands where a number may be a percentage.

    >>> percentage("25%"), percentage("250%"), percentage("1.5%")
    ('', '', "'1.5%' is neither a number nor a percentage such as 25%")
    """
    return "" if part_of(text, 1, up=True) is not None else f"{text!r} is neither a number nor a percentage such as 25%"


def part(text: str) -> str:
    """Judge a percentage of what there is.

    >>> part("100%"), part("250%")
    ('', '250% is more than 100%')
    """
    return percentage(text) or (f"{text} is more than 100%" if (part_of(text, 100, up=True) or 0) > 100 else "")  # noqa: PLR2004


NODE_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")


def number_of_values(operator: str | None, values: Sequence[str], *, compares: bool = False) -> str:
    """Judge how many values a requirement of a selector has; of numbers that are compared, the API server sees no more.

    >>> number_of_values("In", []), number_of_values("Gt", ["1", "2"], compares=True)
    ('operator In needs values', 'operator Gt needs one whole number')
    """
    if operator in ("In", "NotIn") and not values:
        return f"operator {operator} needs values"
    if operator in ("Exists", "DoesNotExist") and values:
        return f"operator {operator} takes no values"
    is_wrong = compares and operator in ("Gt", "Lt") and len(values) != 1
    return f"operator {operator} needs one whole number" if is_wrong else ""


def toleration_faults(key: str, operator: str, value: str) -> Iterator[tuple[Path, str]]:
    """Yield what is wrong with a toleration, and in which field, if it is one."""
    if not key and operator in ("", "Equal"):
        yield (), "a toleration without key needs operator Exists"
    if operator == "Exists" and value:
        yield ("value",), "operator Exists takes no value"


def schedule_fault(schedule: str) -> str:
    """What is wrong with a schedule; nothing if it can be read.

    >>> schedule_fault("*/5 8-18 * * mon-fri"), schedule_fault("@every 1h30m"), schedule_fault("60 * * * *")
    ('', '', "the minute '60' goes beyond 59")
    """
    if schedule.startswith("@"):
        if schedule.startswith(_EVERY):
            return duration(schedule.removeprefix(_EVERY))
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
