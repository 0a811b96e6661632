"""The fields of objects, and what Volcano's custom resource definitions say of their values."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

from vqs.releases.schemas import SchemaBehaviours
from vqs.snapshot.apiserver.validation import names
from vqs.snapshot.reading.diagnostics import Path, did_you_mean, one_of
from vqs.snapshot.reading.json_text import shown, type_names

Fault = tuple[Path, str]
"""A path, and what is wrong with the value there."""
Faults = Iterator[Fault]

_META: Final = "ObjectMeta"
_INNER_META: Final = frozenset({"annotations", "finalizers", "labels", "name", "namespace"})
"""What a custom resource definition leaves of the metadata of templates."""

_INT_BITS: Final = {"int32": 31, "int64": 63}
_PLAIN: Final = {"text": ["str"], "bytes": ["str"], "time": ["str"], "boolean": ["bool"], "quantity": ["int", "str"]}
_BOUNDS: Final = re.compile(r"(\d*)\.\.(\d*)")
_MARKS: Final = frozenset(
    {"once", "exactly-one", "nonempty", "apart", "read", "stored", "counts-pods", "matches-nothing"}
)
_QUANTITY: Final = re.compile(
    r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
    r"(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))?"
)

PATTERNS: Final[Mapping[str, Callable[[str], str]]] = {
    "absolute": lambda text: "" if text.startswith("/") else f"the path {text} is not absolute",
    "address": names.address,
    "backsteps": names.backsteps,
    "config-key": names.config_key,
    "file-path": names.file_path,
    "label": names.label,
    "local-path": names.local_path,
    "part": names.part,
    "percentage": names.percentage,
    "port-name": names.port_name,
    "prefix": names.prefix,
    "qualified-name": names.qualified_name,
    "subdomain": names.subdomain,
    "without-colon": lambda text: f"{text!r} has a colon" if ":" in text else "",
}
"""What tells what is wrong with a text, by the name of what it has to be like."""


KUBERNETES: Final = SchemaBehaviours()
"""What kinds of Kubernetes have does not depend on the release of Volcano."""


class Condition(NamedTuple):
    """A behaviour of the definitions, and its values with which something is in them."""

    behaviour: str
    values: tuple[str, ...]

    def holds(self, schemas: SchemaBehaviours | None) -> bool:
        """True if it is in the definitions of a release; in those of any, where that is None."""
        return schemas is None or getattr(schemas, self.behaviour) in self.values


@dataclass(frozen=True, slots=True)
class Type:
    """The type of a value: a list or map of another one, the name of one with fields, or a simple one."""

    name: str
    items: Type | None = None
    values: Type | None = None

    @property
    def expected(self) -> str:
        """What a value has to be."""
        if self.items is not None:
            return type_names(["array"])
        if self.values is not None or self.name in _types(None):
            return type_names(["object"])
        if self.name == "duration":
            return "a duration such as 1h30m"
        return type_names(_PLAIN.get(self.name, ["int"]))


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a type, and what its value has to be like.

    `judged` is what the API server itself checks of the field in pods: see rules.txt.
    """

    type: Type
    required: bool = False
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()
    item_choices: tuple[str, ...] = ()
    pattern: str = ""
    keys: tuple[str, ...] = ()
    once: bool = False
    default: str | None = None
    exactly_one: bool = False
    nonempty: bool = False
    apart: bool = False
    when: Condition | None = None
    judged: Field | None = None
    read: bool = False
    stored: bool = False
    code: str = ""
    counts_pods: bool = False
    matches_nothing: bool = False

    @property
    def of_parts(self) -> str:
        """The name of the type of its value, or of the items of that."""
        return (self.type.items or self.type).name


class UnknownField(NamedTuple):
    """A field that does not exist: where it stands, a hint at the one that was meant, and when it would exist."""

    path: Path
    hint: str
    when: Condition | None = None


# --- the table --------------------------------------------------------------------------------------------------------


