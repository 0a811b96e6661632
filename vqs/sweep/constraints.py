"""What holds for each point of a space: expressions over the names of parameters.

The grammar is a small part of Python's: numbers, texts, true and false, names of parameters; ``+ - * / %``, comparisons
(also chained), ``and``, ``or``, ``not`` and parentheses. Nothing can be called and nothing grows: powers, and products
of texts, are no part of it. An expression is bounded in length and depth, so that none takes longer than it should.
"""

from __future__ import annotations

import ast
import operator
import warnings
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

from vqs.snapshot.reading.diagnostics import did_you_mean, one_of
from vqs.sweep.domains import Value

_LONGEST: Final = 1_000
_MOST_NODES: Final = 200
_NAMES: Final = {"true": True, "false": False}

_BINARY: Final[Mapping[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
}
_COMPARED: Final[Mapping[type[ast.cmpop], Callable[[Any, Any], bool]]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_UNARY: Final[Mapping[type[ast.unaryop], Callable[[Any], Any]]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
}

_Values = Mapping[str, Value]
_Term = Callable[[_Values], Any]


class ExpressionError(Exception):
    """An expression cannot be understood; `at` is the offset in it of what is wrong."""

    def __init__(self, message: str, at: int = 0, hint: str = "") -> None:
        super().__init__(message)
        self.at = at
        self.hint = hint


class NoValueError(Exception):
    """An expression has no value for a point, as it divides by zero, or adds a text and a number."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """An expression over parameters: as it was written, over which names, and what computes it."""

    text: str
    names: tuple[str, ...]
    _term: _Term = field(compare=False, repr=False)

    def __reduce__(self) -> tuple[Callable[..., Constraint], tuple[str, tuple[str, ...]]]:
        """Travel to another process as a text, which is read again there: functions stay where they are."""
        return parse_constraint, (self.text, self.names)

    def holds(self, values: _Values) -> bool:
        """Tell whether it holds for the values of a point.

        Raises:
            NoValueError: it has no value for them.

        >>> parse_constraint("a < b <= 2 * a", ["a", "b"]).holds({"a": 2, "b": 4})
        True
        """
        return bool(self.value(values))

    def value(self, values: _Values) -> Any:
        """Return what the expression is for the values of a point.

        Raises:
            NoValueError: it has no value for them.
        """
        try:
            return self._term(values)
        except (ArithmeticError, TypeError) as error:
            raise NoValueError(f"{self.text} has no value: {error}") from None


def parse_constraint(text: str, names: Collection[str]) -> Constraint:
    """Read an expression over the names of parameters.

    Raises:
        ExpressionError: it cannot be understood.
    """
    if len(text) > _LONGEST:
        raise ExpressionError(f"the expression has more than {_LONGEST:,} characters")
    try:
        with warnings.catch_warnings(action="ignore"):  # what Python finds odd is refused below, or meant
            tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        at = (getattr(error, "offset", None) or 1) - 1
        raise ExpressionError("this is no expression such as a <= 2 * b", at) from None
    if sum(1 for _ in ast.walk(tree)) > _MOST_NODES:
        raise ExpressionError(f"the expression has more than {_MOST_NODES} parts")
    return Constraint(text.strip(), tuple(names), _Compiler(names).term(tree.body))


class _Compiler:
    """Makes functions of the parts of an expression."""

    def __init__(self, names: Collection[str]) -> None:
        self.names = names

    def term(self, node: ast.expr) -> _Term:
        match node:
            case ast.Constant(value=bool() | int() | float() | str() as value):
                return lambda _: value
            case ast.Name(id=name):
                return self._name(name, node)
            case ast.UnaryOp(op=op, operand=operand) if type(op) in _UNARY:
                compute, term = _UNARY[type(op)], self.term(operand)
                if compute is operator.not_:
                    return lambda values: not term(values)
                return lambda values: compute(_number(term(values)))
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                of_two, one, other = _BINARY[type(op)], self.term(left), self.term(right)
                return lambda values: of_two(_number(one(values)), _number(other(values)))
            case ast.BoolOp(op=op, values=values):
                parts, join = [self.term(each) for each in values], all if isinstance(op, ast.And) else any
                return lambda values: join(part(values) for part in parts)
            case ast.Compare(left=left, ops=ops, comparators=others) if all(type(op) in _COMPARED for op in ops):
                terms = [self.term(each) for each in (left, *others)]
                signs = [_COMPARED[type(op)] for op in ops]
                return lambda values: all(
                    compare(one, other)
                    for compare, (one, other) in zip(signs, pairwise([term(values) for term in terms]), strict=True)
                )
            case _:
                raise ExpressionError(
                    f"{ast.unparse(node)!r} is not allowed in a constraint",
                    node.col_offset,
                    "there are + - * / %, comparisons, and, or, not",
                )

    def _name(self, name: str, node: ast.Name) -> _Term:
        if name in self.names:
            return lambda values: values[name]
        if name.lower() in _NAMES:
            value = _NAMES[name.lower()]
            return lambda _: value
        hint = did_you_mean(name, self.names) or (f"there are {one_of(list(self.names))}" if self.names else "")
        raise ExpressionError(f"there is no parameter {name!r}", node.col_offset, hint)


def _number(value: Any) -> Any:
    """Return an operand of arithmetic, which is a number: a text times a number could become as long as it likes."""
    if isinstance(value, str):
        raise TypeError(f"{value!r} is no number")
    return float(value)
