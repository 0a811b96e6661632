"""Finding the text of the scheduler's configuration, and reading its YAML as Volcano does.

Every finding has a position. Volcano decodes into Go structs: a key that no field has is ignored, a value of the wrong
type refuses the configuration, and any scalar may stand where text is wanted. The first is a warning here, the second
an error, the third is done alike.

Reference: gopkg.in/yaml.v2 v2.4 (``resolve.go``, ``decode.go``).
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, Final, NamedTuple

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from vqs.model import kubernetes as k8s
from vqs.snapshot.reading import yaml_text
from vqs.snapshot.reading.diagnostics import Diagnostic, Path, Position, Problems, Severity, did_you_mean
from vqs.snapshot.reading.documents import Document, Origin, documents
from vqs.snapshot.reading.json_text import decode
from vqs.snapshot.reading.sources import Source, read_source

_USUAL_NAME: Final = "volcano-scheduler-configmap"
_USUAL_KEY: Final = "volcano-scheduler.conf"
_SUFFIX: Final = ".conf"
OF_AGENTS: Final = "agent-scheduler.conf"
_AGENTS: Final = "agent-scheduler-configmap"
"""The configuration of Volcano's scheduler for agents, which is another program."""
_NAMESPACE: Final = "default"
_WITHOUT: Final = "without a configuration, the built-in one is used"
BLANK_LINES: Final = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\r?\n)*")
_IN_A_CONFIG_MAP: Final = 2
"""There, a text stands under "data" and a key."""

_FIELDS: Final = ("actions", "tiers")
_PLAIN_TAGS: Final = (yaml_text.STR, yaml_text.INT, yaml_text.FLOAT, yaml_text.BOOL, yaml_text.NULL)
_OPENING: Final = re.compile(r"^[^\S\n]*(?:actions|tiers)\s*:", re.MULTILINE)


class ConfigText(NamedTuple):
    """The text of a scheduler configuration, and where it stands.

    `path` leads to it in `document`; it is empty for a file that holds nothing else. `owner` names the ConfigMap, which
    is in `namespace`.
    """

    text: str
    document: Document
    path: Path = ()
    owner: str = ""
    namespace: str = ""

    @property
    def origin(self) -> Origin:
        """Where the ConfigMap comes from, or else what the text stands in."""
        return Origin(self.document, self.path[:-_IN_A_CONFIG_MAP])

    @property
    def key(self) -> str:
        """The key that the text stands under, if there is one."""
        return str(self.path[-1]) if self.path else ""

    @property
    def name(self) -> str:
        """Where the text stands, for people: the file, and the ConfigMap if it is one."""
        file = self.document.source.name
        return f"{file} (ConfigMap {self.owner})" if self.owner else file

    @property
    def place(self) -> str:
        """The file and line where the text begins."""
        return f"{self.document.source.name}:{self.position(Position(1, 1)).line}"

    def position(self, inner: Position) -> Position:
        """Turn a position in the text into one in the file."""
        return self.document.locate_in_text(self.path, inner) if self.path else inner

    def diagnostic(
        self, code: str, message: str, inner: Position, path: Path, *, severity: Severity = "error", hint: str = ""
    ) -> Diagnostic:
        """Make a diagnostic about a position and path in the text."""
        place = self.position(inner)
        return self.document.diagnostic(code, message, place, path=path, severity=severity, hint=hint)


class _PlainFile(Document):
    """A file that is one text, without objects in it."""

    def locate(self, _: Path) -> Position:
        """The beginning of the text, behind what is blank and comments."""
        opening = BLANK_LINES.match(self.source.text)
        return Position(self.source.position(opening.end() if opening else 0).line, 1)


def is_configuration(config_map: k8s.ConfigMap, key: str) -> bool:
    """True if a ConfigMap has a scheduler configuration under a key; under the usual key, it may be empty."""
    if key == OF_AGENTS or config_map.metadata.name.endswith(_AGENTS):
        return False
    text = config_map.data[key]
    is_usual = key == _USUAL_KEY and not yaml_text.document_spans(text)
    return is_usual or (key.endswith(_SUFFIX) and (_OPENING.search(text) is not None or _has_fields(text)))


def _has_fields(text: str) -> bool:
    """True if the first document of a text has the fields of a configuration, in whatever way it is written."""
    for start, end in yaml_text.document_spans(text)[:1]:
        try:
            roots = yaml_text.compose(text[start:end])[:1]
        except yaml_text.YamlErrors:
            return False
        keys = [key for root in roots if isinstance(root, MappingNode) for key, _ in root.value]
        # Keys that are merged, or that have a tag, may be such fields.
        return any(key.value in _FIELDS or key.tag not in _PLAIN_TAGS for key in keys)
    return False


