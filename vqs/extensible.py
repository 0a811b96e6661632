"""Tables of what is built in, which plugins and actions from outside the package may add to for a while.

What is added counts in the running context only (see `contextvars`): two commands in one process do not share it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, TypeVar

Value = TypeVar("Value")

PLUGIN_GROUP: Final = "vqs.plugins"
ACTION_GROUP: Final = "vqs.actions"
"""The groups of entry points by which installed packages bring plugins and actions along."""


class ExtensionFaultError(Exception):
    """A plugin or an action from outside the package does what it must not; `name` is that of the plugin, if known."""

    def __init__(self, message: str, name: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.name = name

    def __str__(self) -> str:
        """The message, also where it is a KeyError, too."""
        return self.message


class Extensible(Mapping[str, Value]):
    """A table by name: what is built in first, then what is added.

    >>> weights = Extensible({"binpack": 1})
    >>> with weights.extended({"rack": 2}):
    ...     list(weights)
    ['binpack', 'rack']
    >>> "rack" in weights
    False
    """

    def __init__(self, built_in: Mapping[str, Value]) -> None:
        self.built_in = built_in
        self._added: ContextVar[Mapping[str, Value]] = ContextVar("added")

    def __getitem__(self, name: str) -> Value:
        found = self.built_in.get(name)
        return self._added.get({})[name] if found is None else found

    def __iter__(self) -> Iterator[str]:
        yield from self.built_in
        yield from self._added.get({})

    def __len__(self) -> int:
        return len(self.built_in) + len(self._added.get({}))

    @contextmanager
    def extended(self, more: Mapping[str, Value]) -> Iterator[None]:
        """Add to the table while the context lasts.

        Raises:
            ValueError: a name is taken.
        """
        taken = sorted(name for name in more if name in self)
        if taken:
            raise ValueError(f"taken: {', '.join(taken)}")
        token = self._added.set({**self._added.get({}), **more})
        try:
            yield
        finally:
            self._added.reset(token)
