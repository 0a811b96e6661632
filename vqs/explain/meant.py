"""Finds what expectations name, without looking at everything for each of them.

A name is looked up. A pattern is compared with all names, once however often it is written, and all that this takes
together is bounded: patterns and tasks multiply.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Final, Generic, TypeVar

Thing = TypeVar("Thing")

WILDCARDS: Final = frozenset("*?[")
MOST_WORK: Final = 10_000_000_000
"""Some twenty seconds: characters of names times those of patterns, and what is done with what they stand for."""

_OF_A_COMPARISON: Final = 500
_OF_A_FINDING: Final = 2000


class TooMuch(Exception):  # noqa: N818 - it is the work that is too much
    """Too many names would have to be compared with too many patterns."""


class Work:
    """What was done for expectations so far."""

    def __init__(self) -> None:
        self._done = 0

    def compare(self, pattern: str, names: int, characters: int) -> None:
        """Count the comparison of a pattern with names: their number, and their characters together.

        Raises:
            TooMuch: this would be more than can be waited for.
        """
        self._add(_OF_A_COMPARISON * names + len(pattern) * characters)

    def find(self, number: int) -> None:
        """Count things that are looked at.

        Raises:
            TooMuch: this would be more than can be waited for.
        """
        self._add(_OF_A_FINDING * number)

    def _add(self, more: int) -> None:
        self._done += more
        if self._done > MOST_WORK:
            raise TooMuch


class Named(Generic[Thing]):
    """Things by name; several can have the same one, and one can have several."""

    def __init__(self, things: Iterable[Thing], names: Callable[[Thing], Iterable[str]], work: Work) -> None:
        self._things = [(frozenset(names(thing)), thing) for thing in things]
        self._by_name: dict[str, list[Thing]] = {}
        for own, thing in self._things:
            for name in sorted(own):
                self._by_name.setdefault(name, []).append(thing)
        self._characters = sum(map(len, self._by_name))
        self._matched: dict[str, list[Thing]] = {}
        self._work = work

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(self._by_name)

    def meant(self, pattern: str) -> Sequence[Thing]:
        """Return what a name or a pattern stands for, in the order in which it was given.

        Raises:
            TooMuch: this is one pattern too many.
        """
        if not WILDCARDS & set(pattern):
            return self._by_name.get(pattern, [])
        if pattern not in self._matched:
            self._work.compare(pattern, len(self._by_name), self._characters)
            names = {name for name in self._by_name if fnmatchcase(name, pattern)}
            self._matched[pattern] = [thing for own, thing in self._things if not own.isdisjoint(names)]
        return self._matched[pattern]
