"""What silences speak for: objects and their fields by name, in whatever file and on whatever line they stand.

Whoever may change a file may silence what is found in the change. So a comparison obeys a silence only as far as the
base has it too: for the same code, on the same object, or on the same field of it where it is about a line.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import chain
from typing import Any, Final, NamedTuple

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from vqs.lint.places import Places
from vqs.lint.silence import Silence, Silences
from vqs.snapshot.reading import yaml_text
from vqs.snapshot.reading.configuration.cursor import go_tag
from vqs.snapshot.reading.diagnostics import Path, Position, Problems
from vqs.snapshot.reading.documents import Origin, YamlDocument, documents
from vqs.snapshot.reading.kinds import KIND_OF, groups_with, name_of
from vqs.snapshot.reading.sources import Source
from vqs.snapshot.scenario.generated import GeneratedDocument

CONFIGURATION: Final = "the scheduler's configuration"
"""What is called the owner of the fields of the configuration, in a ConfigMap or not."""

_MOST_FIELDS: Final = 100
"""The most fields of a line that a comment speaks for, as comments and fields multiply."""

_PODS: Final = "Pod "
_Key = tuple["Source", int, "Path"]


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
        """Tell whether findings of a code are silenced in a field."""
        if (code, field) not in self._is_silenced:
            self._is_silenced[code, field] = any(fnmatchcase(code, pattern) for pattern in self._patterns(field))
        return self._is_silenced[code, field]

    def covers(self, pattern: str, field: Field, known: Collection[str]) -> bool:
        """Tell whether all that a pattern names is silenced in a field; `known` are the codes there are."""
        if any(pattern in said for said in self._sets(field)):
            return True
        if pattern not in self._matching:
            self._matching[pattern] = [code for code in known if fnmatchcase(code, pattern)]
        codes = self._matching[pattern]
        return bool(codes) and all(self.holds(code, field) for code in codes)

    def _patterns(self, field: Field) -> Iterator[str]:
        return chain.from_iterable(self._sets(field))

    def _sets(self, field: Field) -> Iterator[AbstractSet[str]]:
        yield self.codes.get(field, frozenset())
        yield self.codes.get(Field(field.owner), frozenset())


class Scopes:
    """Finds what the silences of some files and objects speak for."""

    def __init__(self, silences: Silences, places: Places) -> None:
        self.silences = silences
        self.places = places

    def allowed(self) -> AllowedSilences:
        """Return what is silenced here, as what another side is allowed to silence."""
        codes: dict[Field, set[str]] = defaultdict(set)
        for silence in self.silences.all:
            for field in self.fields(silence) if silence.reason else ():
                codes[field].update(silence.codes)
        return AllowedSilences(codes)

    def fields(self, silence: Silence) -> list[Field]:
        """Return what a silence speaks for."""
        if not silence.line:
            return [self.owner(self._annotated[id(silence)])]
        wholes = [self.owner(origin) for origin in self._opened.get(id(silence), ())]
        locations = self._locations.get((silence.file, silence.line), ())
        fields = [each.field for each in locations if not each.outer] or [each.field for each in locations]
        fields = fields[:_MOST_FIELDS]
        found = [*wholes, *(_whole(field) for field in fields)]
        owners = {field.owner for field in found if not field.path}
        return list(dict.fromkeys(field for field in found if not field.path or field.owner not in owners))

    def fields_at(self, file: str, line: int, column: int, path: Path) -> list[Field]:
        """Return the fields on a line that a finding at a column is about, as exactly as one can tell.

        The path of the value that is found fault with tells a field from that which it is the first in.
        """
        locations = self._locations.get((file, line), ())
        start = max((each.column for each in locations if each.column <= column), default=0)
        near = [each.field for each in locations if each.column == start] or [each.field for each in locations]
        exact = [field for field in near if path and field.path and _is_step(field.path[-1], path[-1])]
        return exact or near

    def owner(self, origin: Origin) -> Field:
        """Return the whole of an object."""
        return Field(self._owners.get(_key(origin), ""))

    # --- where things stand ------------------------------------------------------------------------------------------

    @cached_property
    def _owners(self) -> Mapping[_Key, str]:
        """What the objects are called; one for all that an entry of a scenario stands for, rather not a pod."""
        found: dict[_Key, str] = {}
        for origin, typed in self.places.objects():
            key, label = _key(origin), _label(typed)
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

    def __init__(self, source: Source, start: int, owners: Mapping[_Key, str]) -> None:
        self.source = source
        self.start = start
        self.owners = owners
        self.seen: set[int] = set()

    def fields(self, root: Node | None) -> Iterator[tuple[Position, Field, bool]]:
        """Yield the place of each field, and whether it begins there only as what is in it does."""
        if root is not None:
            yield from self._value(root, (), Field(_title(root)), outer=True)

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
                inner = Field(field.owner, (*field.path, _name(item) or str(index)))
                yield from self._value(item, (*path, index), inner, outer=False)


def _root(text: str) -> Node | None:
    try:
        return next(iter(yaml_text.compose(text, go_tag)), None)
    except yaml_text.YamlErrors:
        return None


def _label(typed: Any) -> str:
    """Name an object; of kinds of the same name, the group tells them apart."""
    kind = KIND_OF[type(typed)]
    group = f" ({kind.group})" if len(groups_with(kind.name)) > 1 else ""
    return f"{kind.name} {name_of(typed)}{group}"


def _key(origin: Origin) -> _Key:
    document = origin.document
    if isinstance(document, GeneratedDocument):
        return _key(document.entry)
    return document.source, document.start, origin.path


def _whole(field: Field) -> Field:
    """Return all of an object where its metadata are meant: what is said of these is said of it."""
    return Field(field.owner) if field.path == ("metadata",) else field


def _is_step(name: str, step: Any) -> bool:
    """Tell whether a step of a path may be the one of that name."""
    return isinstance(step, int) or name == step


def _title(root: Node) -> str:
    """Return the kind and the name of what is in a document."""
    kind, metadata = _scalar(root, "kind"), _child(root, "metadata")
    return " ".join(filter(None, (kind, _scalar(metadata, "name") if metadata is not None else "")))


def _name(item: Node) -> str:
    """Return the name of an item of a list, with its namespace if it has one."""
    return "/".join(filter(None, (_scalar(item, "namespace"), _scalar(item, "name"))))


def _scalar(node: Node, key: str) -> str:
    value = _child(node, key)
    return str(value.value) if isinstance(value, ScalarNode) else ""


def _child(node: Node, key: str) -> Node | None:
    pairs = node.value if isinstance(node, MappingNode) else ()
    return next((value for each, value in pairs if isinstance(each, ScalarNode) and each.value == key), None)
