"""Check the types of an expression before it is evaluated, as the API server and the scheduler do.

References: checker/checker.go, cel/validator.go and common/error.go of google/cel-go (v0.26);
k8s.io/dynamic-resource-allocation/cel/compile.go (v0.34).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from vqs.engine.cel.formatting import clauses
from vqs.engine.cel.functions import FUNCTIONS
from vqs.engine.cel.signatures import signatures
from vqs.engine.cel.syntax import Call, ListOf, Literal, Macro, MapOf, Name, Node, Select, dotted
from vqs.engine.cel.types import (
    BOOL,
    BYTES,
    DOUBLE,
    DYN,
    ERROR,
    INT,
    NULL,
    STRING,
    TYPES,
    UINT,
    Assignment,
    Type,
    list_of,
    map_of,
    optional_of,
)
from vqs.engine.cel.values import EvaluationError, Uint, Value

_ANY: Final = Type("any")
_DEVICE: Final = Type("kubernetes.DRADevice")
_FIELDS: Final[Mapping[str, Type]] = {
    "driver": STRING,
    "allowMultipleAllocations": BOOL,
    "attributes": map_of(STRING, map_of(STRING, _ANY)),
    "capacity": map_of(STRING, map_of(STRING, Type("kubernetes.Quantity"))),
}
"""The fields of a device."""
_LITERALS: Final[Mapping[type, Type]] = {
    bool: BOOL,
    int: INT,
    Uint: UINT,
    float: DOUBLE,
    str: STRING,
    bytes: BYTES,
    type(None): NULL,
}
_CONVERSIONS: Final = frozenset(("bool", "bytes", "double", "duration", "int", "string", "timestamp", "uint"))
"""The functions that are evaluated with what is written out before the expression is."""
_CHECKED: Final = frozenset(("duration", "timestamp"))
_UNDECLARED: Final = "undeclared reference to '{}' (in container '')"
_MOST_ERRORS: Final = 100
_LONGEST_LINE: Final = 1000
"""The longest line that is shown with a mistake; cel-go shows those of up to 16,384 bytes."""
_LONGEST: Final = 10_000
"""After how many characters no more mistakes are shown: the text is part of the message of each pod."""
_WIDE_DOT: Final = "\N{FULLWIDTH FULL STOP}"
_WIDE_MARK: Final = "\N{FULLWIDTH CIRCUMFLEX ACCENT}"

Scope = Mapping[str, Type]


class CompileError(ValueError):
    """An expression that cannot be compiled.

    The text is that of cel-go, with a line for each mistake and the line of the expression below it; `mistakes` are
    what is wrong, one sentence each.
    """

    def __init__(self, text: str, mistakes: Sequence[str] = ()) -> None:
        super().__init__(text)
        self.mistakes = tuple(mistakes) or (text,)


class _Mistake(NamedTuple):
    at: int
    message: str


def check(node: Node, text: str) -> int:
    """Check the types of an expression about a device, and return how many steps that took.

    Raises:
        CompileError: they do not fit.
        NotModelled: its types are too large.
    """
    checker = _Checker()
    found = checker.types.resolved(checker.type_of(node, {"device": _DEVICE}), parameters_to_dyn=True)
    mistakes = checker.mistakes or [*checker.validated()]
    if mistakes:
        ordered = sorted(mistakes, key=lambda each: each.at)
        said = [f"character {each.at + 1}: {each.message}" for each in ordered]
        raise CompileError(f"compilation failed: {_listed(ordered, text)}", said)
    if found.name not in ("bool", "any"):
        what = f"must evaluate to bool or the unknown type, not {checker.types.written(found, in_full=True)}"
        raise CompileError(what)
    try:
        # What is evaluated before the expression is: conversions of what is written out, and patterns.
        for call in checker.conversions:
            FUNCTIONS[call.function](*(each.value for each in call.arguments if isinstance(each, Literal)))
        for pattern in checker.patterns:
            FUNCTIONS["matches"]("", pattern)
    except EvaluationError as error:
        raise CompileError(f"program instantiation failed: {error}") from error
    return checker.types.steps


class _Checker:
    def __init__(self) -> None:
        self.types = Assignment()
        self.mistakes: list[_Mistake] = []
        self.conversions: list[Call] = []
        self.patterns: list[Value] = []
        self._calls: list[Call] = []
        self._literals: list[tuple[ListOf | MapOf, list[tuple[Node, Type]]]] = []
        self._in_format = 0

    def type_of(self, node: Node, scope: Scope) -> Type:
        match node:
            case Literal():
                return _LITERALS[type(node.value)]
            case Name():
                found = scope.get(node.name) or TYPES.get(node.name)
                return found or self._error(node.at, _UNDECLARED.format(node.name))
            case Select():
                return self._select(node, scope)
            case ListOf():
                return self._list_of(node, scope)
            case MapOf():
                return self._map_of(node, scope)
            case Macro():
                return self._macro(node, scope)
            case Call():
                return self._call(node, scope)

    def _error(self, at: int, message: str) -> Type:
        self.mistakes.append(_Mistake(at, message))
        return ERROR

    def _mismatch(self, node: Node, expected: Type, found: Type) -> Type:
        written = self.types.written
        return self._error(node.at, f"expected type '{written(expected)}' but found '{written(found)}'")

    # --- names, fields, and what is written out -----------------------------------------------------------------------

    def _select(self, node: Select, scope: Scope) -> Type:
        name = None if node.test or node.optional else dotted(node)
        if name is not None and name in TYPES:
            return TYPES[name]
        operand = self.types.resolved(self.type_of(node.operand, scope))
        is_optional = operand.name == "optional"
        found = self._field(node, operand.parameters[0] if is_optional else operand)
        if node.test:
            return BOOL
        return self.types.resolved(optional_of(found) if is_optional or node.optional else found)

    def _field(self, node: Select, operand: Type) -> Type:
        if operand.name == "map":
            return operand.parameters[1]
        if operand.name == _DEVICE.name:
            return _FIELDS.get(node.field) or self._error(node.at, f"undefined field '{node.field}'")
        if operand.name.startswith("kubernetes."):
            return self._error(node.at, f"unexpected failed resolution of '{operand.name}'")
        if operand.is_parameter:
            self.types.fits(DYN, operand)
        elif not operand.is_dynamic_or_error:
            self._error(node.at, f"type '{self.types.written(operand)}' does not support field selection")
        return DYN

    def _list_of(self, node: ListOf, scope: Scope) -> Type:
        items = [
            (each, self._type_given(each, self.type_of(each, scope), is_optional=number in node.optional))
            for number, each in enumerate(node.items)
        ]
        if not self._in_format:
            self._literals.append((node, items))
        return list_of(self._joined([found for _, found in items]))

    def _map_of(self, node: MapOf, scope: Scope) -> Type:
        entries: list[tuple[Node, Type]] = []
        for number, (key, value) in enumerate(node.entries):
            entries.append((key, self.type_of(key, scope)))
            found = self._type_given(value, self.type_of(value, scope), is_optional=number in node.optional)
            entries.append((value, found))
        if not self._in_format:
            self._literals.append((node, entries))
        keys, values = ([found for _, found in entries[first::2]] for first in (0, 1))
        return map_of(self._joined(keys), self._joined(values))

    def _type_given(self, node: Node, found: Type, *, is_optional: bool) -> Type:
        """The type of what an item or an entry adds to a list or map."""
        if not is_optional:
            return found
        if found.name == "optional":
            return found.parameters[0]
        if not found.is_dynamic:
            self._mismatch(node, optional_of(found), found)
        return found

    def _joined(self, found: Sequence[Type]) -> Type:
        joined: Type | None = None
        for each in found:
            if joined is None:
                joined = each
            elif self.types.fits(joined, each):
                joined = self.types.more_general(joined, each)
            else:
                joined = DYN
        return joined or self.types.fresh()

    # --- calls --------------------------------------------------------------------------------------------------------

    def _call(self, node: Call, scope: Scope) -> Type:
        self._in_format += node.function == "format"
        arguments = [self.type_of(each, scope) for each in node.arguments]
        target = None if node.target is None else dotted(node.target)
        name = node.function
        if target is not None and signatures(f"{target}.{name}"):
            name, found = f"{target}.{name}", arguments
        elif node.target is not None:
            found = [self.type_of(node.target, scope), *arguments]
        else:
            found = arguments
        is_method = node.target is not None and name == node.function
        self._in_format -= node.function == "format"
        if node.target is None and name in ("&&", "||"):
            return self._logical(node.arguments, found)
        if not signatures(name):
            return self._error(node.at, _UNDECLARED.format(name))
        self._calls.append(node)
        return self._resolved(name, found, node.at, is_method=is_method)

    def _logical(self, sides: Sequence[Node], found: Sequence[Type]) -> Type:
        unfit = [(side, each) for side, each in zip(sides, found, strict=True) if not self.types.fits(each, BOOL)]
        for side, each in unfit:
            self._mismatch(side, BOOL, each)
        return ERROR if unfit else BOOL

    def _resolved(self, name: str, arguments: Sequence[Type], at: int, *, is_method: bool = False) -> Type:
        """What a call returns; where several ways to call it fit and return different types, any type."""
        result: Type | None = None
        for signature in signatures(name):
            if signature.is_method is not is_method:
                continue
            *takes, returns = self.types.instance((*signature.arguments, signature.result))
            if not self.types.all_fit(arguments, takes):
                continue
            found = self.types.resolved(returns)
            if result is None:
                result = found
            elif not result.is_dynamic and not self.types.same(found, result):
                result = DYN
        if result is not None:
            return result
        texts = [self.types.written(self.types.resolved(each, parameters_to_dyn=True)) for each in arguments]
        target = f"{texts.pop(0)}." if is_method else ""
        message = f"found no matching overload for '{_OPERATORS.get(name, name)}' applied to"
        return self._error(at, f"{message} '{target}({', '.join(texts)})'")

    # --- macros -------------------------------------------------------------------------------------------------------

    def _macro(self, node: Macro, scope: Scope) -> Type:
        """The type of a macro; those of one value go through a list of nothing, which takes a parameter."""
        match node.name:
            case "bind":
                self.types.fresh()
                body = self.type_of(node.body[0], {**scope, node.variables[0]: self.type_of(node.over, scope)})
                return self.types.resolved(body)
            case "optMap" | "optFlatMap":
                over = self.type_of(node.over, scope)
                has_value = self._resolved("hasValue", (over,), node.at, is_method=True)
                self.types.fresh()
                value = self._resolved("value", (self.type_of(node.over, scope),), node.at, is_method=True)
                found = self.types.resolved(self.type_of(node.body[0], {**scope, node.variables[0]: value}))
                if node.name == "optMap":
                    found = self._resolved("optional.of", (found,), node.at)
                none = self._resolved("optional.none", (), node.at)
                return self._resolved("?:", (has_value, found, none), node.at)
            case "sortBy":
                self.types.fresh()
                items = self.type_of(node.over, scope)
                keys = self._folded(node, items, scope)
                return self._resolved("@sortByAssociatedKeys", (items, keys), node.at, is_method=True)
        return self._folded(node, self.type_of(node.over, scope), scope)

    def _folded(self, node: Macro, over: Type, scope: Scope) -> Type:
        """The type of a macro that goes through a list or map."""
        match node.name:
            case "all" | "exists":
                start = BOOL
            case "exists_one" | "existsOne":
                start = INT
            case "transformMap" | "transformMapEntry":
                start = map_of(self.types.fresh(), self.types.fresh())
            case _:
                start = list_of(self.types.fresh())
        inner = {**scope, **dict(zip(node.variables, self._ranged(node, self.types.resolved(over)), strict=True))}
        step = self._step(node, start, inner)
        if not self.types.fits(start, step):
            self._mismatch(node, start, step)
        return self.types.resolved(BOOL if start is INT else start)

    def _ranged(self, node: Macro, over: Type) -> tuple[Type, ...]:
        """The types of the variables."""
        number = len(node.variables)
        if over.name == "list":
            return (over.parameters[0],) if number == 1 else (INT, over.parameters[0])
        if over.name == "map":
            return over.parameters[:number]
        if over.is_parameter or over.name in ("dyn", "error"):
            self.types.fits(DYN, over)
            return (DYN,) * number
        what = f"expression of type '{self.types.written(over)}' cannot be range of a comprehension"
        self._error(node.at if node.name == "sortBy" else node.over.at, f"{what} (must be list, map, or dynamic)")
        return (ERROR,) * number

    def _step(self, node: Macro, start: Type, scope: Scope) -> Type:
        """The type of what a step makes of what it begins with."""
        *conditions, last = [self.type_of(each, scope) for each in node.body]
        at = node.at
        if node.name in ("all", "exists"):
            return self._logical((node, node.body[0]), (start, last))
        if node.name in ("exists_one", "existsOne"):
            return self._resolved("?:", (last, self._resolved("+", (INT, INT), at), INT), at)
        if node.name == "filter":
            more = self._resolved("+", (start, list_of(scope[node.variables[0]])), at)
            return self._resolved("?:", (last, more, start), at)
        if node.name == "transformMap":
            more = self._resolved("cel.@mapInsert", (start, scope[node.variables[0]], last), at)
        elif node.name == "transformMapEntry":
            more = self._resolved("cel.@mapInsert", (start, last), at)
        else:
            more = self._resolved("+", (start, list_of(last)), at)
        return self._resolved("?:", (conditions[0], more, start), at) if conditions else more

    # --- after the types ----------------------------------------------------------------------------------------------

    def validated(self) -> Iterator[_Mistake]:
        """Yield what else is checked where all types fit: durations, patterns, and lists and maps of one type."""
        for call in self._calls:
            yield from self._validated_call(call)
        for node, items in self._literals:
            if isinstance(node, ListOf):
                yield from self._mixed(items)
            else:
                yield from self._mixed(items[0::2], all_of_them=True)
                yield from self._mixed(items[1::2], all_of_them=True)

    def _validated_call(self, call: Call) -> Iterator[_Mistake]:
        first = call.arguments[0] if call.arguments else None
        match call.function:
            case "format" if isinstance(call.target, Literal) and isinstance(first, ListOf):
                fault = _format_fault(str(call.target.value), len(first.items))
                if fault:
                    yield _Mistake(call.at, fault)
            case "find" | "findAll" if isinstance(first, Literal):
                self.patterns.append(first.value)
            case "matches" if isinstance(first, Literal):
                pattern = first.value  # also of matches(text, pattern), where it is the text
                if isinstance(pattern, str) and _fails("matches", "", pattern):
                    yield _Mistake(first.at, "invalid matches argument")
            case name if name in _CONVERSIONS and call.target is None and isinstance(first, Literal):
                if name not in _CHECKED:
                    self.conversions.append(call)
                elif _fails(name, first.value):
                    yield _Mistake(first.at, f"invalid {name} argument")

    def _mixed(self, items: Sequence[tuple[Node, Type]], *, all_of_them: bool = False) -> Iterator[_Mistake]:
        """Yield the items that have another type than the first."""
        found = [(node, self.types.resolved(each, parameters_to_dyn=True)) for node, each in items]
        for node, each in found[1:]:
            if not self.types.same(found[0][1], each, by_name=False):
                written = self.types.written
                yield _Mistake(node.at, f"expected type '{written(found[0][1])}' but found '{written(each)}'")
                if not all_of_them:
                    return


_OPERATORS: Final = {
    "in": "@in",
    "!_": "!_",
    "-_": "-_",
    "?:": "_?_:_",
    "[]": "_[_]",
    "[?]": "_[?_]",
    **{each: f"_{each}_" for each in ("==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%")},
}


def _format_fault(template: str, given: int) -> str:
    """What is wrong with a format that is written out, and the number of values that it is given."""
    try:
        wanted = sum(1 for clause in clauses(template) if not clause["sign"])
    except EvaluationError as error:
        return str(error)
    if wanted > given:
        return f"index {given} out of range"
    return f"too many arguments supplied to string.format (expected {wanted}, got {given})" if wanted < given else ""


def _fails(function: str, *values: Value) -> bool:
    try:
        FUNCTIONS[function](*values)
    except EvaluationError:
        return True
    return False


def _listed(mistakes: Sequence[_Mistake], text: str) -> str:
    """Write mistakes, each with its line, and a mark where it is."""
    shown: list[str] = []
    for mistake in mistakes[:_MOST_ERRORS]:
        if sum(map(len, shown)) > _LONGEST:
            break
        begin = text.rfind("\n", 0, mistake.at) + 1
        line = text[begin:].partition("\n")[0].replace("\t", " ")
        column = mistake.at - begin
        shown.append(f"ERROR: <input>:{text.count(chr(10), 0, begin) + 1}:{column + 1}: {mistake.message}")
        if len(line) <= _LONGEST_LINE:
            dots = "".join("." if each.isascii() else _WIDE_DOT for each in line[:column])
            mark = "^" if line[column : column + 1].isascii() else _WIDE_MARK
            shown[-1] += f"\n | {line}\n | {dots}{mark}"
    more = len(mistakes) - len(shown)
    return "\n".join([*shown, f"{more} more errors were truncated"] if more > 0 else shown)
