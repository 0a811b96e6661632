"""From the text of an expression to its syntax tree.

Whole numbers, texts and lists can be written out; other numbers, bytes and maps are not modelled.
Reference: doc/langdef.md of google/cel-spec, section Syntax.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

LONGEST: Final = 10 * 1024
"""The longest selector in characters that the API server takes."""
DEEPEST: Final = 100
"""How deep expressions may be nested, chains of operators other than && and || included; cel-go reads deeper ones."""

INT64: Final = range(-(2**63), 2**63)
_TOKEN: Final = re.compile(
    r"""(?P<space>\s+|//[^\n]*)
      |(?P<text>[bB]?[rR]?(?:"{3}(?:\\.|[^\\])*?"{3}|'{3}(?:\\.|[^\\])*?'{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))
      |(?P<other>[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|(?:0[xX][0-9a-fA-F]+|[0-9]+)[uU])
      |(?P<int>0[xX][0-9a-fA-F]+|[0-9]+)
      |(?P<name>[A-Za-z_][A-Za-z0-9_]*)
      |(?P<sign>\|\||&&|==|!=|<=|>=|[-+*/%<>!?:.,()\[\]{}])""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_ESCAPED: Final = dict(zip("abfnrtv\\?\"'`", "\a\b\f\n\r\t\v\\?\"'`", strict=True))
_LITERALS: Final = {"true": True, "false": False, "null": None}
_RESERVED: Final = (
    *("as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop"),
    *("namespace", "package", "return", "var", "void", "while"),
)
_BINDING: Final = {
    "||": 1,
    "&&": 2,
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">=", "in"), 3),
    **dict.fromkeys("+-", 4),
    **dict.fromkeys("*/%", 5),
}
"""How strongly operators bind; all are left-associative."""


class CelSyntaxError(ValueError):
    """An expression that cannot be read."""


class NotModelled(Exception):  # noqa: N818 - it is no error of the expression
    """An expression that uses a part of the language that is not modelled."""


class Literal(NamedTuple):
    """A value that is written out; `at` is where messages about it point, in characters from the expression's begin."""

    value: bool | int | str | None
    at: int


class Name(NamedTuple):
    """A variable."""

    name: str
    at: int


class Call(NamedTuple):
    """An operator, a function or a method; the target of a method is the first of its arguments.

    ``operand.field`` is an operator, and so is whether there is such a field; the field is a text that is written out.
    """

    function: str
    arguments: tuple[Node, ...]
    at: int
    is_method: bool = False


class Macro(NamedTuple):
    """A macro that evaluates its body for each element of a list or key of a map; ``bind`` does for one value."""

    name: str
    over: Node
    variable: str
    body: Node
    at: int


Node = Literal | Name | Call | Macro


class _Token(NamedTuple):
    kind: str
    text: str
    at: int


def parse(text: str) -> Node:
    """The syntax tree of an expression.

    Raises:
        CelSyntaxError: it cannot be read, or it is too long.
        NotModelled: it uses what is not modelled, or is nested too deeply.
    """
    if len(text) > LONGEST:
        raise CelSyntaxError(f"it has {len(text):,} characters, more than {LONGEST:,}")
    parser = _Parser(text)
    node = parser.expression()
    parser.expect("")
    return node


class _Parser:
    def __init__(self, text: str) -> None:
        self._tokens: list[_Token] = []
        self._next = 0
        self._depth = 0
        position = 0
        while position < len(text):
            found = _TOKEN.match(text, position)
            if found is None:
                raise CelSyntaxError(f"character {position + 1}: {text[position]!r} is not expected")
            if found.lastgroup != "space":
                self._tokens.append(_Token(found.lastgroup or "", found[0], position))
            position = found.end()
        self._tokens.append(_Token("end", "", len(text)))

    @property
    def _token(self) -> _Token:
        return self._tokens[self._next]

    def _unexpected(self, token: _Token) -> CelSyntaxError:
        what = f"{token.text!r} is not expected" if token.text else "the expression ends too early"
        return CelSyntaxError(f"character {token.at + 1}: {what}")

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise NotModelled(f"an expression that is nested more than {DEEPEST} deep")

    def _take(self, *signs: str) -> _Token | None:
        """Take a sign if it is next."""
        token = self._token
        if token.kind == "text" or token.text not in signs:
            return None
        self._next += token.kind != "end"
        return token

    def expect(self, sign: str) -> None:
        """Take a sign, which is empty for the end."""
        if self._take(sign) is None:
            raise self._unexpected(self._token)

    def expression(self) -> Node:
        """Take an expression."""
        depth = self._depth
        self._deeper()
        node = self._binary(1)
        if sign := self._take("?"):
            then = self.expression()
            self.expect(":")
            node = Call("?:", (node, then, self.expression()), sign.at)
        self._depth = depth
        return node

    def _binary(self, weakest: int) -> Node:
        depth = self._depth
        # Signs before an operand are all the same, and two of them do away with each other.
        first = self._take("!", "-")
        if first is None:
            left = self._postfix()
        else:
            times = 1
            while self._take(first.text):
                times += 1
            if first.text == "-" and times == 1 and self._token.kind == "int":
                self._tokens[self._next] = _Token("int", f"-{self._token.text}", first.at)
                left = self._postfix()
            else:
                node = self._postfix()
                left = Call(f"{first.text}_", (node,), first.at) if times % 2 else node
        while _BINDING.get(self._token.text, 0) >= weakest and (sign := self._take(*_BINDING)):
            sides: tuple[Node, ...] = (left,)
            if sign.text in ("&&", "||") and isinstance(left, Call) and left.function == sign.text:
                sides = left.arguments
            else:
                self._deeper()
            left = Call(sign.text, (*sides, self._binary(_BINDING[sign.text] + 1)), sign.at)
        self._depth = depth
        return left

    def _postfix(self) -> Node:
        node = self._primary()
        depth = self._depth
        while sign := self._take(".", "["):
            self._deeper()
            if self._take("?"):
                raise NotModelled("a value that may not be there")
            if sign.text == "[":
                node = Call("[]", (node, self.expression()), sign.at)
                self.expect("]")
                continue
            name = self._token
            if name.kind != "name":
                raise self._unexpected(name)
            self._next += 1
            called = self._take("(")
            field = Literal(name.text, sign.at)
            node = self._method(node, name.text, called.at) if called else Call(".", (node, field), sign.at)
        self._depth = depth
        return node

    def _method(self, target: Node, name: str, at: int) -> Node:
        arguments = self._list(")")
        if isinstance(target, Name) and (target.name, name, len(arguments)) == ("cel", "bind", 3):
            target, arguments = arguments[1], (arguments[0], arguments[2])
        elif name not in ("all", "exists") or len(arguments) != 2:  # noqa: PLR2004 - with two variables not modelled
            return Call(name, (target, *arguments), at, is_method=True)
        if not isinstance(arguments[0], Name):
            raise CelSyntaxError(f"the first argument of {name} has to be a name")
        return Macro(name, target, arguments[0].name, arguments[1], at)

    def _list(self, end: str) -> tuple[Node, ...]:
        items: list[Node] = []
        while not self._take(end):
            if self._take("?"):
                raise NotModelled("a value that may not be there")
            items.append(self.expression())
            if not self._take(","):
                self.expect(end)
                break
        return tuple(items)

    def _primary(self) -> Node:
        token = self._token
        self._next += token.kind != "end"
        match token.kind, token.text:
            case "int", text:
                digits = text.lstrip("-")
                number = int(digits[:20], 16 if digits[:2] in ("0x", "0X") else 10)  # none of 64 bits has more
                number = -number if text.startswith("-") else number
                if len(digits) > 20 or number not in INT64:  # noqa: PLR2004 - as above
                    raise CelSyntaxError(f"{text[:30]} is no number of 64 bits")
                return Literal(number, token.at)
            case "text", text:
                quoted = text.lstrip("bBrR")
                prefix = text[: -len(quoted)].lower()
                if "b" in prefix:
                    raise NotModelled("bytes")
                edge = 3 if quoted[:3] in ('"""', "'''") else 1
                inner = quoted[edge:-edge]
                return Literal(
                    inner if "r" in prefix else re.sub(r"\\(.)", _unescaped, inner, flags=re.DOTALL), token.at
                )
            case ("other", text) | (_, "{" as text):
                raise NotModelled(f"'{text}'")
            case "name", text if text in _LITERALS:
                return Literal(_LITERALS[text], token.at)
            case "name", text if text in _RESERVED:
                raise CelSyntaxError(f"character {token.at + 1}: {text} is a reserved word")
            case "name", text if text != "in":
                sign = self._take("(")
                if sign is None:
                    return Name(token.text, token.at)
                arguments = self._list(")")
                if token.text != "has":
                    return Call(token.text, arguments, sign.at)
                operand = arguments[0] if len(arguments) == 1 else None
                if not isinstance(operand, Call) or operand.function != ".":
                    raise CelSyntaxError("invalid argument to has() macro")
                return Call("has", operand.arguments, sign.at)
            case _, "." if self._token.kind == "name":
                return self._primary()
            case _, "(":
                node = self.expression()
                self.expect(")")
                return node
            case _, "[":
                return Call("[...]", self._list("]"), token.at)
        raise self._unexpected(token)


def _unescaped(found: re.Match[str]) -> str:
    if found[1] in "xXuU0123":
        raise NotModelled(f"'{found[0]}'")
    if found[1] not in _ESCAPED:
        raise CelSyntaxError(f"{found[0]} is no escape sequence")
    return _ESCAPED[found[1]]
