"""A queue. Reference: pkg/scheduler/api/queue_info.go."""

from __future__ import annotations

from dataclasses import dataclass

from vqs.model.kubernetes import Queue as QueueObject
from vqs.model.resource import Resource

ROOT = "root"
OPEN = "Open"


@dataclass(slots=True)
class Queue:
    """One queue; its name is also its identity. `capability` is None where none is set."""

    name: str
    object: QueueObject
    weight: int
    priority: int
    state: str
    reclaimable: bool
    parent: str
    created: float
    capability: Resource | None
    deserved: Resource | None
    guarantee: Resource
