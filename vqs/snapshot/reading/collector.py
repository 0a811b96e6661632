"""Keeping the garbage collector out of the way where hundreds of thousands of objects are made and all are kept."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_PATIENT: Final = (100_000, 20, 50)
"""How many objects are made between two looks for garbage, and how seldom older ones are looked at."""


@contextmanager
def paused_collector() -> Iterator[None]:
    """Keep the garbage collector from walking over what is being made; it would find nothing, again and again."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def patient_collector() -> Iterator[None]:
    """Let the garbage collector run seldom: for many sessions, each of which leaves a cluster behind."""
    before = gc.get_threshold()
    gc.set_threshold(*_PATIENT)
    try:
        yield
    finally:
        gc.set_threshold(*before)
