"""Documents in files: splitting them, reading their objects and the setting of a session, and finding values again.

Positions cost as much as reading does, so reading keeps none. A document is parsed again, with positions, when an error
has to be located in it; of a List in YAML, only the items around that place.

The setting of a session is all that changes it in the files and is no object of a cluster. Whoever runs a comparison
decides on it. A change has no say: its sessions run in the setting of the base. To the
setting belongs what a captured snapshot says of itself: which kinds were asked for, and what could not be read. It
stands among the objects, so that it stays with them whatever they are copied into.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple

from msgspec import Struct, to_builtins
from yaml.nodes import ScalarNode

from vqs.snapshot.reading import json_text, yaml_text
from vqs.snapshot.reading.diagnostics import Diagnostic, Path, Position, Problems, Severity, path_text
from vqs.snapshot.reading.kinds import (
    BY_NAME,
    CONFIGURATION,
    METRICS_KIND,
    PLAN_KINDS,
    SCENARIO_KIND,
    type_of_items,
    typed_item,
)
from vqs.snapshot.reading.sources import Source

Advance = Callable[[int], None]
"""Takes the number of characters read since it was called last."""

_MARKER: Final = re.compile(r"---[ \t]*(?:\r?\n|\Z)")

_ODD_MARKER: Final = re.compile(
    r"^---[ \t\r]*(?:(?P<blank>[^\S \t\r\n])|#[^\n]*?(?P<break>[\r\x85\u2028\u2029])(?!\n|\Z))", re.MULTILINE
)
"""A marker with a blank after it that is none in YAML, or a comment that ends before the line does to kubectl."""

_MOST_KEPT: Final = 4 * 1024 * 1024
"""How much text of a document stays composed, in characters: places near one another are often asked for together."""


class Document(ABC):
    """One document of a source: the text from `start` to `end`.

    `is_written` tells whether it stands there, and `is_applied` whether kubectl reads it.
    """

    is_written = True
    is_applied = True

    def __init__(self, source: Source, start: int, end: int) -> None:
        self.source = source
        self.start = start
        self.end = end

    @property
    def text(self) -> str:
        """The text of the document."""
        return self.source.text[self.start : self.end]

    def values(self, problems: Problems, advance: Advance) -> Iterator[tuple[Path, Any]]:  # noqa: ARG002
        """Yield the plain value of the document, or those of its items if it is a List, with their paths.

        There are none in what is no document of objects.
        """
        return iter(())

    @abstractmethod
    def locate(self, path: Path) -> Position:
        """The place in the source of the value at `path`, or of the nearest value around it."""

    def locate_key(self, path: Path) -> Position:
        """The place in the source of the key that `path` ends in; that of its value where no key is written."""
        return self.locate(path)

    def locate_in_text(self, path: Path, _: Position) -> Position:
        """The place in the source of a place within the text at `path`; the start of that text if unknown."""
        return self.locate(path)

    def diagnostic(
        self,
        code: str,
        message: str,
        position: Position,
        *,
        path: Path = (),
        severity: Severity = "error",
        hint: str = "",
    ) -> Diagnostic:
        """Make a diagnostic about a place in the source."""
        return Diagnostic(
            code=code,
            severity=severity,
            message=message,
            file=self.source.name,
            line=position.line,
            column=position.column,
            path=path_text(path) if path else "",
            help=hint,
            excerpt=self.source.excerpt(position),
        )


class Origin(NamedTuple):
    """Where an object comes from: a document, and the path to the object in it if that is a List."""

    document: Document
    path: Path = ()

    def inside(self, *path: str | int) -> Origin:
        """Where a part of the object comes from."""
        return Origin(self.document, (*self.path, *path))

    def position(self, path: Path = ()) -> Position:
        """The place of a value in the object, or of the nearest value around it."""
        return self.document.locate((*self.path, *path))

    def place(self) -> str:
        """Name the file and line where the object begins."""
        return f"{self.document.source.name}:{self.position().line}"

    def diagnostic(
        self, code: str, message: str, path: Path = (), *, severity: Severity = "error", hint: str = ""
    ) -> Diagnostic:
        """Make a diagnostic about a value in the object."""
        full = (*self.path, *path)
        return self.document.diagnostic(
            code, message, self.document.locate(full), path=full, severity=severity, hint=hint
        )

    def key_diagnostic(self, code: str, message: str, path: Path, *, hint: str = "") -> Diagnostic:
        """Make a diagnostic about a key in the object."""
        full = (*self.path, *path)
        return self.document.diagnostic(code, message, self.document.locate_key(full), path=full, hint=hint)


def documents(source: Source, problems: Problems) -> list[Document]:
    """Split a source into its documents. JSON and YAML are distinguished by content, document by document."""
    whole = _whole(source)
    if whole is not None:
        return [whole]
    text = source.text
    has_markers = text.startswith("---") or "\n---" in text
    if has_markers:
        # Refuse lines at which kubectl splits a text, and YAML does not, or not in the same place.
        for match in _ODD_MARKER.finditer(source.text):
            character = f"U+{ord(match['blank'] or match['break']):04X}"
            message = f"kubectl splits the text at this line in another way than YAML, as {character} stands in it"
            position = source.position(match.start())
            problems.add(
                YamlDocument(source, 0, len(source.text)).diagnostic(
                    "invalid-yaml", message, position, hint=f"remove {character}"
                )
            )
    spans = yaml_text.document_spans(text) if has_markers or not json_text.looks_like_json(text) else [(0, len(text))]
    parts = [_documents(source, start, end, problems) for start, end in spans]
    for (start, _), part in zip(spans, parts, strict=True):
        is_begun = yaml_text.is_begun(text, start)
        is_stream = not is_begun and start == spans[0][0] and part and isinstance(part[0], JsonDocument)
        applied = len(part) if is_stream else int(is_begun or start == spans[0][0])
        for document in part[applied:]:
            document.is_applied = False
            problems.add(
                _not_applied(
                    document, source.position(document.start + len(document.text) - len(document.text.lstrip()))
                )
            )
    found = [document for part in parts for document in part]
    if not spans:
        problems.add(Diagnostic(code="empty-input", severity="error", message="this file is empty", file=source.name))
    return found


def _whole(source: Source) -> Document | None:
    """The document of a source that is one object in JSON, which is found out without making its text."""
    members = None if source.encoded is None else json_text.members_of(source.encoded.data)
    if members is None:
        return None
    document = JsonDocument(source, 0, source.length)
    document.members = members
    return document


def _not_applied(document: Document, position: Position) -> Diagnostic:
    """The warning that kubectl does not read what stands at a position."""
    message = "kubectl apply does not read this document, as no line --- is before it"
    return document.diagnostic("not-applied", message, position, severity="warning", hint="begin it with a line ---")


def _documents(source: Source, start: int, end: int, problems: Problems) -> Sequence[Document]:
    marker = _MARKER.match(source.text, start, end)
    begin = marker.end() if marker else start
    text = source.text[begin:end]
    if not json_text.looks_like_json(text):
        return [YamlDocument(source, start, end)]
    spans, problem, members = json_text.document_spans(text)
    if problem is not None:
        position = source.position(begin + problem.offset)
        problems.add(JsonDocument(source, begin, end).diagnostic(problem.code, problem.message, position))
    found = [JsonDocument(source, begin + first, begin + last) for first, last in spans]
    if members is not None:
        found[0].members = members
    return found


# --- JSON -------------------------------------------------------------------------------------------------------------


class JsonDocument(Document):
    """A document in JSON. Its members, where they are known, are let go of when its values are read."""

    members: json_text.Members | None = None

    @property
    def data(self) -> bytes:
        """The text of the document in UTF-8."""
        encoded = self.source.encoded  # of a source that is more than this document, the text was asked for
        return self.text.encode() if encoded is None else encoded.data

    def values(self, problems: Problems, advance: Advance) -> Iterator[tuple[Path, Any]]:
        """Yield the items of a List one by one, or the document as a whole."""

        def refuse(problem: json_text.JsonProblem) -> None:
            message = problem.message
            if problem.first is not None:
                message += f", first on line {self.source.position(self.start + problem.first).line}"
            problems.add(self.diagnostic(problem.code, message, self.source.position(self.start + problem.offset)))

        members, self.members = self.members, None
        return json_text.objects(self, refuse, advance, members)

    def locate(self, path: Path) -> Position:
        """Follow the path through the text; the places of items are kept, as they are far to go to."""
        return self.source.position(self._member(path).offset)

    def locate_key(self, path: Path) -> Position:
        """Follow the path through the text to its last key."""
        return self.source.position(self._member(path).key_offset)

    def _member(self, path: Path) -> json_text.Member:
        if len(path) > 1 and path[0] == "items" and isinstance(path[1], int):
            begin, path = self._item_offsets[path[1]], path[2:]
        else:
            begin = self.start
        return self._places.find(path, begin)

    @cached_property
    def _places(self) -> json_text.Places:
        return json_text.Places(self.source.text)

    @cached_property
    def _item_offsets(self) -> list[int]:
        return [self.start + offset for offset in json_text.item_offsets(self.text)]


# --- YAML -------------------------------------------------------------------------------------------------------------


class YamlDocument(Document):
    """A document in YAML."""

    def __init__(self, source: Source, start: int, end: int) -> None:
        super().__init__(source, start, end)
        self._composed: dict[int, yaml_text.Places] = {}
        self._kept = 0
        self._indented: dict[int, int] = {}

    def values(self, problems: Problems, advance: Advance) -> Iterator[tuple[Path, Any]]:
        """Yield the items of a List group by group; where they cannot be separated, the document as a whole."""
        done = yield from self._items(problems, advance)
        if done is None:
            return
        for number, value in enumerate(self._whole(problems)):
            if number:
                root = yaml_text.compose(self.text)[number]
                problems.add(_not_applied(self, self.source.position(self.start + root.start_mark.index)))
            items = value["items"] if done else [value]
            paths: list[Path] = [("items", index) for index in range(len(items))] if done else [()]
            usual = type_of_items(value) if done else {}
            yield from zip(paths[done:], [typed_item(item, usual) for item in items[done:]], strict=True)
        advance(self.end - self.start)

    def _items(self, problems: Problems, advance: Advance) -> Generator[tuple[Path, Any], None, int | None]:
        """Yield items. Return None when all are read, else the number of those after which splitting failed."""
        text, spans = self.text, self._list_spans
        if spans is None:
            return 0
        usual = type_of_items(spans.head)
        for group in spans.groups():
            try:
                try:
                    [items] = yaml_text.load(text[group.start : group.end])
                except yaml_text.YamlErrors as errors:
                    if any(problem.code == "invalid-yaml" for problem in errors.problems):
                        raise
                    self._report(errors, group.start, problems)
                    items = [item for items in errors.values for item in items]
                else:
                    items = list(items)
            except yaml_text.YamlErrors:
                return group.first
            if items and len(items) != group.length:
                return group.first
            yield from ((("items", index), typed_item(item, usual)) for index, item in enumerate(items, group.first))
            advance(group.end - group.start)
        return None

    def _whole(self, problems: Problems) -> Sequence[Any]:
        try:
            return yaml_text.load(self.text)
        except yaml_text.YamlErrors as errors:
            self._report(errors, 0, problems)
            return errors.values

    def _report(self, errors: yaml_text.YamlErrors, begin: int, problems: Problems) -> None:
        before = self._in_source(Position(1, 1), begin).line - 1
        for problem in errors.problems:
            position = self._in_source(problem.position, begin)
            problems.add(self.diagnostic(problem.code, problem.message_after(before), position, hint=problem.help))

    def _in_source(self, position: Position, begin: int) -> Position:
        """Turn a position in the text that starts at `begin` of this document into one in the source."""
        return Position(self.source.position(self.start + begin).line + position.line - 1, position.column)

    @cached_property
    def _list_spans(self) -> yaml_text.ListSpans | None:
        return yaml_text.split_list(self.text)

    def locate(self, path: Path) -> Position:
        """Compose the text around the value again, and follow the path in it."""
        begin, places, rest = self._compose(path)
        node = places.find(rest)
        return self._in_source(yaml_text.position_of(node), begin)

    def locate_key(self, path: Path) -> Position:
        """Compose the text around the key again, and follow the path in it."""
        begin, places, rest = self._compose(path)
        return self._in_source(yaml_text.position_of(places.find_key(rest)), begin)

    def locate_in_text(self, path: Path, position: Position) -> Position:
        """The place of a line and column within a text that is written as a literal block."""
        begin, places, rest = self._compose(path)
        node = places.find(rest)
        start = self._in_source(yaml_text.position_of(node), begin)
        if not isinstance(node, ScalarNode) or node.style != "|":
            return start
        if start.line not in self._indented:
            last = self.source.position(self.end).line
            texts = (self.source.line(number) for number in range(start.line + 1, last + 1))
            self._indented[start.line] = next((len(text) - len(text.lstrip(" ")) for text in texts if text.strip()), 0)
        return Position(start.line + position.line, self._indented[start.line] + position.column)

    def _compose(self, path: Path) -> tuple[int, yaml_text.Places, Path]:
        """The places around the value at `path`, their offset in the document, and the path within them."""
        begin, end, rest = 0, self.end - self.start, path
        if len(path) > 1 and path[0] == "items" and isinstance(path[1], int) and self._list_spans is not None:
            group = self._list_spans.group_of(path[1])
            begin, end, rest = group.start, group.end, (path[1] - group.first, *path[2:])
        if begin not in self._composed:
            self._kept += end - begin
            if self._kept > _MOST_KEPT:
                self._composed.clear()
                self._kept = end - begin
            [root, *_] = yaml_text.compose(self.source.text[self.start + begin : self.start + end])
            self._composed[begin] = yaml_text.Places(root)
        return begin, self._composed[begin], rest


class EditedText(Document):
    """A text that an edit made; its places are all the beginning."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__(Source(name, text), 0, len(text))

    def locate(self, _: Path) -> Position:
        """The beginning."""
        return Position(1, 1)