@cache
def _types(schemas: SchemaBehaviours | None) -> Mapping[str, Mapping[str, Field]]:
    """The fields of all types by name, as a release has them; where that is None, those that any has."""
    found: defaultdict[str, dict[str, Field]] = defaultdict(dict)
    for owner, name, type_, *words in _rows("types.txt"):
        in_force, holds = [], True
        for word in words:
            if word.startswith("if:"):
                holds = _condition(word.removeprefix("if:")).holds(schemas)
            elif holds:
                in_force.append(word)
        plain = name.removesuffix("!")
        judged = _rules().get((owner, plain), ())
        field = _field(type_, tuple(in_force), judged, required=name.endswith("!"))
        if field.when is None or field.when.holds(schemas):
            found[owner][plain] = field
    return dict(found)


@cache
def _rules() -> Mapping[tuple[str, str], tuple[str, ...]]:
    """The words of rules.txt by type and field."""
    return {(type_, name): tuple(words) for type_, name, *words in _rows("rules.txt")}


def read_rule(type_: str, name: str, *, stored: bool) -> Field | None:
    """What is judged of a field as it is read, if anything: what the definitions and rules.txt say of it."""
    words = _rules().get((type_, name), ())
    if "stored" not in words and (stored or "read" not in words):
        return None
    known = _types(None).get(type_, {}).get(name, _field("any", ()))
    own = _field("any", words)
    given = {each: getattr(own, each) for each in Field.__slots__ if getattr(own, each) not in (None, (), "", False)}
    return replace(known, **given)


def _rows(table: str) -> Iterator[list[str]]:
    """Yield the words of each line of a table, with the name of the paragraph before them."""
    owner = ""
    for line in (files(__package__) / table).read_text(encoding="utf-8").splitlines():
        if line.startswith("  "):
            yield [owner, *line.split()]
        elif not line.startswith("#"):
            owner = line


def _condition(text: str) -> Condition:
    behaviour, _, values = text.partition("=")
    return Condition(behaviour.replace("-", "_"), tuple(values.split("|")))


_WITH_VALUE: Final[Mapping[str, tuple[str, Callable[[str], object]]]] = {
    "by": ("keys", lambda text: tuple(text.split(","))),
    "like": ("pattern", str),
    "each": ("item_choices", lambda text: tuple(text.split("|"))),
    "when": ("when", _condition),
    "code": ("code", str),
}
"""The words with a value: the attribute that holds it, and how it is read."""


@cache
def _field(type_: str, constraints: tuple[str, ...], judged: tuple[str, ...] = (), *, required: bool = False) -> Field:
    given: dict[str, Any] = {"judged": _field(type_, judged)} if judged else {}
    for each in constraints:
        word, colon, value = each.partition(":")
        bounds = _BOUNDS.fullmatch(each)
        if bounds is not None:
            given |= {key: int(text) for key, text in zip(("least", "most"), bounds.groups(), strict=True) if text}
        elif colon and word in _WITH_VALUE:
            name, read = _WITH_VALUE[word]
            given[name] = read(value)
        elif each.startswith("="):
            given["default"] = each.removeprefix("=")
        elif each == "required":
            required = True
        elif each in _MARKS:
            given[each.replace("-", "_")] = True
        else:
            given["choices"] = tuple(each.split("|"))
    return Field(_type(type_), required, **given)


@cache
def _type(text: str) -> Type:
    if text.startswith("["):
        return Type(text, items=_type(text[1:-1]))
    if text.startswith("{"):
        return Type(text, values=_type(text[1:-1]))
    return Type(text)


def is_known(kind: str) -> bool:
    """True if the fields of a kind are known."""
    return kind in _types(None)


def fields_of(kind: str) -> Mapping[str, Field]:
    """The fields of a kind or of another type, in any release; none of what has no fields."""
    return _types(None).get(kind, {})


# --- fields that do not exist -----------------------------------------------------------------------------------------


