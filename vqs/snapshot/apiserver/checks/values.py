"""Amounts, choices and numbers: what is wrong with a value by itself."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from vqs.model import kubernetes as k8s
from vqs.model.quantity import TOO_MUCH, QuantityError, parse
from vqs.snapshot.reading.diagnostics import Defect, Path, did_you_mean, one_of

TAINT_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
PREEMPTION_POLICIES: Final = ("Never", "PreemptLowerPriority")
POD_PHASES: Final = ("Pending", "Running", "Succeeded", "Failed", "Unknown")
MAX_NUMA_NODE: Final = 63
"""Sets of NUMA nodes are masks of 64 bits."""
MAX_CPUS: Final = 8192
"""Linux runs on no more CPUs."""
GROUP_PHASES: Final = ("Pending", "Running", "Unknown", "Inqueue", "Completed")
QUEUE_STATES: Final = ("Open", "Closed", "Closing", "Unknown")
_MOST: Final = 2**63 - 1
"""The API server stores any larger amount as this one."""


def quantities(path: Path, amounts: k8s.ResourceList | None) -> Iterator[Defect]:
    """Yield the amounts that are no quantities, or below zero."""
    for name, amount in (amounts or {}).items():
        defect = _quantity_defect(amount)
        if defect is not None:
            yield defect._replace(path=(*path, name))


def readable(amounts: Iterable[tuple[Path, k8s.ResourceList | None]]) -> Iterator[Defect]:
    """Yield the amounts that cannot be read; one below zero is what it is."""
    for path, given in amounts:
        for name, amount in (given or {}).items():
            defect = _quantity_defect(amount)
            if defect is not None and defect.code == "invalid-quantity":
                yield defect._replace(path=(*path, name))


@lru_cache(maxsize=65536)
def _quantity_defect(amount: k8s.Quantity) -> Defect | None:
    try:
        exact = parse(amount)
    except QuantityError as error:
        hint = f"did you mean {error.suggestion!r}?" if error.suggestion else ""
        return Defect("invalid-quantity", (), error.message, hint)
    if exact < 0:
        return Defect("negative-quantity", (), f"{amount!r} is less than zero")
    if exact > _MOST:
        return Defect("invalid-quantity", (), f"{amount!r} is not a quantity: {TOO_MUCH}")
    return None


def choice(path: Path, value: str | None, choices: tuple[str, ...], *, required: bool = False) -> Iterator[Defect]:
    """Yield a defect unless `value` is one of the choices, or is not given and need not be."""
    if value in choices or (not value and not required):
        return
    subject = f"{value!r} is not allowed" if value else f"{path[-1]} is missing"
    yield Defect("invalid-value", path, f"{subject}; expected {one_of(choices)}", did_you_mean(value or "", choices))


def at_least(
    path: Path, value: int | None, least: int, most: int | None = None, *, code: str = "invalid-value"
) -> Iterator[Defect]:
    """Yield a defect unless `value` is within the limits, or is not given."""
    if value is None or (value >= least and (most is None or value <= most)):
        return
    limits = f"at least {least}" if most is None else f"{least} to {most}"
    yield Defect(code, path, f"{value} is out of range; expected {limits}")


def countable_cpus(topology: k8s.Numatopology) -> Iterator[Defect]:
    """Yield what keeps the CPUs of a node from being counted."""
    path: Path = ("spec", "cpuDetail")
    if len(topology.spec.cpu_detail) > MAX_CPUS:
        yield Defect("invalid-value", path, f"{len(topology.spec.cpu_detail):,} CPUs; a node has at most {MAX_CPUS:,}")
        return
    for cpu, info in topology.spec.cpu_detail.items():
        yield from at_least((*path, cpu, "numa"), info.numa, 0, MAX_NUMA_NODE)


def present(path: Path, value: str) -> Iterator[Defect]:
    """Yield a defect unless there is a value."""
    if not value:
        yield Defect("invalid-value", path, f"{path[-1]} is missing")
