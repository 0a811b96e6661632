"""How many volumes of a CSI driver a node takes.

Volumes are counted once for all pods that share them, with those that are attached to the node for no pod of the
snapshot. Volcano counts volumes as a resource as well, once for each pod.
Reference: k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits/csi.go.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from vqs.engine.nodes.table import Floats, Masks, Nodes
from vqs.engine.plugins.predicates.filters import Verdict
from vqs.model.claims import claim_names, class_name, made_for
from vqs.model.cluster import Cluster
from vqs.model.kubernetes import CSINode, PersistentVolumeClaim, Pod, VolumeAttachment
from vqs.model.task import Task

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
        self.limits = _limits(cluster.csi_nodes, index)
        self._in_use: defaultdict[int, Counter[AttachedVolume]] = defaultdict(Counter)
        self._attached: defaultdict[int, set[AttachedVolume]] = defaultdict(set)
        self._counts: defaultdict[str, Floats] = defaultdict(lambda: np.zeros(self._width))
        pods = [task.pod for task in tasks if task.pod.spec.volumes] if self.limits else []
        self._users = Counter(volume for pod in pods for volume in self.of(pod))
        for attachment in cluster.volume_attachments if self.limits else ():
            self._attach(attachment, index)

    def _attach(self, attachment: VolumeAttachment, index: dict[str, int]) -> None:
        spec = attachment.spec
        node, volume = index.get(spec.node_name), self._cluster.volumes.get(spec.source.persistent_volume_name or "")
        if node is None or volume is None or volume.spec.csi is None or not spec.attacher:
            return
        attached = AttachedVolume(spec.attacher, volume.spec.csi.volume_handle)
        if attached not in self._attached[node]:
            self._attached[node].add(attached)
            self._counts[attached.driver][node] += 1

    def of(self, pod: Pod) -> set[AttachedVolume]:
        """Return the volumes of a pod whose driver is known."""
        return set(self._of(pod))

    def _of(self, pod: Pod) -> Iterator[AttachedVolume]:
        for name, ephemeral in claim_names(pod):
            claim = self._cluster.claims.get(f"{pod.metadata.namespace}/{name}")
            if claim is None or (ephemeral and not made_for(claim, pod)):
                continue
            volume = self._volume(claim)
            if volume.driver and volume.handle:
                yield volume

    def _volume(self, claim: PersistentVolumeClaim) -> AttachedVolume:
        """Return the volume of a claim; one that is not there yet is its own, whichever it will be."""
        volume = self._cluster.volumes.get(claim.spec.volume_name)
        if volume is not None:
            csi = volume.spec.csi
            return AttachedVolume(csi.driver, csi.volume_handle) if csi else AttachedVolume("", "")
        storage_class = self._cluster.storage_classes.get(class_name(claim))
        return AttachedVolume(storage_class.provisioner if storage_class else "", f"claim {claim.metadata.key}")

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
        """Return what is the same for pods that may go to the same nodes: their drivers, and the volumes they share."""
        return tuple(sorted((each.driver, each.handle if self._users[each] > 1 else "") for each in self.limited(pod)))

    def limited(self, pod: Pod) -> list[AttachedVolume]:
        """Return the volumes of a pod whose drivers some node limits."""
        return [each for each in self.of(pod) if each.driver in self.limits] if self.limits else []

    def is_full(self, volumes: Iterable[AttachedVolume], nodes: Nodes) -> Masks:
        """Tell which of some nodes do not take some volumes more."""
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


def _limits(csi_nodes: Iterable[CSINode], index: dict[str, int]) -> dict[str, Floats]:
    limits: dict[str, Floats] = {}
    for each in csi_nodes:
        node = index.get(each.metadata.name)
        for driver in each.spec.drivers:
            count = driver.allocatable.count if driver.allocatable else None
            if node is not None and count is not None:
                limits.setdefault(driver.name, np.full(len(index), np.inf))[node] = count
    return limits


class LimitFilter:
    """The limits of nodes for the volumes of a class."""

    volatile = False

    def __init__(self, table: AttachedVolumes, volumes: list[AttachedVolume]) -> None:
        self._table = table
        self._volumes = volumes

    def verdicts(self, nodes: Nodes) -> Iterator[Verdict]:
        """Refuse the nodes that have as many volumes as they take."""
        yield Verdict(self._table.is_full(self._volumes, nodes), TOO_MANY_VOLUMES, final=False)