def unknown_fields(
    value: object, kind: str, *, custom: bool, schemas: SchemaBehaviours | None
) -> Iterator[UnknownField]:
    """Yield the fields of an object that its kind does not have.

    Args:
        value: the object as it is written.
        kind: the name of its type.
        custom: whether the kind comes from a custom resource definition, which leaves little of inner metadata.
        schemas: how the release defines the kind; where that is None, fields that only some releases have are yielded
            with what they depend on.
    """
    return _unknown(value, _type(kind), (), custom=custom, schemas=schemas)


_TOP_LEVEL: Final = ("spec", "status", "data", "value", "kind", "apiVersion")
"""What stands beside metadata."""


def unknown_field_message(what: str, field: UnknownField) -> str:
    """The sentence about an unknown field of an object.

    >>> unknown_field_message("Queue q", UnknownField(("spec", "weigth"), "did you mean 'weight'?"))
    "Queue q has a field weigth, which does not exist (did you mean 'weight'?): the API server prunes it (no effect), \
or refuses it if kubectl validates strictly"
    """
    meant = f" ({field.hint})" if field.hint else ""
    effect = "the API server prunes it (no effect), or refuses it if kubectl validates strictly"
    if len(field.path) == len(("metadata", "spec")) and field.path[0] == "metadata" and field.path[1] in _TOP_LEVEL:
        name = field.path[1]
        return f"{what} has metadata.{name}: {name} is indented below metadata, and belongs beside it: {effect}"
    lacks = "which does not exist" if field.when is None else "which other releases of Volcano have, and this one not"
    return f"{what} has a field {field.path[-1]}, {lacks}{meant}: {effect}"


def _unknown(
    value: object, type_: Type, path: Path, *, custom: bool, schemas: SchemaBehaviours | None
) -> Iterator[UnknownField]:
    if isinstance(value, list) and type_.items is not None:
        for index, each in enumerate(value):
            yield from _unknown(each, type_.items, (*path, index), custom=custom, schemas=schemas)
    elif isinstance(value, dict) and type_.values is not None:
        for key, each in value.items():
            yield from _unknown(each, type_.values, (*path, key), custom=custom, schemas=schemas)
    elif isinstance(value, dict) and type_.name in _types(None):
        fields = _types(None)[type_.name]
        known = _INNER_META if custom and type_.name == _META and len(path) > 1 else fields
        for key, each in value.items():
            if key not in known:
                # It may belong into the field next to which it stands.
                homes = (
                    f"it belongs into {name}"
                    for name, field in fields.items()
                    if name != "metadata" and key in _types(None).get(field.of_parts, {})
                )
                yield UnknownField((*path, key), did_you_mean(str(key), known) or next(homes, ""))
                continue
            when = fields[key].when
            if when is not None and (schemas is None or not when.holds(schemas)):
                yield UnknownField((*path, key), "", when)
            if when is None or when.holds(schemas):
                yield from _unknown(each, fields[key].type, (*path, key), custom=custom, schemas=schemas)


# --- values that are not allowed --------------------------------------------------------------------------------------


def violations(value: Mapping[str, Any], kind: str, schemas: SchemaBehaviours, rewritten: Path | None = None) -> Faults:
    """Yield what the custom resource definition of a kind does not allow in an object.

    Args:
        value: the object as it is written.
        kind: the name of its type.
        schemas: how the release defines it.
        rewritten: the path of a value that a mutating webhook has rewritten by then, from what it understood of
            it: there, an empty text counts as none, and a missing value other than a list as an empty one.
    """
    for name, field in _types(schemas)[kind].items():
        if name not in ("apiVersion", "kind", "metadata", "status"):
            yield from _Walk(rewritten, schemas).field(value.get(name), field, (name,))


