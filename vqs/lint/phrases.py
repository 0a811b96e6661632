"""Parts of the sentences of findings."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Protocol

from vqs.explain.units import amount, in_words
from vqs.model.resource import EPHEMERAL_STORAGE, MEMORY
from vqs.model.wording import written
from vqs.snapshot.reading.diagnostics import Guesser

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


class NearName(Protocol):
    """Returns a hint at the name that was probably meant, be it not one of a few others."""

    def __call__(self, name: str, without: frozenset[str] = ..., /) -> str:
        """Return the hint, or an empty text."""


def near_names(choices: Iterable[str]) -> NearName:
    """Return what hints at the name that was probably meant; names that differ in a number only are not alike.

    Many objects may lack the same name, and it is looked for once.

    >>> near = near_names(["train", "test", "job-2"])
    >>> near("trian"), near("job-1")
    ("did you mean 'train'?", '')
    """
    guesser = Guesser(choices)

    def near(name: str, without: frozenset[str] = frozenset()) -> str:
        stem = name.translate(_WITHOUT_DIGITS)
        return guesser.hint(name, lambda each: each.translate(_WITHOUT_DIGITS) != stem and each not in without)

    return cache(near)
