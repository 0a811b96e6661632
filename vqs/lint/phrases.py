"""Parts of sentences in which findings are told."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from vqs.explain.units import amount, in_words
from vqs.model.resource import EPHEMERAL_STORAGE, MEMORY
from vqs.model.wording import written
from vqs.snapshot.diagnostics import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_WITHOUT_DIGITS = str.maketrans("", "", "0123456789")


def quantity(name: str, value: float) -> str:
    """Write an amount in the scheduler's unit with its resource.

    >>> quantity("cpu", 1500.0), quantity("memory", 2.0**30), quantity("nvidia.com/gpu", 0.0)
    ('1.5 cpu', '1Gi memory', 'no nvidia.com/gpu')
    """
    if not value:
        return f"no {name}"
    if name == EPHEMERAL_STORAGE or name.startswith("hugepages-"):
        return f"{written(MEMORY, amount(name, value))} {name}"
    return f"{in_words(name, value)} {name}"


def count(number: int, noun: str) -> str:
    """Write a number of things.

    >>> count(1, "pod"), count(3, "pod")
    ('1 pod', '3 pods')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def enumeration(parts: Sequence[str]) -> str:
    """Join parts of a sentence.

    >>> enumeration(["a", "b", "c"]), enumeration(["a"])
    ('a, b and c', 'a')
    """
    *most, last = parts
    return f"{', '.join(most)} and {last}" if most else last


def near_name(name: str, choices: Iterable[str]) -> str:
    """Return a hint at the name that was probably meant; names that differ in a number only are not alike.

    >>> near_name("trian", ["train", "test"]), near_name("job-1", ["job-2"])
    ("did you mean 'train'?", '')
    """
    stem = name.translate(_WITHOUT_DIGITS)
    return did_you_mean(name, [each for each in choices if each.translate(_WITHOUT_DIGITS) != stem])


def near_names(choices: Iterable[str]) -> Callable[[str], str]:
    """Return `near_name` for some choices; many objects may lack the same name, and it is looked for once."""
    known = list(choices)
    return cache(lambda name: near_name(name, known))
