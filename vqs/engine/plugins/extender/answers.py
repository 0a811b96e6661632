"""What an extender answers, read as Go's encoding/json reads it.

Upper case does not count in the names of fields, unknown fields are ignored, null is a field's zero, and a value of the
wrong type makes the whole answer an error. Reference: pkg/scheduler/plugins/extender/argument.go.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec

_TOKENS = re.compile(rb'["\\{}\[\]]')
_BLANK = b" \t\r\n"


class ExtenderError(Exception):
    """Why a request has no answer that counts; the words are those of Go's client where it has some."""


class ValueEnd:
    """Finds where the first JSON value of a body ends, so that a body without end is not waited for.

    >>> ValueEnd().after(b'{"a": "}"} and more')
    10
    """

    def __init__(self) -> None:
        self._read = 0
        self._depth = 0
        self._in_text = False
        self._escaped_at = -1

    def after(self, chunk: bytes) -> int | None:
        """Return how much of the body belongs to the value, None where it goes on; a bare value ends with the body."""
        for match in _TOKENS.finditer(chunk):
            at = self._read + match.start()
            token = match.group()
            if at == self._escaped_at:
                continue
            if self._in_text:
                if token == b"\\":
                    self._escaped_at = at + 1
                elif token == b'"':
                    self._in_text = False
            elif token == b'"':
                self._in_text = True
            elif token in b"{[":
                self._depth += 1
            elif token in b"}]":
                self._depth -= 1
                if self._depth <= 0:
                    return at + 1
        self._read += len(chunk)
        return None


class Answer:
    """The fields of an answer; `type_name` is that of the reference, which its errors name."""

    def __init__(self, body: bytes, type_name: str) -> None:
        self._type_name = type_name
        self._fields = self._object(_parsed(body))

    def text(self, name: str) -> str:
        """Return a text."""
        value = self._value(name)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise self._wrong(name, value, "string")
        return value

    def number(self, name: str) -> int:
        """Return a whole number."""
        value = self._value(name)
        if value is None:
            return 0
        if not isinstance(value, int) or isinstance(value, bool) or not -(2**63) <= value < 2**63:
            raise self._wrong(name, value, "int")
        return value

    def flag(self, name: str) -> bool:
        """Return true or false."""
        value = self._value(name)
        if value is None:
            return False
        if not isinstance(value, bool):
            raise self._wrong(name, value, "bool")
        return value

    def numbers(self, name: str) -> dict[str, float] | None:
        """Return numbers by name, None where there is no such object."""
        value = self._value(name)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise self._wrong(name, value, "map[string]float64")
        return dict(self._floats(name, value))

    def uids(self, name: str) -> list[str]:
        """Return the uids of some tasks."""
        value = self._value(name)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self._wrong(name, value, "[]*api.TaskInfo")
        tasks = [_Fields(self._object(task)) for task in value if task is not None]
        uids = [task.value("UID") for task in tasks]
        wrong = next((uid for uid in uids if uid is not None and not isinstance(uid, str)), None)
        if wrong is not None:
            raise self._wrong(f"{name}.UID", wrong, "api.TaskID")
        return [uid or "" for uid in uids]

    def _floats(self, name: str, value: dict[str, Any]) -> Iterator[tuple[str, float]]:
        for key, each in value.items():
            if each is not None and (isinstance(each, bool) or not isinstance(each, int | float)):
                raise self._wrong(name, each, "float64")
            try:
                yield key, float(each or 0)
            except OverflowError:
                raise self._wrong(name, each, "float64") from None

    def _value(self, name: str) -> Any:
        return _Fields(self._fields).value(name)

    def _object(self, value: Any) -> dict[str, Any]:
        if value is None:
            return {}
        if not isinstance(value, dict):
            go_type = f"Go value of type extender.{self._type_name}"
            raise ExtenderError(f"json: cannot unmarshal {_kind(value)} into {go_type}")
        return value

    def _wrong(self, name: str, value: Any, expected: str) -> ExtenderError:
        what = f"number {value}" if isinstance(value, float) and expected == "int" else _kind(value)
        field = f"Go struct field {self._type_name}.{name}"
        return ExtenderError(f"json: cannot unmarshal {what} into {field} of type {expected}")


class _Fields:
    """The fields of an object, whatever the case of their names; the last of several counts."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self._fields = fields

    def value(self, name: str) -> Any:
        found = [value for key, value in self._fields.items() if key.casefold() == name.casefold()]
        return found[-1] if found else None


def _parsed(body: bytes) -> Any:
    text = body.strip(_BLANK)
    if not text:
        raise ExtenderError("EOF")
    try:
        return msgspec.json.decode(text.decode("utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError) as error:
        first = chr(text[0])
        if first not in '{["-0123456789tfn':
            raise ExtenderError(f"invalid character {first!r} looking for beginning of value") from None
        if _is_cut_off(text.decode("utf-8", "replace")):
            raise ExtenderError("unexpected EOF") from None
        raise ExtenderError(f"invalid JSON: {error}") from None


def _is_cut_off(text: str) -> bool:
    """Whether a text that is no JSON may be the beginning of one."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        rest = text[error.pos :]
        return not rest or rest.startswith('"') or any(word.startswith(rest) for word in ("true", "false", "null", "-"))
    except RecursionError:
        pass
    return False


def _kind(value: Any) -> str:
    names = {bool: "bool", str: "string", list: "array", dict: "object"}
    return names.get(type(value), "number")
