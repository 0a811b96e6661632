"""From the text of an expression to its syntax tree. Reference: doc/langdef.md of google/cel-spec, section Syntax."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from vqs.engine.cel.values import INT64, UINT64, Uint

LONGEST: Final = 10 * 1024
"""The longest selector in characters that the API server takes."""
DEEPEST: Final = 100
"""How deep expressions may be nested, chains of operators other than && and || included; cel-go reads deeper ones."""

_TOKEN: Final = re.compile(
    r"""(?P<space>\s+|//[^\n]*)
      |(?P<text>[bB]?[rR]?(?:"{3}(?:\\.|[^\\])*?"{3}|'{3}(?:\\.|[^\\])*?'{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))
      |(?P<double>[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?)
      |(?P<int>0[xX][0-9a-fA-F]+[uU]?|[0-9]+[uU]?)
      |(?P<name>[A-Za-z_][A-Za-z0-9_]*)
      |(?P<sign>\|\||&&|==|!=|<=|>=|[-+*/%<>!?:.,()\[\]{}])""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_ESCAPE: Final = re.compile(
    r"\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|(.))", re.DOTALL
)
_ESCAPED: Final = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "?": "?", '"': '"', "'": "'", "`": "`",
}  # fmt: skip
_LITERALS: Final = {"true": True, "false": False, "null": None}
_RESERVED: Final = frozenset(
    (
        *("as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop"),
        *("namespace", "package", "return", "var", "void", "while"),
    )
)

_BINDING: Final = {
    "||": 1,
    "&&": 2,
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">=", "in"), 3),
    **dict.fromkeys("+-", 4),
    **dict.fromkeys("*/%", 5),
}
"""How strongly operators bind; all are left-associative."""

MACROS: Final = {
    **dict.fromkeys([("all", 2), ("exists", 2), ("exists_one", 2), ("filter", 2), ("map", 2), ("map", 3)], 1),
    **dict.fromkeys([("optMap", 2), ("optFlatMap", 2), ("sortBy", 2)], 1),
    **dict.fromkeys([("all", 3), ("exists", 3), ("exists_one", 3), ("existsOne", 3)], 2),
    **dict.fromkeys([(name, n) for name in ("transformList", "transformMap", "transformMapEntry") for n in (3, 4)], 2),
}
"""The macros by name and number of arguments, with the number of variables that these begin with."""


class CelSyntaxError(ValueError):
    """An expression that cannot be read."""


