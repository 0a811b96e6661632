"""What the sessions of one command have in common of an extender: the time for its requests, and that it is not asked.

A command may run hundreds of sessions; a server that is slow holds up the command no longer than it may a session.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Final

MAX_TOTAL_SECONDS: Final = 600.0
MAX_TIMEOUTS: Final = 20


class ExtenderUse:
    """Counts the seconds that requests take, by themselves or beside others, and the timeouts in a row.

    `not_asked` is called with what there is to say where a configuration has an extender that is not asked.
    """

    def __init__(self, not_asked: Callable[[str], None] | None = None) -> None:
        self.seconds = 0.0
        self.timeouts = 0
        self.not_asked = not_asked
        self._lock = Lock()
        self._number = 0
        self._since = 0.0

    def __reduce__(self) -> tuple[type[ExtenderUse], tuple[()]]:
        """Have another process count for itself, and leave it to this one to say that an extender is not asked."""
        return ExtenderUse, ()

    @contextmanager
    def requesting(self) -> Iterator[None]:
        """Count the time that is spent within."""
        with self._lock:
            self._number += 1
            if self._number == 1:
                self._since = time.monotonic()
        try:
            yield
        finally:
            with self._lock:
                self._number -= 1
                if self._number == 0:
                    self.seconds += time.monotonic() - self._since

    @property
    def exhausted(self) -> str:
        """Why no more requests are sent; empty where they are."""
        if self.timeouts >= MAX_TIMEOUTS:
            return f"{MAX_TIMEOUTS} requests in a row had no answer in time"
        if self.seconds >= MAX_TOTAL_SECONDS:
            return f"requests have taken {MAX_TOTAL_SECONDS:.0f} s already"
        return ""
