"""JSON text to plain values and typed objects, with duplicate keys and wrong types refused, and their positions.

Several documents may follow one another, with or without line breaks between them.

The decoder keeps the last of several equal keys and does not say so. What it read is therefore encoded again, and
colons are counted: each key brings one, so a text with duplicate keys has more of them than its value. This costs a
third of the decoding. It is exact, unless a text writes a colon as an escape sequence; such texts, and those where the
counts differ, are searched key by key.

Of an object, every wrong type is reported, not only the first. ``null`` means "not given", as in Kubernetes. Nulls are
rare where they matter, so the first attempt knows nothing of them; the second drops them. After that, each error is
recorded, the value that caused it is taken out, and the rest is tried again.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator
from operator import itemgetter
from typing import Any, Final, NamedTuple, Protocol, TypeVar

import msgspec

from vqs.snapshot.reading.diagnostics import Path
from vqs.snapshot.reading.kinds import is_list, type_of_items, typed_item
from vqs.snapshot.reading.reach import MAX_DEPTH

_BLANKS: Final = re.compile(r"[ \t\r\n]*")
_TOKEN: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],]', re.DOTALL)
_ESCAPED_COLON: Final = re.compile(rb"\\u003[aA]")
_STRICT: Final = re.compile(
    r'(?P<text>"(?:[^"\\]|\\.)*+")|(?P<word>-?Infinity|NaN)|(?P<number>-?\d[\d.eE+-]*+)', re.DOTALL
)
_IN_TEXT: Final = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2}|[\ud800-\udfff])|\\.|(?P<control>[\x00-\x1f])",
    re.DOTALL,
)
"""Where msgspec is stricter than Python: its texts, words and numbers; and what is in its texts."""
_LONG: Final = 4300
"""The most digits of a whole number."""
_LOOKS_LIKE_JSON: Final = re.compile(r'\s*(?:\{\s*(?:"|\}|\Z)|\[\s*[\[{"\]])')
# It only finds where values end: whole numbers of any length do, while Python makes none of more than 4,300 digits.
_raw_decode: Final = json.JSONDecoder(strict=False, parse_int=float).raw_decode
_decode: Final = msgspec.json.Decoder().decode
_MANAGED_FIELDS: Final = b'"managedFields"'
_PART: Final = 1 << 20
_encode: Final = msgspec.json.Encoder().encode


class JsonProblem(NamedTuple):
    """Something wrong in a JSON text, at an offset in it; `first` is the offset of the first of two equal keys."""

    code: str
    message: str
    offset: int
    first: int | None = None


class Member(NamedTuple):
    """An entry of an object or array: its key or index, and the offsets of its key (or value) and of its value."""

    step: str | int
    key_offset: int
    offset: int


def looks_like_json(text: str) -> bool:
    """True if a text is JSON by its beginning, as ``kubectl`` tells; YAML in braces has no quotes there."""
    return _LOOKS_LIKE_JSON.match(text) is not None


Members = dict[str, msgspec.Raw]
"""The members of an object, undecoded."""


class Spans(NamedTuple):
    """The start and end of each document of a text, and what is wrong with the text after the last of them.

    Where all of the text is one object, `members` are what is in it.
    """

    spans: list[tuple[int, int]]
    problem: JsonProblem | None = None
    members: Members | None = None


def document_spans(text: str) -> Spans:
    """Split a text into its documents."""
    try:
        return Spans([(0, len(text))], members=msgspec.json.decode(text, type=Members))
    except (msgspec.DecodeError, RecursionError):
        return _slow_document_spans(text)


def _slow_document_spans(text: str) -> Spans:
    spans: list[tuple[int, int]] = []
    at = _skip_blanks(text, 0)
    while at < len(text):
        try:
            _, end = _raw_decode(text, at)
        except json.JSONDecodeError as error:
            # Count the most levels that are open between two offsets, up to the first that is too deep.
            most = level = 0
            for token in _TOKEN.finditer(text, at, error.pos):
                level += (token[0] in "{[") - (token[0] in "}]")
                most = max(most, level)
                if most > MAX_DEPTH:
                    break
            if most > MAX_DEPTH:  # which Pythons refuse at different levels
                return Spans(spans, JsonProblem("too-deep", "nested too deeply", at))
            message = error.msg[:1].lower() + error.msg[1:]
            return Spans(spans, JsonProblem("invalid-json", f"not valid JSON: {message}", error.pos))
        except RecursionError:
            return Spans(spans, JsonProblem("too-deep", "nested too deeply", at))
        try:
            _decode(text[at:end].encode(errors="surrogatepass"))
        except (msgspec.DecodeError, RecursionError):
            return Spans(spans, _strict_problem(text, at, end))
        spans.append((at, end))
        at = _skip_blanks(text, end)
    return Spans(spans)


def _strict_problem(text: str, begin: int, end: int) -> JsonProblem:
    """What is no JSON in a document that Python's decoder takes: NaN, huge numbers, halves of characters."""
    wrong: tuple[str, int] | None = None
    for token in _STRICT.finditer(text, begin, end):
        if token["word"]:
            wrong = f"invalid character, as {token[0]} is no value in JSON", token.start()
        elif (
            token["number"]
            and math.isinf(float(token[0]))
            and (len(token[0]) > _LONG or not token[0].lstrip("-").isdecimal())
        ):
            wrong = "number out of range", token.start()
        elif token["text"]:
            wrong = _wrong_in_text(token)
        if wrong is not None:
            return JsonProblem("invalid-json", f"not valid JSON: {wrong[0]}", wrong[1])
    return JsonProblem("too-deep", "nested too deeply", begin)