def wrong_types(
    value: Mapping[str, Any],
    kind: str,
    schemas: SchemaBehaviours,
    *,
    lenient: bool,
    wide: bool = False,
    rewritten: Path | None = None,
) -> Faults:
    """Yield the values in an object that are not of the type of their field.

    Args:
        value: the object as it is written.
        kind: the name of its type.
        schemas: how the release defines it.
        lenient: whether amounts may be numbers of any kind, as where no schema asks for more than Go does.
        wide: whether integers may have 64 bits in any field, as custom resource definitions have it.
        rewritten: see `violations`; there, amounts may be so, too.
    """
    walk = _Walk(rewritten, schemas, types_only=True, lenient=lenient, wide=wide)
    for name, field in _types(schemas)[kind].items():
        yield from walk.field(value.get(name), field, (name,))


@dataclass(slots=True)
class _Walk:
    """A way through an object."""

    rewritten: Path | None
    schemas: SchemaBehaviours
    types_only: bool = False
    lenient: bool = False
    wide: bool = False

    def field(self, value: object, field: Field, path: Path) -> Faults:
        """Judge the value of a field, and what is in it."""
        anew = self.rewritten is not None and path[: len(self.rewritten)] == self.rewritten
        if value is None or (anew and value == ""):
            if field.required and not self.types_only and (field.type.items is not None or not anew):
                yield path, f"{path[-1]} is missing"
            return
        type_ = Type("int64") if self.wide and field.type.name == "int32" else field.type
        if not _is_of(value, type_, lenient=anew or self.lenient):
            if self.types_only:
                yield path, f"expected {type_.expected}, got {shown(value)}"
            return
        if not self.types_only:
            yield from out_of_bounds(value, field, path)
            if field.choices and value not in field.choices:
                yield path, no_choice(path[-1], value, field.choices)
            if isinstance(value, str) and field.pattern:
                wrong = PATTERNS[field.pattern](value) if value else f"{path[-1]} is empty"
                if wrong:
                    yield path, wrong
            if isinstance(value, list):
                yield from _of_list(value, field, path)
            if isinstance(value, dict) and field.exactly_one:
                given = [key for key, each in value.items() if each is not None]
                if len(given) != 1:
                    fields = ", ".join(_types(None)[field.type.name])
                    yield path, f"exactly one of {fields} has to be given, and there are {len(given)}"
        yield from self._inside(value, field.type, path)

    def _inside(self, value: object, type_: Type, path: Path) -> Faults:
        if isinstance(value, list) and type_.items is not None:
            for index, each in enumerate(value):
                if each is None and not self.lenient:
                    yield (*path, index), f"expected {type_.items.expected}, got nothing"
                yield from self.field(each, Field(type_.items), (*path, index))
        elif isinstance(value, dict) and type_.values is not None:
            for key, each in value.items():
                yield from self.field(each, Field(type_.values), (*path, key))
        elif isinstance(value, dict):
            for name, field in _types(self.schemas).get(type_.name, {}).items():
                yield from self.field(value.get(name), field, (*path, name))


def _is_of(value: object, type_: Type, *, lenient: bool) -> bool:
    """True if a value is of a type, as far as that is seen without what is in it; Go takes any number for an amount."""
    if type_.items is not None:
        return isinstance(value, list)
    if type_.values is not None or type_.name in _types(None):
        return isinstance(value, dict)
    is_integer = isinstance(value, int) and not isinstance(value, bool)
    match type_.name:
        case "text" | "bytes" | "time":
            return isinstance(value, str)
        case "duration":
            return isinstance(value, str) and names.duration(value) == ""
        case "boolean":
            return isinstance(value, bool)
        case "int32" | "int64":
            bits = _INT_BITS[type_.name]
            is_whole = is_integer or (isinstance(value, float) and value.is_integer())
            return is_whole and -(2**bits) <= value < 2**bits
        case "int-or-text":
            return is_integer or isinstance(value, str)
        case "quantity":
            is_number = is_integer or (lenient and isinstance(value, float))
            return is_number or (isinstance(value, str) and _QUANTITY.fullmatch(value) is not None)
        case _:
            return True


