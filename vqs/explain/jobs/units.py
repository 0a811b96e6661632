"""Steps in which an amount of a resource is raised: as coarse as the figures around it allow."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Final

from vqs.explain.units import amount
from vqs.model.kubernetes import Quantity
from vqs.model.quantity import QuantityError, parse
from vqs.model.quantity_text import Family, family, written
from vqs.model.resource import CPU, MEMORY

_OF_MEMORY: Final = tuple(map(Fraction, (2**30, 10**9, 2**20, 10**6, 2**10, 1000, 1)))
_OF_CPU: Final = (Fraction(1), Fraction(1, 2), Fraction(1, 10), Fraction(1, 100), Fraction(1, 1000))
_OF_OTHERS: Final = (Fraction(1), Fraction(1, 1000))


def unit(resource: str, figures: Iterable[Fraction]) -> Fraction:
    """Return the coarsest unit that all figures are multiples of: whole cores where these are whole."""
    units = {CPU: _OF_CPU, MEMORY: _OF_MEMORY}.get(resource, _OF_OTHERS)
    known = [figure for figure in figures if figure]
    return next((each for each in units if all((figure / each).denominator == 1 for figure in known)), units[-1])


def exact(resource: str, scheduler_units: float | None) -> Fraction | None:
    """Return an amount in the scheduler's units as an exact one in the user's; None where it is unlimited."""
    value = amount(resource, scheduler_units)
    return None if value is None else Fraction(value).limit_denominator(1000)


def in_manifest(resource: str, value: Fraction, like: Quantity | None) -> str | int:
    """Write an amount as one would in a manifest, in the units of one that stands there."""
    if like is None or not value:
        units = Family.BINARY if resource == MEMORY and (value / 1024).denominator == 1 else Family.DECIMAL
    else:
        units = family(like)
    text = written(value, units)
    return int(text) if text.isdecimal() and resource != MEMORY else text


def scaled(resources: Mapping[str, Quantity], part: int, whole: int) -> dict[str, str]:
    """Return a part of some amounts, each in its own units; what does not come out even is rounded up.

    >>> scaled({"cpu": 6, "memory": "10Gi", "pods": 3}, 2, 3)
    {'cpu': '4', 'memory': '6827Mi', 'pods': '2'}
    """
    return {name: _scaled(name, each, part, whole) for name, each in resources.items()}


def _scaled(name: str, quantity: Quantity, part: int, whole: int) -> str:
    try:
        amount, units = parse(quantity) * part / whole, family(quantity)
    except QuantityError:
        return str(quantity)
    resource = name.rpartition(".")[2]
    grain = Fraction(1, 1000) if resource == CPU else Fraction(2**20 if units is Family.BINARY else 1)
    even = parse(quantity) / whole
    return written(amount if (even / grain).denominator == 1 else math.ceil(amount / grain) * grain, units)
