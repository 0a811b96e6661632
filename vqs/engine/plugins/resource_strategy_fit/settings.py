"""What the plugin's arguments come to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from vqs.config.arguments import Arguments
from vqs.model.resource import CPU, MEMORY

DEFAULT_WEIGHT: Final = 10
MOST_ALLOCATED: Final = "MostAllocated"
LEAST_ALLOCATED: Final = "LeastAllocated"
STRATEGIES: Final = (MOST_ALLOCATED, LEAST_ALLOCATED)
ANY: Final = "*"


@dataclass(frozen=True, slots=True)
class Strategy:
    """What a resource counts for, and how much."""

    kind: str
    weight: int


@dataclass(frozen=True, slots=True)
class Avoidance:
    """The weight of the score, those of scarce resources, and their sum: a name that is listed twice counts twice."""

    weight: int = 0
    weights: Mapping[str, int] = field(default_factory=dict)
    sum: int = 0


@dataclass(frozen=True, slots=True)
class Proportion:
    """What is kept for each idle unit of a resource: in cores, and in GB of 1000^3 bytes."""

    cpu: float
    memory: float


@dataclass(frozen=True, slots=True)
class Settings:
    """All three parts; `proportions` is None where no node is refused."""

    weight: int
    strategies: Mapping[str, Strategy]
    avoidance: Avoidance
    proportions: Mapping[str, Proportion] | None

    @classmethod
    def of(cls, arguments: Arguments) -> Settings:
        """Read the arguments."""
        weight = arguments.decoded("resourceStrategyFitWeight")
        return cls(
            DEFAULT_WEIGHT if weight is None or weight < 0 else weight,
            dict(_strategies(arguments)),
            _avoidance(arguments.decoded("sra") or {}),
            _proportions(arguments.decoded("proportional") or {}),
        )

    def strategy(self, resource: str) -> Strategy | None:
        """Return the strategy of a resource: under its own name, else under the longest pattern that fits."""
        exact = self.strategies.get(resource)
        if exact is not None:
            return exact
        patterns = [name for name in self.strategies if ANY in name and resource.startswith(name.removesuffix(ANY))]
        return self.strategies[max(patterns, key=len)] if patterns else None


def is_pattern(name: str) -> bool:
    """Tell whether Volcano can read the name of a resource: with at most one asterisk, at its end and after something.

    >>> [is_pattern(each) for each in ("cpu", "example.com/*", "*", "*/gpu", "a*b*")]
    [True, True, False, False, False]
    """
    return ANY not in name or (name.endswith(ANY) and name.count(ANY) == 1 and name != ANY)


def _strategies(arguments: Arguments) -> Iterator[tuple[str, Strategy]]:
    given = arguments.decoded("resources") or {name: {"type": LEAST_ALLOCATED, "weight": 1} for name in (CPU, MEMORY)}
    for name, each in given.items():
        if not is_pattern(name):
            arguments.warnings.append(
                f"resources.{name}: an asterisk may only stand at the end of a name; it is left out, as Volcano does"
            )
            continue
        kind = MOST_ALLOCATED if each["type"] == MOST_ALLOCATED else LEAST_ALLOCATED
        yield name, Strategy(kind, each["weight"] if each["weight"] > 0 else 1)


def _avoidance(given: Mapping[str, Any]) -> Avoidance:
    if not given.get("enable"):
        return Avoidance()
    names = _names(given)
    weights = {name: _or_one(given["resourceWeight"], name) for name in names}
    return Avoidance(given["weight"], weights, sum(weights[name] for name in names))


def _proportions(given: Mapping[str, Any]) -> dict[str, Proportion] | None:
    if not given.get("enable"):
        return None
    rates = given["resourceProportion"]
    return {name: Proportion(_or_one(rates, f"{name}.cpu"), _or_one(rates, f"{name}.memory")) for name in _names(given)}


def _names(given: Mapping[str, Any]) -> list[str]:
    names = [name.strip() for name in given["resources"].split(",")]
    return [name for name in names if name]


def _or_one(amounts: Mapping[str, Any], name: str) -> Any:
    """Return what is given for a name, 1 where nothing is or where it is negative."""
    amount = amounts.get(name, 1)
    return 1 if amount < 0 else amount
