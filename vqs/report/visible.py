"""Texts from a snapshot as people may safely see them: no name moves the cursor, breaks a line or is a command."""

from __future__ import annotations

from vqs import inert


def visible(text: str) -> str:
    r"""Return a text in which all that has no shape of its own is written out, and what a runner takes for a command.

    >>> visible("gpu\x1b[31m\n")
    'gpu\\x1b[31m\\n'
    """
    return inert.name(text)
