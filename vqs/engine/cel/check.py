"""Check the types of an expression before it is evaluated, as the API server and the scheduler do.

References: checker/checker.go, cel/validator.go and common/error.go of google/cel-go (v0.26);
k8s.io/dynamic-resource-allocation/cel/compile.go (v0.34).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from vqs.engine.cel.functions import FUNCTIONS, NOT_MODELLED, TYPES, EvaluationError
from vqs.engine.cel.syntax import Call, Literal, Macro, Name, Node, NotModelled

OF_A_PATTERN: Final = 2000
"""The steps of reading a regular expression, which takes up to 20 ms."""
_ERROR: Final = "!error!"
_UNKNOWN: Final = "_var0"
"""The type of the items of an empty list, which may become any."""
_DYNAMIC: Final = frozenset(("any", "dyn", _ERROR, _UNKNOWN))
"""What fits all types: an attribute is of type any."""
_WITHOUT_NULL: Final = frozenset(("bool", "int", "string", "list", "map"))
_DEVICE: Final = "kubernetes.DRADevice"
_FIELDS: Final = {
    "driver": "string",
    "allowMultipleAllocations": "bool",
    "attributes": "map(string, map(string, any))",
    "capacity": "map(string, map(string, kubernetes.Quantity))",
}
"""The fields of a device. Only these are maps, and only lists of what is written out are lists."""
_LIST: Final = "list("
_MAP: Final = "map(string, "
_SHOWN: Final = {
    **{each: f"_{each}_" for each in ("==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%")},
    "in": "@in",
    "?:": "_?_:_",
    "[]": "_[_]",
}
_MOST_ERRORS: Final = 100
_LONGEST_LINE: Final = 1000
"""The longest line that is shown with a mistake; cel-go shows those of up to 16,384 bytes."""
_LONGEST: Final = 10_000
"""After how many characters no more mistakes are shown: the text is part of the message of each pod."""

Scope = Mapping[str, str]


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
        NotModelled: it uses what is not modelled.
    """
    checker = _Checker()
    found = checker.type_of(node, {"device": _DEVICE})
    if not checker.mistakes:
        checker.validate()
    if checker.mistakes:
        ordered = sorted(checker.mistakes)
        said = [f"character {each.at + 1}: {each.message}" for each in ordered]
        raise CompileError(f"compilation failed: {_listed(ordered, text)}", said)
    if found not in ("bool", "any"):
        written = (
            "null_type" if found == "null" else found.replace(_UNKNOWN, "dyn").replace("any", "google.protobuf.Any")
        )
        raise CompileError(f"must evaluate to bool or the unknown type, not {written}")
    return checker.steps


class _Checker:
    """Types are written as messages write them."""

    def __init__(self) -> None:
        self.mistakes: list[_Mistake] = []
        self.steps = 0
        self._lists: list[list[tuple[Node, str]]] = []
        self._patterns: list[Literal] = []

    def type_of(self, node: Node, scope: Scope) -> str:
        self.steps += 1
        match node:
            case Literal():
                return TYPES[type(node.value)]
            case Name():
                return scope.get(node.name) or self._undeclared(node.name, node.at)
            case Macro():
                over = self.type_of(node.over, scope)
                if node.name == "bind":
                    return self.type_of(node.body, {**scope, node.variable: over})
                if over.startswith((_LIST, _MAP)):
                    item = _inner(over) if over.startswith(_LIST) else "string"
                elif over in _DYNAMIC and over != "any":
                    item = "dyn"
                else:
                    what = f"expression of type '{over}' cannot be range of a comprehension"
                    item = self._error(node.over.at, f"{what} (must be list, map, or dynamic)")
                return self._logical([node.body], [self.type_of(node.body, {**scope, node.variable: item})])
        arguments = [self.type_of(each, scope) for each in node.arguments]
        match node.function:
            case "." | "has":
                found = self._field(arguments[0], node)
                return found if node.function == "." else "bool"
            case "[...]":
                self._lists.append([*zip(node.arguments, arguments, strict=True)])
                joined = _UNKNOWN
                for each in arguments:
                    joined = _more_general(joined, each) if _fits(each, joined) else "dyn"
                return f"{_LIST}{joined})"
            case "&&" | "||":
                return self._logical(node.arguments, arguments)
            case "matches":
                # cel-go looks at the first argument, also of matches(text, pattern), where that is the text.
                pattern = node.arguments[node.is_method] if len(node.arguments) > node.is_method else None
                if isinstance(pattern, Literal):
                    self._patterns.append(pattern)
        return self._called(node, arguments)

    def _error(self, at: int, message: str) -> str:
        self.mistakes.append(_Mistake(at, message))
        return _ERROR

    def _undeclared(self, name: str, at: int) -> str:
        if name in NOT_MODELLED:
            raise NotModelled(f"'{name}'")
        return self._error(at, f"undeclared reference to '{name}' (in container '')")

    def _field(self, operand: str, node: Call) -> str:
        _, field = node.arguments
        if operand.startswith(_MAP):
            return _inner(operand)
        if operand == _DEVICE and isinstance(field, Literal):
            return _FIELDS.get(str(field.value)) or self._error(node.at, f"undefined field '{field.value}'")
        if operand.startswith("kubernetes."):
            return self._error(node.at, f"unexpected failed resolution of '{operand}'")
        if operand not in _DYNAMIC:
            self._error(node.at, f"type '{operand}' does not support field selection")
        return "dyn"

    def _logical(self, sides: Sequence[Node], found: Sequence[str]) -> str:
        unfit = [(side, each) for side, each in zip(sides, found, strict=True) if not _fits(each, "bool")]
        for side, each in unfit:
            self._error(side.at, f"expected type 'bool' but found '{each}'")
        return _ERROR if unfit else "bool"

    def _called(self, node: Call, arguments: list[str]) -> str:
        """What a call returns; where several ways to call it fit and return different types, any type."""
        if node.function not in FUNCTIONS:
            return self._undeclared(node.function, node.at)
        if found := _of_operator(node.function, arguments):
            return found
        results = {
            each.result
            for each in FUNCTIONS[node.function].signatures
            if each.is_method is node.is_method
            and not (each.result == "list" or "any" in each.arguments)
            and len(each.arguments) == len(arguments)
            and all(map(_fits, arguments, each.arguments))
        }
        if results:
            return results.pop() if len(results) == 1 else "dyn"
        target = f"{arguments.pop(0)}." if node.is_method else ""
        what = f"'{_SHOWN.get(node.function, node.function)}' applied to '{target}({', '.join(arguments)})'"
        return self._error(node.at, f"found no matching overload for {what}")

    def validate(self) -> None:
        """Check what else is checked where all types fit: patterns, and lists of one type."""
        self.steps += OF_A_PATTERN * len(self._patterns)
        for pattern in self._patterns:
            try:
                FUNCTIONS["matches"].apply("", pattern.value)
            except EvaluationError:
                self._error(pattern.at, "invalid matches argument")
        for (_, first), *others in filter(None, self._lists):
            unlike = [(node, each) for node, each in others if not _alike(first, each)]
            for node, each in unlike[:1]:
                self._error(node.at, f"expected type '{first}' but found '{each}'")


