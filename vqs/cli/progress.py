"""A progress bar on stderr, for those who wait at a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:  # most runs are over before there is anything to show
    from rich.progress import Progress as Bar
    from rich.progress import TaskID


_PATIENCE: Final = 1.0
_INTERVAL: Final = 0.1


class Progress(AbstractContextManager["Progress"]):
    """Shows a stage and how far it is, once the whole has taken a second; leaves nothing behind."""

    def __init__(self, *, times: bool = False) -> None:
        """Begin; `times` adds how much is done, and how much time that leaves."""
        self._next = time.monotonic() + _PATIENCE
        self._enabled = sys.stderr is not None and sys.stderr.isatty()
        self._bar: Bar | None = None
        self._stage: TaskID | None = None
        self._name = ""
        self._times = times

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar:
            self._bar.stop()

    def __call__(self, stage: str | Callable[[], str], done: int, total: int) -> None:
        """Take note of progress; mostly this costs a look at the clock, and no text of a stage that changes."""
        now = time.monotonic()
        if not self._enabled or now < self._next:
            return
        self._next = now + _INTERVAL
        if isinstance(stage, str):
            self._show(stage, stage, done, total)
        else:
            self._show("", stage(), done, total)

    def _show(self, name: str, text: str, done: int, total: int) -> None:
        bar = self._bar = self._bar or _start_bar(times=self._times)
        if self._stage is None or name != self._name:
            if self._stage is not None:
                bar.remove_task(self._stage)
            self._stage, self._name = bar.add_task(text, total=total), name
        bar.update(self._stage, description=text, completed=done, total=total, refresh=True)


def _start_bar(*, times: bool) -> Bar:
    # Imported late: most runs are over before there is anything to show.
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    more = (MofNCompleteColumn(), TimeRemainingColumn()) if times else ()
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        *more,
        console=Console(stderr=True),
        transient=True,
        auto_refresh=False,
    )
    bar.start()
    return bar
