"""Counting what a function does: the same on every machine, however busy."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import vqs

if TYPE_CHECKING:  # it is there for type checkers alone
    from _typeshed import TraceFunction

OWN = str(Path(vqs.__file__).parent)


def steps_of(run: Callable[[], object]) -> int:
    """Count the lines of vqs that a function executes, those in loops each time, and all other calls in Python."""
    steps = 0

    def count(frame: FrameType, _: str, __: object) -> TraceFunction | None:
        nonlocal steps
        steps += 1
        return count_lines if is_own(frame.f_code.co_filename) else None

    def count_lines(_: FrameType, event: str, __: object) -> TraceFunction:
        nonlocal steps
        if event == "line":
            steps += 1
        return count_lines

    is_own = functools.cache(lambda file: file.startswith(OWN))
    before = sys.gettrace()
    sys.settrace(count)
    try:
        run()
    finally:
        sys.settrace(before)
    return steps
