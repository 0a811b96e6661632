"""Fake words that sort as the words do that they stand for.

A fake is made of syllables and ends in a q, like no word of a report does: ``bakoq``. Words that stay split the
alphabet: the fakes of words between two of them are between the two as well, and begin as these do if there is no other
way. Within such a gap fakes are spread evenly, so that a key can be extended later.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

_SYLLABLES: Final = [consonant + vowel for consonant in "bdfghjklmnprstvwxz" for vowel in "aeiou"]
_END: Final = "q"
_LONGEST: Final = 6
_SLACK: Final = 4
"""A gap has to have so many times the room that is needed."""
_TELLING: Final = 3
"""So many letters of a word must not show up in a fake."""


class NoRoomError(Exception):
    """Between two words of a key there are no more fakes."""


def assign(words: Collection[str], fixed: Collection[str], known: Mapping[str, str]) -> dict[str, str]:
    """Return a fake for each word.

    Args:
        words: the words.
        fixed: words that stay, and that the fakes sort among as the words do.
        known: fakes that words have already; they are in the result.

    Raises:
        NoRoomError: the known ones leave no room for others.
    """
    new = sorted(set(words) - known.keys())
    telling = {word for word in (*new, *known) if len(word) >= _TELLING}
    fakes = dict(known)
    points = _points(fixed, known)
    originals = [original for original, _ in points]
    begin = 0
    while begin < len(new):
        after = bisect_right(originals, new[begin])
        end = bisect_left(new, originals[after], begin) if after < len(points) else len(new)
        low = points[after - 1][1] if after else ""
        high = points[after][1] if after < len(points) else None
        gap = new[begin:end]
        fakes.update(zip(gap, _between(low, high, len(gap), telling), strict=True))
        begin = end
    return fakes


def _points(fixed: Collection[str], known: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the words whose place is settled, in their order, without fixed ones that known fakes are not among."""
    points = sorted(known.items())
    fakes = [fake for _, fake in points]
    originals = [original for original, _ in points]
    settled = [
        (word, word)
        for word in fixed
        if word not in known and bisect_left(originals, word) == bisect_left(fakes, word)
    ]
    return sorted([*points, *settled])


def _between(low: str, high: str | None, number: int, telling: Collection[str]) -> Sequence[str]:
    """Return so many fakes between two texts; None is above all."""
    for beginning in _beginnings(low, high):
        for length in range(1, _LONGEST + 1):
            ranks = _ranks(beginning, length, low, high)
            if len(ranks) >= number * _SLACK:
                chosen = list(_spread(ranks, beginning, length, number, telling))
                if len(chosen) == number:
                    return chosen
    raise NoRoomError


def _beginnings(low: str, high: str | None) -> Iterator[str]:
    yield ""
    for text in (high or "", low):
        yield from (text[:length] for length in range(1, len(text) + 1))


def _ranks(beginning: str, length: int, low: str, high: str | None) -> range:
    """Return the ranks, among all words of so many syllables, of those that make a fake between two texts."""
    ranks = range(len(_SYLLABLES) ** length)

    def fake(rank: int) -> str:
        return _fake(beginning, rank, length)

    first = bisect_right(ranks, low, key=fake)
    last = len(ranks) if high is None else bisect_left(ranks, high, key=fake)
    return ranks[first:last]


def _spread(ranks: range, beginning: str, length: int, number: int, telling: Collection[str]) -> Iterator[str]:
    """Yield fakes that are evenly spread, and none that has a word in it; too few where that cannot be."""
    following = ranks.start
    for index in range(1, number + 1):
        rank = max(following, ranks.start + index * len(ranks) // (number + 1))
        while rank < ranks.stop and _tells(fake := _fake(beginning, rank, length), telling):
            rank += 1
        if rank >= ranks.stop:
            return
        yield fake
        following = rank + 1


def _tells(fake: str, telling: Collection[str]) -> bool:
    size = len(fake)
    return any(fake[begin:end] in telling for begin in range(size) for end in range(begin + _TELLING, size + 1))


def _fake(beginning: str, rank: int, length: int) -> str:
    syllables = []
    for _ in range(length):
        rank, syllable = divmod(rank, len(_SYLLABLES))
        syllables.append(_SYLLABLES[syllable])
    return f"{beginning}{''.join(reversed(syllables))}{_END}"