# --- progress ---------------------------------------------------------------------------------------------------------


ProgressCallback = Callable[[int, int], None]
"""Called with how many characters are read, and how many there are."""

_STEPS: Final = 100


class Progress:
    """Passes on how far reading is, in steps worth showing."""

    def __init__(self, total: int, callback: ProgressCallback | None) -> None:
        self.total = total
        self.callback = callback
        self.done = 0
        self.shown = 0

    def advance(self, length: int) -> None:
        """Count more characters as read."""
        self.done = min(self.done + length, self.total)
        if self.callback is None:
            return
        if self.done == self.total or self.done - self.shown >= self.total / _STEPS:
            self.shown = self.done
            self.callback(self.done, self.total)


CAPTURE_KIND: Final = "Capture"
_API_VERSION: Final = "vqs/v1"

Reason = Literal["forbidden", "absent"]
"""Whether there was no right to read a kind, or there is nothing of that name in the cluster."""


class Missing(Struct, frozen=True):
    """A kind, by the name that kubectl takes, that could not be read, and why."""

    resource: str
    reason: Reason

    @property
    def is_forbidden(self) -> bool:
        """Whether there may be objects of the kind, unknown to us."""
        return self.reason == "forbidden"

    def __str__(self) -> str:
        """Say what is missing, and what that means for an answer."""
        if self.resource == CONFIGURATION.kubectl_name:
            what = "not allowed to read the ConfigMap" if self.is_forbidden else "there is no ConfigMap"
            return f"{what} with the scheduler's configuration; {CONFIGURATION.without}"
        what = "not allowed to list" if self.is_forbidden else "the cluster does not serve"
        wanted = BY_NAME.get(self.resource)
        return f"{what} {self.resource}" + (f"; without them, {wanted.without}" if wanted else "")


