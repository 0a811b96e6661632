"""Evaluate an expression, within the cost that the API server allows, and within limits of time.

Protocol buffers that are written out are not modelled. Costs are in the units of cel-go.
References: doc/langdef.md of google/cel-spec; interpreter (runtimecost.go among it) and ext in google/cel-go (v0.26);
k8s.io/apiserver/pkg/cel/library/cost.go (v0.34).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import ceil
from typing import Final

from vqs.engine.cel import formats
from vqs.engine.cel.functions import FUNCTIONS, METHODS, Function, sort_by
from vqs.engine.cel.operators import (
    NO_OVERLOAD,
    OBJECTS,
    TOO_COSTLY,
    as_element,
    as_key,
    elements,
    item,
    no_overload,
    optional_item,
    shown,
    typed,
)
from vqs.engine.cel.syntax import Call, ListOf, Literal, Macro, MapOf, Name, Node, NotModelled, Select, dotted
from vqs.engine.cel.types import TYPES
from vqs.engine.cel.values import (
    NONE,
    Address,
    AddressRange,
    DefaultMap,
    EvaluationError,
    NamedFormat,
    Optional,
    TypeValue,
    Value,
    Version,
)

MOST_STEPS: Final = 1_000_000
"""The steps that an evaluation may take: about a second. Few expressions cost less than they may, and take more."""
_UNITS_A_STEP: Final = 64
"""How many characters or items of a result count as a step."""
_OF_A_PATTERN: Final = 2000
"""The steps of reading a regular expression, which takes up to 20 ms."""
_NOT_HASHED: Final = "internal error: runtime error: hash of unhashable type cel.{}"
_OF_AN_ELEMENT: Final = 3
"""What a macro costs for each element: its accumulator, what is added to it, and whether to go on."""


class _Bound:
    """A value that is given a name, and evaluated when that is first used."""

    def __init__(self, node: Node, variables: Variables) -> None:
        self.node = node
        self.variables = variables
        self.value: Optional | None = None


Variables = Mapping[str, Value | _Bound]


class Evaluator:
    """One evaluation; `steps` is how many it has taken, `cost` what these cost in the units of cel-go."""

    def __init__(self) -> None:
        self.steps = 0
        self.cost = 0

    def evaluate(self, node: Node, variables: Variables) -> Value:
        """The value of an expression.

        Raises:
            EvaluationError: it has none, or costs too much.
            NotModelled: it uses what is not modelled, or takes too long.
        """
        self._step(1)
        match node:
            case Literal():
                return node.value
            case Name():
                self._charge(1)
                return self._name(node.name, variables)
            case Select():
                if (name := dotted(node)) in TYPES and name is not None:
                    self._charge(1)
                    return self._name(name, variables)
                return self._select(self.evaluate(node.operand, variables), node)
            case ListOf():
                return self._list_of(node, variables)
            case MapOf():
                return self._map_of(node, variables)
            case Macro():
                return self._macro(node, variables)
            case Call():
                return self._call(node, variables)

    def _name(self, name: str, variables: Variables) -> Value:
        found = variables.get(name)
        if isinstance(found, _Bound):
            if found.value is None:
                found.value = Optional(has_value=True, value=self.evaluate(found.node, found.variables))
            return found.value.value
        if name in variables:
            return found
        if name in TYPES:
            return TypeValue(name)
        raise EvaluationError(f"undeclared reference to '{name}' (in container '')")

    def _step(self, steps: int) -> None:
        self.steps += steps
        if self.steps > MOST_STEPS:
            raise NotModelled("an expression that takes so long")

    def _charge(self, units: int) -> None:
        self.cost += units
        if self.cost > _MOST_COST:
            raise EvaluationError(TOO_COSTLY)

    def _sized(self, value: Value) -> Value:
        if isinstance(value, str | bytes | list | dict):
            self._step(len(value) // _UNITS_A_STEP)
        return value

    def _list_of(self, node: ListOf, variables: Variables) -> Value:
        if not all(isinstance(each, Literal) for each in node.items):
            self._charge(_COST_OF_A_LIST)
        items: list[Value] = []
        for number, each in enumerate(node.items):
            value = self.evaluate(each, variables)
            items += _values_given(value) if number in node.optional else [value]
        return items

    def _map_of(self, node: MapOf, variables: Variables) -> Value:
        self._charge(_COST_OF_A_MAP)
        made: dict[Value, Value] = {}
        for number, (key_node, value_node) in enumerate(node.entries):
            key, value = self.evaluate(key_node, variables), self.evaluate(value_node, variables)
            if isinstance(key, list | dict | DefaultMap):
                raise EvaluationError("unsupported key type")
            for each in _values_given(value) if number in node.optional else [value]:
                made[as_key(key)] = each
        return made

    def _select(self, value: Value, node: Select) -> Value:
        self._charge(0 if node.test else 1)
        if node.test and not isinstance(value, dict | DefaultMap | Optional):
            return False
        if node.optional or (node.test and isinstance(value, Optional)):
            found = optional_item(value, node.field)
            return found.has_value if node.test else found
        if node.test:
            return isinstance(value, DefaultMap) or (isinstance(value, dict) and node.field in value)
        return item(value, node.field)

    # --- macros ------------------------------------------------------------------------------------------------------

    def _macro(self, node: Macro, variables: Variables) -> Value:
        if node.name in ("bind", "optMap", "optFlatMap"):
            return self._with_name(node, variables)
        over = self.evaluate(node.over, variables)
        inner = self._each(node, over, variables)
        if node.name in ("all", "exists"):
            return self._decided(((node.body[0], each) for each in inner), decisive=node.name == "exists", last=True)
        if node.name in ("exists_one", "existsOne"):
            return sum(self._holds(node.body[0], each) for each in inner) == 1
        if node.name == "filter":
            return [self._name(node.variables[0], each) for each in inner if self._holds(node.body[0], each)]
        if node.name == "sortBy":
            items = elements(over)
            return sort_by(items, [self.evaluate(node.body[0], each) for each in inner])
        kept = (each for each in inner if len(node.body) == 1 or self._holds(node.body[0], each))
        return self._transformed(node, kept)

    def _each(self, node: Macro, over: Value, variables: Variables) -> Iterator[Variables]:
        """Yield the variables for each element: the item or the key, or its place or key and its value."""
        found = elements(over)
        for number, each in enumerate(found):
            self._charge(_OF_AN_ELEMENT)
            if len(node.variables) == 1:
                yield {**variables, node.variables[0]: each}
            else:
                pair = (number, each) if isinstance(over, list) else (each, item(over, each))
                yield {**variables, **dict(zip(node.variables, pair, strict=True))}

    def _with_name(self, node: Macro, variables: Variables) -> Value:
        """Evaluate what uses one value by a name."""
        if node.name == "bind":
            return self.evaluate(node.body[0], {**variables, node.variables[0]: _Bound(node.over, variables)})
        over = self.evaluate(node.over, variables)
        if not isinstance(over, Optional):
            raise EvaluationError(NO_OVERLOAD)
        if not over.has_value:
            return NONE
        value = self.evaluate(node.body[0], {**variables, node.variables[0]: over.value})
        return Optional(has_value=True, value=value) if node.name == "optMap" else value

    def _transformed(self, node: Macro, inner: Iterator[Variables]) -> Value:
        """The list that a macro makes, or the map, of the same keys or of those that its body makes."""
        if node.name in ("map", "transformList"):
            return [self.evaluate(node.body[-1], each) for each in inner]
        made: dict[Value, Value] = {}
        for variables in inner:
            value = self.evaluate(node.body[-1], variables)
            if node.name == "transformMap":
                made[as_key(self._name(node.variables[0], variables))] = value
                continue
            if not isinstance(value, dict):
                raise EvaluationError(NO_OVERLOAD)
            for key, each in value.items():
                if key in made:
                    raise EvaluationError(f"insert failed: key {shown(as_element(key))} already exists")
                made[key] = each
        return made

    def _decided(self, asked: Iterable[tuple[Node, Variables]], *, decisive: bool, last: bool) -> bool:
        """Ask until one is decisive, which makes up for others that fail; of failures, the last or the first counts."""
        failure: EvaluationError | None = None
        for node, variables in asked:
            try:
                if self._holds(node, variables) is decisive:
                    return decisive
            except EvaluationError as error:
                self._charge(0)
                failure = error if last or failure is None else failure
        if failure is not None:
            raise failure
        return not decisive

    def _holds(self, node: Node, variables: Variables) -> bool:
        return typed(bool, self.evaluate(node, variables))

    # --- operators and functions -------------------------------------------------------------------------------------

    def _call(self, node: Call, variables: Variables) -> Value:
        """Evaluate an operator or a function; some do not need all that they are given."""
        match node:
            case Call(function="&&" | "||", target=None):
                sides = ((side, variables) for side in node.arguments)
                return self._decided(sides, decisive=node.function == "||", last=False)
            case Call(function="?:", target=None):
                condition, then, otherwise = node.arguments
                return self.evaluate(then if self._holds(condition, variables) else otherwise, variables)
            case Call(function="or" | "orValue", target=target) if target is not None:
                self._charge(1)
                value = self.evaluate(target, variables)
                if not isinstance(value, Optional):
                    return value
                if not value.has_value:
                    return self.evaluate(node.arguments[0], variables)
                return value if node.function == "or" else value.value
        name, function, given = _called(node)
        return self._result(name, function, given, [self.evaluate(each, variables) for each in given])

    def _result(self, name: str, function: Function, given: Sequence[Node], values: Sequence[Value]) -> Value:
        if name == "in" and isinstance(values[0], Version | NamedFormat):
            among = given[1]  # a list of values that is written out is made a set before the expression is evaluated
            if isinstance(among, ListOf) and among.items and all(isinstance(each, Literal) for each in among.items):
                raise EvaluationError(_NOT_HASHED.format("Semver" if isinstance(values[0], Version) else "Format"))
        for value in values:
            self._sized(value)
        if name in ("matches", "find", "findAll"):
            self._step(_OF_A_PATTERN)
        try:
            self._charge(_OF_ARGUMENTS[name](values) if name in _OF_ARGUMENTS else 1)
            result = self._sized(function(*values))
        except (TypeError, IndexError) as error:  # too many or too few arguments
            raise EvaluationError(no_overload(name, values)) from error
        except EvaluationError as error:
            raise EvaluationError(no_overload(name, values)) if str(error) == NO_OVERLOAD else error from error
        self._charge(_OF_RESULT[name](result) if name in _OF_RESULT else 0)
        return result


def _called(node: Call) -> tuple[str, Function, tuple[Node, ...]]:
    """The name of a function, what it does, and what it is given.

    Raises:
        EvaluationError: there is none of that name.
    """
    name, target = node.function, node.target
    table, given = FUNCTIONS, node.arguments
    if target is not None:
        namespace = dotted(target)
        if namespace is not None and f"{namespace}.{name}" in FUNCTIONS:
            name = f"{namespace}.{name}"
        else:
            table, given = METHODS, (target, *node.arguments)
    if name not in table:
        raise EvaluationError(f"undeclared reference to '{name}' (in container '')")
    return name, table[name], given


def _values_given(value: Value) -> list[Value]:
    """What an optional item of a list, or entry of a map, adds to it."""
    if not isinstance(value, Optional):
        raise EvaluationError(NO_OVERLOAD)
    return [value.value] if value.has_value else []


# --- cost -------------------------------------------------------------------------------------------------------------

_MOST_COST: Final = 1_000_000
"""The most that the evaluation of a selector may cost: CELSelectorExpressionMaxCost of resource.k8s.io/v1."""
_COST_OF_A_LIST: Final = 10
_COST_OF_A_MAP: Final = 30

_COST_OF_A_CHARACTER: Final = 0.1
_COST_OF_A_PATTERN: Final = 0.25

Arguments = Sequence[Value]


def _size(value: Value) -> int:
    """How much of a value a function may have to go through."""
    if isinstance(value, Optional) and value.has_value:
        return _size(value.value)
    if isinstance(value, DefaultMap):
        return len(value.domains)
    if isinstance(value, Address):
        return value.value.max_prefixlen // 8
    if isinstance(value, AddressRange):
        return ceil(value.value.network.prefixlen / 8)
    return len(value) if isinstance(value, str | bytes | list | dict) else 1


def _traversal(number: float) -> int:
    return ceil(number * _COST_OF_A_CHARACTER)


def _first(arguments: Arguments, times: int = 1) -> int:
    return _traversal(_size(arguments[0]) * times)


def _smaller(arguments: Arguments) -> int:
    return _traversal(min(map(_size, arguments)))


def _matching(text: Value, pattern: int) -> int:
    return _traversal(1 + _size(text)) * ceil(pattern * _COST_OF_A_PATTERN)


def _in_range(arguments: Arguments) -> int:
    """Count the bytes of a range twice, and a text that is read first."""
    text = _traversal(_size(arguments[1])) if isinstance(arguments[1], str) else 0
    return _first(arguments, 2) + text


_OF_ARGUMENTS: Final[Mapping[str, Callable[[Arguments], int]]] = {
    "==": lambda given: 1 if isinstance(given[0], OBJECTS) else _smaller(given),
    "!=": _smaller,
    **dict.fromkeys(("<", "<=", ">", ">="), lambda given: _smaller(given) if isinstance(given[0], str | bytes) else 1),
    "+": lambda given: _traversal(sum(map(_size, given))) if isinstance(given[0], str | bytes) else 1,
    "in": lambda given: _size(given[1]) if isinstance(given[1], list) else 1,
    **dict.fromkeys(("startsWith", "endsWith", "lowerAscii", "upperAscii", "substring", "trim"), _first),
    **dict.fromkeys(("quantity", "isQuantity", "semver", "isSemver"), _first),
    **dict.fromkeys(("bytes", "strings.quote", "format"), _first),
    **dict.fromkeys(("cidr", "isIP", "isCIDR", "url"), _first),
    "string": lambda given: _first(given) if isinstance(given[0], bytes) else 1,
    "ip": lambda given: _first(given) if isinstance(given[0], str) else 1,
    "containsIP": _in_range,
    "containsCIDR": lambda given: _in_range(given) + _first(given) + 1,
    "validate": lambda given: (
        _matching(given[1], formats.size_of_pattern(given[0])) if isinstance(given[0], NamedFormat) else 1
    ),
    **dict.fromkeys(("replace", "split", "ip.isCanonical"), lambda given: _first(given, 2)),
    **dict.fromkeys(("join", "lists.range"), lambda _: 0),
    "contains": lambda given: _first(given) * _traversal(_size(given[1])),
    **dict.fromkeys(("matches", "find", "findAll"), lambda given: _matching(given[0], _size(given[1]))),
    **dict.fromkeys(
        ("isSorted", "sum", "min", "max", "indexOf", "lastIndexOf", "slice", "flatten", "reverse", "sort"),
        lambda given: _size(given[0]),
    ),
    "distinct": lambda given: _size(given[0]) ** 2,
    **dict.fromkeys(
        ("sets.contains", "sets.equivalent", "sets.intersects"), lambda given: _size(given[0]) * _size(given[1])
    ),
}
_OF_RESULT: Final[Mapping[str, Callable[[Value], int]]] = {
    "join": lambda result: _traversal(_size(result) * 2),
    "lists.range": _size,
}
"""By name, what a call costs for its arguments, where that is not 1, and for what it makes, where that is not 0."""
