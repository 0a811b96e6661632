"""Volumes: whether a pod's can be reached and attached, and which ones claims get that wait for their pods.

It is judged by what is on file: claims, the volumes they are bound to, and storage classes. A kind of which the
snapshot holds no object at all was most likely not dumped; then the volumes are assumed to be usable, with a
notice.

Volumes are counted once for all pods that share them, with those that are attached to the node for no pod of the
snapshot. Volcano counts volumes as a resource as well, once for each pod.
References: volumezone and nodevolumelimits/csi.go of k8s.io/kubernetes/pkg/scheduler/framework/plugins;
pkg/scheduler/capabilities/volumebinding.

On each node, a claim that waits for its pod gets the smallest volume that fits and that the node can reach, or has one
made there. Once a task is allocated, its volumes and the node for which others are made are its own; they are free
again when the task is taken away. A task that is promised a node reserves nothing, unless it was allocated a node
before: then the reference still takes it for being there.
References: pkg/scheduler/capabilities/volumebinding/binder.go, FindMatchingVolume in k8s.io/component-helpers.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import compress, product
from math import ceil
from typing import NamedTuple

import numpy as np

from vqs.engine.framework.votes import Refusal
from vqs.engine.nodes.selectors import NodeLabels
from vqs.engine.nodes.table import Floats, Masks, Nodes
from vqs.engine.plugins.predicates.filters import Verdict
from vqs.model.cluster import Cluster
from vqs.model.codes import VerdictCode
from vqs.model.job import Task
from vqs.model.kubernetes import (
    CSIDriver,
    CSINode,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    StorageClass,
)
from vqs.model.quantity import parse
from vqs.model.requests import claim_names, class_name, made_for
from vqs.model.selectors import Requirement, label_selector
from vqs.snapshot.reading.kinds import WantedKind, wanted

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


NO_ZONE = "node(s) had no available volume zone"
WRONG_NODE = "node(s) didn't match PersistentVolume's node affinity"
WRONG_NODE_BEFORE = "node(s) had volume node affinity conflict"
"""What releases up to v1.12 say in its place."""
NOTHING_TO_BIND = "node(s) didn't find available persistent volumes to bind"
NOT_ENOUGH_SPACE = "node(s) did not have enough free storage"
NO_SUCH_VOLUME = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
UNBOUND = "pod has unbound immediate PersistentVolumeClaims"

BIND_COMPLETED = "pv.kubernetes.io/bind-completed"
ZONE_LABELS = {
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region": "topology.kubernetes.io/region",
}
"""The labels by which a volume names its zones, with their present names."""


@dataclass(frozen=True, slots=True)
class VolumeSettings:
    """Which of the checks are on."""

    zones: bool
    binding: bool
    limits: bool


@dataclass(frozen=True, slots=True, eq=False)
class Reach:
    """The nodes that can use the bound volumes of a pod.

    Attributes:
        zones: the nodes in the zones of all of them.
        wrong: the nodes that do not reach the first one that they do not reach.
        missing: the nodes that reach all volumes before one that does not exist.
    """

    zones: Masks
    wrong: Masks
    missing: Masks

    def key(self) -> bytes:
        """What is the same for the same nodes."""
        return np.packbits([self.zones, self.wrong, self.missing]).tobytes()


class VolumeTable:
    """The claims, volumes and storage classes of a session."""

    def __init__(self, labels: NodeLabels, cluster: Cluster, settings: VolumeSettings) -> None:
        self._labels = labels
        self._cluster = cluster
        self._settings = settings
        self._everywhere: Masks = np.ones(len(labels.nodes), np.bool_)

    def missing_kinds(self) -> list[WantedKind]:
        """The kinds that the snapshot should have objects of, and has none."""
        claims = self._cluster.claims.values()
        if not claims:
            return [wanted(PersistentVolumeClaim)]
        volumes_missing = not self._cluster.volumes and any(claim.spec.volume_name for claim in claims)
        classes_missing = not self._cluster.storage_classes and not all(claim.spec.volume_name for claim in claims)
        kinds = {
            PersistentVolume: volumes_missing,
            StorageClass: classes_missing,
            CSINode: not self._cluster.volumes_counted,
            CSIDriver: self._cluster.storage_capacities == [] and not self._cluster.capacity_drivers,
        }
        return [wanted(kind) for kind, missing in kinds.items() if missing]

    def lacks_default_class(self) -> bool:
        """True if a claim has neither a volume nor a class, and the snapshot has no class that it might get."""
        if self._cluster.storage_classes:
            return False
        return any(not each.spec.volume_name and not class_name(each) for each in self._cluster.claims.values())

    # --- before any node is asked ------------------------------------------------------------------------------------

    def refusal(self, pod: Pod, *, zones: bool = True) -> Refusal | None:
        """Why no node can take a pod, as the scheduler says it; `zones` tells whether zones count yet."""
        if not self._cluster.claims:
            return None
        if zones and (text := self.zone_fault(pod)):
            return Refusal(VerdictCode.PRE_PREDICATE_FAILED, text=f"plugin VolumeZone pre-predicates failed {text}")
        if self._settings.binding and (text := self._binding_fault(pod)):
            return Refusal(VerdictCode.PRE_PREDICATE_FAILED, text=f"plugin VolumeBinding pre-predicates failed {text}")
        return None

    def zone_fault(self, pod: Pod) -> str | None:
        """Why the zones of a pod's volumes cannot be told; None where they can, or do not matter."""
        if not self._settings.zones or not self._cluster.claims:
            return None
        for volume in pod.spec.volumes:
            if volume.persistent_volume_claim is not None:
                text = self._zone_fault_of(volume.persistent_volume_claim.claim_name, pod.metadata.namespace)
                if text is not None:
                    return text
        return None

    def _zone_fault_of(self, name: str, namespace: str) -> str | None:
        if not name:
            return "PersistentVolumeClaim had no name"
        claim = self._cluster.claims.get(f"{namespace}/{name}")
        if claim is None:
            return f'persistentvolumeclaim "{name}" not found'
        volume = claim.spec.volume_name
        if not volume:
            named = class_name(claim)
            if not named:
                return "PersistentVolumeClaim had no pv name and storageClass name"
            if not self._cluster.storage_classes:
                return None
            storage_class = self._cluster.storage_classes.get(named)
            if storage_class is None:
                return f'storageclass.storage.k8s.io "{named}" not found'
            return None if waits(storage_class) else "PersistentVolume had no name"
        if self._cluster.volumes and volume not in self._cluster.volumes:
            return f'persistentvolume "{volume}" not found'
        return None

    def _binding_fault(self, pod: Pod) -> str | None:
        for name, ephemeral in claim_names(pod):
            claim = self._cluster.claims.get(f"{pod.metadata.namespace}/{name}")
            text = _claim_fault(claim, name, pod, ephemeral=ephemeral)
            if text is not None:
                return text
        return UNBOUND if any(self._must_be_bound(claim) for claim in self._claims(pod)) else None

    def _must_be_bound(self, claim: PersistentVolumeClaim) -> bool:
        """True if a claim should have been bound before its pod is scheduled, and is not."""
        if claim.spec.volume_name:  # manifests written by hand say in the status alone that it is
            return BIND_COMPLETED not in claim.metadata.annotations and claim.status.phase != "Bound"
        if not self._cluster.storage_classes:
            return False
        storage_class = self._cluster.storage_classes.get(class_name(claim))
        return storage_class is None or not waits(storage_class)

    def _claims(self, pod: Pod) -> list[PersistentVolumeClaim]:
        claims = self._cluster.claims
        keys = [f"{pod.metadata.namespace}/{name}" for name, _ in claim_names(pod)]
        return [claims[key] for key in keys if key in claims]

    # --- node by node ------------------------------------------------------------------------------------------------

    def reach(self, pod: Pod) -> Reach:
        """The nodes that can use a pod's bound volumes."""
        zones, open_ = self._everywhere, self._everywhere
        wrong = missing = ~self._everywhere
        for claim in self._claims(pod):
            volume = self._cluster.volumes.get(claim.spec.volume_name)
            if volume is None and claim.spec.volume_name and self._cluster.volumes:
                missing, open_ = missing | open_, ~self._everywhere
            elif volume is not None:
                zones = zones & self._in_zone(volume)
                required = volume.spec.node_affinity.required if volume.spec.node_affinity else None
                reached = self._everywhere if required is None else self._labels.selected(required)
                wrong, open_ = wrong | (open_ & ~reached), open_ & reached
        return Reach(zones, wrong, missing)

    def _in_zone(self, volume: PersistentVolume) -> Masks:
        """Which nodes are in the zones of a volume; those that name no zone and no region are in all."""
        given = [key for key in ZONE_LABELS if key in volume.metadata.labels]
        zoned: Masks = np.logical_or.reduce([self._labels.column(key).present for key in ZONE_LABELS])
        inside = self._everywhere
        for key in given:
            zones = [zone.strip() for zone in volume.metadata.labels[key].split("__")]
            if all(zones):  # a malformed list of zones is passed over
                own = self._labels.accepted(Requirement(key, "In", tuple(zones)))
                renamed = self._labels.accepted(Requirement(ZONE_LABELS[key], "In", tuple(zones)))
                inside = inside & np.where(self._labels.column(key).present, own, renamed)
        return inside | ~zoned


