"""How long things take: numbers of seconds that are fixed, recorded, or drawn.

A draw is a function of the seed and of what it is for, not of the order of draws. Two policies that are compared under
one seed therefore see the same durations, however differently they place the pods. Each distribution is drawn from by
its quantile function, so that one uniform number makes one draw.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from itertools import accumulate
from statistics import NormalDist
from typing import Any, Final

from vqs.model.durations import LONGEST, read_seconds
from vqs.snapshot.reading.diagnostics import Path, did_you_mean, one_of

_BITS: Final = 52
"""How many bits of a hash make a number: with 53, the largest would be rounded to 1."""

_STANDARD_NORMAL: Final = NormalDist()


class DistributionError(ValueError):
    """A value stands for no distribution.

    Attributes:
        path: where in the value the fault is.
        message: what is wrong.
        hint: what to write instead, empty where nothing is close.
    """

    def __init__(self, message: str, path: Path = (), hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Fixed:
    """Always the same number of seconds."""

    seconds: float

    def quantile(self, share: float) -> float:  # noqa: ARG002 - the same for every share
        """Return the number of seconds."""
        return self.seconds


@dataclass(frozen=True, slots=True)
class Uniform:
    """Any time from `least` to `most` seconds."""

    least: float
    most: float

    def quantile(self, share: float) -> float:
        """Return the time that divides the interval by the share."""
        return self.least + (self.most - self.least) * share


@dataclass(frozen=True, slots=True)
class Exponential:
    """Times without memory: how much longer something takes does not depend on how long it has taken."""

    mean: float

    def quantile(self, share: float) -> float:
        """Invert ``1 - exp(-t / mean)``."""
        return -self.mean * math.log1p(-share)


@dataclass(frozen=True, slots=True)
class LogNormal:
    """Times whose logarithm is normally distributed, with `sigma` as its standard deviation."""

    median: float
    sigma: float

    def quantile(self, share: float) -> float:
        """Return ``median * exp(sigma * z)``, where z is the standard normal distribution's quantile."""
        return self.median * math.exp(self.sigma * _STANDARD_NORMAL.inv_cdf(share))


@dataclass(frozen=True, slots=True)
class Weibull:
    """Times to a failure that gets less likely with age where the shape is below 1, more likely where it is above."""

    scale: float
    shape: float

    def quantile(self, share: float) -> float:
        """Invert ``1 - exp(-(t / scale) ** shape)``."""
        return self.scale * math.pow(-math.log1p(-share), 1 / self.shape)


@dataclass(frozen=True, slots=True)
class Empirical:
    """Times that were observed, in ascending order; `shares` has the share of the draws up to each of them."""

    seconds: tuple[float, ...]
    shares: tuple[float, ...]

    @classmethod
    def of(cls, weights: Mapping[float, float]) -> Empirical:
        """Return the distribution of times, each as frequent as its weight says."""
        seconds = sorted(weights)
        sums = list(accumulate(weights[each] for each in seconds))
        return cls(tuple(seconds), tuple(each / sums[-1] for each in sums))

    def quantile(self, share: float) -> float:
        """Return the first time up to which there is such a share; nothing between two times is drawn."""
        return self.seconds[min(bisect_left(self.shares, share), len(self.seconds) - 1)]


@dataclass(frozen=True, slots=True)
class Recorded:
    """What each of some pods took, by its namespace/name; a pod that is not among them draws one of these times."""

    by_pod: Mapping[str, float]

    def quantile(self, share: float) -> float:
        """Return the time that a share of the pods did not exceed."""
        return sorted(self.by_pod.values())[int(share * len(self.by_pod))]


@dataclass(frozen=True, slots=True)
class Together:
    """What all pods of a job draw as one: a gang ends together."""

    of: Distribution
    job: str

    def quantile(self, share: float) -> float:
        """Return that of the job."""
        return self.of.quantile(share)


_LAST_SHARE: Final = 1 - 2**-_BITS


@dataclass(frozen=True, slots=True)
class Remaining:
    """What is left of a time of which some seconds are over, and of which there are no more than a limit.

    Attributes:
        of: the whole time.
        age: how many seconds of it are over.
        most: how many seconds may be left.
        past: the share of all times that are over by then: they do not count any more.
    """

    of: Distribution
    age: float
    most: float
    past: float

    @classmethod
    def after(cls, of: Distribution, age: float, most: float = math.inf) -> Remaining:
        """Return what is left of a time after some seconds."""
        low, high = 0.0, 1.0
        for _ in range(_BITS if age else 0):
            middle = (low + high) / 2
            low, high = (middle, high) if of.quantile(middle) <= age else (low, middle)
        return cls(of, age, most, low)

    @property
    def is_overdue(self) -> bool:
        """Whether the whole time was over before: nothing is left of it."""
        return self.age > 0 and self.of.quantile(_LAST_SHARE) <= self.age

    def quantile(self, share: float) -> float:
        """Return the seconds that are left, of the times that are not over."""
        whole = self.of.quantile(min(self.past + (1 - self.past) * share, _LAST_SHARE))
        return min(max(whole - self.age, 0.0), self.most)


Distribution = Fixed | Uniform | Exponential | LogNormal | Weibull | Empirical | Recorded | Together | Remaining
"""A distribution of numbers of seconds, given by its quantile function.

That returns the number of seconds that a share of all draws stays below; the share is above 0 and below 1.
"""


