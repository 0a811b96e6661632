"""Counting what a function does: the same on every machine, however busy."""

from __future__ import annotations

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

    def count(frame: FrameType, event: str, _: object) -> TraceFunction | None:
        nonlocal steps
        if event == "call":
            steps += 1
            return count if frame.f_code.co_filename.startswith(OWN) else None
        steps += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        run()
    finally:
        sys.settrace(before)
    return steps
