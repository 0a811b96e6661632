"""What the environment says in place of the command line."""

import os
from collections.abc import Iterable, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import Final

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
