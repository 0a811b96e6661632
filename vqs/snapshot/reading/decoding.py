"""Plain values to typed objects, with every wrong type in an object reported, not only the first.

``null`` means "not given", as in Kubernetes. Nulls are rare where they matter, so the first attempt knows nothing of
them; the second drops them. After that, each error is recorded, the value that caused it is taken out, and the rest is
tried again.
"""

import re
from collections.abc import Iterable
from typing import Any, Final, NamedTuple, TypeVar

import msgspec

from vqs.snapshot.reading.diagnostics import Path

T = TypeVar("T")

_TEXT_MAPS: Final = frozenset({"labels", "annotations", "matchLabels", "nodeSelector", "data", "parameters"})
"""Maps in which a null value is an empty text, not a field that is not given."""

_ERROR: Final = re.compile(r"(?P<message>.*?)(?: - at `(?:key` in `)?\$(?P<path>.*)`)?", re.DOTALL)
_STEP: Final = re.compile(r"\.([^.\[]+)|\[(\d+)\]|(\[\.\.\.\])")
_INDEX: Final = re.compile(r"\[\d+\]")
_EXPECTED: Final = re.compile(r"Expected `(?P<wanted>[^`]*)`(?:, got `(?P<got>[^`]*)`)?(?P<rest>.*)")
_TYPE_NAMES: Final = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "object": "an object",
    "array": "a list",
    "datetime": "a time such as 2026-01-31T12:00:00Z",
}
_MOST_ERRORS: Final = 100
_SHOWN: Final = 40


class WrongType(NamedTuple):
    """A value of a type that its field cannot have."""

    path: Path
    message: str
    hint: str


def decode(value: object, type_: type[T]) -> tuple[T | None, list[WrongType]]:
    """The typed object and all that is wrong with the value.

    Where something is, the object is what remains without it; None if nothing does.
    """
    try:
        return msgspec.convert(value, type_), []
    except msgspec.ValidationError:
        return _decode_without_nulls(without_nulls(value), type_)


def decode_without(value: object, type_: type[T], paths: Iterable[Path]) -> T | None:
    """The typed object without the values at some paths, as if they had not been given."""
    remaining = without_nulls(value)
    for path in paths:
        container = _at(remaining, path[:-1])
        if isinstance(container, dict):
            container.pop(path[-1], None)
    return _decode_without_nulls(remaining, type_)[0]


def without_nulls(value: Any) -> Any:
    """A copy of a value without its nulls, save those in maps of text, which become empty."""
    if isinstance(value, dict):
        given = {}
        for key, each in value.items():
            if key in _TEXT_MAPS and isinstance(each, dict):
                given[key] = {name: "" if text is None else without_nulls(text) for name, text in each.items()}
            elif each is not None:
                given[key] = without_nulls(each)
        return given
    if isinstance(value, list):
        return [without_nulls(each) for each in value]
    return value


def _decode_without_nulls(value: Any, type_: type[T]) -> tuple[T | None, list[WrongType]]:
    errors: list[WrongType] = []
    while len(errors) < _MOST_ERRORS:
        try:
            typed = msgspec.convert(value, type_)
        except msgspec.ValidationError as error:
            fault = str(error)
            match = _ERROR.fullmatch(fault)
            # The decoder does not name the keys of maps: the error may be about several values.
            candidates: list[Path] = [()]
            for key, index, wildcard in _STEP.findall(match["path"] or "" if match else ""):
                wanted = None if wildcard else int(index) if index else key
                longer: list[Path] = []
                for path in candidates:
                    container = _at(value, path)
                    steps = range(len(container)) if isinstance(container, list) else container
                    if isinstance(container, list | dict):
                        longer += [(*path, step) for step in steps if wanted in (None, step)]
                candidates = longer
            if len(candidates) == 1:
                culprits = candidates
            else:
                same = _INDEX.sub("[0]", fault)
                culprits = [path for path in candidates if _error_of(_alone(value, path), type_) == same] or [()]
            paths = [path for path in culprits if not _made_whole(value, path, str(error))]
            paths = paths[: _MOST_ERRORS - len(errors)]
            errors += [_explained(path, str(error), _at(value, path)) for path in paths]
            if paths == [()]:
                break
            for path in paths:
                _take_out(value, path, type_)
        else:
            return typed, errors
    return None, errors


def _made_whole(value: Any, path: Path, error: str) -> bool:
    """Turn a number such as 2.0 into a whole one where that is expected, as JSON knows only one kind of numbers."""
    found = _at(value, path)
    if not path or not error.startswith("Expected `int") or not isinstance(found, float) or not found.is_integer():
        return False
    _at(value, path[:-1])[path[-1]] = int(found)
    return True


def _alone(value: Any, path: Path) -> Any:
    """An object that holds nothing but the value at `path`."""
    if not path:
        return value
    inner = _alone(value[path[0]], path[1:])
    return [inner] if isinstance(path[0], int) else {path[0]: inner}


def _error_of(value: Any, type_: type[Any]) -> str:
    try:
        msgspec.convert(value, type_)
    except msgspec.ValidationError as error:
        return str(error)
    return ""


def _take_out(value: Any, path: Path, type_: type[Any]) -> None:
    """Remove a wrong value. In a list, put something harmless in its place, so that the others keep their numbers."""
    container, last = _at(value, path[:-1]), path[-1]
    if isinstance(container, dict):
        del container[last]
        return
    substitutes: tuple[Any, ...] = ({}, "", 0)
    for harmless in substitutes:
        container[last] = harmless
        if not _error_of(_alone(value, path), type_):
            return
    container.clear()


def _at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


def _explained(path: Path, error: str, value: Any) -> WrongType:
    match = _ERROR.fullmatch(error)
    message = match["message"] if match else error
    expected = _EXPECTED.fullmatch(message)
    if expected is None:
        message = message[:1].lower() + message[1:].replace("`", "")
        time = f"expected {_TYPE_NAMES['datetime']}, got {shown(value)}"
        return WrongType(path, time if "RFC3339" in message else message, "")
    wanted = [name for name in expected["wanted"].split(" | ") if name != "null"]
    if expected["got"] is None:
        limit = expected["rest"].strip()
        return WrongType(path, f"expected {type_names(wanted)} {limit}, got {shown(value)}", "")
    return WrongType(path, f"expected {type_names(wanted)}, got {shown(value)}", quoting_hint(wanted, value))


def type_names(names: list[str]) -> str:
    """Name types, of which one is expected, in plain words."""
    if {"int", "float"} <= set(names):
        names = [name for name in names if name != "int"]
    return " or ".join(dict.fromkeys(_TYPE_NAMES.get(name, name) for name in names))


def shown(value: Any) -> str:
    """Describe a value in few words."""
    match value:
        case None:
            return "nothing"
        case dict():
            return "an object"
        case list():
            return "a list"
        case bool():
            return "true" if value else "false"
        case str():
            text = value if len(value) <= _SHOWN else f"{value[:_SHOWN]}..."
            return f"the text {text!r}"
        case _:
            return str(value)


def quoting_hint(wanted: list[str], value: Any) -> str:
    """Say what quotes would do, which is what most wrong types in YAML come from."""
    if isinstance(value, str):
        is_number = "int" in wanted and re.fullmatch(r"[+-]?\d+", value)
        is_bool = "bool" in wanted and value.lower() in {"true", "false"}
        return "remove the quotes" if is_number or is_bool else ""
    if wanted == ["str"] and isinstance(value, bool | int | float):
        return "put it in quotes"
    return ""
