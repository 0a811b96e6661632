"""Checks a scenario against its JSON Schema, and says in plain words what is wrong with it."""

import sys
from collections.abc import Iterable, Iterator
from typing import Any, Final

from vqs.snapshot.decoding import without_nulls
from vqs.snapshot.diagnostics import Diagnostic, Path
from vqs.snapshot.documents import Origin
from vqs.snapshot.scenario.conforming import conforms
from vqs.snapshot.scenario.schema import schema

_EXACT: Final = 2**53
_MOST: Final = sys.float_info.max


def check_scenario(value: object, origin: Origin) -> list[Diagnostic]:
    """Return everything that is wrong with a scenario, in the order of its text.

    A key whose value is null counts as not given, but it has to be one that there is: `replicas:3` is such a key.
    """
    expect = value.get("expect") if isinstance(value, dict) else None
    return _check(value, origin, schema(), _nulls(expect, ("expect",)))


def check_expect(value: object, origin: Origin) -> list[Diagnostic]:
    """Return everything that is wrong with expectations that stand in a file of their own."""
    against = {"$ref": "#/definitions/expect", "definitions": schema()["definitions"]}
    return _check(value, origin, against, _nulls(value, ()))


def normalized(value: Any) -> Any:
    """Return a value without its nulls, and with 2 for 2.0: JSON, on the way to Kubernetes, knows no difference."""
    return _whole(without_nulls(value))


def _whole(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _whole(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_whole(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT else value


def _check(value: object, origin: Origin, against: dict[str, Any], nulls: Iterable[Path]) -> list[Diagnostic]:
    found = {} if conforms(value, against) else _mistakes(value, origin, against)
    for path in _too_large(value, ()):
        found[origin.diagnostic("invalid-value", "the number is too large", path)] = None
    places = {(each.line, each.column) for each in found}
    for path in nulls:
        missing = origin.key_diagnostic("missing-value", "the expectation is missing", path)
        if (missing.line, missing.column) not in places:
            found[missing] = None
    return sorted(found, key=lambda each: (each.line, each.column))


def _mistakes(value: object, origin: Origin, against: dict[str, Any]) -> dict[Diagnostic, None]:
    from vqs.snapshot.scenario.mistakes import mistakes  # noqa: PLC0415 - most scenarios are read before it is imported

    return mistakes(value, origin, against)


def _nulls(value: object, path: Path) -> Iterator[Path]:
    """Yield where nulls stand in a value."""
    if isinstance(value, dict):
        for key, each in value.items():
            if each is None:
                yield (*path, key)
            yield from _nulls(each, (*path, key))


def _too_large(value: object, path: Path) -> Iterator[Path]:
    """Yield where numbers stand that no floating-point number comes near, which only JSON can say."""
    if isinstance(value, int) and not -_MOST <= value <= _MOST:
        yield path
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, each in entries:
        yield from _too_large(each, (*path, step))
