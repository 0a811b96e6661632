"""Taking values out of objects as they are written, in which anything may be of a wrong type.

What is of a wrong type is taken for not given: that it is, is reported elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from vqs.snapshot.reading.diagnostics import Path

Object = Mapping[str, Any]
Fault = tuple[Path, str]
"""A path, and what is wrong with the value there."""
Faults = Iterator[Fault]


def mapping(value: object) -> Object:
    """Return an object, empty where a value is none."""
    return value if isinstance(value, dict) else {}


def child(value: Object, key: str) -> Object:
    """Return the object in a field."""
    return mapping(value.get(key))


def children(value: Object, key: str) -> list[Object]:
    """Return the objects in a list; one that is none is empty, so that the others keep their numbers."""
    found = value.get(key)
    return [mapping(each) for each in found] if isinstance(found, list) else []


def text(value: Object, key: str) -> str:
    """Return the text in a field."""
    found = value.get(key)
    return found if isinstance(found, str) else ""


def texts(value: Object, key: str) -> list[str]:
    """Return the texts in a list."""
    found = value.get(key)
    return [each if isinstance(each, str) else "" for each in found] if isinstance(found, list) else []


def number(value: Object, key: str) -> int | None:
    """Return the whole number in a field; None where there is none."""
    found = value.get(key)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def numbers(value: Object, key: str) -> list[int]:
    """Return the whole numbers in a list."""
    found = value.get(key)
    return [each if isinstance(each, int) else 0 for each in found] if isinstance(found, list) else []


def is_true(value: Object, key: str) -> bool:
    """Tell whether a field is true."""
    return value.get(key) is True


def is_given(value: Object, key: str) -> bool:
    """Tell whether a field is there, and not null."""
    return value.get(key) is not None


def below(path: Path, faults: Faults) -> Faults:
    """Yield faults with their paths as seen from further up."""
    for inner, message in faults:
        yield (*path, *inner), message
