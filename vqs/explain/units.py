"""From the scheduler's units to the user's: cores, bytes, counts, points in time; unlimited is None."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, TypeVar

from vqs.explain.outcome import Amounts, Result
from vqs.model.resource import (
    CPU,
    CSI_VOLUMES,
    MEMORY,
    PODS,
    UNLIMITED,
    UNLIMITED_SCALAR,
    UNLIMITED_VOLUMES,
    Resource,
)
from vqs.model.wording import written

Part = TypeVar("Part", bound=Result)

_THOUSANDTHS = 1000.0

NEARLY_UNLIMITED = UNLIMITED_SCALAR / 2
"""A capability of so much, in the scheduler's units, is no limit, whatever the resource."""


def amount(name: str, value: float | None) -> float | None:
    """Return an amount of a resource in the user's unit."""
    if value is not None and name.startswith(CSI_VOLUMES):
        return None if value >= UNLIMITED_VOLUMES else value
    if value is None or value >= (UNLIMITED if name in (CPU, MEMORY) else NEARLY_UNLIMITED):
        return None
    return value if name in (MEMORY, PODS) else value / _THOUSANDTHS


def amounts(resource: Resource) -> Amounts:
    """Return a resource in the user's units, cpu and memory first, then by name."""
    return {name: amount(name, resource.get(name)) for name in resource.dimensions()}


def given(resource: Resource | None) -> Amounts:
    """Return what a spec names of a resource, in the user's units: nothing of what it leaves out, or sets to zero."""
    return {} if resource is None else {name: value for name, value in amounts(resource).items() if value != 0}


def part_of(kind: type[Part], source: object, **own: Any) -> Part:
    """Return a part of the result: what is not its `own` is what the source calls so, in the user's units."""
    fields: dict[str, Any] = {name: getattr(source, name) for name in kind.__struct_fields__ if name not in own}
    return kind(**{name: amounts(each) if isinstance(each, Resource) else each for name, each in fields.items()}, **own)


def figure(resource: str, value: float | None) -> float | None:
    """Return an amount in the user's unit; where no resource is named, a count as it is."""
    return amount(resource, value) if resource else value


def in_words(name: str, value: float | None) -> str:
    """Return an amount as one would write it in a manifest."""
    return written(name, figure(name, value))


def timestamp(seconds: float) -> str:
    """Write a point in time, in seconds since 1970, in RFC 3339 and UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
