"""The kinds of objects that are used, where each belongs in a snapshot, and how ``kubectl get`` names them.

A snapshot of a cluster should have all kinds that are read. The list in docs/snapshots.md is this one, and what takes a
snapshot asks for these.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final

from vqs.model import devices
from vqs.model import kubernetes as k8s
from vqs.snapshot.reading.diagnostics import did_you_mean, one_of

SCENARIO_GROUP: Final = "vqs"
SCENARIO_VERSION: Final = "vqs/v1"
SCENARIO_KIND: Final = "Scenario"
PLAN_KINDS: Final = ("Sweep", "Tune")
"""The kinds of documents that say what is to be simulated, and are no part of a snapshot."""
METRICS_KIND: Final = ("metrics.k8s.io", "NodeMetrics")
"""The group and name of the kind that a metrics server has, which dumps may hold."""
_CORE: Final = ""
_APPS: Final = "apps"
_STORAGE: Final = "storage.k8s.io"
_DEVICES: Final = "resource.k8s.io"
_VOLCANO: Final = "scheduling.volcano.sh"
_FLOW: Final = "flow.volcano.sh"
_OF_VOLCANO: Final = ".volcano.sh"
"""How the groups of Volcano's own kinds end."""
_BETA: Final = "v1beta1"
_ALPHA: Final = "v1alpha1"


@dataclass(frozen=True, eq=False)
class Kind:
    """A kind that is used: its API group, its type, the list in the snapshot that takes its objects, its version."""

    name: str
    group: str
    type: type[Any]
    list_name: str
    namespaced: bool = False
    version: str = "v1"

    @property
    def api_version(self) -> str:
        """The group and version, as an object of the kind names them."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @cached_property
    def is_of_volcano(self) -> bool:
        """Whether it is one of Volcano's own kinds."""
        return self.group.endswith(_OF_VOLCANO)


KINDS: Final[Mapping[tuple[str, str], Kind]] = {
    (kind.group, kind.name): kind
    for kind in (
        Kind("Node", _CORE, k8s.Node, "nodes"),
        Kind("Pod", _CORE, k8s.Pod, "pods", namespaced=True),
        Kind("PodGroup", _VOLCANO, k8s.PodGroup, "pod_groups", namespaced=True, version=_BETA),
        Kind("Queue", _VOLCANO, k8s.Queue, "queues", version=_BETA),
        Kind("PriorityClass", "scheduling.k8s.io", k8s.PriorityClass, "priority_classes"),
        Kind("RuntimeClass", "node.k8s.io", k8s.RuntimeClass, "runtime_classes"),
        Kind("ResourceQuota", _CORE, k8s.ResourceQuota, "resource_quotas", namespaced=True),
        Kind("LimitRange", _CORE, k8s.LimitRange, "limit_ranges", namespaced=True),
        Kind("ConfigMap", _CORE, k8s.ConfigMap, "config_maps", namespaced=True),
        Kind("Namespace", _CORE, k8s.Namespace, "namespaces"),
        Kind("Service", _CORE, k8s.Service, "services", namespaced=True),
        Kind("ReplicaSet", _APPS, k8s.ReplicaSet, "workloads", namespaced=True),
        Kind("StatefulSet", _APPS, k8s.StatefulSet, "workloads", namespaced=True),
        Kind("ReplicationController", _CORE, k8s.ReplicationController, "workloads", namespaced=True),
        Kind("Deployment", _APPS, k8s.Deployment, "deployments", namespaced=True),
        Kind("Job", "batch", k8s.Job, "jobs", namespaced=True),
        Kind("Job", "batch.volcano.sh", k8s.VolcanoJob, "volcano_jobs", namespaced=True, version=_ALPHA),
        Kind("CronJob", "batch.volcano.sh", k8s.CronJob, "cron_jobs", namespaced=True, version=_ALPHA),
        Kind("JobFlow", _FLOW, k8s.JobFlow, "job_flows", namespaced=True, version=_ALPHA),
        Kind("JobTemplate", _FLOW, k8s.JobTemplate, "job_templates", namespaced=True, version=_ALPHA),
        Kind("PodDisruptionBudget", "policy", k8s.PodDisruptionBudget, "disruption_budgets", namespaced=True),
        Kind("PersistentVolumeClaim", _CORE, k8s.PersistentVolumeClaim, "claims", namespaced=True),
        Kind("PersistentVolume", _CORE, k8s.PersistentVolume, "volumes"),
        Kind("StorageClass", _STORAGE, k8s.StorageClass, "storage_classes"),
        Kind("CSINode", _STORAGE, k8s.CSINode, "csi_nodes"),
        Kind("CSIDriver", _STORAGE, k8s.CSIDriver, "csi_drivers"),
        Kind(
            "CSIStorageCapacity",
            _STORAGE,
            k8s.CSIStorageCapacity,
            "csi_storage_capacities",
            namespaced=True,
        ),
        Kind("VolumeAttachment", _STORAGE, k8s.VolumeAttachment, "volume_attachments"),
        Kind("ResourceClaim", _DEVICES, devices.ResourceClaim, "resource_claims", namespaced=True),
        Kind(
            "ResourceClaimTemplate",
            _DEVICES,
            devices.ResourceClaimTemplate,
            "resource_claim_templates",
            namespaced=True,
        ),
        Kind("DeviceClass", _DEVICES, devices.DeviceClass, "device_classes"),
        Kind("ResourceSlice", _DEVICES, devices.ResourceSlice, "resource_slices"),
        Kind("HyperNode", "topology.volcano.sh", k8s.HyperNode, "hyper_nodes", version=_ALPHA),
        Kind("Numatopology", "nodeinfo.volcano.sh", k8s.Numatopology, "numa_topologies", version=_ALPHA),
        Kind("NodeShard", "shard.volcano.sh", k8s.NodeShard, "node_shards", version=_ALPHA),
    )
}
JUDGED_ONLY: Final = frozenset({k8s.CronJob, k8s.JobFlow, k8s.JobTemplate})
"""Kinds that scheduling does not look at; whether they would get in, `vqs.lint` tells."""

