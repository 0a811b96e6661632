"""A node, as the scheduler sees it when a session opens. Reference: pkg/scheduler/api/node_info.go."""

from __future__ import annotations

from dataclasses import dataclass

from vqs.model.kubernetes import Node as NodeObject
from vqs.model.numa import NumaTopology
from vqs.model.resource import Resource


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
