"""The process that a command runs in: its environment, how a signal ends it, and what is left to its end.

Commands clean up first when a signal asks the process to end, as they do when they are interrupted. What a command read
and made is left to the end of its process: to free the objects of a big cluster one by one, and to look for garbage
among them, takes a fifth of a command, and the end of a process frees all at once. Where a command is called as a
function, nothing is left.

Variables of the environment stand for options that the command line does not have.
"""

import gc
import os
import signal
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import FrameType
from typing import Final, TypeVar

from vqs.cli.failures import say

T = TypeVar("T")

IS_OWN: Final = ContextVar("IS_OWN", default=False)
"""Whether the process ends with the command."""

_left: Final[list[object]] = []
_left.append(_left)  # what holds itself is not freed by the interpreter as it ends, unless the collector finds it
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


def left_to_its_end(thing: T) -> T:
    """Return something that is needed until the command ends, or nearly; all that there is now is left, too.

    Call it before the collector, if it was paused, has a chance to look at what was made meanwhile.
    """
    if IS_OWN.get():
        _left.append(thing)
        gc.freeze()  # the collector looks at none of it again
    return thing


PREFIX: Final = "VQS_"
SNAPSHOT: Final = "VQS_SNAPSHOT"
PROGRAM: Final = ContextVar("PROGRAM", default="vqs")
"""How the program was called."""
PLUGINS: Final[ContextVar[Sequence[str]]] = ContextVar("PLUGINS", default=())
"""The plugins and actions of one's own that the command was given."""


def variable(option: str) -> str:
    """Return the variable that sets an option.

    >>> variable("--no-color")
    'VQS_NO_COLOR'
    """
    return f"{PREFIX}{option.lstrip('-').replace('-', '_').upper()}"


def snapshot() -> list[str]:
    """Return the files and folders to read where the command line names none."""
    return [path for path in os.environ.get(SNAPSHOT, "").split(os.pathsep) if path]


def naming(files: Iterable[str]) -> str:
    """Say which variables name one of these files: they stand nowhere in the command. Empty where none does."""
    places = {str(place) for file in files if file for place in (file, *Path(file).parents)}
    names = sorted(name for name in os.environ if name.startswith(PREFIX))
    return said(name for name in names if places.intersection(os.environ[name].split(os.pathsep)))


def setting(options: Iterable[str]) -> str:
    """Say which options the environment sets; empty where it sets none."""
    return said(name for name in map(variable, options) if os.environ.get(name))


def said(names: Iterable[str]) -> str:
    """Say what variables are set to, in brackets."""
    settings = ", ".join(f"{name} is set to {os.environ[name]!r}" for name in names)
    return f" ({settings})" if settings else ""
