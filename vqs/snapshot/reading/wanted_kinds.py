"""The kinds of objects that a snapshot of a cluster should have, as ``kubectl get`` names them, and what each is for.

They are all kinds that are read. The list in docs/snapshots.md is this one, and what takes a snapshot asks for these.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from vqs.model import kubernetes as k8s
from vqs.snapshot.reading.kinds import KINDS, Kind

_VOLCANO: Final = "volcano.sh"


@dataclass(frozen=True, slots=True)
class WantedKind:
    """A kind that a snapshot should have.

    Attributes:
        resource: its name in the paths of the API, in the plural.
        kind: its name, API group and version, and whether its objects are in namespaces.
        without: what becomes of the answer where it misses, as the end of a sentence.
    """

    resource: str
    kind: Kind
    without: str

    @property
    def kubectl_name(self) -> str:
        """The name for ``kubectl get``, with the group where others have a kind of that name, or might have."""
        group = self.kind.group
        several = sum(each.resource == self.resource for each in WANTED) > 1
        return f"{self.resource}.{group}" if several or group.endswith(_VOLCANO) else self.resource


def _wanted(resource: str, group: str, name: str, without: str) -> WantedKind:
    return WantedKind(resource, KINDS[group, name], without)


_NOT_YET_MADE: Final = "pods that controllers have yet to create are unknown"

WANTED: Final = (
    _wanted("pods", "", "Pod", "no pod is pending, and nodes seem empty"),
    _wanted("podgroups", "scheduling.volcano.sh", "PodGroup", "pods belong to no job, so none is placed"),
    _wanted("jobs", "batch.volcano.sh", "Job", _NOT_YET_MADE),
    _wanted("jobs", "batch", "Job", _NOT_YET_MADE),
    _wanted("replicasets", "apps", "ReplicaSet", f"{_NOT_YET_MADE}, and those of one set are not spread"),
    _wanted("deployments", "apps", "Deployment", _NOT_YET_MADE),
    _wanted("statefulsets", "apps", "StatefulSet", f"{_NOT_YET_MADE}, and those of one set are not spread"),
    _wanted("replicationcontrollers", "", "ReplicationController", "pods of one controller are not spread"),
    _wanted("services", "", "Service", "pods of one service are not spread"),
    _wanted("poddisruptionbudgets", "policy", "PodDisruptionBudget", "no budget protects pods from eviction"),
    _wanted("persistentvolumeclaims", "", "PersistentVolumeClaim", "volumes are assumed to be usable on every node"),
    _wanted("persistentvolumes", "", "PersistentVolume", "bound volumes are assumed reachable from every node"),
    _wanted(
        "storageclasses", "storage.k8s.io", "StorageClass", "unbound volumes are assumed to be usable on every node"
    ),
    _wanted("csinodes", "storage.k8s.io", "CSINode", "nodes are assumed to have room for any number of volumes"),
    _wanted(
        "volumeattachments",
        "storage.k8s.io",
        "VolumeAttachment",
        "nodes are assumed to have no volumes attached but those of their pods",
    ),
    _wanted("resourcequotas", "", "ResourceQuota", "namespaces are assumed to have no quota"),
    _wanted("limitranges", "", "LimitRange", "new pods get no requests by default, and may ask for any amount"),
    _wanted("namespaces", "", "Namespace", "affinity to pods in namespaces with some labels finds no namespace"),
    _wanted("priorityclasses", "scheduling.k8s.io", "PriorityClass", "jobs lack the priority of their PriorityClass"),
    _wanted(
        "runtimeclasses",
        "node.k8s.io",
        "RuntimeClass",
        "pods not created yet lack the overhead, node selector and tolerations of their RuntimeClass",
    ),
    _wanted("queues", "scheduling.volcano.sh", "Queue", "jobs of other queues than default and root are ignored"),
    _wanted("hypernodes", "topology.volcano.sh", "HyperNode", "the network is assumed to be flat"),
    _wanted(
        "numatopologies",
        "nodeinfo.volcano.sh",
        "Numatopology",
        "where numa-aware is used, pods that ask for a topology policy fit no node",
    ),
    _wanted("nodeshards", "shard.volcano.sh", "NodeShard", "the scheduler's shard is assumed to have no nodes"),
    _wanted("nodes", "", "Node", "nothing can be placed"),
    _wanted("configmaps", "", "ConfigMap", "Volcano's built-in configuration is used instead of the cluster's own"),
)
"""In the order in which they are asked for.

An object that another one names comes after that: read in this order, what a pod was made for is there when the pod is,
however fast the cluster changes meanwhile.
"""

_ANY_SIZE: Final = "with the scheduler's flag csi-storage, storage is assumed to have room for any volume"
_ON_EVERY_NODE: Final = "claims on devices are assumed to be satisfied on every node"

WANTED_IF_SERVED: Final = (
    _wanted("resourceclaims", "resource.k8s.io", "ResourceClaim", _ON_EVERY_NODE),
    _wanted("resourceclaimtemplates", "resource.k8s.io", "ResourceClaimTemplate", "pods not created yet lack claims"),
    _wanted("deviceclasses", "resource.k8s.io", "DeviceClass", _ON_EVERY_NODE),
    _wanted("resourceslices", "resource.k8s.io", "ResourceSlice", _ON_EVERY_NODE),
    _wanted("csidrivers", "storage.k8s.io", "CSIDriver", _ANY_SIZE),
    _wanted("csistoragecapacities", "storage.k8s.io", "CSIStorageCapacity", _ANY_SIZE),
)
"""Kinds that older clusters need not have: of dynamic resources, since Kubernetes 1.34, and of free storage."""

BY_NAME: Final[Mapping[str, WantedKind]] = {each.kubectl_name: each for each in (*WANTED, *WANTED_IF_SERVED)}
"""The same by the names that kubectl takes."""

_BY_KIND: Final = {each.kind.type: each for each in BY_NAME.values()}

CONFIGURATION: Final = _BY_KIND[k8s.ConfigMap]
"""Of the ConfigMaps, only the one with the scheduler's configuration is used."""


def wanted(kind: type) -> WantedKind:
    """The wanted kind whose objects are of a type."""
    return _BY_KIND[kind]


def how_to_add(kinds: Iterable[WantedKind]) -> str:
    """Say how a snapshot comes to have some kinds."""
    names = ",".join(each.kubectl_name for each in kinds)
    return f"run kubectl get {names} -A -o json > more.json, and read more.json beside the snapshot"