KIND_OF: Final = {kind.type: kind for kind in KINDS.values()}
"""The kinds by the type of their objects."""

LISTS: Final = tuple(dict.fromkeys(kind.list_name for kind in KINDS.values()))
"""The lists of objects in manifests."""

_NO_NEWS: Final = frozenset(
    {
        *((_CORE, name) for name in ("ConfigMap", "Endpoints", "Event", "Secret", "ServiceAccount")),
        (_APPS, "ControllerRevision"),
    }
)
_GROUPS_WITHOUT_NEWS: Final = frozenset(
    {
        "admissionregistration.k8s.io",
        "apiextensions.k8s.io",
        "apiregistration.k8s.io",
        "autoscaling",
        "certificates.k8s.io",
        "coordination.k8s.io",
        "discovery.k8s.io",
        "events.k8s.io",
        "flowcontrol.apiserver.k8s.io",
        "networking.k8s.io",
        "rbac.authorization.k8s.io",
    }
)


_ABOUT_THE_API: Final = frozenset(
    {
        "admissionregistration.k8s.io",
        "apiextensions.k8s.io",
        "apiregistration.k8s.io",
        "autoscaling",
        "coordination.k8s.io",
        "flowcontrol.apiserver.k8s.io",
        "rbac.authorization.k8s.io",
    }
)
"""Groups that say nothing of a cluster as it is, but whose objects, changed, change what others may do in it."""


def may_matter(kind_name: str, group: str) -> bool:
    """True if one could think that a kind that is not used matters to scheduling."""
    return (group, kind_name) not in _NO_NEWS and group not in _GROUPS_WITHOUT_NEWS


OTHER_PRODUCTS: Final[Mapping[str, str]] = {
    "kthena": "pods that it has made count as they are, and what it would make of these objects is not modelled",
    "volcano-global": "to which cluster a job goes is not modelled, and what is in this one counts as it is",
}
"""Other products of the project, and what is not modelled of them."""
PRODUCTS: Final[Mapping[str, str]] = {
    "datadependency.volcano.sh": "volcano-global",
    "training.volcano.sh": "volcano-global",
    "networking.serving.volcano.sh": "kthena",
    "workload.serving.volcano.sh": "kthena",
}


VOLCANO_NAMESPACE: Final = "volcano-system"
"""The namespace in which Volcano is installed."""
_KEYS_OF_VOLCANO: Final = frozenset({"volcano-admission.conf", "volcano-controller.conf"})
_KEPT_BY_CLUSTER: Final = frozenset({"Endpoints", "EndpointSlice", "Event"})
"""Kinds that a cluster itself writes all the time."""


def change_may_matter(kind_name: str, group: str, value: Mapping[str, Any]) -> bool:
    """True if one could think that a change of an object that is not used matters to scheduling.

    A webhook, a role or a lease that is there already does nothing new; one that is changed may admit what was denied,
    or keep the scheduler from leading. So may what belongs to Volcano: its secrets, and the webhooks' configuration.
    """
    return group in _ABOUT_THE_API or may_matter(kind_name, group) or is_of_volcano(kind_name, value)


def is_of_volcano(kind_name: str, value: Mapping[str, Any]) -> bool:
    """True if an object belongs to an installation of Volcano, and more than tells what happened to it."""
    metadata, data = (found if isinstance(found := value.get(key), dict) else {} for key in ("metadata", "data"))
    if kind_name == "Event":
        return False
    is_named_so = str(metadata.get("name")).endswith(f"-admission-{kind_name.lower()}")
    return metadata.get("namespace") == VOLCANO_NAMESPACE or is_named_so or not _KEYS_OF_VOLCANO.isdisjoint(data)


