"""Volumes: a pod goes where its volumes can be reached.

It is judged by what is on file: claims, the volumes they are bound to, and storage classes. A kind of which the
snapshot holds no object at all was most likely not dumped; then the volumes are assumed to be usable, with a
notice. Two things are left out: a volume that a pod of the same session was given stays free for others, and limits of
attached volumes are left to Volcano's own account of them as a resource.
References: k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumezone; pkg/scheduler/capabilities/volumebinding.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from vqs.engine.nodes import Masks, Nodes
from vqs.engine.plugins.predicates.filters import Verdict
from vqs.engine.selectors import NodeLabels
from vqs.engine.votes import Refusal
from vqs.model.claims import claim_names, class_name
from vqs.model.cluster import Cluster
from vqs.model.codes import VerdictCode
from vqs.model.kubernetes import CSINode, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass
from vqs.model.quantity import parse
from vqs.model.selectors import Requirement, label_selector
from vqs.snapshot.wanted_kinds import WantedKind, wanted

NO_ZONE = "node(s) had no available volume zone"
WRONG_NODE = "node(s) didn't match PersistentVolume's node affinity"
NOTHING_TO_BIND = "node(s) didn't find available persistent volumes to bind"
UNBOUND = "pod has unbound immediate PersistentVolumeClaims"

WAIT_FOR_FIRST_CONSUMER = "WaitForFirstConsumer"
NO_PROVISIONER = ("", "kubernetes.io/no-provisioner")
BIND_COMPLETED = "pv.kubernetes.io/bind-completed"
SELECTED_NODE = "volume.kubernetes.io/selected-node"
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


@dataclass(frozen=True, slots=True, eq=False)
class Reach:
    """The nodes that can use the volumes of a pod: by their zones, by where they are, by where they can be made."""

    zones: Masks
    bound: Masks
    unbound: Masks

    def key(self) -> bytes:
        """Return what is the same for the same nodes."""
        return np.packbits([self.zones, self.bound, self.unbound]).tobytes()


class VolumeTable:
    """The claims, volumes and storage classes of a session."""

    def __init__(self, labels: NodeLabels, cluster: Cluster, settings: VolumeSettings) -> None:
        self._labels = labels
        self._cluster = cluster
        self._settings = settings
        self._everywhere: Masks = np.ones(len(labels.nodes), np.bool_)

    def missing_kinds(self) -> list[WantedKind]:
        """Return the kinds that the snapshot should have objects of, and has none."""
        claims = self._cluster.claims.values()
        if not claims:
            return [wanted(PersistentVolumeClaim)]
        volumes_missing = not self._cluster.volumes and any(claim.spec.volume_name for claim in claims)
        classes_missing = not self._cluster.storage_classes and not all(claim.spec.volume_name for claim in claims)
        kinds = {
            PersistentVolume: volumes_missing,
            StorageClass: classes_missing,
            CSINode: not self._cluster.volumes_counted,
        }
        return [wanted(kind) for kind, missing in kinds.items() if missing]

    # --- before any node is asked ------------------------------------------------------------------------------------

    def refusal(self, pod: Pod) -> Refusal | None:
        """Return why no node can take a pod, as the scheduler says it."""
        if not self._cluster.claims:
            return None
        if self._settings.zones and (text := self._zone_fault(pod)):
            return Refusal(VerdictCode.PRE_PREDICATE_FAILED, text=f"plugin VolumeZone pre-predicates failed {text}")
        if self._settings.binding and (text := self._binding_fault(pod)):
            return Refusal(VerdictCode.PRE_PREDICATE_FAILED, text=f"plugin VolumeBinding pre-predicates failed {text}")
        return None

    def _zone_fault(self, pod: Pod) -> str | None:
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
            return self._unbound_fault(class_name(claim))
        if self._cluster.volumes and volume not in self._cluster.volumes:
            return f'persistentvolume "{volume}" not found'
        return None

    def _unbound_fault(self, name: str) -> str | None:
        if not name:
            return "PersistentVolumeClaim had no pv name and storageClass name"
        if not self._cluster.storage_classes:
            return None
        storage_class = self._cluster.storage_classes.get(name)
        if storage_class is None:
            return f'storageclass.storage.k8s.io "{name}" not found'
        return None if _waits(storage_class) else "PersistentVolume had no name"

    def _binding_fault(self, pod: Pod) -> str | None:
        for name, ephemeral in claim_names(pod):
            claim = self._cluster.claims.get(f"{pod.metadata.namespace}/{name}")
            text = _claim_fault(claim, name, ephemeral=ephemeral)
            if text is not None:
                return text
        return UNBOUND if any(self._must_be_bound(claim) for claim in self._claims(pod)) else None

    def _must_be_bound(self, claim: PersistentVolumeClaim) -> bool:
        """Tell whether a claim should have been bound before its pod is scheduled, and is not."""
        if _is_bound(claim):
            return False
        if claim.spec.volume_name:
            return True
        if not self._cluster.storage_classes:
            return False
        storage_class = self._cluster.storage_classes.get(class_name(claim))
        return storage_class is None or not _waits(storage_class)

    def _claims(self, pod: Pod) -> list[PersistentVolumeClaim]:
        claims = self._cluster.claims
        keys = [f"{pod.metadata.namespace}/{name}" for name, _ in claim_names(pod)]
        return [claims[key] for key in keys if key in claims]

    # --- node by node ------------------------------------------------------------------------------------------------

    def reach(self, pod: Pod) -> Reach | None:
        """Return the nodes that can use a pod's volumes, None where it has none or all can."""
        claims = self._claims(pod) if pod.spec.volumes else []
        zones, bound, unbound = self._everywhere, self._everywhere, self._everywhere
        for claim in claims:
            volume = self._cluster.volumes.get(claim.spec.volume_name)
            if volume is not None:
                zones = zones & self._in_zone(volume) if self._settings.zones else zones
                bound = bound & self._reachable(volume) if self._settings.binding else bound
            elif not claim.spec.volume_name and self._settings.binding:
                unbound = unbound & self._bindable(claim)
        return None if (zones & bound & unbound).all() else Reach(zones, bound, unbound)

    def _in_zone(self, volume: PersistentVolume) -> Masks:
        """Tell which nodes are in the zones of a volume; those that name no zone and no region are in all."""
        given = [key for key in ZONE_LABELS if key in volume.metadata.labels]
        zoned: Masks = np.logical_or.reduce([self._labels.column(key).present for key in ZONE_LABELS])
        inside = self._everywhere
        for key in given:
            zones = [zone.strip() for zone in volume.metadata.labels[key].split("__")]
            if all(zones):  # a malformed list of zones is passed over
                inside = inside & self._has_zone(key, zones)
        return inside | ~zoned

    def _has_zone(self, key: str, zones: Sequence[str]) -> Masks:
        own = self._labels.accepted(Requirement(key, "In", tuple(zones)))
        renamed = self._labels.accepted(Requirement(ZONE_LABELS[key], "In", tuple(zones)))
        return np.where(self._labels.column(key).present, own, renamed)

    def _reachable(self, volume: PersistentVolume) -> Masks:
        affinity = volume.spec.node_affinity
        if affinity is None or affinity.required is None:
            return self._everywhere
        return self._labels.selected(affinity.required)

    def _bindable(self, claim: PersistentVolumeClaim) -> Masks:
        """Tell on which nodes a claim that waits for its pod finds a volume, or has one made."""
        storage_class = self._cluster.storage_classes.get(class_name(claim))
        if storage_class is None:
            return self._everywhere
        made = self._provisioned(storage_class)
        selected = claim.metadata.annotations.get(SELECTED_NODE)
        if selected is not None:
            return made & np.array([node.metadata.name == selected for node in self._labels.nodes], np.bool_)
        for volume in self._cluster.volumes.values():
            if _fits(volume, claim):
                made = made | self._reachable(volume)
        return made

    def _provisioned(self, storage_class: StorageClass) -> Masks:
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


