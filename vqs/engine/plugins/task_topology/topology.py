"""What the annotations of a PodGroup say about its roles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import permutations

from vqs.model.job import Job
from vqs.model.keys import TOPOLOGY_AFFINITY, TOPOLOGY_ANTI_AFFINITY, TOPOLOGY_ORDER

KEPT_FROM_EACH_OTHER, NEAR_OTHERS, NEAR_EACH_OTHER, KEPT_FROM_OTHERS = 4, 3, 2, 1
"""How much the placement of a role matters, by what is said of it."""


@dataclass(slots=True)
class Topology:
    """Which roles belong together and which apart, as pairs; a role with itself is a pair as well.

    `order` says which roles go first by a number, the highest first, `weight` how much the placement of each matters.
    """

    near: set[tuple[str, str]] = field(default_factory=set)
    apart: set[tuple[str, str]] = field(default_factory=set)
    order: dict[str, int] = field(default_factory=dict)
    weight: dict[str, int] = field(default_factory=dict)

    def place_near(self, roles: Sequence[str]) -> None:
        """Take note of a group of roles that belong together."""
        self._add(self.near, roles, NEAR_EACH_OTHER if len(roles) == 1 else NEAR_OTHERS)

    def place_apart(self, roles: Sequence[str]) -> None:
        """Take note of a group of roles that are kept apart."""
        self._add(self.apart, roles, KEPT_FROM_EACH_OTHER if len(roles) == 1 else KEPT_FROM_OTHERS)

    def _add(self, pairs: set[tuple[str, str]], roles: Sequence[str], weight: int) -> None:
        pairs.update(permutations(roles, 2) if len(roles) > 1 else [(roles[0], roles[0])])
        for role in roles:
            self.weight[role] = max(weight, self.weight.get(role, 0))

    def rank(self, role: str) -> tuple[int, int]:
        """Return what roles are sorted by, smallest first."""
        return -self.order.get(role, 0), -self.weight.get(role, 0)


class TopologyError(ValueError):
    """An annotation that Volcano does not take; it then ignores all three."""


def read_topology(job: Job) -> Topology | None:
    """Read the annotations of a job's PodGroup; None where there are none.

    Raises:
        TopologyError: one of them names a role that the job has no pod of, or one twice in a group.
    """
    annotations = job.pod_group.metadata.annotations
    if not {TOPOLOGY_AFFINITY, TOPOLOGY_ANTI_AFFINITY, TOPOLOGY_ORDER} & annotations.keys():
        return None
    roles = {task.role for task in job.tasks.values()}
    topology = Topology()
    for key, note in ((TOPOLOGY_AFFINITY, topology.place_near), (TOPOLOGY_ANTI_AFFINITY, topology.place_apart)):
        if key in annotations:
            groups = [group.split(",") for group in annotations[key].split(";")]
            _check(key, groups, roles)
            for group in groups:
                note(group)
    if TOPOLOGY_ORDER in annotations:
        order = annotations[TOPOLOGY_ORDER].split(",")
        _check(TOPOLOGY_ORDER, [order], roles)
        topology.order = {role: len(order) - place for place, role in enumerate(order)}
    return topology


def _check(key: str, groups: Iterable[Sequence[str]], roles: set[str]) -> None:
    for group in groups:
        named = [role for role in group if role]
        unknown = next((role for role in named if role not in roles), None)
        if unknown is not None:
            text = f"{key} names the role {unknown!r}, and the job has no pod of it"
            raise TopologyError(text)
        twice = next((role for role in named if named.count(role) > 1), None)
        if twice is not None:
            text = f"{key} names the role {twice!r} twice in a group"
            raise TopologyError(text)
