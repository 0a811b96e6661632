"""Numatopologies as the scheduler's cache holds them.

Reference: pkg/scheduler/cache/event_handlers.go (getNumaInfo).
"""

from __future__ import annotations

import math

from vqs.model.cpu_set import CpuSet, CpuSetError, parse_cpu_set
from vqs.model.kubernetes import Numatopology, NumatopologySpec
from vqs.model.node import NumaTopology
from vqs.model.number_text import whole_number
from vqs.model.quantity import QuantityError, milli_value, parse
from vqs.model.resource import CPU, EPHEMERAL_STORAGE, MEMORY

RESERVABLE = (CPU, MEMORY, EPHEMERAL_STORAGE)
"""The resources that may be reserved; with any other one among them, the scheduler takes none to be."""


def numa_topology(written: Numatopology) -> NumaTopology:
    """What a Numatopology says of its node."""
    spec = written.spec
    return NumaTopology(
        cpu_manager=spec.policies.get("CPUManagerPolicy", ""),
        topology_manager=spec.policies.get("TopologyManagerPolicy", ""),
        # Go reads what is no number as 0.
        cpus={whole_number(cpu) or 0: spec.cpu_detail[cpu] for cpu in sorted(spec.cpu_detail)},
        reserved=_reserved(spec),
        free=_free(spec),
    )


def _reserved(spec: NumatopologySpec) -> int:
    """How many CPUs are kept for the system: a part of one is a whole one."""
    try:
        negative = any(parse(amount) < 0 for amount in spec.res_reserved.values())
    except QuantityError:
        return 0
    if negative or not spec.res_reserved.keys() <= set(RESERVABLE):
        return 0
    return math.ceil(milli_value(spec.res_reserved.get(CPU, "0")) / 1000)


def _free(spec: NumatopologySpec) -> CpuSet | None:
    """The allocatable CPUs; a text that is no set of CPUs stands for none."""
    if CPU not in spec.numares:
        return None
    try:
        return parse_cpu_set(spec.numares[CPU].allocatable)
    except CpuSetError:
        return ()
