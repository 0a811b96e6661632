"""Rollouts: a Deployment whose template changes replaces its pods, as many at a time as its strategy allows.

The new pods are those of a new ReplicaSet, with a PodGroup of their own; which of the old ones go, and when, the
controllers of Deployments and ReplicaSets decide. References: pkg/controller/deployment (rolling.go, recreate.go,
util/deployment_util.go) and pkg/controller/controller_utils.go (ActivePodsWithRanks) in kubernetes/kubernetes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Final

from msgspec import structs

from vqs.model import kubernetes as k8s
from vqs.replay.agenda import Kind
from vqs.replay.jobs import ALIVE, ON_NODE, PodSlot, PodState
from vqs.replay.outcome import RolloutRecord
from vqs.replay.pods import Pods
from vqs.snapshot.apiserver.queue_sums import is_extended
from vqs.snapshot.controllers.workloads import rollout_limits
from vqs.snapshot.controllers.world import controller_of

RESTARTED_AT: Final = "kubectl.kubernetes.io/restartedAt"
"""The annotation of a template that ``kubectl rollout restart`` writes."""


@dataclass(slots=True)
class Rollout:
    """A Deployment on the way to a new template.

    Attributes:
        deployment: the Deployment with the new template.
        pods: all pods, and what happens to them.
        record: what becomes of it.
        old: the pods of the ReplicaSets before, those of the oldest first.
        new: the pods of the new ReplicaSet; the first `wanted` of them are made.
    """

    deployment: k8s.Deployment
    pods: Pods
    record: RolloutRecord
    old: list[list[PodSlot]]
    new: list[PodSlot]
    wanted: int = 0
    is_replaced: bool = False
    """Whether another rollout of the same Deployment has begun since."""
    _next_look: float = -inf

    def sync(self) -> None:
        """Make new pods and let old ones go, as many as may be now."""
        if self.is_replaced:
            return
        if self.deployment.spec.strategy.type == "Recreate":
            for slots in self.old:
                self._scale_down(slots, len(slots))
            if not any(slot.state is not PodState.GONE for slots in self.old for slot in slots):
                self._scale_up(len(self.new))
        else:
            self._roll()
        self._note()

    def _roll(self) -> None:
        """Bring both numbers closer to what they are to be. Reference: rolloutRolling."""
        replicas = len(self.new)
        surge, unavailable = rollout_limits(self.deployment.spec.strategy, replicas) or (0, 1)
        old = [[slot for slot in slots if slot.comes_back] for slots in self.old]
        total = self.wanted + sum(map(len, old))
        more = min(replicas + surge - total, replicas - self.wanted)
        if more > 0:
            self._scale_up(more)
            total += more
        least, ready = replicas - unavailable, self._available(self.new[: self.wanted])
        excess = total - least - (self.wanted - ready)
        if excess <= 0:
            return
        for slots in old:  # those that are not available go first
            excess -= self._scale_down(slots, min(excess, len(slots) - self._available(slots)))
        old = [[slot for slot in slots if slot.comes_back] for slots in old]
        spare = ready + sum(map(self._available, old)) - least
        for slots in old:
            spare -= self._scale_down(slots, min(spare, len(slots)))

    def _available(self, slots: Sequence[PodSlot]) -> int:
        """How many pods have run for as long as makes them available."""
        now, wait = self.pods.clock.now, self.deployment.spec.min_ready_seconds
        return sum(slot.state is PodState.RUNNING and slot.since + wait <= now for slot in slots)

    def _scale_up(self, number: int) -> None:
        """Make some of the new pods."""
        made = self.new[self.wanted : self.wanted + number]
        self.wanted += len(made)
        for slot in made:
            self.pods.create(slot)

    def _scale_down(self, slots: Sequence[PodSlot], number: int) -> int:
        """Let some pods of a ReplicaSet go for good, those first that run least; return how many.

        Reference: ``ActivePodsWithRanks``; pods that share a node with others of their ReplicaSet are not preferred.
        """
        staying = [slot for slot in slots if slot.comes_back]
        ranked = sorted(staying, key=lambda slot: (slot.state in ON_NODE, slot.state is PodState.RUNNING, -slot.since))
        going = ranked[: max(number, 0)]
        for slot in going:
            slot.comes_back = False
            if slot.state in ALIVE:
                self.pods.terminate(slot, "killed")
            elif slot.state is PodState.ABSENT:
                slot.turn += 1
                self.pods.happened(slot, "OutOfSync")
        return len(going)

    def give_way(self) -> list[list[PodSlot]]:
        """Make no more of the new pods, as another rollout begins; return all pods that there are, by ReplicaSet."""
        self.is_replaced = True
        self._scale_down(self.new[self.wanted :], len(self.new))
        return [*self.old, *([self.new[: self.wanted]] if self.wanted else [])]

    def _note(self) -> None:
        """Note how far it is, and have the controller look again when more pods become available."""
        record, now = self.record, self.pods.clock.now
        for slots in (*self.old, self.new[: self.wanted]):
            owner = controller_of(slots[0].template.metadata) if slots else None
            if owner is not None:
                replicas = sum(slot.comes_back for slot in slots)
                self.pods.world.scale_replica_set(self.deployment.metadata.namespace, owner.name, replicas)
        record.ready = self._available(self.new[: self.wanted])
        is_over = all(slot.state is PodState.GONE for slots in self.old for slot in slots)
        if record.ready == len(self.new) and is_over:
            record.completed = now if record.completed is None else record.completed
        running = (slot.since for slot in self.new[: self.wanted] if slot.state is PodState.RUNNING)
        due = (since + self.deployment.spec.min_ready_seconds for since in running)
        look = min((time for time in due if time > now), default=-inf)
        if look > self._next_look:  # one at a time: it plans the one after that
            self._next_look = look
            self.pods.agenda.plan(look, Kind.SYNC, self.new[0].job)


def rolled(deployment: k8s.Deployment, restarted_at: str, requests: k8s.ResourceList) -> k8s.Deployment:
    """Return a Deployment with another template: a mark that it was restarted, and other requests, if there are any.

    Requests are those of the first container; limits of the same resources, and of those of a vendor, go with them.
    """
    spec = deployment.spec
    metadata, first, *others = spec.template.metadata, *spec.template.spec.containers
    given = first.resources
    limits = given.limits | {name: each for name, each in requests.items() if name in given.limits or is_extended(name)}
    resources = structs.replace(given, requests={**given.requests, **requests}, limits=limits)
    containers = [structs.replace(first, resources=resources), *others]
    template = structs.replace(
        spec.template,
        metadata=structs.replace(metadata, annotations={**metadata.annotations, RESTARTED_AT: restarted_at}),
        spec=structs.replace(spec.template.spec, containers=containers),
    )
    return structs.replace(deployment, spec=structs.replace(spec, template=template))
