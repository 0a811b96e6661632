"""Objects as they are written, in which anything may be of a wrong type, and what is wrong with them.

What is of a wrong type is taken for not given: that it is, is reported elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vqs.snapshot.apiserver.validation.schema import (
    PATTERNS,
    Fault,
    Field,
    fields_of,
    no_choice,
    out_of_bounds,
)
from vqs.snapshot.reading.diagnostics import Path

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
        type_ = field.type.items.name if field is not None and field.type.items is not None else ""
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
                self._judge_field(key, judged)
            if judged is not None and judged.apart:
                continue
            if fields_of(field.type.name) and is_given(self.value, key):
                self.child(key).judge()
            elif field.type.items is not None and fields_of(field.type.items.name):
                for each in self.children(key):
                    each.judge()

    def _judge_field(self, key: str, field: Field) -> None:
        if field.required:
            self.require(key)
        if field.choices:
            self.choose(key, field.choices, empty=not field.nonempty)
        self.faults += out_of_bounds(self.number(key), field, (*self.path, key))
        if field.pattern:
            (self.name if field.type.items is None else self.names)(key, PATTERNS[field.pattern])

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