class NotModelled(Exception):  # noqa: N818 - it is no error of the expression
    """An expression that uses a part of the language that is not modelled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Located:
    """A part of an expression; `at` is where messages about it point, in characters from its begin."""

    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Literal(_Located):
    """A value that is written out."""

    value: bool | int | float | str | bytes | None


@dataclass(frozen=True, slots=True)
class Name(_Located):
    """A variable."""

    name: str


@dataclass(frozen=True, slots=True)
class Select(_Located):
    """``operand.field``, whether there is one, or ``operand.?field``: one if there is one."""

    operand: Node
    field: str
    test: bool = False
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Call(_Located):
    """An operator, a function or, with a target, a method."""

    function: str
    arguments: tuple[Node, ...]
    target: Node | None = None


@dataclass(frozen=True, slots=True)
class ListOf(_Located):
    """A list that is written out; the items with the numbers in `optional` are there if they have a value."""

    items: tuple[Node, ...]
    optional: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class MapOf(_Located):
    """A map that is written out; the entries with the numbers in `optional` are there if they have a value."""

    entries: tuple[tuple[Node, Node], ...]
    optional: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Macro(_Located):
    """A macro that evaluates its body for each element of a list or key of a map; some do for one value."""

    name: str
    over: Node
    variables: tuple[str, ...]
    body: tuple[Node, ...]


Node = Literal | Name | Select | Call | ListOf | MapOf | Macro


def dotted(node: Node) -> str | None:
    """The name that fields of fields of a name make, if it is one."""
    parts: list[str] = []
    while isinstance(node, Select) and not (node.test or node.optional):
        parts.append(node.field)
        node = node.operand
    return ".".join((node.name, *reversed(parts))) if isinstance(node, Name) else None


class _Token(NamedTuple):
    kind: str
    text: str
    position: int


def parse(text: str) -> Node:
    """The syntax tree of an expression.

    Raises:
        CelSyntaxError: it cannot be read, or it is too long or nested too deeply.
        NotModelled: it uses what is not modelled.
    """
    if len(text) > LONGEST:
        message = f"it has {len(text):,} characters, more than {LONGEST:,}"
        raise CelSyntaxError(message)
    return _Parser(_tokens(text)).whole()


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    position = 0
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None:
            message = f"character {position + 1}: {text[position]!r} is not expected"
            raise CelSyntaxError(message)
        if found.lastgroup != "space":
            tokens.append(_Token(found.lastgroup or "", found[0], position))
        position = found.end()
    return [*tokens, _Token("end", "", len(text))]


class _Parser:
    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._next = 0
        self._depth = 0

    @property
    def _token(self) -> _Token:
        return self._tokens[self._next]

    @property
    def _taken_at(self) -> int:
        """Where the token stands that was taken last."""
        return self._tokens[self._next - 1].position

    def whole(self) -> Node:
        node = self._expression()
        if self._token.kind != "end":
            raise self._unexpected()
        return node

    def _unexpected(self) -> CelSyntaxError:
        token = self._token
        what = f"{token.text!r} is not expected" if token.text else "the expression ends too early"
        return CelSyntaxError(f"character {token.position + 1}: {what}")

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise NotModelled(f"an expression that is nested more than {DEEPEST} deep")

    def _take(self, *signs: str) -> str:
        """Take a sign if it is next; return it, or an empty text."""
        token = self._token
        if token.kind in ("sign", "name") and token.text in signs:
            self._next += 1
            return token.text
        return ""

    def _expect(self, sign: str) -> None:
        if not self._take(sign):
            raise self._unexpected()

    def _name(self) -> str:
        token = self._token
        if token.kind != "name":
            raise self._unexpected()
        self._next += 1
        return token.text

    def _expression(self) -> Node:
        depth = self._depth
        self._deeper()
        node = self._binary(1)
        if self._take("?"):
            at = self._taken_at
            then = self._expression()
            self._expect(":")
            node = Call("?:", (node, then, self._expression()), at=at)
        self._depth = depth
        return node

    def _binary(self, weakest: int) -> Node:
        depth = self._depth
        left = self._unary()
        while (binding := _BINDING.get(self._token.text, 0)) >= weakest and self._token.kind in ("sign", "name"):
            token = self._token
            operator = token.text
            self._next += 1
            sides: tuple[Node, ...] = (left,)
            if operator in ("&&", "||") and isinstance(left, Call) and left.function == operator:
                sides = left.arguments
            else:
                self._deeper()
            left = Call(operator, (*sides, self._binary(binding + 1)), at=token.position)
        self._depth = depth
        return left

    def _unary(self) -> Node:
        """Read signs before an operand: they are all the same, and two of them do away with each other."""
        begin = self._token
        operator = self._take("!", "-")
        times = 1
        while operator and self._take(operator):
            times += 1
        token = self._token
        is_signed = token.kind in ("int", "double") and token.text[-1] not in "uU"
        if operator == "-" and times == 1 and is_signed:
            self._tokens[self._next] = _Token(token.kind, f"-{token.text}", begin.position)
            return self._postfix()
        node = self._postfix()
        return Call(f"{operator}_", (node,), at=begin.position) if operator and times % 2 else node

    def _postfix(self) -> Node:
        node = self._primary()
        depth = self._depth
        while sign := self._take(".", "["):
            self._deeper()
            at = self._taken_at
            optional = bool(self._take("?"))
            if sign == "[":
                node = Call("[?]" if optional else "[]", (node, self._expression()), at=at)
                self._expect("]")
                continue
            name = self._name()
            if not optional and self._take("("):
                node = self._method(node, name)
            else:
                node = Select(node, name, optional=optional, at=at)
        self._depth = depth
        return node

    def _method(self, target: Node, name: str) -> Node:
        at = self._taken_at
        arguments = self._list(")")
        if target == Name("cel") and name == "bind":
            if len(arguments) != 3 or not isinstance(arguments[0], Name):  # noqa: PLR2004 - name, value, expression
                raise CelSyntaxError("cel.bind takes a name, a value and an expression")
            return Macro("bind", arguments[1], (arguments[0].name,), arguments[2:], at=at)
        number = MACROS.get((name, len(arguments)))
        if number is not None:
            if name == "sortBy" and isinstance(target, Literal):
                raise CelSyntaxError("sortBy cannot be applied to a value that is written out, other than a list")
            variables = tuple(each.name for each in arguments[:number] if isinstance(each, Name))
            if len(variables) < number:
                raise CelSyntaxError(f"the first argument of {name} has to be a name")
            return Macro(name, target, variables, arguments[number:], at=at)
        return Call(name, arguments, target, at=at)

    def _list(self, end: str) -> tuple[Node, ...]:
        items: list[Node] = []
        while not self._take(end):
            items.append(self._expression())
            if not self._take(","):
                self._expect(end)
                break
        return tuple(items)

    def _primary(self) -> Node:
        token = self._token
        self._next += 1
        match token.kind:
            case "int" | "double" | "text":
                return Literal(_READ[token.kind](token.text), at=token.position)
            case "name" if token.text in _LITERALS:
                return Literal(_LITERALS[token.text], at=token.position)
            case "name" if token.text in _RESERVED:
                raise CelSyntaxError(f"character {token.position + 1}: {token.text} is a reserved word")
            case "name" if token.text != "in":
                return self._called(token)
        match token.text if token.kind == "sign" else "":
            case "." if self._token.kind == "name":
                return self._primary()
            case "(":
                node = self._expression()
                self._expect(")")
                return node
            case "[":
                items, optional = self._items("]")
                return ListOf(tuple(item for (item,) in items), optional, at=token.position)
            case "{":
                items, optional = self._items("}")
                return MapOf(tuple((key, value) for key, value in items), optional, at=token.position)
        self._next -= 1
        raise self._unexpected()

    def _called(self, name: _Token) -> Node:
        if not self._take("("):
            return Name(name.text, at=name.position)
        at = self._taken_at
        arguments = self._list(")")
        if name.text != "has":
            return Call(name.text, arguments, at=at)
        if len(arguments) != 1 or not isinstance(arguments[0], Select) or arguments[0].optional:
            raise CelSyntaxError("invalid argument to has() macro")
        return Select(arguments[0].operand, arguments[0].field, test=True, at=at)

    def _items(self, end: str) -> tuple[list[tuple[Node, ...]], frozenset[int]]:
        """The items of a list, or the entries of a map, and which of them are optional."""
        items: list[tuple[Node, ...]] = []
        optional: set[int] = set()
        while not self._take(end):
            if self._take("?"):
                optional.add(len(items))
            key = self._expression()
            if end == "}":
                self._expect(":")
                items.append((key, self._expression()))
            else:
                items.append((key,))
            if not self._take(","):
                self._expect(end)
                break
        return items, frozenset(optional)


def _integer(text: str) -> int:
    unsigned = text[-1] in "uU"
    digits = text.lstrip("-").rstrip("uU")
    number = int(digits, 16) if digits[:2] in ("0x", "0X") else int(digits[:20])
    number = -number if text.startswith("-") else number
    if len(digits) > 20 or number not in (UINT64 if unsigned else INT64):  # noqa: PLR2004 - none of 64 bits has more
        raise CelSyntaxError(f"{text[:30]} is no number of 64 bits")
    return Uint(number) if unsigned else number


def _string(text: str) -> str | bytes:
    quoted = text.lstrip("bBrR")
    prefix = text[: -len(quoted)].lower()
    edge = 3 if quoted[:3] in ('"""', "'''") else 1
    inner = quoted[edge:-edge]
    if "b" not in prefix:
        return inner if "r" in prefix else _ESCAPE.sub(_unescaped, inner)
    octets = inner.encode().decode("latin-1")  # a character for each byte
    return (octets if "r" in prefix else _ESCAPE.sub(_unescaped_byte, octets)).encode("latin-1")


def _unescaped_byte(found: re.Match[str]) -> str:
    if found[2] or found[3]:
        raise CelSyntaxError(f"{found[0]} is a character, not a byte")
    return _unescaped(found)


def _unescaped(found: re.Match[str]) -> str:
    for group, base in ((1, 16), (2, 16), (3, 16), (4, 8)):
        if found[group]:
            code = int(found[group], base)
            if code > 0x10FFFF or 0xD800 <= code < 0xE000:  # noqa: PLR2004 - the limits of Unicode
                raise CelSyntaxError(f"{found[0]} is no character")
            return chr(code)
    if found[5] not in _ESCAPED:
        raise CelSyntaxError(f"{found[0]} is no escape sequence")
    return _ESCAPED[found[5]]


_READ: Final[dict[str, Callable[[str], int | float | str | bytes]]] = {
    "int": _integer,
    "double": float,
    "text": _string,
}