def share(seed: int, *names: str | int) -> float:
    """Return a number between 0 and 1, both excluded, that depends on the seed and the names alone.

    Numbers of different names are independent and uniform.

    >>> share(1, "duration", "ns/job-0") == share(1, "duration", "ns/job-0"), 0 < share(2, "duration") < 1
    (True, True)
    """
    key = "\0".join(str(each) for each in (seed, *names)).encode(errors="surrogatepass")
    number = int.from_bytes(blake2b(key, digest_size=8).digest(), "big") >> (64 - _BITS)
    return (number + 0.5) / (1 << _BITS)


def draw(distribution: Distribution, seed: int, *names: str) -> float:
    """Return the seconds that a seed and some names determine, at most `LONGEST`; the last name is a pod's."""
    if isinstance(distribution, Fixed):
        return distribution.seconds
    if isinstance(distribution, Recorded) and names[-1] in distribution.by_pod:
        return distribution.by_pod[names[-1]]
    if isinstance(distribution, Together):
        names = (*names[:-1], distribution.job)
    return min(max(distribution.quantile(share(seed, *names)), 0.0), LONGEST)


# --- reading ----------------------------------------------------------------------------------------------------------

_LARGEST_SIGMA: Final = 10.0
_SHAPES: Final = (0.1, 100.0)
_MOST_OBSERVED: Final = 100_000
_KINDS: Final = ("uniform", "exponential", "lognormal", "weibull", "empirical")
_FORMS: Final = "a number of seconds, a text such as 10m, or a distribution such as {exponential: 10m}"


def parse_seconds(value: Any, path: Path = ()) -> float:
    """Return a time in seconds that is given as a number of them, or with units up to days.

    >>> parse_seconds("1h30m"), parse_seconds(2.5)
    (5400.0, 2.5)

    Raises:
        DistributionError: it is neither, or is not from 0 to `LONGEST`.
    """
    if isinstance(value, str):
        seconds = read_seconds(value)
        if seconds is None:
            raise DistributionError(f"{value!r} is no duration", path, "write a number and a unit: 90s, 10m, 1h30m, 2d")
    elif isinstance(value, bool) or not isinstance(value, int | float):
        raise DistributionError("expected a number of seconds or a text such as 10m", path)
    else:
        seconds = float(value)
    if not 0 <= seconds <= LONGEST:
        raise DistributionError(f"{value} is out of range; expected 0 seconds to 100 years", path)
    return seconds


def parse_distribution(value: Any) -> Distribution:
    """Return the distribution that a value in a scenario stands for.

    >>> parse_distribution({"lognormal": {"median": "1h", "sigma": 0.5}})
    LogNormal(median=3600.0, sigma=0.5)

    Raises:
        DistributionError: it stands for none.
    """
    if not isinstance(value, Mapping):
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            return Fixed(parse_seconds(value))
        raise DistributionError(f"expected {_FORMS}")
    if len(value) != 1:
        raise DistributionError(f"expected one distribution: {one_of(_KINDS)}")
    [(kind, given)] = value.items()
    match kind:
        case "uniform":
            return _uniform(given)
        case "exponential":
            return Exponential(parse_seconds(given, (kind,)))
        case "lognormal":
            return LogNormal(
                parse_seconds(_member(given, kind, ("median", "sigma")), (kind, "median")),
                _number(given, (kind, "sigma"), 0.0, _LARGEST_SIGMA),
            )
        case "weibull":
            return Weibull(
                parse_seconds(_member(given, kind, ("scale", "shape")), (kind, "scale")),
                _number(given, (kind, "shape"), *_SHAPES),
            )
        case "empirical":
            return _empirical(given)
        case _:
            hint = did_you_mean(str(kind), _KINDS) or f"expected {one_of(_KINDS)}"
            raise DistributionError(f"there is no distribution {kind!r}", (kind,), hint)


def _uniform(given: Any) -> Uniform:
    if not isinstance(given, list) or len(given) != len(("least", "most")):
        raise DistributionError("expected the least and the most: [5m, 15m]", ("uniform",))
    least, most = (parse_seconds(each, ("uniform", index)) for index, each in enumerate(given))
    if least > most:
        raise DistributionError(f"the least, {given[0]}, is more than the most, {given[1]}", ("uniform",))
    return Uniform(least, most)


def _member(given: Any, kind: str, names: tuple[str, str]) -> Any:
    """Return the first of the two members that a distribution has."""
    if not isinstance(given, Mapping) or set(given) != set(names):
        raise DistributionError(f"expected {names[0]} and {names[1]}", (kind,))
    return given[names[0]]


def _number(given: Mapping[str, Any], path: tuple[str, str], least: float, most: float) -> float:
    value = given[path[1]]
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise DistributionError(f"expected a number from {least:g} to {most:g}", path)
    return float(value)


def _empirical(given: Any) -> Empirical:
    """Return the distribution of a list of times, or of a mapping from times to their weights."""
    if not isinstance(given, list | Mapping) or not given:
        message = "expected the times that were observed: [1m, 2m, 30m], or with their weights {1m: 5, 30m: 1}"
        raise DistributionError(message, ("empirical",))
    if len(given) > _MOST_OBSERVED:
        raise DistributionError(f"expected at most {_MOST_OBSERVED:,} times", ("empirical",))
    weights: dict[float, float] = {}
    for step, time in enumerate(given):
        place: Path = ("empirical", time if isinstance(given, Mapping) else step)
        weight = given[time] if isinstance(given, Mapping) else 1
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 < weight <= LONGEST:
            raise DistributionError("expected a weight, a number greater than 0", place)
        seconds = parse_seconds(time, place)
        weights[seconds] = weights.get(seconds, 0.0) + weight
    return Empirical.of(weights)
