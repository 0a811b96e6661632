"""Lists of things as columns of numbers, so that 50,000 tasks are a small file that opens at once.

Every text is written once, and stands for its number everywhere else. What makes a column short is tried: to write
how often a number is repeated, and to write differences. `script/data.js` reads it again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise
from typing import Any

import msgspec

from vqs.inert import name as visible

Column = list[int] | dict[str, list[int]]


class Texts:
    """Texts by number, in the order in which they are first met; the empty one is 0."""

    def __init__(self) -> None:
        self._numbers = {"": 0}

    def number(self, text: str | None) -> int:
        """Return the number that stands for a text."""
        return self._numbers.setdefault(text or "", len(self._numbers))

    def column(self, texts: Iterable[str | None]) -> Column:
        """Return a column of numbers that stand for texts."""
        return packed([self.number(text) for text in texts])

    def listed(self) -> list[str]:
        """Return all texts, as people may safely see them."""
        return [visible(text) for text in self._numbers]


class Objects:
    """Whole objects by number, such as verdicts that many tasks share; 0 stands for none."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {None: 0}
        self._objects: list[Any] = [None]

    def number(self, key: object, value: object) -> int:
        """Return the number of an object; what has the same key is the same object."""
        if key not in self._numbers:
            self._numbers[key] = len(self._objects)
            self._objects.append(value)
        return self._numbers[key]

    def listed(self) -> list[Any]:
        """Return all objects."""
        return [shown(value) for value in self._objects]


class Places:
    """Where names stand in a list; a name that is not in it is a text, written as a number below zero."""

    def __init__(self, names: Iterable[str], texts: Texts) -> None:
        self._places = {name: place for place, name in enumerate(names)}
        self._texts = texts

    def number(self, name: str) -> int:
        """Return the place of a name."""
        place = self._places.get(name)
        return -1 - self._texts.number(name) if place is None else place

    def column(self, names: Iterable[str]) -> Column:
        """Return a column of places."""
        return packed([self.number(name) for name in names])


def packed(values: Sequence[int]) -> Column:
    """Return the shortest way to write a column.

    >>> packed([4, 7]), packed([5, 5, 5, 5, 5]), packed([1, 2, 3, 4, 5])
    ([4, 7], {'runs': [5, 5]}, {'steps': [1, 5]})
    """
    steps = [after - before for before, after in pairwise([0, *values])]
    shortened = {"runs": _runs(values), "steps": _runs(steps)}
    shortest = min(shortened, key=lambda name: len(shortened[name]))
    return {shortest: shortened[shortest]} if len(shortened[shortest]) < len(values) else list(values)


def _runs(values: Iterable[int]) -> list[int]:
    return [figure for value, run in groupby(values) for figure in (value, sum(1 for _ in run))]


def names_column(names: Iterable[str]) -> dict[str, Any]:
    r"""Return names, each without what it has in common with the one before it.

    >>> names_column(["ml/train-0", "ml/train-1", "ml/x"])
    {'shared': [0, 9, 3], 'rest': 'ml/train-0\n1\nx'}
    """
    written = [visible(name) for name in names]
    shared = [_shared(before, after) for before, after in pairwise(["", *written])]
    return {"shared": packed(shared), "rest": "\n".join(name[n:] for name, n in zip(written, shared, strict=True))}


def _shared(before: str, after: str) -> int:
    """Count the letters that both begin with; it ends at the first that a script may count otherwise than Python."""
    pairs = enumerate(zip(before, after, strict=False))
    return next((at for at, (one, other) in pairs if one != other or not one.isascii()), min(len(before), len(after)))


def shown(value: Any) -> Any:
    """Return JSON-like data with every text in it as people may safely see it."""
    match value:
        case str():
            return visible(value)
        case dict():
            return {visible(name): shown(each) for name, each in value.items()}
        case list() | tuple():
            return [shown(each) for each in value]
        case _:
            return value


def plain(result: msgspec.Struct) -> Any:
    """Return a result as data for the page, named as in its JSON."""
    return shown(msgspec.to_builtins(result))
