"""Silencing findings, each with a reason: in a comment, or in an annotation where there are no comments.

A comment ``# vqs: ignore[code, other-code] reason`` silences what is found on its line or, alone on its line, on the
line below. On the first line of an object, or on its ``metadata:``, it silences what is found in the whole object; on
the key or the first line of a configuration, or above these, what is found in all of that. In JSON, and in what
kubectl writes, the annotation ``vqs.volcano.sh/ignore: "code: reason; other-code: reason"`` does so. Codes may be
patterns with * and ?.

Whoever may change a file may silence what is found in the change. So a comparison obeys a silence only as far as the
base has it too: for the same code, on the same object, or on the same field of it where it is about a line. `Scopes`
names these, in whatever file and on whatever line they stand.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any, Final, NamedTuple

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from vqs.lint.places import Places, key_of
from vqs.snapshot.reading import yaml_text
from vqs.snapshot.reading.configuration.text import BLANK_LINES, ConfigText, go_tag
from vqs.snapshot.reading.diagnostics import Diagnostic, Guesser, Path, Position, Problems, Severity
from vqs.snapshot.reading.documents import Origin, YamlDocument, documents
from vqs.snapshot.reading.kinds import KIND_OF, groups_with, name_of
from vqs.snapshot.reading.sources import Source
from vqs.snapshot.scenario.generated import GeneratedDocument

ANNOTATION: Final = "vqs.volcano.sh/ignore"
ANNOTATION_PATH: Final = ("metadata", "annotations", ANNOTATION)

_WILDCARDS: Final = frozenset("*?[")
_MARK: Final = "vqs:"
_VALUES: Final = re.compile(
    r"(?:(?<=[^\s\[{,:])[\"']"  # within a word: it's
    r"|(?<=\S)#"
    r'|"(?:\\.|[^"\\])*"'
    r"|'(?:''|[^'])*'"
    r"|[^\"'#])*+"
)
"""What stands on a line before a comment, or before a quotation that goes on on the next line."""
_COMMENT: Final = re.compile(r"(?:^|(?<=\s))#\s*vqs:\s*(?P<rest>ignore\b.*)$")
_IGNORE: Final = re.compile(r"ignore\s*\[(?P<codes>[^\]]*)\]\s*(?P<reason>.*)")
_EXAMPLE: Final = "# vqs: ignore[code] reason"
_EXAMPLE_ANNOTATION: Final = f'{ANNOTATION}: "code: reason"'


@dataclass(slots=True)
class Silence:
    """A wish not to hear of some findings.

    Attributes:
        codes: the codes of the findings, as names or patterns.
        reason: why; one without a reason has no effect.
        file: where it is said.
        position: where in that file.
        excerpt: what shows the place.
        line: the line that it is about; 0 for an annotation, which is about an object.
        example: how to write one.
        used: those of the codes that silenced something.
    """

    codes: tuple[str, ...]
    reason: str
    file: str
    position: Position
    excerpt: str
    line: int = 0
    example: str = _EXAMPLE
    used: set[str] = dataclass_field(default_factory=set)

    def faults(self, known: Collection[str], judged: Collection[str], guesser: Guesser) -> Iterator[Diagnostic]:
        """Yield what is wrong with it: `known` are the codes there are, `judged` those that were looked for."""
        write = f"write {self.example}"
        if not self.codes:
            yield self._fault("silence-without-code", "warning", "it does not say what to silence", write)
        elif not self.reason:
            named = ", ".join(self.codes)
            yield self._fault("silence-without-reason", "warning", f"{named}: not silenced without a reason", write)
        for code in self.codes:
            if code not in known and not _is_pattern_of(code, known):
                hint = guesser.hint(code)
                yield self._fault("silence-unknown-code", "warning", f"there is no rule {code!r}", hint)
            elif self.reason and code not in self.used and (code in judged or _is_pattern_of(code, judged)):
                yield self._fault("silence-unused", "note", f"there is nothing to silence here: {code}", "remove it")

    def _fault(self, code: str, severity: Severity, message: str, hint: str) -> Diagnostic:
        return Diagnostic(
            code=code,
            severity=severity,
            message=message,
            file=self.file,
            line=self.position.line,
            column=self.position.column,
            help=hint,
            excerpt=self.excerpt,
        )


class Holding(NamedTuple):
    """A silence that is about a finding: because of its line, or as it is about the whole object."""

    silence: Silence
    by_line: bool


_Holder = tuple[str, int] | tuple[int, object]
"""A line of a file, or an object."""


class Silences:
    """All that is silenced in some files and objects.

    Attributes:
        all: what is silenced, one by one.
        comments: what comments silence, with their files.
        annotated: what annotations silence, with the objects that have them.
        opening: what is silenced on the lines that open a configuration, with the object that it is in.
    """

    def __init__(self, sources: Iterable[Source]) -> None:
        self.all: list[Silence] = []
        self.comments: list[tuple[Source, Silence]] = []
        self.annotated: list[tuple[Origin, list[Silence]]] = []
        self.opening: list[tuple[Origin, list[Silence]]] = []
        self._about: dict[_Holder, list[Silence]] = {}
        self._first_about: dict[tuple[_Holder, str], Silence | None] = {}
        self._files: set[str] = set()
        for source in sources:
            for silence in _comments(source):
                self.all.append(silence)
                self.comments.append((source, silence))
                self._about.setdefault((silence.file, silence.line), []).append(silence)
                self._files.add(silence.file)

    def add_annotation(self, origin: Origin, metadata: Any) -> None:
        """Take in what the annotation of an object says, if it has one."""
        text = metadata.annotations.get(ANNOTATION)
        if text is None:
            return
        source, position = origin.document.source, origin.position(ANNOTATION_PATH)
        found = [
            Silence(
                _codes(codes),
                reason.strip(),
                source.name,
                position,
                source.excerpt(position),
                example=_EXAMPLE_ANNOTATION,
            )
            for part in text.rstrip("; ").split(";")
            for codes, _, reason in (part.partition(":"),)
        ]
        self.all += found
        self.annotated.append((origin, found))
        self._about.setdefault(key_of(origin), []).extend(found)

    def add_opening(self, conf: ConfigText) -> None:
        """Take what is said on the lines that open a configuration for something said of all of it.

        They are its key, down to its first key.
        """
        blank = BLANK_LINES.match(conf.text)
        inner = conf.text.count("\n", 0, blank.end() if blank else 0) + 1
        first = conf.document.locate_key(conf.path).line if conf.path else 1
        lines = range(first, conf.position(Position(inner, 1)).line + 1)
        file = conf.origin.document.source.name
        found = [silence for line in lines for silence in self._about.get((file, line), ())]
        self.opening.append((conf.origin, found))
        self._about.setdefault(key_of(conf.origin), []).extend(found)

    def holding(self, code: str, file: str, line: int, origin: Origin | None) -> list[Holding]:
        """The silence of a finding: the first that does because of its line, the first that is about its object.

        All silences must have been taken in before.
        """
        found = [(self._first_silence((file, line), code), True)] if line else []
        if origin is not None:
            keys: list[_Holder] = [key_of(origin)]
            name = origin.document.source.name
            if name in self._files:
                # Of an object as a whole, something is said on its first line, and on its metadata.
                metadata = origin.document.locate_key((*origin.path, "metadata"))
                keys += dict.fromkeys(((name, origin.position().line), (name, metadata.line)))
            found += [(self._first_silence(key, code), False) for key in keys]
        return [Holding(silence, by_line) for silence, by_line in found if silence]

    def _first_silence(self, key: _Holder, code: str) -> Silence | None:
        """The first of what is said of a line or an object that is about a code; all that are take note."""
        if (key, code) not in self._first_about:
            found = None
            for silence in self._about.get(key, ()):
                said = [each for each in silence.codes if each == code or _is_pattern_of(each, (code,))]
                if silence.reason and said:
                    silence.used.update(said)
                    found = found or silence
            self._first_about[key, code] = found
        return self._first_about[key, code]


def _is_pattern_of(code: str, known: Iterable[str]) -> bool:
    return bool(_WILDCARDS & set(code)) and any(fnmatchcase(each, code) for each in known)


def _comments(source: Source) -> Iterator[Silence]:
    marks = re.finditer(_MARK, source.text)
    following = 0
    for number in dict.fromkeys(source.position(mark.start()).line for mark in marks):
        line = source.line(number)
        values = _VALUES.match(line)
        end = values.end() if values else 0
        match = _COMMENT.search(line, end if line.startswith("#", end) else len(line))  # text in quotes is no comment
        if match:
            # One that stands alone is about the first line below it that is no comment.
            after = max(number, following - 1) + 1
            while source.line(after).lstrip().startswith("#"):
                after += 1
            following = max(following, after)
            parsed = _IGNORE.fullmatch(match["rest"].strip())
            position = Position(number, match.start() + 1)
            yield Silence(
                codes=_codes(parsed["codes"]) if parsed else (),
                reason=parsed["reason"].strip() if parsed else "",
                file=source.name,
                position=position,
                excerpt=source.excerpt(position),
                line=number if line[: match.start()].strip() else following,
            )


def _codes(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(code.strip() for code in text.split(",") if code.strip()))


CONFIGURATION: Final = "the scheduler's configuration"
"""What is called the owner of the fields of the configuration, in a ConfigMap or not."""

_MOST_FIELDS: Final = 100
"""The most fields of a line that a comment speaks for, as comments and fields multiply."""

_PODS: Final = "Pod "
_At = tuple["Source", int, "Path"]


class Field(NamedTuple):
    """A field of an object; all of the object where the path is empty. Items of lists go by their name, if any."""

    owner: str
    path: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Name it for people."""
        return " of ".join(filter(None, (".".join(self.path), self.owner))) or "what is in the file"


