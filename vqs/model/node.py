"""A node, as the scheduler sees it when a session opens, and its CPUs, as its kubelet hands them out.

References: pkg/scheduler/api/node_info.go, numa_info.go.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from vqs.model.cpu_set import CpuSet, CpuSetError, parse_cpu_set
from vqs.model.kubernetes import CpuInfo, Numatopology, NumatopologySpec
from vqs.model.kubernetes import Node as NodeObject
from vqs.model.quantity import QuantityError, milli_value, parse, whole_number
from vqs.model.resource import CPU, EPHEMERAL_STORAGE, MEMORY, Resource

STATIC = "static"
"""The CPU manager policy that gives containers CPUs of their own."""

NO_POLICIES = frozenset({"", "none"})
"""The topology policies that ask for nothing, of pods and of nodes."""


@dataclass(frozen=True, slots=True)
class NumaTopology:
    """What a node's Numatopology says.

    Attributes:
        cpu_manager: the policy of the kubelet's CPU manager.
        topology_manager: the policy of its topology manager.
        cpus: the NUMA node, socket and core of each CPU.
        reserved: how many CPUs are kept for the system.
        free: the CPUs that no container has as its own; None where the Numatopology does not list the resource cpu.
    """

    cpu_manager: str
    topology_manager: str
    cpus: Mapping[int, CpuInfo]
    reserved: int
    free: CpuSet | None

    @property
    def aligns_all(self) -> bool:
        """Whether the node asks for alignment also where a pod does not."""
        return self.cpu_manager == STATIC and self.topology_manager not in NO_POLICIES


@dataclass(slots=True)
class Node:
    """One node.

    `allocatable` includes what oversubscription adds; `max_tasks` is its number of pods; `numa` is None where no
    Numatopology is named as the node.
    """

    name: str
    object: NodeObject
    allocatable: Resource
    capacity: Resource
    max_tasks: int
    numa: NumaTopology | None = None


RESERVABLE = (CPU, MEMORY, EPHEMERAL_STORAGE)
"""The resources that may be reserved; with any other one among them, the scheduler takes none to be."""


def numa_topology(written: Numatopology) -> NumaTopology:
    """What a Numatopology says of its node. Reference: pkg/scheduler/cache/event_handlers.go (getNumaInfo)."""
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
