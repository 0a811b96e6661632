"""Regular expressions in expressions: those of Go cannot take long, so only those of Python that cannot are used."""

from __future__ import annotations

import re
from typing import Final

from vqs.engine.cel.syntax import NotModelled
from vqs.engine.cel.values import EvaluationError
from vqs.snapshot.apiserver.validation.expressions import is_expression, search_pattern

_MOST_WAYS: Final = 1_000_000
"""How many ways to match a text may have to be tried: about half a second."""
_UNREADABLE: Final = "matches() with such a pattern"
_CHOICE: Final = re.compile(r"\\.|\[(?:\\.|[^\]])*\]|(?P<many>[*+]|\{[0-9]*,[0-9]*\})|(?P<few>[?|])|(?P<group>[()])")


def matches(text: str, pattern: str) -> bool:
    """Tell whether a pattern is found in a text.

    Raises:
        EvaluationError: Go cannot read the pattern.
        NotModelled: Python cannot, or might take long.

    >>> matches("NVIDIA-A100-80GB", "^NVIDIA-(A|H)100"), matches("NVIDIA-L40S", "^NVIDIA-(A|H)100")
    (True, False)
    """
    if not is_expression(pattern):
        raise EvaluationError(f"error parsing regexp: {pattern}")
    if _ways(pattern, len(text)) > _MOST_WAYS:
        raise NotModelled(_UNREADABLE)
    return _readable(pattern).search(text) is not None


def _readable(pattern: str) -> re.Pattern[str]:
    found = search_pattern(pattern)
    if found is None:
        raise NotModelled(_UNREADABLE)
    return found


def _ways(pattern: str, length: int) -> int:
    """Bound the number of ways in which a pattern may match at a place; a repetition of a choice has too many."""
    ways = 1
    depth_of_choice = False
    for token in _CHOICE.finditer(pattern):
        if token["many"]:
            closes_group = pattern[token.start() - 1 : token.start()] == ")"
            if closes_group and depth_of_choice:
                return _MOST_WAYS + 1
            ways *= length + 1
            depth_of_choice = True
        elif token["few"]:
            ways *= 2
            depth_of_choice = True
        if ways > _MOST_WAYS:
            return ways
    return ways * (length + 1)


def found(text: str, pattern: str) -> list[str]:
    """Return all parts of a text that a pattern matches, from left to right.

    Raises:
        EvaluationError: Go cannot read the pattern.
        NotModelled: Python cannot, or might take long.

    >>> found("A100-80GB", "[0-9]+")
    ['100', '80']
    """
    if not matches(text, pattern):
        return []
    return [each[0] for each in _readable(pattern).finditer(text)]
