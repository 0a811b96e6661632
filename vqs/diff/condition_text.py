"""Reading the conditions of --fail-on, strictly: a mistake must not make a condition that never holds."""

from __future__ import annotations

import math
import re
from typing import Final

from vqs.diff.conditions import (
    ALONE,
    AMOUNTS,
    BASE,
    LOST,
    OF_DIFFERENCES,
    SHARE_CHANGES,
    SIGN,
    TOTALS,
    Condition,
    ConditionError,
    Language,
    shortened,
    sign_at,
)
from vqs.model.durations import read_seconds
from vqs.model.quantity import parse
from vqs.model.resource import is_in_bytes
from vqs.snapshot.reading.diagnostics import did_you_mean, one_of

_UNITS: Final = re.compile(r"(?:%|[A-Za-z]+)$")
_BLANK: Final = re.compile(r"\s(?!\(\w+\)\.)")
"""A blank in a name; one before the kind of a controller, as in ``training/web (Deployment)``, is part of it."""
_PERCENT: Final = "%"
_BINARY: Final = "i"
"""What the units of numbers of bytes end with: Ki, Mi, and so on."""


STRICT: Final = "strict"
"""What stands for all conditions on differences, and on the figures of the cluster, with their strictest values."""
_STRICTEST: Final = ",".join(
    [
        *(name for name in ALONE if name not in LOST),
        *(f"{name}>0" for name in SHARE_CHANGES),
        *(f"{name}!={BASE}" for name in TOTALS),
    ]
)


def parse_conditions(text: str, language: Language = OF_DIFFERENCES) -> list[Condition]:
    """Read conditions on the figures of a language.

    Raises:
        ConditionError: something in the text cannot be understood.

    >>> [(each.figure, each.sign, each.value) for each in parse_conditions("evictions, queue:b.allocated.cpu<20")]
    [(('evictions',), '>', 0.0), (('queue', 'b', 'allocated', 'cpu'), '<', 20.0)]
    """
    conditions = []
    at = 0
    for part in text.split(","):
        if part.strip() == STRICT and language is OF_DIFFERENCES:
            conditions += parse_conditions(_STRICTEST)
            at += len(part) + 1
            continue
        start = at + len(part) - len(part.lstrip())
        conditions.append(_Reader(part.strip(), text, start, language).condition())
        at += len(part) + 1
    return conditions


def parse_figure(text: str, language: Language) -> tuple[str, ...]:
    """Read a figure that is not compared with anything. Return its parts, the first of which is its kind.

    Raises:
        ConditionError: there is no such figure.

    >>> parse_figure("queue:b.allocated.cpu", OF_DIFFERENCES)
    ('queue', 'b', 'allocated', 'cpu')
    """
    return _Reader(text, text, 0, language).figure(text)


