"""Tables of what is built in, which extensions add to for a while, and whose rows are imported when they are needed.

What is added counts in the running context only (see `contextvars`): two commands in one process do not share it.

A command starts in the time that its imports take, so it imports what its configuration and its options name. Tables of
what there is to choose from, such as plugins, actions, and writers of formats, name it by text: MODULE:NAME. What only
some input needs is imported in the function that needs it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from typing import Any, Final, TypeVar

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


def load(name: str) -> Any:
    """What a text names as MODULE:NAME.

    >>> load("vqs.extensible:load").__name__
    'load'
    """
    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)


class Late(Mapping[str, Value]):
    """A table whose names are known, and whose values are imported when they are asked for."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def __getitem__(self, name: str) -> Value:
        value: Value = load(self._names[name])
        return value

    def __contains__(self, name: object) -> bool:
        """True if there is such a name; nothing is imported for that."""
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