def _claim_fault(claim: PersistentVolumeClaim | None, name: str, pod: Pod, *, ephemeral: bool) -> str | None:
    if claim is None:
        missing = f'persistentvolumeclaim "{name}"'
        return (
            f"waiting for ephemeral volume controller to create the {missing}" if ephemeral else f"{missing} not found"
        )
    if claim.status.phase == "Lost":
        volume = claim.spec.volume_name
        return f'persistentvolumeclaim "{name}" bound to non-existent persistentvolume "{volume}"'
    if claim.metadata.deletion_timestamp is not None:
        return f'persistentvolumeclaim "{name}" is being deleted'
    if ephemeral and not made_for(claim, pod):
        return f"PVC {claim.metadata.key} was not created for pod {pod.metadata.key} (pod is not owner)"
    return None


class ZoneFilter:
    """The zones of a class's volumes; or that they cannot be told, where no node is left out for that beforehand."""

    volatile = False

    def __init__(self, refused: Masks, reason: str = NO_ZONE) -> None:
        self._refused = refused
        self._reason = reason

    def verdicts(self, nodes: Nodes) -> Iterator[Verdict]:
        """Refuse the nodes in other zones, or all."""
        yield Verdict(self._refused[nodes], self._reason, final=True)


class BindingFilter:
    """Where a class's volumes are, or can be made."""

    def __init__(
        self, reach: Reach, binder: VolumeBinder, needs: Sequence[Need], *, wrong_node: str = WRONG_NODE
    ) -> None:
        self._reach = reach
        self._wrong_node = wrong_node
        self._binder = binder
        self._needs = needs
        self._version = -1

    @property
    def volatile(self) -> bool:
        """Whether what is reserved for other pods matters."""
        return bool(self._needs)

    def plan(self) -> BindingPlan:
        """What claims that wait for their pod get now."""
        if self._version != self._binder.version:
            self._plan = self._binder.plan(self._needs)
            self._version = self._binder.version
        return self._plan

    def verdicts(self, nodes: Nodes) -> Iterator[Verdict]:
        """Refuse the nodes that do not reach a volume, that do not find one, or both."""
        plan = self.plan()
        found = {
            self._wrong_node: self._reach.wrong[nodes],
            NOTHING_TO_BIND: ~(plan.found | plan.short)[nodes],
            NOT_ENOUGH_SPACE: plan.short[nodes],
            NO_SUCH_VOLUME: self._reach.missing[nodes],
        }
        for given in product((False, True), repeat=len(found)):
            refused: Masks = np.all([mask == is_given for mask, is_given in zip(found.values(), given, strict=True)], 0)
            if any(given) and refused.any():
                yield Verdict(refused, ", ".join(compress(found, given)), final=True)