def is_kept_by_cluster(kind_name: str, value: Mapping[str, Any]) -> bool:
    """True if an object is one that a cluster writes all the time, and comes from a cluster."""
    metadata = value.get("metadata")
    return kind_name in _KEPT_BY_CLUSTER and isinstance(metadata, dict) and bool(metadata.get("uid"))


def key_of(typed: Any) -> tuple[type, str]:
    """The type and the name of an object, which tell it from all others."""
    return type(typed), name_of(typed)


def name_of(typed: Any) -> str:
    """The name of an object, with its namespace if its kind has one: a queue is in none, whatever it says."""
    metadata = typed.metadata
    return str(metadata.key if KIND_OF[type(typed)].namespaced else metadata.name)


@lru_cache(maxsize=1024)
def kind_of(api_version: str, name: str) -> Kind | None:
    """The kind that an object says it is of, where that is used."""
    return KINDS.get((group_of(api_version), name))


def group_of(api_version: str) -> str:
    """The API group: what stands before the slash, nothing for the core group."""
    return api_version.rpartition("/")[0]


_OF_FILES: Final = frozenset({"Config", "Policy"})
"""Kinds of files, such as those of kubectl, that look like objects of the core group, and are no misspelt ones."""


_SCHEDULING: Final = f"{_VOLCANO}/{_BETA}"
_FORMER_GROUPS: Final[Mapping[str, Mapping[str, str]]] = {
    "scheduling.incubator.k8s.io": {"PodGroup": _SCHEDULING, "Queue": _SCHEDULING},
    "scheduling.sigs.dev": {"PodGroup": _SCHEDULING, "Queue": _SCHEDULING},
    "extensions": {
        **dict.fromkeys(("Deployment", "DaemonSet", "ReplicaSet"), "apps/v1"),
        **dict.fromkeys(("Ingress", "NetworkPolicy"), "networking.k8s.io/v1"),
        "PodSecurityPolicy": "",
    },
}
"""By API group that no cluster serves any more, where its kinds are now; empty where they are nowhere."""


def gone(kind_name: str, group: str) -> str:
    """Say that no cluster serves a kind, and what to write; empty where one may.

    >>> gone("Queue", "scheduling.incubator.k8s.io")
    'no cluster serves scheduling.incubator.k8s.io any more; write apiVersion: scheduling.volcano.sh/v1beta1'
    >>> gone("job", "batch"), gone("Job", "batch"), gone("Workflow", "argoproj.io")
    ("no cluster serves the kind 'job' of batch; write kind: Job", '', '')
    """
    if group in _FORMER_GROUPS:
        now = _FORMER_GROUPS[group].get(kind_name)
        return f"no cluster serves {group} any more{f'; write apiVersion: {now}' if now else ''}"
    meant = next((name for known, name in KINDS if known == group and name.casefold() == kind_name.casefold()), "")
    if not meant or meant == kind_name:
        return ""
    return f"no cluster serves the kind {kind_name!r} of {group or 'the core group'}; write kind: {meant}"


def near_miss(kind_name: str, group: str) -> str:
    """A hint if an object that is not used was probably meant to be one that is, else an empty text."""
    if kind_name in _OF_FILES:
        return ""
    groups = groups_with(kind_name)
    if groups and not group:
        return f"it is one of {one_of(groups)}"
    if groups:
        return did_you_mean(group, filter(None, groups))
    return did_you_mean(kind_name, [kind.name for kind in KINDS.values() if kind.group == group])


def groups_with(kind_name: str) -> list[str]:
    """The groups in which a kind of that name is used."""
    return [group for group, name in KINDS if name == kind_name]


_SUFFIX: Final = "List"


def is_list(value: Mapping[str, Any]) -> bool:
    """True if an object is a List: it has items, whatever its kind is; an empty one may leave them out."""
    kind = value.get("kind")
    return str(kind).endswith(_SUFFIX) or ("items" in value and bool(kind) and isinstance(value["items"], list))


def type_of_items(head: Mapping[str, Any]) -> dict[str, Any]:
    """The kind and apiVersion of items that name none; nothing for a List of anything."""
    kind = str(head.get("kind")).removesuffix(_SUFFIX)
    return {"apiVersion": head.get("apiVersion"), "kind": kind} if kind else {}


def typed_item(item: Any, usual: Mapping[str, Any]) -> Any:
    """An item of a List with its kind and apiVersion."""
    if not usual or not isinstance(item, dict) or ("kind" in item and "apiVersion" in item):
        return item
    return {**usual, **item}


_OWN_GROUPS: Final = "volcano.sh"


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
        return f"{self.resource}.{group}" if several or group.endswith(_OWN_GROUPS) else self.resource


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
