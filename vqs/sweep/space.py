"""The points of a plan, by number: point n is computed from n, so that a space of any size takes no memory.

A point is a snapshot, a release, a value for each parameter, and a seed. They are numbered in that order: seeds change
fastest, then the last parameter. Where constraints leave points out, only the numbers of those that stay are kept.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from hashlib import blake2b
from math import prod
from typing import Final

from vqs.releases.release import Build
from vqs.snapshot.reading.diagnostics import Diagnostic
from vqs.sweep.constraints import NoValueError
from vqs.sweep.domains import Edit, Value
from vqs.sweep.plan import Plan

MOST_POINTS: Final = 10_000
"""How many points are run at most, unless it is said how many."""
MOST_CANDIDATES: Final = 250_000
"""For how many points constraints are checked at most."""
_MOST_DRAWS: Final = 100
"""How many points are drawn at most for each that is wanted: constraints may leave out most of them."""
_BYTES: Final = 8
_CHOOSE: Final = "choose some of them with choose: {method: latin-hypercube, points: 1000}"


class SpaceError(Exception):
    """The points of a plan cannot be run: there are too many, or none."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint

    def diagnostic(self, plan: Plan) -> Diagnostic:
        """Return the error, at the place in the plan where the points are described."""
        keys = ("constraints", "choose", "parameters")
        key = next(each for each in keys if each in plan.value and (each != "constraints" or not self.hint))
        return plan.origin.diagnostic("no-such-points", str(self), (key,), hint=self.hint)


@dataclass(frozen=True, slots=True)
class Point:
    """One what-if.

    Attributes:
        number: counted from 1, in the order of the plan; of snapshots without edits, 0 and below.
        base: the number of the snapshot that is edited.
        release: the release of Volcano; None is that of the snapshot.
        seed: what breaks ties; None takes the lowest name.
        values: a value for each parameter, by name.
        edits: what makes them, in the order of the parameters.
    """

    number: int
    base: int
    release: Build | None
    seed: int | None
    values: Mapping[str, Value]
    edits: tuple[Edit, ...]


def baseline_of(plan: Plan) -> list[Point]:
    """Return the snapshots without edits, each with all releases and seeds: what points are compared with."""
    return [Point(-index, *side, {}, ()) for index, side in enumerate(plan.sides)]


class Space:
    """The points of a plan."""

    def __init__(self, plan: Plan, most: int = MOST_POINTS) -> None:
        """Count the points.

        Raises:
            SpaceError: there are more, or constraints leave none.
        """
        self.plan = plan
        self._most = most
        self._sides = len(plan.bases) * len(plan.releases), len(plan.seeds)
        # How many values each parameter of a grid has.
        self._numbers = [each.domain.number or 0 for each in plan.parameters]
        number = len(self)
        if not number:
            raise SpaceError("no point is left: constraints exclude all of them")
        if number > most:
            message = f"the plan has {number:,} points, and at most {most:,} are run"
            raise SpaceError(message, f"{_CHOOSE}, or allow more with --max-points")

    def __len__(self) -> int:
        """Return the number of points."""
        return prod(self._sides) * len(self._chosen)

    def __iter__(self) -> Iterator[Point]:
        """Yield all points in their order."""
        return map(self.point, range(1, len(self) + 1))

    def point(self, number: int) -> Point:
        """Return a point by its number, counted from 1."""
        plan = self.plan
        rest, seed = divmod(number - 1, len(plan.seeds))
        rest, chosen = divmod(rest, len(self._chosen))
        base, release = divmod(rest, len(plan.releases))
        values = self._values(self._chosen[chosen])
        return Point(number, base, plan.releases[release], plan.seeds[seed], values, plan.edits_of(values))

    # --- the values of parameters -------------------------------------------------------------------------------------

    @cached_property
    def _chosen(self) -> Sequence[int]:
        """The numbers of the values that are run, among those of the method."""
        choice = self.plan.choice
        match choice.method:
            case "grid":
                number = prod(self._numbers)
                if self.plan.constraints and number > MOST_CANDIDATES:
                    message = f"the parameters have {number:,} combinations, and constraints are checked for at most "
                    raise SpaceError(f"{message}{MOST_CANDIDATES:,} of them", _CHOOSE)
                return self._allowed(range(number)) if self.plan.constraints else range(number)
            case "list":
                return self._allowed(range(len(choice.listed)))
            case "latin-hypercube":
                return self._distinct(range(choice.points), choice.points)
            case "random":
                return self._distinct(range(min(choice.points * _MOST_DRAWS, MOST_CANDIDATES)), choice.points)

    def _allowed(self, numbers: Sequence[int]) -> Sequence[int]:
        """Return the numbers of the values that constraints allow, of which there may be few more than can be run."""
        if not self.plan.constraints:
            return numbers
        return array("Q", (number for number in numbers if self._is_allowed(self._values(number))))

    def _distinct(self, numbers: Sequence[int], most: int) -> Sequence[int]:
        """Return the first numbers whose values are allowed, and are not those of another."""
        found, seen = array("Q"), set[tuple[Value, ...]]()
        for number in numbers:
            if len(found) == most:
                break
            values = self._values(number)
            key = tuple(values.values())
            if key not in seen and self._is_allowed(values):
                seen.add(key)
                found.append(number)
        return found

    def _is_allowed(self, values: Mapping[str, Value]) -> bool:
        try:
            return all(each.holds(values) for each in self.plan.constraints)
        except NoValueError as error:
            raise SpaceError(str(error)) from None

    def _values(self, number: int) -> Mapping[str, Value]:
        parameters, choice = self.plan.parameters, self.plan.choice
        match choice.method:
            case "grid":
                digits = []  # the last changes fastest
                for radix in reversed(self._numbers):
                    number, digit = divmod(number, radix)
                    digits.append(digit)
                indexes = digits[::-1]
                return {each.name: each.domain.at(index) for each, index in zip(parameters, indexes, strict=True)}
            case "list":
                return choice.listed[number]
            case "random":
                return {each.name: each.domain.part(self._chance(number, each.name)) for each in parameters}
            case "latin-hypercube":
                # A point has a number from one stratum of each parameter.
                strata = {name: order[number] + self._chance(number, name) for name, order in self._orders.items()}
                return {each.name: each.domain.part(strata[each.name] / choice.points) for each in parameters}

    # --- chance -------------------------------------------------------------------------------------------------------

    def _chance(self, number: int, name: str) -> float:
        """Return a number from 0 up to 1, the same whenever the same is asked."""
        asked = f"{self.plan.choice.seed}/{name}/{number}".encode()
        bits = int.from_bytes(blake2b(asked, digest_size=_BYTES).digest(), "big")
        return (bits >> 11) / (1 << 53)

    @cached_property
    def _orders(self) -> Mapping[str, Sequence[int]]:
        """The strata of each parameter in the order of the points."""
        numbers = range(self.plan.choice.points)
        orders = (
            sorted(numbers, key=partial(self._chance, name=f"{each.name}/order")) for each in self.plan.parameters
        )
        return {each.name: array("Q", order) for each, order in zip(self.plan.parameters, orders, strict=True)}
