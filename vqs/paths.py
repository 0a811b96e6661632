"""Paths as people give them: any text, whether a file can have that name or not."""

import os
from typing import Final

STDIN: Final = "-"
"""What people write for standard input."""


def is_folder(path: str | os.PathLike[str]) -> bool:
    """True if there is a folder; a name that no file can have is none."""
    return os.path.isdir(path)


def is_there(path: str | os.PathLike[str]) -> bool:
    """True if there is a file or folder; a name that no file can have is none."""
    return os.path.exists(path)


def identity(path: str) -> str:
    """What identifies a file, whatever it is called: where it is, without links; else the path itself."""
    try:
        return os.path.realpath(path)
    except (OSError, RecursionError, ValueError):
        return path


def printable(path: str) -> str:
    r"""A path as text that can be printed: bytes that are no UTF-8 are escaped.

    >>> printable("caf\udce9.yaml")
    'caf\\xe9.yaml'
    """
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