def _claim_fault(claim: PersistentVolumeClaim | None, name: str, *, ephemeral: bool) -> str | None:
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
    return None


def _is_bound(claim: PersistentVolumeClaim) -> bool:
    """Tell whether a claim has its volume; manifests written by hand say so in the status alone."""
    completed = BIND_COMPLETED in claim.metadata.annotations or claim.status.phase == "Bound"
    return bool(claim.spec.volume_name) and completed


def _waits(storage_class: StorageClass) -> bool:
    return storage_class.volume_binding_mode == WAIT_FOR_FIRST_CONSUMER


def _fits(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    """Tell whether a volume could be bound to a claim, wherever that is."""
    reference = volume.spec.claim_ref
    if reference is not None:
        return (reference.namespace, reference.name) == (claim.metadata.namespace, claim.metadata.name)
    asked, offered = claim.spec.resources.requests.get("storage", 0), volume.spec.capacity.get("storage", 0)
    selector = claim.spec.selector
    return (
        volume.status.phase == "Available"
        and volume.spec.storage_class_name == class_name(claim)
        and volume.metadata.deletion_timestamp is None
        and set(claim.spec.access_modes) <= set(volume.spec.access_modes)
        and parse(offered) >= parse(asked)
        and (selector is None or label_selector(selector).matches(volume.metadata.labels))
    )


class ZoneFilter:
    """The zones of a class's volumes."""

    volatile = False

    def __init__(self, reach: Reach) -> None:
        self._refused = ~reach.zones

    def verdicts(self, nodes: Nodes) -> Iterator[Verdict]:
        """Refuse the nodes in other zones."""
        yield Verdict(self._refused[nodes], NO_ZONE, final=True)


class BindingFilter:
    """Where a class's volumes are, or can be made."""

    volatile = False

    def __init__(self, reach: Reach) -> None:
        self._wrong, self._nothing = ~reach.bound, ~reach.unbound

    def verdicts(self, nodes: Nodes) -> Iterator[Verdict]:
        """Refuse the nodes that do not reach a volume, that do not find one, or both."""
        wrong, nothing = self._wrong[nodes], self._nothing[nodes]
        yield Verdict(wrong & nothing, f"{WRONG_NODE}, {NOTHING_TO_BIND}", final=True)
        yield Verdict(wrong & ~nothing, WRONG_NODE, final=True)
        yield Verdict(nothing & ~wrong, NOTHING_TO_BIND, final=True)
