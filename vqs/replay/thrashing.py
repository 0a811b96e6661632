"""Evictions to and fro, which cost work and lead nowhere: between queues, and between the jobs of one queue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from vqs.explain.outcome import Result

GAP: Final = 60.0
"""Evictions that are further apart than this, in seconds, do not belong together."""

SHORTEST: Final = 60.0
"""Evictions to and fro that end sooner, in seconds, are queues that find their shares, and nothing to warn of."""

FEWEST: Final = 2
"""Fewer evictions of one queue's pods for another queue are chance, and do not count."""


AGAIN: Final = 3
"""A pod that is evicted this often for the same job gains it nothing; twice can be chance."""


class Taking(NamedTuple):
    """A pod is evicted: when, from which queue, for which queue, and the work lost; times in seconds.

    `pod` and `job` are the pod and the job that it makes room for; `action` is what evicts it.
    """

    time: float
    victim: str
    taker: str
    lost: float
    pod: str = ""
    job: str = ""
    action: str = ""


class Thrashing(Result, kw_only=True, omit_defaults=False):
    """Queues that take from each other, or one in which pods are evicted again and again for the same job.

    `start` and `end`, in seconds, are the first such eviction and the last; `work_lost` is the work of the evicted
    pods, in seconds of pods; `action` is what evicts most of them.
    """

    queues: list[str]
    start: float
    end: float
    evictions: int
    work_lost: float
    action: str = ""


def thrashing(takings: Iterable[Taking]) -> list[Thrashing]:
    """Return which queues take from each other, or evict to and fro inside, and when; the most evictions first.

    Evictions no further apart than `GAP` belong together. Among them, queues take from each other where each of them
    evicts from each other one, be it by way of others. Inside a queue, those of a pod count that is evicted `AGAIN` and
    again for the same job.
    """
    known = sorted(each for each in takings if each.taker)
    between = [each for each in known if each.taker != each.victim]
    found: list[Thrashing] = []
    for series in _series(between):
        pairs = Counter((each.victim, each.taker) for each in series)
        often = {pair for pair, number in pairs.items() if number >= FEWEST}
        reached = {name: _reached(name, often) for name in sorted({name for pair in often for name in pair})}
        # The queues that all lead to one another.
        circles = [frozenset(name for name in names if each in reached[name]) for each, names in reached.items()]
        for queues in dict.fromkeys(circle for circle in circles if len(circle) > 1):
            found += _lasting(queues, [each for each in series if each.victim in queues and each.taker in queues])
    for queue in sorted({each.victim for each in known}):
        inside = [each for each in known if each.victim == each.taker == queue]
        for series in _series(inside):
            times = Counter((each.pod, each.job) for each in series)
            again = [each for each in series if times[each.pod, each.job] >= AGAIN]
            found += _lasting({each.victim for each in again}, again)
    return sorted(found, key=lambda each: (-each.evictions, each.start, each.queues))


def _series(takings: Iterable[Taking]) -> Iterator[list[Taking]]:
    """Yield evictions that follow one another without a long pause."""
    series: list[Taking] = []
    for each in takings:
        if series and each.time - series[-1].time > GAP:
            yield series
            series = []
        series.append(each)
    if series:
        yield series


def _lasting(queues: Collection[str], takings: Sequence[Taking]) -> Iterator[Thrashing]:
    """Yield evictions to and fro, unless they are soon over."""
    if takings and takings[-1].time - takings[0].time >= SHORTEST:
        [(action, _)] = Counter(each.action for each in takings).most_common(1)
        yield Thrashing(
            queues=sorted(queues),
            start=takings[0].time,
            end=takings[-1].time,
            evictions=len(takings),
            work_lost=sum(each.lost for each in takings),
            action=action,
        )


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
