"""Reading the configuration's YAML as Volcano reads it, with a position for every finding.

Volcano decodes into Go structs: a key that no field has is ignored, a value of the wrong type refuses the
configuration, and any scalar may stand where text is wanted. The first is a warning here, the second an error, the
third is done alike.

Reference: gopkg.in/yaml.v2 v2.4 (``resolve.go``, ``decode.go``).
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Final, NamedTuple

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from vqs.snapshot.reading import yaml_text
from vqs.snapshot.reading.configuration.text import ConfigText
from vqs.snapshot.reading.diagnostics import Path, Position, Problems, Severity, did_you_mean

_NUMBER: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", re.ASCII)
_OCTAL: Final = re.compile(r"[-+]?0o[0-7_]+", re.ASCII)
UNKNOWN_KEY: Final = "unknown-conf-key"


class Advice(NamedTuple):
    """What is wrong with a key, by code, and what to write instead."""

    code: str
    hint: str


def go_tag(text: str) -> str:
    """What an unquoted scalar is to Go: also ``y`` and ``n`` are booleans, ``1e3`` and ``08`` are numbers."""
    if text in {"y", "Y", "n", "N"}:
        return yaml_text.BOOL
    if _OCTAL.fullmatch(text):
        return yaml_text.INT
    tag = yaml_text.plain_tag(text)
    is_number = tag == yaml_text.STR and _NUMBER.fullmatch(text.replace("_", ""))
    return yaml_text.number_tag(text) if is_number else tag


class Cursor:
    """A value in the configuration and the path to it. What is wrong with it goes to `problems`."""

    def __init__(
        self, node: Node, conf: ConfigText, problems: Problems, path: Path = (), key_node: Node | None = None
    ) -> None:
        self.node = node
        self.conf = conf
        self.problems = problems
        self.path = path
        self.key_node = key_node
        self.overridden: list[Cursor] = []

    @property
    def is_null(self) -> bool:
        """Whether nothing is given."""
        return bool(self.node.tag == yaml_text.NULL)

    @property
    def is_scalar(self) -> bool:
        """Whether this is a single value, not an object or a list, and not null."""
        return isinstance(self.node, ScalarNode) and not self.is_null

    @property
    def is_object(self) -> bool:
        """Whether this is an object."""
        return isinstance(self.node, MappingNode)

    def find(
        self, code: str, message: str, *, severity: Severity = "error", hint: str = "", place: Position | None = None
    ) -> None:
        """Report something about the value, or about the part of it that is at a place."""
        place = place or yaml_text.position_of(self.node)
        self.problems.add(self.conf.diagnostic(code, message, place, self.path, severity=severity, hint=hint))

    def find_in_key(self, code: str, message: str, *, severity: Severity = "error", hint: str = "") -> None:
        """Report something about the key of the value."""
        place = yaml_text.position_of(self.key_node or self.node)
        self.problems.add(self.conf.diagnostic(code, message, place, self.path, severity=severity, hint=hint))

    def fields(self, known: Collection[str], advise: Callable[[str], Advice | None]) -> Mapping[str, "Cursor"]:
        """The values of an object by key, and warn of keys that Volcano ignores.

        Args:
            known: the keys that have a meaning.
            advise: tells what a key was meant to be, where that is known.
        """
        entries = self.own_entries(is_struct=True)
        for key, cursor in entries.items():
            if key not in known:
                code, hint = advise(key) or Advice(UNKNOWN_KEY, did_you_mean(key, known))
                cursor.find_in_key(code, f"Volcano ignores the key {key!r}", severity="warning", hint=hint)
        return entries

    def entries(self) -> dict[str, "Cursor"]:
        """The values of an object by key, with those of objects that it was decoded into.

        There are none if it is no object, which is an error unless it is null.
        """
        entries: dict[str, Cursor] = {}
        for each in (*self.overridden, self):
            entries.update(each.own_entries())
        return entries

    def own_entries(self, *, is_struct: bool = False) -> dict[str, "Cursor"]:
        """What this object itself says; a merge overrides the keys before it, as those after override it."""
        if not isinstance(self.node, MappingNode):
            if not self.is_null:
                self._wrong_type("an object")
            return {}
        entries: dict[str, Cursor] = {}
        own: set[str] = set()
        for key_node, value_node in self.node.value:
            if yaml_text.is_merge(key_node):
                cursor = Cursor(value_node, self.conf, self.problems, (*self.path, str(key_node.value)), key_node)
                _override(entries, cursor.merged(is_struct=is_struct), is_struct=is_struct)
                continue
            key = Cursor(key_node, self.conf, self.problems, self.path).text()
            cursor = Cursor(value_node, self.conf, self.problems, (*self.path, key), key_node)
            if key in own:
                cursor.find_in_key("duplicate-key", f"the key {key!r} is given twice")
            own.add(key)
            _override(entries, {key: cursor}, is_struct=is_struct)
        return entries

    def merged(self, *, is_struct: bool = False) -> dict[str, "Cursor"]:
        """The entries that a merge key brings in; of several objects, the first wins."""
        sources = list(self.items()) if isinstance(self.node, SequenceNode) else [self]
        entries: dict[str, Cursor] = {}
        for source in reversed(sources):
            if source.is_object:
                _override(entries, source.own_entries(is_struct=is_struct), is_struct=is_struct)
            else:
                source.find("wrong-type", f"expected an object to merge, got {_described(source.node)}")
        return entries

    def items(self) -> Iterator["Cursor"]:
        """Yield the values of a list; none if it is no list, which is an error unless it is null."""
        if isinstance(self.node, SequenceNode):
            for index, node in enumerate(self.node.value):
                yield Cursor(node, self.conf, self.problems, (*self.path, index))
        elif not self.is_null:
            self._wrong_type("a list")

    def text(self, hint: str = "") -> str:
        """A text; any scalar is one as it is written, and null is empty."""
        if not isinstance(self.node, ScalarNode):
            self._wrong_type("text", hint)
            return ""
        value = self._scalar()
        return str(value if self.node.tag == yaml_text.BINARY else self.node.value) if value is not None else ""

    def flag(self) -> bool | None:
        """True or false, or None for null."""
        if self.node.tag == yaml_text.BOOL:
            return bool(self._scalar())
        if not self.is_null:
            is_quoted = isinstance(self.node, ScalarNode) and self.node.value.lower() in {"true", "false"}
            self._wrong_type("true or false", "remove the quotes" if is_quoted else "")
        return None

    def value(self) -> object:
        """A value of any type."""
        if isinstance(self.node, MappingNode):
            return {key: cursor.value() for key, cursor in self.entries().items()}
        if isinstance(self.node, SequenceNode):
            return [cursor.value() for cursor in self.items()]
        return self._scalar()

    def _scalar(self) -> object:
        try:
            return yaml_text.scalar(self.node.tag, self.node.value)
        except (KeyError, ValueError):
            message = f"cannot read {self.node.value[:40]!r} with its YAML tag"
            self.find("unsupported-tag", message, hint="remove the tag")
            return None

    def _wrong_type(self, expected: str, hint: str = "") -> None:
        self.find("wrong-type", f"expected {expected}, got {_described(self.node)}", hint=hint)


def _override(entries: dict[str, Cursor], by: Mapping[str, Cursor], *, is_struct: bool) -> None:
    """Put values in the place of others.

    In a struct, Go decodes an object into the one that is there already, and so keeps the entries of both.
    """
    for key, cursor in by.items():
        before = entries.get(key)
        if is_struct and before is not None and cursor.is_object and before.is_object:
            before.overridden += (before, *cursor.overridden)  # in place, so that many objects take linear time
            cursor.overridden = before.overridden
        entries[key] = cursor


def _described(node: Node) -> str:
    if isinstance(node, MappingNode):
        return "an object"
    if isinstance(node, SequenceNode):
        return "a list"
    return f"the text {node.value!r}" if node.tag == yaml_text.STR else str(node.value)
