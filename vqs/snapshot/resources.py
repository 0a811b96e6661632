"""What is read of a cluster, by the names that kubectl has for it, and what is not known without it.

An object that another one names comes after that: read in this order, what a pod was made for is there when the pod
is, however fast the cluster changes meanwhile.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

_CORE: Final = "v1"
_APPS: Final = "apps/v1"
_BATCH: Final = "batch/v1"
_STORAGE: Final = "storage.k8s.io/v1"
_VOLCANO: Final = "scheduling.volcano.sh/v1beta1"


@dataclass(frozen=True, slots=True)
class Resource:
    """A kind of objects.

    Attributes:
        plural: its name in the paths of the API server.
        kind: its name in objects.
        without: what an answer is like that is given without them, as the end of a sentence.
        api_version: its group and version.
        namespaced: whether its objects are in namespaces.
    """

    plural: str
    kind: str
    without: str
    api_version: str = _CORE
    namespaced: bool = False

    @property
    def name(self) -> str:
        """The name that kubectl takes, with the group where it has one.

        >>> RESOURCES["queues.scheduling.volcano.sh"].name
        'queues.scheduling.volcano.sh'
        >>> RESOURCES["pods"].name
        'pods'
        """
        group = self.api_version.rpartition("/")[0]
        return f"{self.plural}.{group}" if group else self.plural


_ALL: Final = (
    Resource("pods", "Pod", "nothing runs and nothing waits, but what controllers would make", namespaced=True),
    Resource(
        "podgroups", "PodGroup", "pods have no PodGroups to be scheduled by", api_version=_VOLCANO, namespaced=True
    ),
    Resource(
        "jobs",
        "Job",
        "Volcano Jobs whose pods are not there yet are left out",
        api_version="batch.volcano.sh/v1alpha1",
        namespaced=True,
    ),
    Resource("jobs", "Job", "Jobs do not make their pods again", api_version=_BATCH, namespaced=True),
    Resource(
        "replicasets",
        "ReplicaSet",
        "pods of ReplicaSets are neither spread by default nor made again",
        api_version=_APPS,
        namespaced=True,
    ),
    Resource(
        "deployments", "Deployment", "Deployments do not make their pods again", api_version=_APPS, namespaced=True
    ),
    Resource(
        "statefulsets",
        "StatefulSet",
        "pods of StatefulSets are neither spread by default nor made again",
        api_version=_APPS,
        namespaced=True,
    ),
    Resource(
        "replicationcontrollers",
        "ReplicationController",
        "pods of ReplicationControllers are not spread by default",
        namespaced=True,
    ),
    Resource("services", "Service", "pods of services are not spread by default", namespaced=True),
    Resource(
        "poddisruptionbudgets",
        "PodDisruptionBudget",
        "the plugin pdb spares nobody",
        api_version="policy/v1",
        namespaced=True,
    ),
    Resource("persistentvolumeclaims", "PersistentVolumeClaim", "volumes are taken to be fine", namespaced=True),
    Resource("persistentvolumes", "PersistentVolume", "volumes are taken to be fine"),
    Resource("storageclasses", "StorageClass", "volumes are taken to be fine", api_version=_STORAGE),
    Resource("csinodes", "CSINode", "nodes are taken to have room for any number of volumes", api_version=_STORAGE),
    Resource("resourcequotas", "ResourceQuota", "no quota of a namespace holds anything back", namespaced=True),
    Resource("namespaces", "Namespace", "no affinity to pods selects namespaces by their labels"),
    Resource(
        "priorityclasses",
        "PriorityClass",
        "jobs have no priority, and pods have the one that is written in them",
        api_version="scheduling.k8s.io/v1",
    ),
    Resource("runtimeclasses", "RuntimeClass", "new pods are taken to have no overhead", api_version="node.k8s.io/v1"),
    Resource("queues", "Queue", "there are no queues for jobs to be in", api_version=_VOLCANO),
    Resource("hypernodes", "HyperNode", "nothing is known of the network", api_version="topology.volcano.sh/v1alpha1"),
    Resource("nodes", "Node", "there is no node to place anything on"),
)

RESOURCES: Final[Mapping[str, Resource]] = {each.name: each for each in _ALL}
"""The kinds by the names that kubectl takes, in the order in which they are read."""

CONFIGURATION: Final = Resource(
    "configmaps",
    "ConfigMap",
    "Volcano's built-in configuration is used, unless --conf gives the scheduler's own",
    namespaced=True,
)
"""Of the ConfigMaps only the one with the scheduler's configuration is read."""
