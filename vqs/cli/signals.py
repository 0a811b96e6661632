"""Termination by a signal: commands clean up first, as they do when interrupted."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

from vqs.cli.failures import say

_NAMES: Final = ("SIGTERM", "SIGHUP")
"""The signals that ask a process to end; some systems lack one of them."""
_KILLED: Final = 128
"""Shells add this to the number of the signal that ended a process."""


class Terminated(SystemExit):
    """A signal asked the process to end."""


@contextmanager
def ended_in_order() -> Iterator[None]:
    """Raise `Terminated` when a signal asks the process to end, unless its parent process has it ignored."""
    numbers = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    usual = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]

    def end(number: int, _frame: FrameType | None) -> None:
        for each in usual:
            signal.signal(each, signal.SIG_IGN)  # cleaning up is not to be disturbed
        raise Terminated(_KILLED + number)

    for number in usual:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in usual:
            signal.signal(number, signal.SIG_DFL)


@contextmanager
def told_if_interrupted(hint: str, *, quiet: bool) -> Iterator[None]:
    """Say how to go on where the command is interrupted, or a signal asks it to end."""
    try:
        yield
    except (KeyboardInterrupt, Terminated):
        if not quiet:
            say(f"interrupted; {hint}")
        raise