def configurations_of(config_map: k8s.ConfigMap, origin: Origin) -> list[ConfigText]:
    """The scheduler configurations in a ConfigMap."""
    metadata = config_map.metadata
    namespace = metadata.namespace or _NAMESPACE
    return [
        ConfigText(text, origin.document, (*origin.path, "data", key), metadata.name, namespace)
        for key, text in config_map.data.items()
        if is_configuration(config_map, key)
    ]


def configurations_in_values(value: Any, origin: Origin) -> list[ConfigText]:
    """The scheduler configurations that are texts in the values of a Helm chart, wherever in them."""
    return [
        ConfigText(text, origin.document, (*origin.path, *path))
        for path, text in _texts_in(value)
        if all(f"{field}:" in text for field in _FIELDS) and _has_fields(text)
    ]


def _texts_in(value: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from _texts_in(each, (*path, str(key)))


def choose_configuration(
    given: ConfigText | None, found: Sequence[ConfigText], problems: Problems, *, severity: Severity = "error"
) -> ConfigText | None:
    """Choose between the configuration that was asked for and those found, and say so where there was a choice.

    `severity` is that of several among which there is no choice.
    """
    if given is not None:
        if found:
            _note(f"the configuration in {given.name} is used, not the one in {found[0].name}", problems)
        return given
    if len(found) < 2:  # noqa: PLR2004 - there is a choice only between two
        return found[0] if found else None
    usual = [text for text in found if text.owner == _USUAL_NAME]
    if len(usual) > 1:
        usual = [text for text in usual if text.path[-1] == _USUAL_KEY]
    if len(usual) == 1:
        _note(f"of {len(found)} scheduler configurations, the one in {usual[0].name} is used", problems)
        return usual[0]
    places = " and ".join(text.place for text in found)
    message = f"there are {len(found)} scheduler configurations, at {places}"
    last = found[-1]
    hint = f"name the one to use {_USUAL_NAME}, or choose a file with --conf"
    several = "several-configurations"
    problems.add(last.diagnostic(several, message, Position(1, 1), last.path, severity=severity, hint=hint))
    return None


def refuse_empty(conf: ConfigText, problems: Problems) -> bool:
    """True if a configuration is empty, and refuse one that is: Volcano finds no actions in it."""
    if yaml_text.document_spans(conf.text):
        return False
    message = "the scheduler's configuration is empty, which Volcano refuses: it names no actions"
    problems.add(conf.diagnostic("empty-configuration", message, Position(1, 1), conf.path, hint=_WITHOUT))
    return True


def read_configuration_file(path: str, stdin: BinaryIO | None, problems: Problems) -> ConfigText | None:
    """Read a file that holds a configuration, either as it is or in a ConfigMap."""
    source = read_source(path, stdin, problems)
    if source is None:
        return None
    # The Kubernetes objects in a file, none if it holds something else.
    ignored = Problems()
    objects = [
        (value, Origin(document, path))
        for document in documents(source, ignored)
        for path, value in document.values(ignored, lambda _: None)
        if isinstance(value, dict) and isinstance(value.get("kind"), str)
    ]
    if not objects:
        in_values = configurations_in_values_of(source)
        if in_values:
            return choose_configuration(None, in_values, problems)
        return ConfigText(source.text, _PlainFile(source, 0, len(source.text)))
    texts: list[ConfigText] = []
    for value, origin in objects:
        config_map = decode(value, k8s.ConfigMap)[0] if value["kind"] == "ConfigMap" else None
        texts += configurations_of(config_map, origin) if config_map else []
    if not texts:
        message = f"there is no scheduler configuration in it: no ConfigMap with actions under a key *{_SUFFIX}"
        problems.add(Diagnostic(code="no-configuration", severity="error", message=message, file=source.name))
    return choose_configuration(None, texts, problems)


def configurations_in_values_of(source: Source) -> list[ConfigText]:
    """The configurations in a file that holds the values of a Helm chart."""
    if not _OPENING.search(source.text):
        return []
    ignored = Problems()
    return [
        each
        for document in documents(source, ignored)
        for path, value in document.values(ignored, lambda _: None)
        if isinstance(value, dict) and value.keys().isdisjoint(_FIELDS)
        for each in configurations_in_values(value, Origin(document, path))
    ]


def _note(message: str, problems: Problems) -> None:
    problems.add(Diagnostic(code="configuration-choice", severity="note", message=message))


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
