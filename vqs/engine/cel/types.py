"""The types of expressions, and which of them can stand for which.

Reference: checker/types.go, checker/mapping.go and checker/format.go of google/cel-go (v0.26).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from vqs.engine.cel.syntax import NotModelled

MOST_STEPS: Final = 100_000
"""How many steps the types of an expression may take: about a tenth of a second."""
_WRITTEN: Final = {"error": "!error!", "optional": "optional_type"}
_WITHOUT_NULL: Final = frozenset(("bool", "bytes", "double", "int", "uint", "string", "list", "map", "type", "dyn"))
_SPELT_OUT: Final = {
    "any": "google.protobuf.Any",
    "duration": "google.protobuf.Duration",
    "timestamp": "google.protobuf.Timestamp",
    "null": "null_type",
    **_WRITTEN,
}


@dataclass(frozen=True, slots=True, eq=False)
class Type:
    """A type; a parameter stands for any type, and is told apart by its name."""

    name: str
    parameters: tuple[Type, ...] = ()
    is_parameter: bool = False

    @property
    def is_dynamic(self) -> bool:
        """Whether a value of any type fits, and is only looked at when the expression is evaluated."""
        return self.name in ("dyn", "any")

    @property
    def is_dynamic_or_error(self) -> bool:
        """Whether nothing is known about it, be it for a mistake."""
        return self.name in ("dyn", "any", "error")


BOOL: Final = Type("bool")
BYTES: Final = Type("bytes")
DOUBLE: Final = Type("double")
DYN: Final = Type("dyn")
DURATION: Final = Type("duration")
ERROR: Final = Type("error")
INT: Final = Type("int")
NULL: Final = Type("null")
STRING: Final = Type("string")
TIMESTAMP: Final = Type("timestamp")
UINT: Final = Type("uint")


def list_of(item: Type) -> Type:
    """The type of lists."""
    return Type("list", (item,))


def map_of(key: Type, value: Type) -> Type:
    """The type of maps."""
    return Type("map", (key, value))


def optional_of(value: Type) -> Type:
    """The type of values that may not be there."""
    return Type("optional", (value,))


_ANYTHING: Final = Type("A", is_parameter=True)
TYPES: Final[Mapping[str, Type]] = {
    name: Type("type", (named,))
    for name, named in {
        **{each.name: each for each in (BOOL, BYTES, DOUBLE, INT, STRING, UINT)},
        "null_type": NULL,
        "list": list_of(_ANYTHING),
        "map": map_of(_ANYTHING, Type("B", is_parameter=True)),
        "optional_type": optional_of(_ANYTHING),
        "type": Type("type"),
        "google.protobuf.Duration": DURATION,
        "google.protobuf.Timestamp": TIMESTAMP,
        "net.IP": Type("net.IP"),
        "net.CIDR": Type("net.CIDR"),
    }.items()
}
"""The names of types, which are values."""


class Assignment:
    """What the parameters of types stand for, as far as an expression says.

    Types that are nested in one another can be large: the work is counted, and ends with `NotModelled`.
    """

    def __init__(self) -> None:
        self.steps = 0
        self._meanings: dict[str, Type] = {}
        self._changes: list[tuple[str, Type | None]] = []
        self._names = 0

    def fresh(self) -> Type:
        """A parameter that stands for nothing yet."""
        self._names += 1
        return Type(f"_var{self._names - 1}", is_parameter=True)

    def fits(self, left: Type, right: Type) -> bool:
        """True if two types can be one; what their parameters then stand for is kept."""
        return self.all_fit((left,), (right,))

    def all_fit(self, left: Sequence[Type], right: Sequence[Type]) -> bool:
        """True if types can be others, each the one at its place."""
        before = len(self._changes)
        if self._fit(left, right):
            return True
        while len(self._changes) > before:
            name, meaning = self._changes.pop()
            if meaning is None:
                del self._meanings[name]
            else:
                self._meanings[name] = meaning
        return False

    def resolved(self, given: Type, *, parameters_to_dyn: bool = False) -> Type:
        """A type with what its parameters stand for."""
        self._step()
        meaning = self._meanings.get(given.name) if given.is_parameter else None
        if meaning is not None:
            return self.resolved(meaning, parameters_to_dyn=parameters_to_dyn)
        if given.is_parameter:
            return DYN if parameters_to_dyn else given
        if not given.parameters:
            return given
        inner = tuple(self.resolved(each, parameters_to_dyn=parameters_to_dyn) for each in given.parameters)
        return Type(given.name, inner)

    def instance(self, signature: Sequence[Type]) -> list[Type]:
        """Types with fresh parameters in place of their own, each of these by one."""
        names: dict[str, Type] = {}
        return [self._renamed(each, names) for each in signature]

    def _renamed(self, given: Type, names: dict[str, Type]) -> Type:
        if given.is_parameter:
            if given.name not in names:
                names[given.name] = self.fresh()
            return names[given.name]
        if not given.parameters:
            return given
        return Type(given.name, tuple(self._renamed(each, names) for each in given.parameters))

    def more_general(self, left: Type, right: Type) -> Type:
        """That of two types that has more values."""
        return left if self._is_as_general(left, right) else right

    def same(self, left: Type, right: Type, *, by_name: bool = True) -> bool:
        """True if two types are equal; `by_name` tells parameters apart."""
        self._step()
        if left is right:
            return True
        if left.is_parameter is not right.is_parameter or len(left.parameters) != len(right.parameters):
            return False
        if left.name != right.name and (by_name or not left.is_parameter):
            return False
        return all(self.same(a, b, by_name=by_name) for a, b in zip(left.parameters, right.parameters, strict=True))

    def written(self, given: Type, *, in_full: bool = False) -> str:
        """Write a type as messages do, or with its full name.

        >>> Assignment().written(map_of(STRING, Type("optional", (DURATION,))))
        'map(string, optional_type(duration))'
        """
        self._step()
        name = (_SPELT_OUT if in_full else _WRITTEN).get(given.name, given.name)
        parameters = ", ".join([self.written(each, in_full=in_full) for each in given.parameters])
        return f"{name}({parameters})" if parameters else name

    def _step(self) -> None:
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise NotModelled("an expression with such types")

    def _fit(self, left: Sequence[Type], right: Sequence[Type]) -> bool:
        return len(left) == len(right) and all(self._fits(a, b) for a, b in zip(left, right, strict=True))

    def _fits(self, left: Type, right: Type) -> bool:
        self._step()
        if right.is_parameter:
            if self._is_meaning(left, right):
                return True
            if right.name in self._meanings:
                return False
        if left.is_parameter:
            return self._is_meaning(right, left)
        if left.is_dynamic_or_error or right.is_dynamic_or_error:
            return True
        if left is NULL or right is NULL:
            return (right if left is NULL else left).name not in _WITHOUT_NULL
        return left.name == right.name and (left.name == "type" or self._fit(left.parameters, right.parameters))

    def _is_meaning(self, given: Type, parameter: Type) -> bool:
        """True if a parameter can stand for a type, and have it stand for that."""
        if self.same(given, parameter):
            return True
        meaning = self._meanings.get(parameter.name)
        if meaning is None:
            if self._holds(parameter, given):
                return False
            self._mean(parameter, given)
            return True
        if self.same(given, meaning):
            return True
        if not self._fits(given, meaning):
            return False
        general = self.more_general(given, meaning)
        if not self._holds(parameter, general):
            self._mean(parameter, general)
        return True

    def _mean(self, parameter: Type, meaning: Type) -> None:
        self._changes.append((parameter.name, self._meanings.get(parameter.name)))
        self._meanings[parameter.name] = meaning

    def _holds(self, parameter: Type, given: Type) -> bool:
        """True if a parameter is part of a type, or of what that stands for."""
        self._step()
        if self.same(parameter, given):
            return True
        if given.is_parameter:
            meaning = self._meanings.get(given.name)
            return meaning is not None and self._holds(parameter, meaning)
        return any(self._holds(parameter, each) for each in given.parameters)

    def _is_as_general(self, left: Type, right: Type) -> bool:
        self._step()
        if left.is_dynamic or left.is_parameter:
            return True
        if right.is_dynamic or right.is_parameter or left.name != right.name:
            return False
        if left.name == "type":
            return True
        return len(left.parameters) == len(right.parameters) and all(
            self._is_as_general(a, b) for a, b in zip(left.parameters, right.parameters, strict=True)
        )