class Capture(Struct, frozen=True, omit_defaults=True):
    """How a snapshot was captured.

    Attributes:
        namespace: the only one whose objects were read; empty for all.
        resources: the kinds that were read, by the names that kubectl takes; of some there may be no object.
        missing: what could not be read.
    """

    namespace: str = ""
    resources: list[str] = []
    missing: list[Missing] = []

    def as_object(self) -> dict[str, Any]:
        """What stands in a snapshot."""
        head = {"apiVersion": _API_VERSION, "kind": CAPTURE_KIND, "metadata": {"name": "capture"}}
        return {**head, **to_builtins(self)}


def partial(namespace: str) -> str:
    """Say what is not known where only a namespace was captured."""
    return (
        f"only namespace {namespace} was captured; what pods of others use of nodes and queues is unknown, "
        "so there seems to be more room than there is"
    )


def remarks(capture: Capture, file: str) -> Iterator[Diagnostic]:
    """Yield what a reader of the answer has to know."""
    if capture.namespace:
        yield Diagnostic(code="not-captured", severity="warning", message=partial(capture.namespace), file=file)
    for each in capture.missing:
        severity: Literal["warning", "note"] = "warning" if each.is_forbidden else "note"
        yield Diagnostic(code="not-captured", severity=severity, message=str(each), file=file)


