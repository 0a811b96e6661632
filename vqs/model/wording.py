"""Amounts as one would write them in a manifest, numbers of things, and lists of names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from vqs.model.resource import MEMORY

_IN_BYTES: Final = (MEMORY, f"requests.{MEMORY}", f"limits.{MEMORY}")

MOST_NAMED: Final = 3
"""How many names a sentence gives before it counts the others."""


def written(name: str, shown: float | None) -> str:
    """Write an amount of a resource that is in the user's unit: cores, bytes, counts.

    >>> written("cpu", 1.5), written("memory", 2.0**34), written("pods", None)
    ('1.5', '16Gi', 'unlimited')
    """
    if shown is None:
        return "unlimited"
    if name in _IN_BYTES:
        for unit, size in (("Ti", 2**40), ("Gi", 2**30), ("Mi", 2**20), ("Ki", 2**10)):
            if abs(shown) >= size:
                return f"{shown / size:.2f}".rstrip("0").rstrip(".") + unit
        return f"{shown:.0f}"
    return f"{shown:.3f}".rstrip("0").rstrip(".")


def count(quantity: int, noun: str) -> str:
    """Write a number of things.

    >>> count(1, "node"), count(10000, "task"), count(2, "PriorityClass"), count(2, "Numatopology"), count(2, "day")
    ('1 node', '10,000 tasks', '2 PriorityClasses', '2 Numatopologies', '2 days')
    """
    if quantity == 1:
        return f"{quantity:,} {noun}"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{quantity:,} {noun[:-1]}ies"
    return f"{quantity:,} {noun}{'es' if noun.endswith('s') else 's'}"


def listed_names(names: Sequence[str]) -> str:
    """Write names one after the other.

    >>> listed_names(["priority", "gang", "drf"]), listed_names(["drf"]), listed_names([])
    ('priority, gang and drf', 'drf', '')
    """
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def and_more(number: int, noun: str = "") -> str:
    """Count what is not named of a list; empty where all is.

    >>> and_more(1200), and_more(1, "node"), and_more(0)
    (' and 1,200 more', ' and 1 more node', '')
    """
    if number <= 0:
        return ""
    return f" and {count(number, f'more {noun}') if noun else f'{number:,} more'}"


def first_names(names: Sequence[str], most: int | None = MOST_NAMED, separator: str = "") -> str:
    """Name the first of a list, all where there is no most, and count the others; or set them apart by a separator.

    >>> first_names(["a", "b", "c"], 2), first_names(["a", "b", "c"], None)
    ('a, b and 1 more', 'a, b and c')
    """
    shown = names[:most]
    if len(shown) == len(names) and not separator:
        return listed_names(shown)
    return (separator or ", ").join(shown) + and_more(len(names) - len(shown))
