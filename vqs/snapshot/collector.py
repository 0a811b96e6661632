"""Keeping the garbage collector out of the way where hundreds of thousands of objects are made and all are kept."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


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
