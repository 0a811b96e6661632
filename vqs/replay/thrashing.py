"""Queues that take from each other: evictions to and fro, which cost work and give neither queue more in the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from vqs.explain.outcome import Result

GAP: Final = 60.0
"""Evictions that are further apart than this, in seconds, do not belong together."""

SHORTEST: Final = 60.0
"""Evictions to and fro that end sooner, in seconds, are queues that find their shares, and nothing to warn of."""

FEWEST: Final = 2
"""Fewer evictions of one queue's pods for another queue are chance, and do not count."""


class Taking(NamedTuple):
    """A pod is evicted: when, from which queue, for which queue, and the work lost; times in seconds."""

    time: float
    victim: str
    taker: str
    lost: float


class Thrashing(Result, kw_only=True, omit_defaults=False):
    """Queues that take from each other, from the first eviction among them to the last.

    `start` and `end` are in seconds; `lost` is the work of the evicted pods, in seconds of pods.
    """

    queues: list[str]
    start: float
    end: float
    evictions: int
    lost: float


def thrashing(takings: Iterable[Taking]) -> list[Thrashing]:
    """Return which queues take from each other and when, the most evictions first.

    Evictions no further apart than `GAP` belong together. Among them, queues take from each other where each of them
    evicts from each other one, be it by way of others.
    """
    found = [each for series in _series(takings) for each in _among(series)]
    return sorted(found, key=lambda each: (-each.evictions, each.start, each.queues))


def _series(takings: Iterable[Taking]) -> Iterator[list[Taking]]:
    """Yield evictions between queues that follow one another without a long pause."""
    series: list[Taking] = []
    for each in sorted(each for each in takings if each.taker and each.taker != each.victim):
        if series and each.time - series[-1].time > GAP:
            yield series
            series = []
        series.append(each)
    if series:
        yield series


def _among(series: Sequence[Taking]) -> Iterator[Thrashing]:
    """Yield the queues that take from each other in one series of evictions."""
    pairs = Counter((each.victim, each.taker) for each in series)
    lasting = {pair for pair, number in pairs.items() if number >= FEWEST}
    for queues in _circles(lasting):
        mutual = [each for each in series if each.victim in queues and each.taker in queues]
        start, end = mutual[0].time, mutual[-1].time
        if end - start >= SHORTEST:
            lost = sum(each.lost for each in mutual)
            yield Thrashing(queues=sorted(queues), start=start, end=end, evictions=len(mutual), lost=lost)


def _circles(pairs: set[tuple[str, str]]) -> list[frozenset[str]]:
    """Return the sets of two or more names that all lead to one another."""
    names = sorted({name for pair in pairs for name in pair})
    reached = {name: _reached(name, pairs) for name in names}
    circles = (frozenset(other for other in reached[name] if name in reached[other]) for name in names)
    return [*dict.fromkeys(circle for circle in circles if len(circle) > 1)]


def _reached(name: str, pairs: set[tuple[str, str]]) -> set[str]:
    """Return the names that pairs lead to from a name."""
    found: set[str] = set()
    ahead = [name]
    while ahead:
        at = ahead.pop()
        following = {after for before, after in pairs if before == at} - found
        found |= following
        ahead.extend(following)
    return found
