"""How long pods take to start, by patterns of the images of their containers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import translate

from vqs.replay.distribution import Distribution


def pattern_of(text: str) -> re.Pattern[str]:
    """Return what the names match that a text stands for, in which ``*`` and ``?`` stand for others.

    >>> bool(pattern_of("a/b:*").match("a/b:1")), bool(pattern_of("a[b]").match("a[b]"))
    (True, True)
    """
    return re.compile(translate(text.replace("[", "[[]")))


class ImageDelays:
    """The start delays of images, each looked for once."""

    def __init__(self, delays: Iterable[tuple[str, Distribution]]) -> None:
        """Take patterns of images with their delays; the first pattern that matches an image counts."""
        self._patterns = [(pattern_of(text), delay) for text, delay in delays]
        self._known: dict[str, Distribution | None] = {}

    def __bool__(self) -> bool:
        """Tell whether there is any pattern."""
        return bool(self._patterns)

    def of(self, image: str) -> Distribution | None:
        """Return the start delay of an image; None where no pattern matches it."""
        if image not in self._known:
            self._known[image] = next((delay for pattern, delay in self._patterns if pattern.match(image)), None)
        return self._known[image]