class _Location(NamedTuple):
    """Where on a line a field begins. One that is `outer` begins there only as what is in it does."""

    column: int
    field: Field
    outer: bool = False


class AllowedSilences:
    """The silences of the base of a comparison, which are all that its candidate may have.

    Attributes:
        codes: the codes and patterns that the base silences, by field.
    """

    def __init__(self, codes: Mapping[Field, AbstractSet[str]]) -> None:
        self.codes = codes
        self._is_silenced: dict[tuple[str, Field], bool] = {}
        self._matching: dict[str, list[str]] = {}

    def holds(self, code: str, field: Field) -> bool:
        """True if findings of a code are silenced in a field."""
        if (code, field) not in self._is_silenced:
            said = (*self.codes.get(field, ()), *self.codes.get(Field(field.owner), ()))
            self._is_silenced[code, field] = any(fnmatchcase(code, pattern) for pattern in said)
        return self._is_silenced[code, field]

    def covers(self, pattern: str, field: Field, known: Collection[str]) -> bool:
        """True if all that a pattern names is silenced in a field; `known` are the codes there are."""
        if any(pattern in self.codes.get(each, ()) for each in (field, Field(field.owner))):
            return True
        if pattern not in self._matching:
            self._matching[pattern] = [code for code in known if fnmatchcase(code, pattern)]
        codes = self._matching[pattern]
        return bool(codes) and all(self.holds(code, field) for code in codes)