def out_of_bounds(value: object, field: Field, path: Path) -> Faults:
    """Judge a number, the length of a text or that of a list."""
    if isinstance(value, str | list):
        name, size, unit = path[-1], len(value), "items" if isinstance(value, list) else "characters"
        if field.least is not None and size < field.least:
            yield path, f"{name} has fewer than {field.least} {unit}"
        if field.most is not None and size > field.most:
            yield path, f"{name} has more than {field.most} {unit}"
    elif isinstance(value, int | float) and not isinstance(value, bool):
        if field.least is not None and value < field.least:
            yield path, f"{path[-1]} {value} is below {field.least}"
        if field.most is not None and value > field.most:
            yield path, f"{path[-1]} {value} is above {field.most}"


def no_choice(name: object, value: object, choices: Sequence[str]) -> str:
    """Say that a value is not among those that there are."""
    hint = did_you_mean(str(value), choices) or f"there are {one_of(choices)}"
    return f"the {name} {value} does not exist ({hint})"


def _of_list(value: list[Any], field: Field, path: Path) -> Faults:
    seen: set[str] = set()
    fields = _types(None).get(field.type.items.name, {}) if field.type.items else {}
    for index, each in enumerate(value):
        if field.item_choices and each not in field.item_choices:
            yield (*path, index), no_choice(path[-1], each, field.item_choices)
        if not field.keys and not field.once:
            continue
        given = each if isinstance(each, dict) else {}
        # What tells an item apart from the others.
        own = [fields[key].default if given.get(key) is None else given[key] for key in field.keys]
        key = repr(own) if field.keys else repr(each)
        if key in seen:
            called = ", ".join(f"{key} {given[key]}" for key in field.keys if key in given) or "an item without a name"
            yield (*path, index), f"{path[-1]} has {called if isinstance(each, dict) else each} twice"
        seen.add(key)


# --- objects as they are written --------------------------------------------------------------------------------------

Object = Mapping[str, Any]


def mapping(value: object) -> Object:
    """An object, empty where a value is none."""
    return value if isinstance(value, dict) else {}


def child(value: Object, key: str) -> Object:
    """The object in a field."""
    return mapping(value.get(key))


def children(value: Object, key: str) -> list[Object]:
    """The objects in a list; one that is none is empty, so that the others keep their numbers."""
    found = value.get(key)
    return [mapping(each) for each in found] if isinstance(found, list) else []


def text(value: Object, key: str) -> str:
    """The text in a field."""
    found = value.get(key)
    return found if isinstance(found, str) else ""


def texts(value: Object, key: str) -> list[str]:
    """The texts in a list."""
    found = value.get(key)
    return [each if isinstance(each, str) else "" for each in found] if isinstance(found, list) else []


def number(value: Object, key: str) -> int | None:
    """The whole number in a field; None where there is none."""
    found = value.get(key)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def is_true(value: Object, key: str) -> bool:
    """True if a field is true."""
    return value.get(key) is True


def is_given(value: Object, key: str) -> bool:
    """True if a field is there, and not null."""
    return value.get(key) is not None


@dataclass(frozen=True, slots=True)
class Options:
    """What differs between those who judge pods: the API server, and the webhook that borrows its checks for Jobs.

    Attributes:
        is_pod: whether it is a pod itself, and no template of pods.
        relaxed: whether names of environment variables, domains to search and pauses of length 0 are judged as newer
            API servers do; the webhook asks the code it borrows for nothing new.
    """

    is_pod: bool = False
    relaxed: bool = True


POD = Options(is_pod=True)
TEMPLATE = Options()
JOB_TEMPLATE = Options(relaxed=False)
"""As the webhook for Jobs judges the templates of tasks."""


