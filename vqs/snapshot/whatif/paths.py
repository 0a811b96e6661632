"""Paths to values as people write them, ``.spec.capability["nvidia.com/gpu"]``, and the way along them.

An item of a list is named by its number, ``tasks[0]``, or by its name, ``tasks[worker]``; ``tasks[+]`` is one more.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from typing import Any, Final

import msgspec
from msgspec import inspect
from yaml import YAMLError

from vqs.snapshot.reading import yaml_text
from vqs.snapshot.reading.diagnostics import Diagnostic, Path, did_you_mean, path_text


class EditError(Exception):
    """An edit cannot be made; code, message and hint are those of a diagnostic."""

    def __init__(self, code: str, message: str, hint: str = "", path: Path = ()) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.path = path

    def diagnostic(self, edit: str) -> Diagnostic:
        """Make a diagnostic that names the edit, which may be no text that can be written."""
        named = edit.encode(errors="backslashreplace").decode()
        return Diagnostic(code=self.code, severity="error", message=f"{named}: {self.message}", help=self.hint)


_STEP: Final = re.compile(
    r"""\.(?P<key>[A-Za-z_][\w-]*) | \[(?P<index>\d{1,18})\] | \[(?P<quoted>"(?:[^"\\]|\\.)*")\]"""
    r""" | \['(?P<single>[^']*)'\] | \[(?P<bare>[^\]\["'=]+)\]""",
    re.ASCII | re.VERBOSE,
)
_QUOTING: Final = 'write keys with dots or slashes in brackets: capability["nvidia.com/gpu"]'
_UNPRINTED: Final = re.compile(r"[^\x20-\x7e\xa0-\u2027\u202a-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
"""What YAML does not take as it is, or takes for the end of a line."""

ONE_MORE: Final = "+"
"""What names an item of a list that is not there yet: it comes after the others."""

_BARE: Final = re.compile(r"\w[\w ,./-]*", re.ASCII)


def read_assignment(text: str) -> tuple[Path, Any]:
    """Read a path and the value that it is to have, ``.spec.weight=5``.

    Raises:
        EditError: it is no such thing.
    """
    path: list[str | int] = []
    at = 0
    while not text.startswith("=", at):
        step = _STEP.match(text, at)
        if step is None:
            if "=" not in text[at:]:
                raise EditError("invalid-edit", "the value is missing", "write KIND/NAME.FIELD=VALUE")
            raise EditError("invalid-edit", f"cannot read the path from {text[at:].partition('=')[0]!r} on", _QUOTING)
        path.append(_step(step))
        at = step.end()
    if not path:
        raise EditError("invalid-edit", "the field is missing", "write KIND/NAME.FIELD=VALUE")
    return tuple(path), read_value(text[at + 1 :])


def _step(match: re.Match[str]) -> str | int:
    if match["index"] is not None:
        return int(match["index"])
    if match["quoted"] is not None:
        text = match["quoted"]
        try:
            key = str(json.loads(text, strict=False))
            key.encode()  # half of a surrogate pair is no character
        except ValueError:
            raise EditError("invalid-edit", f"cannot read the key {text}", r"write \\ for a backslash") from None
        return key
    return next(match[name] for name in ("key", "single", "bare") if match[name] is not None)


def read_value(text: str) -> Any:
    """Read a YAML scalar or flow value; nothing at all is null.

    Raises:
        EditError: it is neither.
    """
    try:
        values = yaml_text.load(text)
    except (yaml_text.YamlErrors, YAMLError) as error:
        problem = error.problems[0].message if isinstance(error, yaml_text.YamlErrors) else str(error)
        raise EditError("invalid-value", f"cannot read the value {text!r}: {problem}") from None
    if len(values) > 1:
        raise EditError("invalid-value", "the value is several YAML documents")
    return values[0] if values else None


def write_value(value: Any) -> str:
    """Write a value so that `read_value` reads it."""
    if isinstance(value, str) and _BARE.fullmatch(value) and value == value.strip() and read_value(value) == value:
        return value
    return write_quoted(value)


def write_quoted(value: Any) -> str:
    """Write a value so that YAML reads it, every text in quotes."""
    return _UNPRINTED.sub(lambda match: f"\\U{ord(match[0]):08X}", json.dumps(value, ensure_ascii=False))


def write_path(path: Path) -> str:
    """Write a path as it stands behind a name."""
    return path_text(path).removeprefix("$").replace(f'["{ONE_MORE}"]', f"[{ONE_MORE}]")


# --- typed objects ----------------------------------------------------------------------------------------------------

_type_info: Final = cache(inspect.type_info)
"""The fields of a type; to find them out takes longer than to set one, and a sweep sets thousands."""


def set_field(value: Any, type_: type[msgspec.Struct], path: Path, new: Any) -> Path:
    """Set a field in the plain values of an object of some type; null takes it out. Return the path by numbers.

    Raises:
        EditError: there is no such field.
    """
    refuse_no_item(path, new)
    container, kind = value, _type_info(type_)
    done: Path = ()
    for number, step in enumerate(path):
        kind = _without_none(kind)
        key, kind = _enter(container, kind, step, done)
        done = (*done, key)
        if number == len(path) - 1:
            if new is not None or isinstance(container, list):
                container[key] = new
            else:
                container.pop(key, None)
        else:
            # Where nothing is, make what the type says.
            if isinstance(container, dict) and container.get(str(key)) is None:
                container[str(key)] = [] if isinstance(_without_none(kind), inspect.ListType) else {}
            container = container[key]
    return done


def _enter(container: Any, kind: inspect.Type, step: str | int, done: Path) -> tuple[str | int, inspect.Type]:
    """The key that a step stands for, and the type of what is there."""
    match kind:
        case inspect.StructType(fields=fields) if isinstance(step, str):
            types = {field.encode_name: field.type for field in fields}
            if step not in types:
                within = [f"{name}.{step}" for name, type_ in types.items() if step in _fields(type_)]
                near = f"did you mean {within[0]!r}?" if within else did_you_mean(step, types)
                hint = near or f"there are {', '.join(types)}"
                raise EditError("unknown-field", f"{_where(done)} has no field {step!r} that matters here", hint)
            return step, types[step]
        case inspect.DictType(value_type=value_type) if isinstance(step, str):
            return step, value_type
        case inspect.ListType(item_type=item_type) if step == ONE_MORE:
            container.append({})
            return len(container) - 1, item_type
        case inspect.ListType(item_type=item_type):
            return find_item(container, step, done, _name_of), item_type
        case _:
            raise EditError("unknown-field", f"{_where(done)} is a single value and has no {step!r}")


def _fields(kind: inspect.Type) -> list[str]:
    known = _without_none(kind)
    return [field.encode_name for field in known.fields] if isinstance(known, inspect.StructType) else []


def find_item(items: Any, step: str | int, done: Path, name_of: Callable[[Any], object]) -> int:
    """The number of the item that a step into a list names.

    Raises:
        EditError: there is none.
    """
    if isinstance(step, int):
        if not 0 <= step < len(items):
            raise EditError("unknown-field", f"{_where(done)} has {len(items)} items, and none with the number {step}")
        return step
    names = [str(name_of(item) or "") for item in items]
    if step not in names:
        hint = did_you_mean(step, filter(None, names)) or "name an item by its number, as [0]; [+] adds one"
        raise EditError("unknown-field", f"{_where(done)} has no item {step!r}", hint)
    return names.index(step)


def refuse_no_item(path: Path, new: object) -> None:
    """Refuse to take out an item that is not there yet.

    Raises:
        EditError: that is asked for.
    """
    if ONE_MORE in path and new is None:
        raise EditError("invalid-value", f"{write_path(path).removeprefix('.')} is not there to be taken out")


def _name_of(item: Any) -> object:
    return item.get("name") if isinstance(item, dict) else None


def _without_none(kind: inspect.Type) -> inspect.Type:
    """The type of a value that is given."""
    if isinstance(kind, inspect.Metadata):
        return _without_none(kind.type)
    if isinstance(kind, inspect.UnionType):
        given = [each for each in kind.types if not isinstance(each, inspect.NoneType)]
        return given[0] if len(given) == 1 else kind
    return kind


def _where(path: Path) -> str:
    return write_path(path).removeprefix(".") or "the object"