class Scopes:
    """Finds what the silences of some files and objects speak for."""

    def __init__(self, silences: Silences, places: Places) -> None:
        self.silences = silences
        self.places = places

    def allowed(self) -> AllowedSilences:
        """The silences here, as what another side is allowed to silence."""
        codes: dict[Field, set[str]] = defaultdict(set)
        for silence in self.silences.all:
            for field in self.fields(silence) if silence.reason else ():
                codes[field].update(silence.codes)
        return AllowedSilences(codes)

    def fields(self, silence: Silence) -> list[Field]:
        """The fields that a silence speaks for."""
        if not silence.line:
            return [self.owner(self._annotated[id(silence)])]
        wholes = [self.owner(origin) for origin in self._opened.get(id(silence), ())]
        locations = self._locations.get((silence.file, silence.line), ())
        fields = [each.field for each in locations if not each.outer] or [each.field for each in locations]
        fields = fields[:_MOST_FIELDS]
        # What is said of the metadata of an object is said of all of it.
        found = [*wholes, *(Field(each.owner) if each.path == ("metadata",) else each for each in fields)]
        owners = {field.owner for field in found if not field.path}
        return list(dict.fromkeys(field for field in found if not field.path or field.owner not in owners))

    def fields_at(self, file: str, line: int, column: int, path: Path) -> list[Field]:
        """The fields on a line that a finding at a column is about, as exactly as one can tell.

        The path of the value that is found fault with tells a field from that which it is the first in.
        """
        locations = self._locations.get((file, line), ())
        start = max((each.column for each in locations if each.column <= column), default=0)
        near = [each.field for each in locations if each.column == start] or [each.field for each in locations]
        exact = [
            field for field in near if path and field.path and (isinstance(path[-1], int) or field.path[-1] == path[-1])
        ]
        return exact or near

    def owner(self, origin: Origin) -> Field:
        """The whole of an object."""
        return Field(self._owners.get(_key(origin), ""))

    # --- where things stand ------------------------------------------------------------------------------------------

    @cached_property
    def _owners(self) -> Mapping[_At, str]:
        """What the objects are called; one for all that an entry of a scenario stands for, rather not a pod."""
        found: dict[_At, str] = {}
        for origin, typed in self.places.objects():
            kind, key = KIND_OF[type(typed)], _key(origin)
            group = f" ({kind.group})" if len(groups_with(kind.name)) > 1 else ""  # tells kinds of one name apart
            label = f"{kind.name} {name_of(typed)}{group}"
            if key not in found or found[key].startswith(_PODS):
                found[key] = label
        if self.places.conf is not None:
            found[_key(self.places.conf.origin)] = CONFIGURATION
        return found

    @cached_property
    def _annotated(self) -> Mapping[int, Origin]:
        return {id(each): origin for origin, said in self.silences.annotated for each in said}

    @cached_property
    def _opened(self) -> Mapping[int, Sequence[Origin]]:
        return {id(each): [origin] for origin, said in self.silences.opening for each in said}

    @cached_property
    def _locations(self) -> Mapping[tuple[str, int], Sequence[_Location]]:
        """The fields that begin on lines that comments are about, from left to right."""
        wanted: dict[Source, set[int]] = defaultdict(set)
        for source, silence in self.silences.comments:
            wanted[source].add(silence.line)
        found: dict[tuple[str, int], list[_Location]] = defaultdict(list)
        for source, lines in wanted.items():
            for line, location in (*self._in_file(source, lines), *self._in_text(source, lines)):
                found[source.name, line].append(location)
            for line in lines - {each for name, each in found if name == source.name}:
                found[source.name, line].append(_Location(0, Field("", (source.line(line).strip(),))))
        return {place: sorted(locations, key=lambda location: location.column) for place, locations in found.items()}

    def _in_file(self, source: Source, lines: set[int]) -> Iterator[tuple[int, _Location]]:
        for document in documents(source, Problems()):
            first, last = (source.position(offset).line for offset in (document.start, document.end))
            if isinstance(document, YamlDocument) and any(first <= line <= last for line in lines):
                walk = _Walk(source, document.start, self._owners)
                for position, field, outer in walk.fields(_root(document.text)):
                    line = position.line + first - 1
                    if line in lines:
                        yield line, _Location(position.column, field, outer)

    def _in_text(self, source: Source, lines: set[int]) -> Iterator[tuple[int, _Location]]:
        """Yield the fields of a configuration that is a text in a ConfigMap."""
        conf = self.places.conf
        if conf is None or not conf.path or conf.document.source is not source:
            return
        walk = _Walk(source, 0, {(source, 0, ()): CONFIGURATION})
        for position, field, outer in walk.fields(_root(conf.text)):
            place = conf.position(position)
            if place.line in lines:
                yield place.line, _Location(place.column, field, outer)


