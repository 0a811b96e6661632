"""What values a parameter takes: a list, evenly spaced numbers, or all numbers between two.

None of them is expanded: a value is computed from its index, or from a part between 0 and 1 of the whole.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, TypeVar

Value = bool | int | float | str
"""A value of a parameter; of a parameter with options, the name of one."""
Edit = str | Mapping[str, object]
"""A what-if edit: a text as `vqs.snapshot.whatif.edits` reads it, or an object that is added."""
Kind = TypeVar("Kind", str, Edit)

_DIGITS: Final = 12
"""How many digits of a computed number count: 0.1 + 0.2 is 0.3."""


@dataclass(frozen=True, slots=True)
class Values:
    """A list of values.

    >>> Values((1, 2, 5)).part(0.5)
    2
    """

    values: Sequence[Value]

    @property
    def number(self) -> int:
        """How many values there are."""
        return len(self.values)

    @property
    def is_numeric(self) -> bool:
        """Whether all values are numbers."""
        return all(isinstance(each, int | float) and not isinstance(each, bool) for each in self.values)

    def at(self, index: int) -> Value:
        """Return the value at an index, counted from 0."""
        return self.values[index]

    def part(self, part: float) -> Value:
        """Return the value at a part of the list, from 0 up to but not including 1."""
        return self.values[min(int(part * self.number), self.number - 1)]


@dataclass(frozen=True, slots=True)
class Steps:
    """Numbers from one to another, evenly spaced, or each the same multiple of the one before.

    >>> [Steps(1, 10, 4).at(index) for index in range(4)], Steps(1, 1000, 4, is_log=True).at(2)
    ([1, 4, 7, 10], 100)
    """

    start: float
    stop: float
    number: int
    is_log: bool = False
    is_numeric: ClassVar[bool] = True

    def at(self, index: int) -> Value:
        """Return the value at an index, counted from 0."""
        if self.number == 1:
            return _plain(self.start)
        return between(self.start, self.stop, index / (self.number - 1), is_log=self.is_log)

    def part(self, part: float) -> Value:
        """Return the value at a part of the numbers, from 0 up to but not including 1."""
        return self.at(min(int(part * self.number), self.number - 1))


@dataclass(frozen=True, slots=True)
class Span:
    """All numbers from one to another, without an end of their list: a grid has no place for them.

    >>> Span(1, 100, is_log=True).part(0.5), Span(1, 6, is_integer=True).part(0.99)
    (10, 6)
    """

    start: float
    stop: float
    is_log: bool = False
    is_integer: bool = False
    is_numeric: ClassVar[bool] = True

    @property
    def number(self) -> int | None:
        """How many values there are; None for more than can be counted."""
        return int(self.stop) - int(self.start) + 1 if self.is_integer else None

    def at(self, index: int) -> Value:
        """Return the whole number at an index, counted from 0."""
        return int(self.start) + index

    def part(self, part: float) -> Value:
        """Return the number at a part of the span, from 0 up to but not including 1."""
        if not self.is_integer:
            return between(self.start, self.stop, part, is_log=self.is_log)
        above = between(self.start, self.stop + 1, part, is_log=self.is_log)
        return min(math.floor(float(above)), int(self.stop))


Domain = Values | Steps | Span


def between(start: float, stop: float, part: float, *, is_log: bool) -> int | float:
    """Return the number at a part of the way from one to another; on a logarithmic scale, both are above 0."""
    if is_log:
        return _plain(math.exp(math.log(start) + part * (math.log(stop) - math.log(start))))
    return _plain(start + part * (stop - start))


def _plain(value: float) -> int | float:
    """Return a number without the digits that computing adds; a whole one as such."""
    rounded = float(f"{value:.{_DIGITS}g}")
    return int(rounded) if rounded.is_integer() else rounded


def edits_of(value: Value, edits: Iterable[Kind], options: Mapping[str, Sequence[Kind]] | None) -> list[Kind]:
    """Return the edits that make a value of a parameter: those of an option, else some with the value for ``{}``.

    >>> edits_of(4, ["queue/b.spec.weight={}"], None), edits_of("on", [], {"on": ["remove job/a"], "off": []})
    (['queue/b.spec.weight=4'], ['remove job/a'])
    """
    if options:
        return list(options.get(str(value), ()))
    return [each.replace("{}", written(value)) if isinstance(each, str) else each for each in edits]


def written(value: Value) -> str:
    """Write a value as an edit takes it.

    >>> written(True), written(0.25), written("best")
    ('true', '0.25', 'best')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)