def _wrong_in_text(token: re.Match[str]) -> tuple[str, int] | None:
    for part in _IN_TEXT.finditer(token[0]):
        if part["control"]:
            return f"invalid character, as U+{ord(part[0]):04X} must be escaped", token.start() + part.start()
        if part["half"]:
            return "invalid character, as here is only half of one", token.start() + part.start()
    return None


class Text(Protocol):
    """The text of a document; its characters are asked for only where something is wrong."""

    @property
    def text(self) -> str:
        """The characters."""

    @property
    def data(self) -> bytes:
        """The characters in UTF-8."""


def objects(
    document: Text,
    refuse: Callable[[JsonProblem], None],
    advance: Callable[[int], None],
    members: Members | None = None,
) -> Iterator[tuple[Path, Any]]:
    """Yield the items of a List one by one, or the document as a whole, each with its path.

    Items are decoded one at a time, so that the plain values of a large dump never exist all at once.

    Args:
        document: the text of the document.
        refuse: takes what is wrong with it.
        advance: takes the number of characters read since it was called last.
        members: the members of the document, where they are known.
    """
    data = document.data
    members = members_of(data) if members is None else members
    if members is None or not (
        bytes(memoryview(members.get("items", b""))[:1]) == b"[" and is_list({**_head(members), "items": []})
    ):
        try:
            value = _value(data)
        except (msgspec.DecodeError, RecursionError):
            refuse(_strict_problem(document.text, 0, len(document.text)))
            return
        if _may_have_duplicates(data, value):
            _refuse_duplicates(document.text, 0, refuse)
        advance(len(data))
        yield (), value
        return
    if data.count(b":") != sum(1 + key.count(":") + _colons(raw) for key, raw in members.items()):
        keys: dict[str, int] = {}
        for member in members_at(document.text, _skip_blanks(document.text, 0)):
            problem = _duplicate(document.text, member.key_offset, keys)
            if problem is not None:
                refuse(problem)
    usual = type_of_items(_head(members))
    begin, passed = None, 0
    for index, raw in enumerate(msgspec.json.decode(members["items"], type=list[msgspec.Raw])):
        whole = bytes(raw)
        passed += len(whole)
        if passed >= _PART:
            advance(passed)
            passed = 0
        data = _without_managed_fields(whole)
        try:
            value = _value(data)
        except (msgspec.DecodeError, RecursionError):
            begin = begin or item_offsets(document.text)
            refuse(_strict_problem(document.text, begin[index], begin[index] + len(whole.decode())))
            continue
        if _may_have_duplicates(data, value):
            begin = begin or item_offsets(document.text)
            _refuse_duplicates(document.text, begin[index], refuse)
        yield ("items", index), typed_item(value, usual) if usual else value
    advance(passed)


def members_of(data: bytes) -> Members | None:
    """The members of a text if all of it is one object in JSON, else None."""
    try:
        return msgspec.json.decode(data, type=Members)
    except (msgspec.DecodeError, RecursionError):
        return None


def _head(members: Members) -> dict[str, Any]:
    return {key: _decode(members[key]) for key in ("apiVersion", "kind") if key in members}


def _colons(raw: msgspec.Raw) -> int:
    """Count colons, part by part: a copy of all items of a large dump would take as much memory as the dump."""
    view = memoryview(raw)
    return sum(bytes(view[at : at + _PART]).count(b":") for at in range(0, len(view), _PART))


class _ManagedFields(msgspec.Struct):
    """The metadata of an object, of which only the undecoded managedFields are looked at."""

    raw: msgspec.Raw = msgspec.field(default=msgspec.Raw(), name="managedFields")


