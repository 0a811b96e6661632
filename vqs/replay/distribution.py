"""How long things take: numbers of seconds that are fixed, or drawn.

A draw is a function of the seed and of what it is for, not of the order of draws. Two policies that are compared under
one seed therefore see the same durations, however differently they place the pods.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Final, Protocol

_BITS: Final = 53
"""How many bits of a hash make a number: as many as a float holds."""


class Distribution(Protocol):
    """A distribution of numbers of seconds, given by its quantile function."""

    def quantile(self, share: float) -> float:
        """Return the number of seconds that this share of all draws stays below; `share` is above 0 and below 1."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """Always the same number of seconds."""

    seconds: float

    def quantile(self, share: float) -> float:  # noqa: ARG002 - the same for every share
        """Return the number of seconds."""
        return self.seconds


def share(seed: int, *names: str) -> float:
    """Return a number between 0 and 1, both excluded, that a seed and some names determine.

    >>> share(1, "duration", "ns/job-0") == share(1, "duration", "ns/job-0"), 0 < share(2, "duration") < 1
    (True, True)
    """
    digest = blake2b("\0".join((str(seed), *names)).encode(), digest_size=8).digest()
    return ((int.from_bytes(digest) >> (64 - _BITS)) + 0.5) / 2.0**_BITS


def draw(distribution: Distribution, seed: int, *names: str) -> float:
    """Return a number of seconds, at least 0, that a seed and some names determine."""
    return max(distribution.quantile(share(seed, *names)), 0.0)
