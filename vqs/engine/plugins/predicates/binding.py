"""Which volumes claims get that wait for their pods, and what was reserved for pods of the session.

On each node, a claim gets the smallest volume that fits and that the node can reach, or has one made there. Once a task
is allocated, its volumes and the node for which others are made are its own; they are free again when the task is taken
away. A task that is promised a node reserves nothing, unless it was allocated a node before: then the reference still
takes it for being there.
References: pkg/scheduler/capabilities/volumebinding/binder.go, FindMatchingVolume in k8s.io/component-helpers.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import NamedTuple

import numpy as np

from vqs.engine.nodes.selectors import NodeLabels
from vqs.engine.nodes.table import Masks
from vqs.model.claims import claim_names, class_name
from vqs.model.cluster import Cluster
from vqs.model.kubernetes import PersistentVolume, PersistentVolumeClaim, Pod, StorageClass
from vqs.model.quantity import parse
from vqs.model.selectors import Requirement, label_selector
from vqs.model.task import Task

WAIT_FOR_FIRST_CONSUMER = "WaitForFirstConsumer"
NO_PROVISIONER = ("", "kubernetes.io/no-provisioner")
SELECTED_NODE = "volume.kubernetes.io/selected-node"
FILESYSTEM = "Filesystem"


class Need(NamedTuple):
    """A claim that waits for its pod.

    Attributes:
        claim: the claim.
        name: its namespace/name.
        is_known: whether another pod or a volume names it; else it is like any other claim that asks for the same.
        size: how much it asks for.
    """

    claim: PersistentVolumeClaim
    name: str
    is_known: bool
    size: Fraction

    def key(self) -> Hashable:
        """What is the same for claims that get the same."""
        spec = self.claim.spec
        return (
            self.name if self.is_known else "",
            class_name(self.claim),
            self.size,
            tuple(spec.access_modes),
            spec.volume_mode,
            spec.volume_attributes_class_name,
            repr(spec.selector),
            self.claim.metadata.annotations.get(SELECTED_NODE),
        )


@dataclass(slots=True)
class BindingPlan:
    """What the claims of a class of pods get on each node.

    Attributes:
        found: the nodes where each claim gets a volume or has one made, (nodes,).
        short: the nodes where there is no room to make one, (nodes,).
        bound: the number of a claim, the volume that it gets, and on which nodes.
        made: the number of a claim, and on which nodes it has a volume made.
    """

    found: Masks
    short: Masks
    bound: list[tuple[int, str, Masks]] = field(default_factory=list)
    made: list[tuple[int, Masks]] = field(default_factory=list)


class VolumeBinder:
    """The volumes that are free in a session, and the claims that wait for their pods.

    `version` counts the changes of what is reserved.
    """

    def __init__(self, labels: NodeLabels, cluster: Cluster, tasks: Iterable[Task]) -> None:
        self.version = 0
        self._labels = labels
        self._cluster = cluster
        self._everywhere: Masks = np.ones(len(labels.nodes), np.bool_)
        self._sizes = {
            each.metadata.name: parse(each.spec.capacity.get("storage", 0)) for each in cluster.volumes.values()
        }
        by_class: defaultdict[str, list[PersistentVolume]] = defaultdict(list)
        for volume in sorted(
            self._cluster.volumes.values(), key=lambda each: (self._sizes[each.metadata.name], each.metadata.name)
        ):
            by_class[class_name(volume)].append(volume)
        self._by_class = by_class
        self._reaches: dict[str, Masks] = {}
        references = (each.spec.claim_ref for each in cluster.volumes.values())
        self._referenced = {f"{each.namespace}/{each.name}" for each in references if each is not None}
        self._users = Counter(name for task in tasks if task.pod.spec.volumes for name in _claim_keys(task.pod))
        self._owners: dict[str, str] = {}
        self._selected: dict[str, str] = {}
        self._held: dict[str, tuple[list[str], list[str]]] = {}
        self._last_node: dict[str, str] = {}

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """The number of each node, by name."""
        return {node.metadata.name: number for number, node in enumerate(self._labels.nodes)}

    # --- what pods need ----------------------------------------------------------------------------------------------

    def needs(self, pod: Pod) -> list[Need]:
        """The claims of a pod that wait for it, as far as their storage classes are known."""
        needs: list[Need] = []
        for name in _claim_keys(pod):
            claim = self._cluster.claims.get(name)
            storage_class = None if claim is None else self._cluster.storage_classes.get(class_name(claim))
            if claim is not None and not claim.spec.volume_name and storage_class is not None and waits(storage_class):
                is_known = self._users[name] > 1 or name in self._referenced
                needs.append(Need(claim, name, is_known, parse(claim.spec.resources.requests.get("storage", 0))))
        return needs

    # --- what they get on each node ----------------------------------------------------------------------------------

    def plan(self, needs: Sequence[Need]) -> BindingPlan:
        """What some claims get. A node that was selected for a claim is the only one that it can be used on."""
        plan = BindingPlan(self._everywhere, ~self._everywhere)
        without: list[tuple[int, Need]] = []
        for number, need in enumerate(needs):
            annotated = need.claim.metadata.annotations.get(SELECTED_NODE)
            selected = self._selected.get(need.name, annotated) if need.is_known else annotated
            if selected is None:
                without.append((number, need))
            else:
                only = ~self._everywhere
                if selected in self._numbers:
                    only[self._numbers[selected]] = True
                plan.found = plan.found & only
                plan.made.append((number, self._everywhere))
        taken: dict[str, Masks] = {}
        for number, need in sorted(without, key=lambda each: each[1].size):
            left, unmatched = self._everywhere, ~self._everywhere
            for volume, is_own in sorted(self._candidates(need), key=lambda each: not each[1]):
                if not left.any():
                    break
                name = volume.metadata.name
                usable = left & ~taken[name] if name in taken else left
                if name not in self._reaches:
                    required = volume.spec.node_affinity.required if volume.spec.node_affinity else None
                    self._reaches[name] = self._everywhere if required is None else self._labels.selected(required)
                found = usable & self._reaches[name]
                if found.any():
                    plan.bound.append((number, name, found))
                    taken[name] = taken[name] | found if name in taken else found
                if is_own:  # a node that does not reach the claim's own volume gets no other
                    unmatched = unmatched | (usable & ~found)
                    left = left & ~usable
                else:
                    left = left & ~found
            plan.made.append((number, left | unmatched))
        for number, where in plan.made:  # a node is asked about claims until one cannot be satisfied
            claim = needs[number].claim
            plan.found = plan.found & (self._provisioned(claim) | ~where)
            short = plan.found & where & ~self._has_room(claim)
            plan.found, plan.short = plan.found & ~short, plan.short | short
        return plan

    def _candidates(self, need: Need) -> Iterator[tuple[PersistentVolume, bool]]:
        """Yield the volumes that suit a claim, the smallest first, and whether each is kept for it already."""
        asked, claim = need.claim.spec, need.claim.metadata
        for volume in self._by_class.get(class_name(need.claim), ()):
            spec, name = volume.spec, volume.metadata.name
            if not self._is_of_kind(volume, need):
                continue
            owner, reference = self._owners.get(name), spec.claim_ref
            if owner is not None:
                if need.is_known and owner == need.name:
                    yield volume, True
            elif reference is not None:  # another claim that had the name had another uid
                named = (reference.namespace, reference.name) == (claim.namespace, claim.name)
                if named and reference.uid in ("", claim.uid):
                    yield volume, True
            elif (
                volume.status.phase == "Available"
                and set(asked.access_modes) <= set(spec.access_modes)
                and (asked.selector is None or label_selector(asked.selector).matches(volume.metadata.labels))
            ):
                yield volume, False

    def _is_of_kind(self, volume: PersistentVolume, need: Need) -> bool:
        """True if a volume is of the size and kind that a claim asks for."""
        spec, asked = volume.spec, need.claim.spec
        return (
            self._sizes[volume.metadata.name] >= need.size
            and (spec.volume_mode or FILESYSTEM) == (asked.volume_mode or FILESYSTEM)
            and (spec.volume_attributes_class_name or "") == (asked.volume_attributes_class_name or "")
            and volume.metadata.deletion_timestamp is None
        )

    def _provisioned(self, claim: PersistentVolumeClaim) -> Masks:
        """On which nodes a claim can have a volume made."""
        storage_class = self._cluster.storage_classes[class_name(claim)]
        if storage_class.provisioner in NO_PROVISIONER:
            return ~self._everywhere
        if not storage_class.allowed_topologies:
            return self._everywhere
        allowed = ~self._everywhere
        for term in storage_class.allowed_topologies:
            if term.match_label_expressions:  # a term that requires nothing allows nothing
                expressions = [(e.key, tuple(e.values)) for e in term.match_label_expressions]
                masks = [self._labels.accepted(Requirement(key, "In", values)) for key, values in expressions]
                allowed = allowed | np.logical_and.reduce(masks)
        return allowed

    def _has_room(self, claim: PersistentVolumeClaim) -> Masks:
        """Which nodes reach room for a volume that has to be made; drivers that do not say have any.

        What was reserved in the session does not count, as in Kubernetes.
        """
        storage_class = self._cluster.storage_classes[class_name(claim)]
        size, rooms = claim.spec.resources.requests.get("storage"), self._cluster.storage_capacities
        if rooms is None or size is None or storage_class.provisioner not in self._cluster.capacity_drivers:
            return self._everywhere
        reached = ~self._everywhere
        for room in rooms:
            largest = room.capacity if room.maximum_volume_size is None else room.maximum_volume_size
            is_of_class = room.storage_class_name == storage_class.metadata.name
            if is_of_class and largest is not None and ceil(parse(largest)) >= ceil(parse(size)):
                reached = reached | self._labels.matching(room.node_topology)
        return reached

    # --- what is reserved --------------------------------------------------------------------------------------------

    def reserve(self, task: Task, plan: BindingPlan, *, allocated: bool) -> None:
        """Reserve for a task what a plan for its class gives it on its node."""
        if allocated:
            self._last_node[task.uid] = task.node or ""
        node = self._numbers.get(self._last_node.get(task.uid, ""))
        if node is None or not plan.found[node]:
            return
        needs = self.needs(task.pod)
        volumes = {name: needs[number].name for number, name, where in plan.bound if where[node]}
        claims = [needs[number].name for number, where in plan.made if where[node]]
        selected = dict.fromkeys(claims, self._labels.nodes[node].metadata.name)
        self._owners.update(volumes)
        self._selected.update(selected)
        self._cluster.given_volumes[task.uid] = {claim: volume for volume, claim in volumes.items()}
        self._cluster.nodes_for_volumes[task.uid] = selected
        self._held[task.uid] = list(volumes), claims
        self.version += 1

    def restore(self, task: Task) -> None:
        """Give back what is reserved for a task, also where another pod with the same claim has reserved it too."""
        volumes, claims = self._held.pop(task.uid, ((), ()))
        self._cluster.given_volumes.pop(task.uid, None)
        self._cluster.nodes_for_volumes.pop(task.uid, None)
        for name in volumes:
            self._owners.pop(name, None)
        for name in claims:
            self._selected.pop(name, None)
        self.version += bool(volumes or claims)


def waits(storage_class: StorageClass) -> bool:
    """True if the volumes of a storage class are bound once it is known where their pods go."""
    return storage_class.volume_binding_mode == WAIT_FOR_FIRST_CONSUMER


def _claim_keys(pod: Pod) -> Iterator[str]:
    """Yield the namespace/name of each claim of a pod."""
    return (f"{pod.metadata.namespace}/{name}" for name, _ in claim_names(pod))
