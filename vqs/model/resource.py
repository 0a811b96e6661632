"""Amounts of resources, with the comparisons the scheduler makes on them.

Units are the scheduler's own: cpu in millicores, memory in bytes, `pods` as a count, every other scalar in
thousandths. A scalar that is missing is not the same as one that is zero: what a missing one means depends on
the comparison. Reference: pkg/scheduler/api/resource_info.go and pkg/scheduler/api/helpers/helpers.go.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

from vqs.model.quantity import milli_value, value

CPU = "cpu"
MEMORY = "memory"
PODS = "pods"
EPHEMERAL_STORAGE = "ephemeral-storage"
HUGEPAGES = "hugepages-"
"""What the names of resources begin with of which each is pages of one size."""

EPSILON = 0.1
"""Amounts closer than this are equal (minResource in the reference)."""

UNLIMITED = float.fromhex("0x1.fffffffffffffp+1023")
"""The largest float64: what the scheduler writes for a capability that has no limit."""

UNLIMITED_SCALAR = float(2**63)
"""The largest int64: the same for other resources. Amounts close to it are what is left of it."""

CSI_VOLUMES: Final = "attachable-volumes-csi-"
"""What the names of the resources begin with that count the volumes of CSI drivers."""
UNLIMITED_VOLUMES: Final = 2**31 - 1
"""How many volumes of a driver a node takes that sets no limit."""

Quantity = str | int | float

_QUALIFIED_PREFIX = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_QUALIFIED_NAME = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")


def is_in_bytes(resource: str) -> bool:
    """True if a resource is counted in bytes."""
    return resource in (MEMORY, EPHEMERAL_STORAGE) or resource.startswith(HUGEPAGES)


@lru_cache(maxsize=4096)
def is_scalar_resource(name: str) -> bool:
    """True if a resource other than cpu, memory, pods and ephemeral-storage takes part in scheduling.

    Those are hugepages, attachable volumes and everything with a vendor's prefix. Quota names (`limits.cpu`,
    `requests.cpu`, `count/pods`) and misspelt names are not.
    Reference: k8s.io/kubernetes/pkg/scheduler/util, IsScalarResourceName.
    """
    if name.startswith(("hugepages-", "attachable-volumes-")) or "kubernetes.io/" in name:
        return True
    if "/" not in name or name.startswith("requests."):
        return False
    prefix, _, rest = f"requests.{name}".partition("/")
    return (
        len(prefix) <= 253  # noqa: PLR2004 - the length limit of a DNS name
        and _QUALIFIED_PREFIX.fullmatch(prefix) is not None
        and len(rest) <= 63  # noqa: PLR2004 - the length limit of a label name
        and _QUALIFIED_NAME.fullmatch(rest) is not None
    )


class Resource:
    """An amount of each resource; mutable, as the scheduler's ledgers are.

    `scalars` never holds cpu or memory. An empty `scalars` stands for the reference's nil map.
    """

    __slots__ = ("memory", "milli_cpu", "scalars")

    def __init__(self, milli_cpu: float = 0.0, memory: float = 0.0, scalars: Mapping[str, float] | None = None) -> None:
        self.milli_cpu = milli_cpu
        self.memory = memory
        self.scalars: dict[str, float] = dict(scalars) if scalars else {}

    @classmethod
    def from_quantities(cls, quantities: Mapping[str, Quantity] | None) -> Resource:
        """Make a resource of a Kubernetes resource list, leaving out the names that scheduling ignores."""
        made = cls()
        for name, quantity in (quantities or {}).items():
            if name == CPU:
                made.milli_cpu += float(milli_value(quantity))
            elif name == MEMORY:
                made.memory += float(value(quantity))
            elif name == PODS:
                made.scalars[name] = float(value(quantity))
            elif name == EPHEMERAL_STORAGE or (not name.startswith("count/") and is_scalar_resource(name)):
                made.scalars[name] = float(milli_value(quantity))
        return made

    @classmethod
    def total(cls, amounts: Iterable[Resource]) -> Resource:
        """The sum of some amounts."""
        total = cls()
        for each in amounts:
            total.add(each)
        return total

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Resource):
            return NotImplemented
        return self.milli_cpu == other.milli_cpu and self.memory == other.memory and self.scalars == other.scalars

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        scalars = "".join(f", {name} {self.scalars[name]:.2f}" for name in sorted(self.scalars))
        return f"cpu {self.milli_cpu:.2f}, memory {self.memory:.2f}{scalars}"

    def leave_out(self, names: Iterable[str]) -> None:
        """Forget the amounts of some scalars."""
        for name in names:
            self.scalars.pop(name, None)

    def clone(self) -> Resource:
        """An independent copy."""
        return Resource(self.milli_cpu, self.memory, self.scalars)

    def get(self, name: str) -> float:
        """The amount of one resource, 0 where it is missing."""
        if name == CPU:
            return self.milli_cpu
        if name == MEMORY:
            return self.memory
        return self.scalars.get(name, 0.0)

    def dimensions(self) -> list[str]:
        """Cpu and memory, which every amount has, then the scalars it has by name, also those of nothing."""
        return [CPU, MEMORY, *sorted(self.scalars)]

    def names(self) -> list[str]:
        """The resources of which there is a noticeable amount; cpu and memory first, then by name."""
        names = [CPU] if self.milli_cpu >= EPSILON else []
        if self.memory >= EPSILON:
            names.append(MEMORY)
        return names + sorted(name for name, amount in self.scalars.items() if amount >= EPSILON)

    def is_empty(self) -> bool:
        """True if nothing but pods is asked for."""
        if self.milli_cpu >= EPSILON or self.memory >= EPSILON:
            return False
        return not any(amount >= EPSILON for name, amount in self.scalars.items() if name != PODS)

    def add(self, other: Resource) -> Resource:
        """Add in place."""
        self.milli_cpu += other.milli_cpu
        self.memory += other.memory
        scalars = self.scalars
        for name, amount in other.scalars.items():
            scalars[name] = scalars.get(name, 0.0) + amount
        return self

    def sub(self, other: Resource) -> Resource:
        """Subtract in place; results may be negative. Without any scalar of its own, scalars are not changed."""
        self.milli_cpu -= other.milli_cpu
        self.memory -= other.memory
        scalars = self.scalars
        if scalars:
            for name, amount in other.scalars.items():
                scalars[name] = scalars.get(name, 0.0) - amount
        return self

    def multiply(self, ratio: float) -> Resource:
        """Multiply in place."""
        self.milli_cpu *= ratio
        self.memory *= ratio
        for name in self.scalars:
            self.scalars[name] *= ratio
        return self

    def set_max(self, other: Resource) -> Resource:
        """Raise each resource in place to the other's amount where that is larger."""
        self.milli_cpu = max(self.milli_cpu, other.milli_cpu)
        self.memory = max(self.memory, other.memory)
        for name, amount in other.scalars.items():
            if name not in self.scalars or amount > self.scalars[name]:
                self.scalars[name] = amount
        return self

    def limit_to(self, ceiling: Resource, *, missing_is_unlimited: bool) -> Resource:
        """Lower each resource in place to the ceiling; a scalar missing in the ceiling is unlimited or zero."""
        self.milli_cpu = min(self.milli_cpu, ceiling.milli_cpu)
        self.memory = min(self.memory, ceiling.memory)
        for name, amount in self.scalars.items():
            if name in ceiling.scalars:
                self.scalars[name] = min(amount, ceiling.scalars[name])
            elif not missing_is_unlimited:
                self.scalars[name] = 0.0
        return self

    def less_equal(self, other: Resource) -> bool:
        """True if every resource is at most the other's; a missing scalar counts as zero."""
        if self.milli_cpu - other.milli_cpu >= EPSILON or self.memory - other.memory >= EPSILON:
            return False
        theirs = other.scalars
        return all(amount - theirs.get(name, 0.0) < EPSILON for name, amount in self.scalars.items())

    def first_below(self, other: Resource) -> str | None:
        """Name a resource that this has less of than the other; a scalar that only the other lists is one, too."""
        if self.milli_cpu < other.milli_cpu:
            return CPU
        if self.memory < other.memory:
            return MEMORY
        missing = [name for name in other.scalars if name not in self.scalars]
        less = [name for name, amount in self.scalars.items() if amount < other.scalars.get(name, 0.0)]
        return min((*missing, *less), default=None)

    def lacking(self, available: Resource) -> list[str]:
        """Name the resources of which less is available than this; cpu and memory first, then by name."""
        names = [CPU] if self.milli_cpu - available.milli_cpu >= EPSILON else []
        if self.memory - available.memory >= EPSILON:
            names.append(MEMORY)
        theirs = available.scalars
        return names + sorted(n for n, amount in self.scalars.items() if amount - theirs.get(n, 0.0) >= EPSILON)

    def exceeding(self, limit: Resource, requested: Resource) -> list[str]:
        """Name the requested resources, pods apart, that are above the limit: strictly, without a tolerance."""
        names = [CPU] if requested.milli_cpu > 0 and self.milli_cpu > limit.milli_cpu else []
        if requested.memory > 0 and self.memory > limit.memory:
            names.append(MEMORY)
        if not self.scalars:
            return names
        return names + sorted(
            name
            for name, amount in requested.scalars.items()
            if name != PODS and amount > 0 and self.scalars.get(name, 0.0) > limit.scalars.get(name, 0.0)
        )

    def exceeding_with(self, more: Resource, limit: Resource) -> list[str]:
        """Name the resources of `more`, pods apart, that would be above the limit if it were added."""
        names = [CPU] if more.milli_cpu > 0 and self.milli_cpu + more.milli_cpu > limit.milli_cpu else []
        if more.memory > 0 and self.memory + more.memory > limit.memory:
            names.append(MEMORY)
        held, limits = self.scalars, limit.scalars
        scalars = [
            name
            for name, amount in more.scalars.items()
            if amount > 0 and name != PODS and held.get(name, 0.0) + amount > limits.get(name, 0.0)
        ]
        return names + sorted(scalars) if scalars else names

    def diff(self, other: Resource) -> tuple[Resource, Resource]:
        """What this has more than the other, and what it has less; a missing scalar counts as zero."""
        more, less = Resource(), Resource()
        more.milli_cpu = max(self.milli_cpu - other.milli_cpu, 0.0)
        less.milli_cpu = max(other.milli_cpu - self.milli_cpu, 0.0)
        more.memory = max(self.memory - other.memory, 0.0)
        less.memory = max(other.memory - self.memory, 0.0)
        for name in {**self.scalars, **other.scalars}:
            mine, theirs = self.scalars.get(name, 0.0), other.scalars.get(name, 0.0)
            if mine > theirs:
                more.scalars[name] = mine - theirs
            else:
                less.scalars[name] = theirs - mine
        return more, less


def exceeded_part(left: Resource, right: Resource) -> Resource:
    """The part of `left` that goes beyond `right`."""
    return left.diff(right)[0]


def maximum(left: Resource, right: Resource) -> Resource:
    """The larger amount of each resource, leaving out negative scalars."""
    made = Resource(max(left.milli_cpu, right.milli_cpu), max(left.memory, right.memory))
    made.scalars = {name: amount for name, amount in left.scalars.items() if amount >= 0}
    for name, amount in right.scalars.items():
        if amount >= 0:
            made.scalars[name] = max(amount, made.scalars.get(name, 0.0))
    return made


def share(allocated: float, total: float) -> float:
    """Allocated / total, where 0/0 is 0 and x/0 is 1."""
    if total == 0:
        return 0.0 if allocated == 0 else 1.0
    return allocated / total
