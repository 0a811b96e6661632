"""The process that a command has to itself: what it read and made is left to the end of the process.

To free the objects of a big cluster one by one, and to look for garbage among them, takes a fifth of a command. The end
of a process frees all at once. Where a command is called as a function, nothing is left.
"""

import gc
from contextvars import ContextVar
from typing import Final, TypeVar

T = TypeVar("T")

IS_OWN: Final = ContextVar("IS_OWN", default=False)
"""Whether the process ends with the command."""

_left: Final[list[object]] = []
_left.append(_left)  # what holds itself is not freed by the interpreter as it ends, unless the collector finds it


def left_to_its_end(thing: T) -> T:
    """Return something that is needed until the command ends, or nearly; all that there is now is left, too.

    Call it before the collector, if it was paused, has a chance to look at what was made meanwhile.
    """
    if IS_OWN.get():
        _left.append(thing)
        gc.freeze()  # the collector looks at none of it again
    return thing