TOO_MANY_VOLUMES = "node(s) exceed max volume count"


class AttachedVolume(NamedTuple):
    """A volume: its driver, and what the driver calls it."""

    driver: str
    handle: str


class AttachedVolumes:
    """The volumes in use on each node, and how many it takes.

    `limits` has the largest number for each driver that some node limits, (nodes,).
    """

    def __init__(self, cluster: Cluster, index: dict[str, int], tasks: Iterable[Task]) -> None:
        self._cluster = cluster
        self._width = len(index)
        self.limits: dict[str, Floats] = {}
        for each in cluster.csi_nodes:
            node = index.get(each.metadata.name)
            for driver in each.spec.drivers:
                count = driver.allocatable.count if driver.allocatable else None
                if node is not None and count is not None:
                    self.limits.setdefault(driver.name, np.full(len(index), np.inf))[node] = count
        self._in_use: defaultdict[int, Counter[AttachedVolume]] = defaultdict(Counter)
        self._attached: defaultdict[int, set[AttachedVolume]] = defaultdict(set)
        self._counts: defaultdict[str, Floats] = defaultdict(lambda: np.zeros(self._width))
        pods = [task.pod for task in tasks if task.pod.spec.volumes] if self.limits else []
        self._users = Counter(volume for pod in pods for volume in self.of(pod))
        for attachment in cluster.volume_attachments if self.limits else ():
            spec = attachment.spec
            node = index.get(spec.node_name)
            volume = self._cluster.volumes.get(spec.source.persistent_volume_name or "")
            if node is None or volume is None or volume.spec.csi is None or not spec.attacher:
                continue
            attached = AttachedVolume(spec.attacher, volume.spec.csi.volume_handle)
            if attached not in self._attached[node]:
                self._attached[node].add(attached)
                self._counts[attached.driver][node] += 1

    def of(self, pod: Pod) -> set[AttachedVolume]:
        """The volumes of a pod whose driver is known."""
        volumes: set[AttachedVolume] = set()
        for name, ephemeral in claim_names(pod):
            claim = self._cluster.claims.get(f"{pod.metadata.namespace}/{name}")
            if claim is None or (ephemeral and not made_for(claim, pod)):
                continue
            volume = self._cluster.volumes.get(claim.spec.volume_name)
            if volume is None:  # one that is not there yet is the claim's own, whichever it will be
                storage_class = self._cluster.storage_classes.get(class_name(claim))
                driver, handle = storage_class.provisioner if storage_class else "", f"claim {claim.metadata.key}"
            else:
                csi = volume.spec.csi
                driver, handle = (csi.driver, csi.volume_handle) if csi else ("", "")
            if driver and handle:
                volumes.add(AttachedVolume(driver, handle))
        return volumes

    # --- what is in use ----------------------------------------------------------------------------------------------

    def add(self, pod: Pod, node: int) -> None:
        """Count the volumes of a pod on a node."""
        for volume in self.of(pod):
            self._in_use[node][volume] += 1
            if self._in_use[node][volume] == 1 and volume not in self._attached[node]:
                self._counts[volume.driver][node] += 1

    def remove(self, pod: Pod, node: int) -> None:
        """Count the volumes of a pod on a node no longer."""
        for volume in self.of(pod):
            self._in_use[node][volume] -= 1
            if self._in_use[node][volume] == 0 and volume not in self._attached[node]:
                self._counts[volume.driver][node] -= 1

    # --- what a pod adds ---------------------------------------------------------------------------------------------

    def signature(self, pod: Pod) -> Hashable:
        """What is the same for pods that may go to the same nodes: their drivers, and the volumes they share."""
        return tuple(sorted((each.driver, each.handle if self._users[each] > 1 else "") for each in self.limited(pod)))

    def limited(self, pod: Pod) -> list[AttachedVolume]:
        """The volumes of a pod whose drivers some node limits."""
        return [each for each in self.of(pod) if each.driver in self.limits] if self.limits else []

    def is_full(self, volumes: Iterable[AttachedVolume], nodes: Nodes) -> Masks:
        """Which of some nodes do not take some volumes more."""
        added: defaultdict[str, Floats] = defaultdict(lambda: np.zeros(self._width))
        for volume in volumes:
            more = added[volume.driver]
            more += 1
            if self._users[volume] > 1:
                more -= np.array([self._in_use[node][volume] > 0 for node in range(self._width)])
        full: Masks = np.zeros(self._width, np.bool_)
        for driver, more in added.items():
            full |= (more > 0) & (self._counts[driver] + more > self.limits[driver])
        return full[nodes]


class LimitFilter:
    """The limits of nodes for the volumes of a class."""

    volatile = False

    def __init__(self, table: AttachedVolumes, volumes: list[AttachedVolume]) -> None:
        self._table = table
        self._volumes = volumes

    def verdicts(self, nodes: Nodes) -> Iterator[Verdict]:
        """Refuse the nodes that have as many volumes as they take."""
        yield Verdict(self._table.is_full(self._volumes, nodes), TOO_MANY_VOLUMES, final=False)
