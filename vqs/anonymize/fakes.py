"""Fake words that sort as the words do that they stand for.

A fake is made of syllables and ends in a q, like no word of a report does: ``bakoq``. Words that stay split the
alphabet: the fakes of words between two of them are between the two as well, and begin as these do if there is no other
way. Within such a gap fakes are spread evenly, so that a key can be extended later.

Runs of numbers sort among each other, and have an ending of their own. Between numbers that stay there is no room for
them: no word is between 1 and 10, where 1.34.2 is.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import count
from typing import Final, NamedTuple

from vqs.anonymize.words import RUN

_SYLLABLES: Final = [consonant + vowel for consonant in "bdfghjklmnprstvwxz" for vowel in "aeiou"]
_END: Final = "q"
_END_OF_RUN: Final = "xq"
_LONGEST: Final = 6
_SLACK: Final = 4
"""A gap has to have this many times the room that is needed."""
_TELLING: Final = 3
"""This many letters of a word must not show up in a fake."""


class NoRoomError(Exception):
    """Between two words of a key there are no more fakes."""


def assign(words: Collection[str], fixed: Collection[str], known: Mapping[str, str]) -> dict[str, str]:
    """A fake for each word.

    Args:
        words: the words.
        fixed: words that stay, and that the fakes sort among as the words do.
        known: fakes that words have already; they are in the result.

    Raises:
        NoRoomError: the known ones leave no room for others.
    """
    telling = {word for word in (*words, *known) if len(word) >= _TELLING}
    fakes = dict(known)
    for are_runs, end, among in (
        (False, _END, fixed),
        (True, _END_OF_RUN, [word for word in fixed if not word.isdigit()]),
    ):
        new = sorted(word for word in set(words) - known.keys() if (RUN.fullmatch(word) is not None) is are_runs)
        own = {word: fake for word, fake in known.items() if fake.endswith(_END_OF_RUN) is are_runs}
        # The words whose place is settled, in their order, without fixed ones that known fakes are not among.
        points = sorted(own.items())
        found = [fake for _, fake in points]
        originals = [original for original, _ in points]
        settled = [
            (word, word)
            for word in among
            if word not in own and bisect_left(originals, word) == bisect_left(found, word)
        ]
        fakes.update(_assigned(new, sorted([*points, *settled]), telling, end))
    return fakes


def _assigned(
    words: Sequence[str], points: Sequence[tuple[str, str]], telling: Collection[str], ending: str
) -> Iterator[tuple[str, str]]:
    """Yield words with their fakes, gap by gap."""
    originals = [original for original, _ in points]
    begin = 0
    while begin < len(words):
        after = bisect_right(originals, words[begin])
        end = bisect_left(words, originals[after], begin) if after < len(points) else len(words)
        low = points[after - 1][1] if after else ""
        high = points[after][1] if after < len(points) else None
        gap = words[begin:end]
        yield from zip(gap, _between(low, high, len(gap), telling, ending), strict=True)
        begin = end


def _between(low: str, high: str | None, number: int, telling: Collection[str], ending: str) -> list[str]:
    """A number of fakes between two texts; None is above all."""
    enough = next(length for length in count(1) if len(_SYLLABLES) ** length >= number * _SLACK)
    texts = [text[:length] for text in (high or "", low) for length in range(1, len(text) + 1)]
    below = [text[:-1] + chr(ord(text[-1]) - 1) for text in texts if text[-1] in "123456789"]
    for text in ("", *texts, *below):
        if (high is None or text + _SYLLABLES[0] < high) and text + _SYLLABLES[-1] * _LONGEST > low:
            beginning = text
            for length in range(enough, max(enough, _LONGEST) + 1):
                form = _Form(beginning, length, ending)
                ranks = form.ranks(low, high)
                if len(ranks) >= number * _SLACK:
                    chosen = list(_spread(form, ranks, number, telling))
                    if len(chosen) == number:
                        return chosen
    raise NoRoomError


class _Form(NamedTuple):
    """The fakes with the same beginning, number of syllables and ending; they sort as their ranks do."""

    beginning: str
    length: int
    ending: str

    def fake(self, rank: int) -> str:
        """The fake of a rank."""
        syllables = []
        for _ in range(self.length):
            rank, syllable = divmod(rank, len(_SYLLABLES))
            syllables.append(_SYLLABLES[syllable])
        return f"{self.beginning}{''.join(reversed(syllables))}{self.ending}"

    def ranks(self, low: str, high: str | None) -> range:
        """The ranks of the fakes between two texts."""
        ranks = range(len(_SYLLABLES) ** self.length)
        first = bisect_right(ranks, low, key=self.fake)
        last = len(ranks) if high is None else bisect_left(ranks, high, key=self.fake)
        return ranks[first:last]


def _spread(form: _Form, ranks: range, number: int, telling: Collection[str]) -> Iterator[str]:
    """Yield fakes that are evenly spread, and none whose syllables have a word in them; too few where need be."""
    following = ranks.start
    for index in range(1, number + 1):
        rank = max(following, ranks.start + index * len(ranks) // (number + 1))
        while rank < ranks.stop and _tells(form.fake(rank)[len(form.beginning) :], telling):
            rank += 1
        if rank >= ranks.stop:
            return
        yield form.fake(rank)
        following = rank + 1


def _tells(syllables: str, telling: Collection[str]) -> bool:
    size = len(syllables)
    return any(syllables[begin:end] in telling for begin in range(size) for end in range(begin + _TELLING, size + 1))