class _Walk:
    """A way through a document, on which every node is met once, however many aliases stand for it."""

    def __init__(self, source: Source, start: int, owners: Mapping[_At, str]) -> None:
        self.source = source
        self.start = start
        self.owners = owners
        self.seen: set[int] = set()

    def fields(self, root: Node | None) -> Iterator[tuple[Position, Field, bool]]:
        """Yield the place of each field, and whether it begins there only as what is in it does."""
        if root is not None:
            kind, metadata = _scalar(root, "kind"), _child(root, "metadata")
            name = _scalar(metadata, "name") if metadata is not None else ""
            yield from self._value(root, (), Field(" ".join(filter(None, (kind, name)))), outer=True)

    def _value(self, node: Node, path: Path, field: Field, *, outer: bool) -> Iterator[tuple[Position, Field, bool]]:
        owner = self.owners.get((self.source, self.start, path))
        if owner is not None:
            field, outer = Field(owner), False
        if id(node) in self.seen:
            return
        self.seen.add(id(node))
        inside = isinstance(node, MappingNode | SequenceNode)
        yield yaml_text.position_of(node), field, outer and inside
        if isinstance(node, MappingNode):
            for key, value in node.value:
                step = key.value if isinstance(key, ScalarNode) else ""
                inner = Field(field.owner, (*field.path, step))
                yield yaml_text.position_of(key), inner, False
                yield from self._value(value, (*path, step), inner, outer=True)
        elif isinstance(node, SequenceNode):
            for index, item in enumerate(node.value):
                name = "/".join(filter(None, (_scalar(item, "namespace"), _scalar(item, "name"))))
                inner = Field(field.owner, (*field.path, name or str(index)))
                yield from self._value(item, (*path, index), inner, outer=False)


def _root(text: str) -> Node | None:
    try:
        return next(iter(yaml_text.compose(text, go_tag)), None)
    except yaml_text.YamlErrors:
        return None


def _key(origin: Origin) -> _At:
    document = origin.document
    if isinstance(document, GeneratedDocument):
        return _key(document.entry)
    return document.source, document.start, origin.path


def _scalar(node: Node, key: str) -> str:
    value = _child(node, key)
    return str(value.value) if isinstance(value, ScalarNode) else ""


def _child(node: Node, key: str) -> Node | None:
    pairs = node.value if isinstance(node, MappingNode) else ()
    return next((value for each, value in pairs if isinstance(each, ScalarNode) and each.value == key), None)
