"""What is imported only once it is needed, named by text.

A command starts in the time that its imports take, so it imports what its configuration and its options name. Tables of
what there is to choose from, such as plugins, actions, and writers of formats, name it by text: MODULE:NAME. What only
some input needs is imported in the function that needs it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, TypeVar

Value = TypeVar("Value")


def load(name: str) -> Any:
    """What a text names as MODULE:NAME.

    >>> load("vqs.late:load").__name__
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