class _Reader:
    """Reads one condition."""

    def __init__(self, text: str, source: str, at: int, language: Language) -> None:
        self.text = text
        self.source = source
        self.at = at
        self.language = language

    def condition(self) -> Condition:
        if not self.text:
            raise self._error("a condition is missing here", 0, f"there are {', '.join(self.language.figures)}")
        end = sign_at(self.text)
        name = self.text[:end].strip()
        figure = self.figure(name)
        if end == len(self.text):
            if figure[0] not in self.language.alone:
                raise self._error(f"'{name}' has to be compared with something", end, f"write {name}>0.1")
            limit = None if figure[0] in LOST else 0.0
            return Condition(self.text, figure, ">", limit, self.source, self.at)
        sign = next(iter(SIGN.findall(self.text[end:])))
        value = self._value(end + len(sign), figure)
        of_time = self.language.is_time(figure)
        return Condition(self.text, figure, sign.replace("==", "="), value, self.source, self.at, of_time)

    def figure(self, name: str) -> tuple[str, ...]:
        """Read the figure, which the text begins with."""
        language = self.language
        kind, colon, rest = name.partition(":")
        if colon:
            return self._named(kind, rest)
        for head in language.parts:
            if name.removesuffix(".") == head:
                raise self._error(f"'{head}' is that of a resource", len(head), f"write {head}.cpu")
            if name.startswith(f"{head}."):
                return head, name.removeprefix(f"{head}.")
        if name not in (*language.counts, *language.totals):
            known = [*language.counts, *language.totals, *language.parts, *language.named]
            meant = did_you_mean(name, known) or did_you_mean(name.partition(".")[0], known)
            raise self._error(f"there is no figure '{name}'", 0, meant or f"there are {', '.join(language.figures)}")
        return (name,)

    def _named(self, kind: str, rest: str) -> tuple[str, ...]:
        named = self.language.named
        if kind not in named:
            hint = did_you_mean(kind, named) or one_of([f"{each}:" for each in named])
            raise self._error(f"there is nothing called '{kind}:'", 0, hint)
        if blank := _BLANK.search(rest):
            raise self._error("there is a blank in the name", len(kind) + 1 + blank.start())
        fields = named[kind]
        match = re.fullmatch(rf"(?P<name>.+?)\.(?P<field>{'|'.join(fields)})(?:\.(?P<resource>.+))?", rest)
        if match is None:
            name, dot, field = rest.partition(".")
            at = len(kind) + 1 + (len(name) + 1 if dot else len(rest))
            meant = did_you_mean(field, fields) or did_you_mean(field.partition(".")[0], fields)
            hint = meant or f"there are {one_of(shortened(fields, 1))}"
            message = f"'{field}' is no figure of a {kind}" if dot else f"it is not said which figure of the {kind}"
            raise self._error(message, at, hint)
        field, resource = match["field"], match["resource"]
        end = len(kind) + 1 + match.end("field")
        if kind == "queue" and field in AMOUNTS and not resource:
            raise self._error(f"'{field}' is that of a resource", end, f"write {kind}:{match['name']}.{field}.cpu")
        if resource and (kind != "queue" or field not in AMOUNTS):
            raise self._error(f"'{field}' is a number, not one for each resource", end)
        return kind, match["name"], field, *([resource] if resource else [])

    def _value(self, at: int, figure: tuple[str, ...]) -> float | None:
        text = self.text[at:].strip()
        at += len(self.text[at:]) - len(self.text[at:].lstrip())
        if text == BASE:
            if figure[0] in self.language.counts:
                raise self._error(f"'{figure[0]}' is a figure of the difference, and the base has none", at)
            return None
        if self.language.is_time(figure):
            return self._seconds(text, at)
        try:
            value = float(text.removesuffix(_PERCENT)) / 100 if text.endswith(_PERCENT) else float(parse(text))
        except (ValueError, OverflowError):
            value = math.nan
        if not math.isfinite(value):
            hint = did_you_mean(text, [BASE]) or f"a number, 10%, 20Gi or {BASE}"
            raise self._error(f"'{text}' is no value" if text else "a value is missing", at, hint)
        self._check_unit(text, value, at, figure)
        return value

    def _seconds(self, text: str, at: int) -> float:
        seconds = read_seconds(text)
        if seconds is None:
            hint = did_you_mean(text, [BASE]) or f"a number of seconds, a time such as 10m or 1h30m, or {BASE}"
            raise self._error(f"'{text}' is no time" if text else "a value is missing", at, hint)
        return seconds

    def _check_unit(self, text: str, value: float, at: int, figure: tuple[str, ...]) -> None:
        """Refuse a value that a figure cannot have: the condition would silently never hold."""
        found = _UNITS.search(text)
        unit = found[0] if found else ""
        has_amounts = figure[0] == "queue" and figure[2] in AMOUNTS
        is_named = figure[0] in self.language.named
        name = ".".join(figure[-2:]) if figure[0] == "queue" else figure[-1] if is_named else figure[0]
        if self.language.is_part(figure):
            if unit not in ("", _PERCENT):
                raise self._error(f"'{text}' is an amount, and {name} is a part of the whole", at, "0.2, or 20%")
            if not unit and value > 1:
                raise self._error(f"{name} is a part of the whole, and {text} is more than that", at, f"write {text}%")
        elif unit == _PERCENT:
            raise self._error(f"'{text}' is a part of the whole, and {name} is a number", at, "write it without %")
        elif not has_amounts and unit:
            raise self._error(f"'{text}' is an amount, and {name} is a number", at, f"write it without {unit}")
        elif unit.endswith(_BINARY) and not is_in_bytes(figure[-1]):
            raise self._error(f"'{text}' is a number of bytes, and {name} is none", at, f"write it without {unit}")

    def _error(self, message: str, at: int, hint: str = "") -> ConditionError:
        return ConditionError(message, self.source, self.at + at, hint)
