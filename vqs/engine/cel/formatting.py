"""Texts of values: string(), strings.quote(), and the method format of texts.

References: ext/formatting.go and common/types of google/cel-go (v0.26).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from math import isfinite
from typing import Final

from vqs.engine.cel.operators import NO_OVERLOAD, TOO_COSTLY, elements, item
from vqs.engine.cel.syntax import NotModelled
from vqs.engine.cel.times import written
from vqs.engine.cel.values import (
    Address,
    AddressRange,
    DefaultMap,
    Duration,
    EvaluationError,
    Timestamp,
    TypeValue,
    Value,
    type_name,
)

_LONGEST: Final = 1_000_000
_CLAUSE: Final = re.compile(r"%(?:(?P<sign>%)|(?:\.(?P<precision>[0-9]{1,9}))?(?P<kind>[sdfebxXo]))", re.ASCII)
_MOST_DIGITS: Final = 100
_DIGITS: Final = 6
"""How many digits a number has after the point if the format does not say."""
_ESCAPES: Final = str.maketrans(
    {
        "\a": r"\a",
        "\b": r"\b",
        "\f": r"\f",
        "\n": r"\n",
        "\r": r"\r",
        "\t": r"\t",
        "\v": r"\v",
        "\\": r"\\",
        '"': r"\"",
    }
)
_SMALLEST_EXPONENT: Final = -4
_FIRST_LARGE_EXPONENT: Final = 6
"""Between these exponents, a number is written without one."""


def to_string(value: Value) -> str:
    """The text of a value.

    Raises:
        EvaluationError: values of its type have none.
    """
    match value:
        case bool():
            return str(value).lower()
        case int() | str():
            return str(value)
        case float():
            return _number(value)
        case bytes():
            try:
                return value.decode()
            except UnicodeDecodeError as error:
                raise EvaluationError("invalid UTF-8 in bytes, cannot convert to string") from error
        case Duration() | Timestamp():
            return written(value)
        case Address() | AddressRange():
            return str(value.value)
    raise EvaluationError(f"{NO_OVERLOAD}: string({type_name(value)})")


def _number(value: float) -> str:
    """Write a number with as few digits as tell it apart, and an exponent where it is very small or large.

    >>> _number(1.5), _number(1e8), _number(0.0001), _number(12345678.0)
    ('1.5', '1e+08', '0.0001', '1.2345678e+07')
    """
    if not isfinite(value):
        return {"inf": "+Inf", "-inf": "-Inf"}.get(str(value), "NaN")
    exact = Decimal(repr(value)).normalize()
    exponent = exact.adjusted() if exact else 0
    if _SMALLEST_EXPONENT <= exponent < _FIRST_LARGE_EXPONENT:
        return f"{exact:f}"
    return f"{exact.scaleb(-exponent):f}e{exponent:+03d}"


def quote(text: str) -> str:
    """A text in quotation marks, with escapes."""
    return f'"{text.translate(_ESCAPES)}"'


def clauses(template: str) -> Iterator[re.Match[str]]:
    """Yield the parts of a format that stand for values, and the percent signs.

    Raises:
        EvaluationError: a part of it stands for nothing.
    """
    position = template.find("%")
    while position >= 0:
        found = _CLAUSE.match(template, position)
        if found is None:
            rest = template[position + 1 : position + 2]
            raise EvaluationError(
                f'could not parse formatting clause: unrecognized formatting clause "{rest}"'
                if rest
                else "unexpected end of string"
            )
        yield found
        position = template.find("%", found.end())


def formatted(template: str, values: Sequence[Value]) -> str:
    """Put values into a format.

    Raises:
        EvaluationError: there are too few, or one cannot be written in such a way.
        NotModelled: it asks for a number with an exponent.

    >>> formatted("%s has %.1f%% of %d", ["a", 12.345, 7])
    'a has 12.3% of 7'
    """
    parts: list[str] = []
    end = number = length = 0
    for found in clauses(template):
        parts.append(template[end : found.start()])
        end = found.end()
        if found["sign"]:
            parts.append("%")
            continue
        if number >= len(values):
            raise EvaluationError(f"index {number} out of range")
        if found["kind"] == "e":
            raise NotModelled("format() with %e")
        parts.append(_clause(found["kind"], found["precision"], values[number]))
        number += 1
        length += len(parts[-1])
        if length > _LONGEST:
            raise EvaluationError(TOO_COSTLY)
    return "".join([*parts, template[end:]])


def _clause(kind: str, precision: str | None, value: Value) -> str:
    """Write a value as a clause says; with b, bools are numbers as well, with x and X, bytes and texts."""
    match kind:
        case "s":
            if (text := _any(value)) is not None:
                return text
        case "f":
            number = float(str(value)) if value in ("NaN", "Infinity", "-Infinity") else value
            if isinstance(number, float):
                digits = int(precision or _DIGITS)
                if digits > _MOST_DIGITS:
                    raise NotModelled(f"format() with {digits} digits")
                no_number = {"inf": "∞", "-inf": "-∞", "nan": "NaN"}.get(str(number))
                return no_number or f"{number:,.{digits}f}"
        case "x" | "X" if isinstance(value, str | bytes):
            octets = (value if isinstance(value, bytes) else value.encode()).hex()
            return octets.upper() if kind == "X" else octets
        case _ if isinstance(value, int) and (kind == "b" or not isinstance(value, bool)):
            return f"{int(value):{kind}}"
    clause, types = _CLAUSES[kind]
    text = f"error during formatting: {clause} clause can only be used on {types}, was given {type_name(value)}"
    raise EvaluationError(text)


def _any(value: Value) -> str | None:
    match value:
        case None:
            return "null"
        case TypeValue():
            return value.name
        case list():
            return f"[{_joined([_item(each) for each in value])}]"
        case dict() | DefaultMap():
            texts = sorted((_item(key), _item(item(value, key))) for key in elements(value))
            return f"{{{_joined([f'{key}:{inner}' for key, inner in texts])}}}"
        case bool() | int() | float() | str() | bytes() | Duration() | Timestamp():
            return to_string(value)
    return None


def _joined(texts: Sequence[str]) -> str:
    if sum(map(len, texts)) > _LONGEST:
        raise EvaluationError(TOO_COSTLY)
    return ", ".join(texts)


def _item(value: Value) -> str:
    """Write a value as it would be written in an expression."""
    match value:
        case str():
            return json.dumps(value, ensure_ascii=False)
        case bytes():
            return f"b{json.dumps(to_string(value), ensure_ascii=False)}"
        case float():
            return f"{value:.{_DIGITS}f}" if isfinite(value) else json.dumps(_number(value))
        case Duration():
            return f'duration("{written(value)}")'
        case Timestamp():
            return f'timestamp("{written(value)}")'
    text = _any(value)
    if text is None:
        raise EvaluationError(f"error during formatting: no formatting function for {type_name(value)}")
    return text


_HEXADECIMAL: Final = ("hex", "integers, byte buffers, and strings")
_CLAUSES: Final[Mapping[str, tuple[str, str]]] = {
    "s": ("string", "strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps"),
    "d": ("decimal", "integers"),
    "f": ("fixed-point", "doubles"),
    "b": ("binary", "integers and bools"),
    "o": ("octal", "integers"),
    "x": _HEXADECIMAL,
    "X": _HEXADECIMAL,
}
"""By letters: what they are called, and the types that they write."""
