"""A node, as the scheduler sees it when a session opens, and its CPUs, as its kubelet hands them out.

References: pkg/scheduler/api/node_info.go, numa_info.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from vqs.model.cpu_set import CpuSet
from vqs.model.kubernetes import CpuInfo
from vqs.model.kubernetes import Node as NodeObject
from vqs.model.resource import Resource

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