# --- which type can stand for which -----------------------------------------------------------------------------------


def _inner(given: str) -> str:
    """The type of the items of a list, or of the values of a map."""
    return given[len(_LIST if given.startswith(_LIST) else _MAP) : -1]


def _of_operator(name: str, given: Sequence[str]) -> str:
    """What an operator returns that takes lists, or values of any type; nothing for others, or if they do not fit."""
    left, right = given[0] if given else "", given[-1] if given else ""
    match name:
        case "==" | "!=" if _fits(left, right):
            return "bool"
        case "in" if right in _DYNAMIC or (right.startswith(_MAP) and _fits(left, "string")):
            return "bool"
        case "in" if right.startswith(_LIST) and _fits(left, _inner(right)):
            return "bool"
        case "[]" if left in _DYNAMIC:
            return "dyn"
        case "[]" if left.startswith((_LIST, _MAP)) and _fits(right, "int" if left.startswith(_LIST) else "string"):
            return _inner(left)
        case "?:" if _fits(given[0], "bool") and _fits(given[1], right):
            return _more_general(given[1], right)
        case "+" if left.startswith(_LIST) or right.startswith(_LIST):
            return (left if right in _DYNAMIC else _more_general(left, right)) if _fits(left, right) else ""
        case "dyn" if len(given) == 1:
            return "dyn"
    return ""


def _fits(given: str, wanted: str) -> bool:
    """True if a value of a type can be where another type is wanted."""
    if given in _DYNAMIC or wanted in _DYNAMIC or given == wanted:
        return True
    if given.startswith(_LIST) and wanted.startswith(_LIST):
        return _fits(_inner(given), _inner(wanted))
    kinds = {given.partition("(")[0], wanted.partition("(")[0]}
    return kinds == {wanted} or ("null" in kinds and not kinds & _WITHOUT_NULL)


def _more_general(left: str, right: str) -> str:
    """That of two types that fit which has more values; an unknown one becomes the other."""
    if left == _UNKNOWN or (right in _DYNAMIC and right != _UNKNOWN):
        return right
    if left.startswith(_LIST) and right.startswith(_LIST):
        return f"{_LIST}{_more_general(_inner(left), _inner(right))})"
    return left


def _alike(left: str, right: str) -> bool:
    lists = left.startswith(_LIST) and right.startswith(_LIST)
    return left == right or _UNKNOWN in (left, right) or (lists and _alike(_inner(left), _inner(right)))


def _listed(mistakes: Sequence[_Mistake], text: str) -> str:
    """Write mistakes, each with its line, and a mark where it is; wide characters have wide marks."""
    shown: list[str] = []
    for mistake in mistakes[:_MOST_ERRORS]:
        if sum(map(len, shown)) > _LONGEST:
            break
        begin = text.rfind("\n", 0, mistake.at) + 1
        line = text[begin:].partition("\n")[0].replace("\t", " ")
        column = mistake.at - begin
        shown.append(f"ERROR: <input>:{text.count(chr(10), 0, begin) + 1}:{column + 1}: {mistake.message}")
        if len(line) <= _LONGEST_LINE:
            dots = "".join("." if each.isascii() else "\N{FULLWIDTH FULL STOP}" for each in line[:column])
            mark = "^" if line[column : column + 1].isascii() else "\N{FULLWIDTH CIRCUMFLEX ACCENT}"
            shown[-1] += f"\n | {line}\n | {dots}{mark}"
    more = len(mistakes) - len(shown)
    return "\n".join([*shown, f"{more} more errors were truncated"] if more > 0 else shown)
