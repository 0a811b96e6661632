"""Texts with commands in them, broken into lines so that a shell takes each command for one, as it is copied."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final

_CONTINUED: Final = " \\"
"""What ends a line that a shell is to join with the next one."""

_WORD: Final = re.compile(r"""(?:[^\s'"]|'[^']*'|"(?:\\.|[^"\\])*")+""")
"""A word of a command; spaces in quotation marks are in it."""

_JSON: Final = re.compile(r"'[{\[][^']*'")
"""A word that means the same with other spaces between its parts, as a patch does."""

_TEXT: Final = re.compile(r'"(?:\\.|[^"\\])*"')

_BETWEEN, _WITHIN = "\ue000", "\ue001"
"""Stand for spaces of commands while a text is split: between two words, and within one."""


def words_of(text: str, commands: Collection[str]) -> list[tuple[str, bool]]:
    """Return the words of a text, and whether each goes on with a command.

    What is in quotation marks is one word, but for JSON, in which a line may end, though in none of its texts.

    >>> words_of("run kubectl get -l 'a in (b)'; then wait", ["kubectl get -l 'a in (b)'"])[:4]
    [('run', False), ('kubectl', False), ('get', True), ('-l', True)]
    """
    for command in sorted(commands, key=len, reverse=True):
        text = text.replace(command, _BETWEEN.join(map(_as_one, _WORD.findall(command))))
    return [
        (word.replace(_WITHIN, " "), number > 0)
        for each in text.split()
        for number, word in enumerate(each.split(_BETWEEN))
    ]


def _as_one(word: str) -> str:
    """Mark the spaces of a word at which no line may end."""
    if _JSON.fullmatch(word):
        return _TEXT.sub(lambda text: text[0].replace(" ", _WITHIN), word)
    return word.replace(" ", _WITHIN)


def folded(words: Sequence[tuple[str, bool]], width: int | None) -> Iterator[str]:
    """Yield lines of words, each with whether it goes on with a command; a word is whole, however long."""
    line = ""
    for number, (word, in_command) in enumerate(words):
        goes_on = number + 1 < len(words) and words[number + 1][1]
        room = math.inf if width is None else width - len(_CONTINUED) * goes_on
        if line and len(line) + 1 + len(word) > room:
            yield f"{line}{_CONTINUED if in_command else ''}"
            line = word
        else:
            line = f"{line} {word}" if line else word
    if line:
        yield line