SETTING_OF_SCENARIO: Final[Mapping[str, str]] = {
    "autoscaler": "how nodes come and go",
    "behaviours": "behaviours of Volcano",
    "expect": "what is expected",
    "flags": "flags of the scheduler",
    "latencies": "how long the API server, controllers and kubelets take",
    "nodeEvents": "what happens to nodes",
    "nodeGroups": "which nodes come and go",
    "now": "the time of the sessions",
    "prices": "what nodes cost",
    "rollouts": "which Deployments are rolled out when",
    "startDelays": "how long pods take to start",
    "volcano": "the release of Volcano",
}
"""The keys of a scenario that are its setting, and what each sets."""

SETTING_OF_KIND: Final[Mapping[str, str]] = {
    CAPTURE_KIND: "which parts of the cluster are known",
    METRICS_KIND[1]: "how busy nodes are",
    **dict.fromkeys(PLAN_KINDS, "what is to be simulated"),
}
"""The kinds of documents that are setting as a whole, and what each sets."""


class SettingKey(NamedTuple):
    """A part of a setting: the kind of document that it stands in, its key there, and what it says."""

    kind: str
    key: str
    said: str


Setting = dict[SettingKey, Origin]
"""The parts of a setting, each with the document that it stands in."""


def setting_of_scenario(value: Mapping[str, Any], origin: Origin) -> Setting:
    """What a scenario sets."""
    return {SettingKey(SCENARIO_KIND, key, _text(value[key])): origin for key in SETTING_OF_SCENARIO if key in value}


def setting_of_document(value: Mapping[str, Any], origin: Origin) -> Setting:
    """What a document sets that is setting as a whole."""
    return {SettingKey(value["kind"], "", _text(value)): origin}


def setting_changes(base: Setting, own: Setting) -> Iterator[Diagnostic]:
    """Yield a warning for each part of the setting that a change adds, edits or removes: it is not used."""
    new, gone = sorted(own.keys() - base.keys()), sorted(base.keys() - own.keys())
    edited = {(key.kind, key.key) for key in new}
    for key in new:
        yield _warning(key, "sets", own[key])
    for key in gone:
        if (key.kind, key.key) not in edited:
            yield _warning(key, "no longer sets", base[key])


def _warning(key: SettingKey, verb: str, origin: Origin) -> Diagnostic:
    what = SETTING_OF_SCENARIO[key.key] if key.key else SETTING_OF_KIND[key.kind]
    message = (
        f"a {key.kind} of the change {verb} {what}, which has no effect in a cluster: the comparison keeps the base's"
    )
    return origin.diagnostic("not-applied", message, (key.key or "kind",), severity="warning")


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)