class _WithMetadata(msgspec.Struct):
    """An object of which only the metadata are looked at."""

    metadata: _ManagedFields


_decode_metadata: Final = msgspec.json.Decoder(_WithMetadata).decode


def _without_managed_fields(data: bytes) -> bytes:
    """An object with empty managedFields: they are most of what kubectl writes, and nothing reads them."""
    key = data.find(_MANAGED_FIELDS)
    if key < 0:
        return data
    try:
        managed = bytes(_decode_metadata(data).metadata.raw)
    except (msgspec.DecodeError, RecursionError):
        return data
    begin = data.find(b"[", key)
    end = begin + len(managed)
    return b"[]".join((data[:begin], data[end:])) if managed and data[begin:end] == managed else data


def _value(data: bytes) -> Any:
    """Decode a document or an item of a List. Raises RecursionError where it is nested too deeply for any manifest."""
    value = _decode(data)
    if len(data) > MAX_DEPTH and data.count(b"{") + data.count(b"[") > MAX_DEPTH and _is_too_deep(value):
        raise RecursionError
    return value


def _is_too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        inner = (each.values() if isinstance(each, dict) else each for each in level)
        level = [child for children in inner for child in children if isinstance(child, dict | list)]
        if not level:
            return False
    return True


def _may_have_duplicates(data: bytes, value: Any) -> bool:
    if data.count(b":") != _encode(value).count(b":"):
        return True
    return b"\\u" in data and _ESCAPED_COLON.search(data) is not None


def _refuse_duplicates(text: str, offset: int, refuse: Callable[[JsonProblem], None]) -> None:
    """Look for duplicate keys in the value at `offset`, at every level; those of a level before those below it."""
    found: list[tuple[int, int, JsonProblem]] = []
    open_ones: list[tuple[int, dict[str, int] | None]] = []
    before = ""
    for token in _TOKEN.finditer(text, offset):
        at, kind = token.start(), token[0][0]
        if kind in "{[":
            open_ones.append((at, {} if kind == "{" else None))
        elif kind in "}]":
            open_ones.pop()
        elif kind == '"' and open_ones and before in ("{", ","):
            begin, keys = open_ones[-1]
            problem = None if keys is None else _duplicate(text, at, keys)
            found += [(begin, at, problem)] if problem is not None else []
        if not open_ones:
            break
        before = kind
    for _, _, problem in sorted(found, key=itemgetter(0, 1)):
        refuse(problem)


def _duplicate(text: str, at: int, keys: dict[str, int]) -> JsonProblem | None:
    """Take in the key at an offset; return what is wrong where it is among the keys already."""
    key, _ = _raw_decode(text, at)
    first = keys.setdefault(key, at)
    return JsonProblem("duplicate-key", f"the key {key!r} is given twice", at, first) if first != at else None


# --- positions --------------------------------------------------------------------------------------------------------


class Places:
    """Finds the places of values in a text; an object or array on the way to one is gone through once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._members: dict[int, dict[str | int, Member]] = {}

    def find(self, path: Path, offset: int = 0) -> Member:
        """Follow `path` from the value at `offset` as far as it goes, and return the entry it leads to."""
        offset = _skip_blanks(self.text, offset)
        found = Member("", offset, offset)
        for step in path:
            if found.offset not in self._members:
                self._members[found.offset] = {member.step: member for member in members_at(self.text, found.offset)}
            member = self._members[found.offset].get(step)
            if member is None:
                break
            found = member
        return found


def item_offsets(text: str) -> list[int]:
    """The offset of each item of a List."""
    return [member.offset for member in members_at(text, Places(text).find(("items",)).offset)]


def members_at(text: str, offset: int) -> Iterator[Member]:
    """Yield the entries of the object or array at `offset`; nothing for another value."""
    opening = text[offset : offset + 1]
    if opening not in ("{", "["):
        return
    at = _skip_blanks(text, offset + 1)
    index = 0
    while text[at] not in "}]":
        key_offset = at
        step: str | int = index
        if opening == "{":
            step, at = _raw_decode(text, at)
            at = _skip_blanks(text, _skip_blanks(text, at) + 1)
        yield Member(step, key_offset, at)
        _, at = _raw_decode(text, at)
        at = _skip_blanks(text, at)
        if text[at] == ",":
            at = _skip_blanks(text, at + 1)
        index += 1


def _skip_blanks(text: str, offset: int) -> int:
    match = _BLANKS.match(text, offset)
    return match.end() if match else offset


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
