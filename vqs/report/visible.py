"""Texts from a snapshot as people may safely see them: nothing in a name moves the cursor or breaks a line."""

from __future__ import annotations


def visible(text: str) -> str:
    r"""Return a text in which all that has no shape of its own is written out.

    >>> visible("gpu\x1b[31m\n")
    'gpu\\x1b[31m\\n'
    """
    return text if text.isprintable() else "".join(map(_written_out, text))


def _written_out(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape").decode()
