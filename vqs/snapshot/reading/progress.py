"""How far reading is."""

from collections.abc import Callable
from typing import Final

ProgressCallback = Callable[[int, int], None]
"""Called with how many characters are read, and how many there are."""

_STEPS: Final = 100


class Progress:
    """Passes on how far reading is, in steps worth showing."""

    def __init__(self, total: int, callback: ProgressCallback | None) -> None:
        self.total = total
        self.callback = callback
        self.done = 0
        self.shown = 0

    def advance(self, length: int) -> None:
        """Count more characters as read."""
        self.done = min(self.done + length, self.total)
        if self.callback is None:
            return
        if self.done == self.total or self.done - self.shown >= self.total / _STEPS:
            self.shown = self.done
            self.callback(self.done, self.total)