class Part:
    """An object inside of another one: what is written in it, where, and of what type; all parts share their faults."""

    __slots__ = ("faults", "path", "type", "value")

    def __init__(self, value: object, type_: str, path: Path = (), faults: list[Fault] | None = None) -> None:
        self.value = mapping(value)
        self.type = type_
        self.path = path
        self.faults: list[Fault] = [] if faults is None else faults

    def refuse(self, message: str, *steps: str | int) -> None:
        """Add what is wrong with the value at some steps below, unless the message is empty."""
        if message:
            self.faults.append(((*self.path, *steps), message))

    def child(self, key: str) -> Part:
        """The object in a field, empty where there is none."""
        field = fields_of(self.type).get(key)
        return Part(self.value.get(key), field.type.name if field else "", (*self.path, key), self.faults)

    def children(self, key: str) -> list[Part]:
        """The objects in a list; one that is none is empty."""
        field = fields_of(self.type).get(key)
        type_ = field.of_parts if field is not None else ""
        items = enumerate(children(self.value, key))
        return [Part(each, type_, (*self.path, key, index), self.faults) for index, each in items]

    def given(self, *keys: str) -> list[str]:
        """Those of some fields that are there, and not null."""
        return [key for key in keys if is_given(self.value, key)]

    def text(self, key: str) -> str:
        """The text in a field."""
        return text(self.value, key)

    def texts(self, key: str) -> list[str]:
        """The texts in a list."""
        return texts(self.value, key)

    def number(self, key: str) -> int | None:
        """The whole number in a field; None where there is none."""
        return number(self.value, key)

    def is_true(self, key: str) -> bool:
        """True if a field is true."""
        return is_true(self.value, key)

    def require(self, *keys: str) -> None:
        """Refuse it without fields that have to be given, and not empty."""
        for key in keys:
            if self.value.get(key) in (None, "", [], {}):
                self.refuse(f"{key} is missing", key)

    def choose(self, key: str, choices: Sequence[str], *, empty: bool = True) -> None:
        """Refuse a text that is not among some; an empty one may stand for a default."""
        found = self.text(key)
        if found and found not in choices:
            self.refuse(no_choice(key, found, choices), key)
        elif self.value.get(key) == "" and not empty:
            self.refuse(f"{key} is empty", key)

    def name(self, key: str, judge: Callable[[str], str]) -> None:
        """Refuse a text that is no proper name, if it is given."""
        if found := self.text(key):
            self.refuse(judge(found), key)

    def names(self, key: str, judge: Callable[[str], str]) -> None:
        """Refuse the texts in a list that are no proper names."""
        for index, found in enumerate(self.texts(key)):
            self.refuse(judge(found), key, index)

    def judge(self) -> None:
        """Refuse what the table of types does not allow in it, and in parts that are not judged apart."""
        for key, field in fields_of(self.type).items():
            judged = field.judged
            if judged is not None:
                if judged.required:
                    self.require(key)
                if judged.choices:
                    self.choose(key, judged.choices, empty=not judged.nonempty)
                self.faults += out_of_bounds(self.number(key), judged, (*self.path, key))
                if judged.pattern:
                    (self.name if judged.type.items is None else self.names)(key, PATTERNS[judged.pattern])
            if judged is not None and judged.apart:
                continue
            if fields_of(field.type.name) and is_given(self.value, key):
                self.child(key).judge()
            elif field.type.items is not None and fields_of(field.type.items.name):
                for each in self.children(key):
                    each.judge()

    def one_given(self, kinds: Sequence[str], what: str) -> None:
        """Refuse all but exactly one of some fields."""
        given = self.given(*kinds)
        if not given:
            self.refuse(f"{what} has none of {', '.join(kinds)}")
        for key in given[1:]:
            self.refuse(f"{what} has both {given[0]} and {key}", key)

    def unique(self, list_name: str) -> None:
        """Refuse the items of a list whose name is given again."""
        seen: set[str] = set()
        for each in self.children(list_name):
            name = each.text("name")
            if name and name in seen:
                each.refuse(f"two {list_name} are called {name}", "name")
            seen.add(name)
