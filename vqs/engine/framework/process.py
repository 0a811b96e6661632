"""What the scheduler's process keeps from one session to the next, apart from the cluster."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(slots=True)
class ProcessState:
    """The state of a scheduler that has just started, unless sessions have run before.

    Attributes:
        looked_for_victims: when the plugin tdm last looked for pods to evict; None where it has not.
        next_node: where the next search for a node begins, in the scheduler's list, if nodes are sampled.
    """

    looked_for_victims: datetime | None = None
    next_node: int = 0
