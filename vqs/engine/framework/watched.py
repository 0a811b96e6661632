"""Watching what the methods of an object return, without anybody seeing another object."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Watched = TypeVar("Watched")


def watched(answer: Watched, **watchers: Callable[..., None]) -> Watched:
    """Have functions called with what a method of an object has returned, and with what it was given.

    The object stays itself, and of its class: others may ask what it is, and may change it.
    """
    kind = type(answer)

    def watching(name: str, watcher: Callable[..., None]) -> Callable[..., Any]:
        method = getattr(kind, name)

        def watch(self: Watched, *asked: Any) -> Any:
            returned = method(self, *asked)
            watcher(returned, *asked)
            return returned

        return watch

    methods = {name: watching(name, watcher) for name, watcher in watchers.items()}
    make: Any = type(kind)
    object.__setattr__(answer, "__class__", make(kind.__name__, (kind,), {"__slots__": (), **methods}))
    return answer
