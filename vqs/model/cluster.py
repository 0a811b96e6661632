"""Everything a session is opened on, and how its queues stand below each other.

Reference: pkg/scheduler/api/queue_info.go.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from vqs.model.awaited import AwaitedPods
from vqs.model.codes import VerdictCode
from vqs.model.cpu_set import CpuSet
from vqs.model.devices import AllocationResult, DeviceClass, ResourceClaim, ResourceSlice
from vqs.model.hypernode import HyperNodes
from vqs.model.job import Job, JobName, Task
from vqs.model.kubernetes import (
    CSINode,
    CSIStorageCapacity,
    Namespace,
    PersistentVolume,
    PersistentVolumeClaim,
    PodDisruptionBudget,
    ResourceQuota,
    Service,
    StorageClass,
    VolumeAttachment,
    Workload,
)
from vqs.model.kubernetes import Queue as QueueObject
from vqs.model.node import Node
from vqs.model.requests import RequestTable
from vqs.model.resource import Resource
from vqs.model.rollout import Rollout
from vqs.model.sharding import Shard

ROOT = "root"
OPEN = "Open"


@dataclass(slots=True)
class Queue:
    """One queue; its name is also its identity. `capability` is None where none is set."""

    name: str
    object: QueueObject
    weight: int
    priority: int
    state: str
    reclaimable: bool
    parent: str
    created: float
    capability: Resource | None
    deserved: Resource | None
    guarantee: Resource


def parent_name(name: str, parent: str) -> str:
    """The parent of a queue: the root is that of queues that name none, and has none, whatever it says.

    >>> parent_name("dev", "team"), parent_name("team", ""), parent_name("root", "team")
    ('team', 'root', '')
    """
    return "" if name == ROOT else parent or ROOT


class QueueTree:
    """The names of queues and of their parents. A parent may be missing, and queues may be above themselves."""

    def __init__(self, parents: Iterable[tuple[str, str]] = ()) -> None:
        self._parents: dict[str, str] = {}
        self._children: dict[str, dict[str, None]] = {}
        for name, parent in parents:
            self.put(name, parent)

    def put(self, name: str, parent: str) -> None:
        """Add a queue."""
        self._parents[name] = parent
        self._children.setdefault(parent, {})[name] = None

    def drop(self, name: str) -> None:
        """Take a queue away."""
        del self._children[self._parents.pop(name)][name]

    def parent(self, name: str) -> str:
        """The name of a queue's parent, empty for the root and for a queue that is missing."""
        return self._parents.get(name, "")

    def child_names(self, name: str) -> Collection[str]:
        """The queues whose parent this is, in the order in which they were added."""
        return self._children.get(name, {}).keys()

    def above(self, name: str) -> Iterator[str]:
        """Yield the ancestors of a queue, its parent first, up to the root, a missing queue, or the first again."""
        met: set[str] = set()
        above = self.parent(name)
        while above and above not in met:
            met.add(above)
            yield above
            above = self.parent(above)

    def cycle(self, name: str) -> list[str]:
        """The queues on the way from a queue up to itself, itself last; none if no way leads back.

        >>> tree = QueueTree([("a", "b"), ("b", "a"), ("c", "a")])
        >>> tree.cycle("a"), tree.cycle("c")
        (['b', 'a'], [])
        """
        line = list(self.above(name))
        return line[: line.index(name) + 1] if name in line else []

    def depth(self, name: str) -> int:
        """How many levels below the root a queue is."""
        return len([each for each in self.above(name) if each != ROOT]) + 1

    def ends(self, name: str) -> bool:
        """True if the way up from a queue comes to the root, or to a queue that is missing."""
        return not self.parent([name, *self.above(name)][-1])


Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Orphan:
    """A pod that asks for this scheduler, but that it does not look at: the code of the verdict, and why."""

    task: Task
    queue: str
    code: VerdictCode
    text: str


@dataclass(frozen=True, slots=True)
class Before:
    """How the tasks of a cluster differ from those of one before, and the node table of that one.

    `gone` are tasks that this cluster does not have; a session may have changed them. `new` are those that it has in
    their place.
    """

    node_table: object | None
    gone: list[Task]
    new: list[Task]


@dataclass(slots=True)
class Cluster:
    """A cluster at one moment.

    Attributes:
        nodes: all nodes, in any order.
        queues: by name, sorted.
        jobs: those with a PodGroup and a queue that exists, by namespace/name: the ones the scheduler considers.
        names: what all jobs are called, those without a queue too, by the namespace/name of their PodGroups.
        requests: the distinct requests of all pods; `Task.shape` is a number of it.
        other_tasks: tasks outside of these jobs; they take up room on their nodes.
        ignored_jobs: those whose queue does not exist; the scheduler ignores them.
        ended: the PodGroups, by namespace/name, of Volcano Jobs that have ended: nothing of them waits.
        left_to_others: the schedulers that pods without a node ask for in place of this one, by namespace/name.
        left_of_groups: likewise, the schedulers that pods of a PodGroup ask for, a name for each such pod.
        orphans: those of the other tasks that ask for this scheduler and have no node.
        namespaces: by name.
        services, workloads: what default topology spreading finds its pods by.
        claims: by namespace/name.
        volumes, storage_classes: by name.
        volumes_counted: whether requests include attached volumes, as it is known how many each node takes.
        csi_nodes: how many volumes each node takes.
        storage_capacities: the room for new volumes, None where the scheduler does not look at it.
        capacity_drivers: the volume drivers that say how much room they have.
        volume_attachments: the volumes that are attached to nodes.
        disruption_budgets: the limits on evictions.
        quotas: the limits on what namespaces use, by namespace and name.
        hyper_nodes: the parts of the network.
        shard: the nodes that the scheduler takes care of, where it shares the cluster with others.
        resource_claims: claims on devices, by namespace/name.
        device_classes: classes of devices, by name.
        resource_slices: the devices that drivers offer.
        device_configs: the texts of the device configurations, by the namespace/name of their ConfigMaps.
        given_annotations: what the session writes into the annotations of pods as it gives them devices, by uid.
        given_cpus: the CPUs that the session gave to tasks of their own, by uid and node.
        given_devices: what claims on devices hold that the session gave them for a pod, by its uid and their names.
        given_volumes: the volumes that the session gave to claims of a pod, by its uid and the names of the claims.
        nodes_for_volumes: likewise, the node on which a claim has a volume made.
        awaited: the pods that controllers create after this moment, by the namespace/name of their PodGroups.
        rollouts: the Deployments that replace their pods, by the namespace and name of the new ReplicaSet.
        node_table: what a session makes of the nodes and of the tasks that are on them when it opens.
        before: what the cluster has in common with one before, where most of its tasks are the same.
        notes_of_others: what is made of the other tasks as they are; see `noted_of_others`.
        made_from: what it was built from, for whoever builds the next one; None where nothing of it can be used again.
    """

    nodes: list[Node]
    queues: dict[str, Queue]
    jobs: dict[str, Job]
    requests: RequestTable
    names: dict[str, JobName] = field(default_factory=dict)
    other_tasks: list[Task] = field(default_factory=list)
    ignored_jobs: list[Job] = field(default_factory=list)
    ended: frozenset[str] = frozenset()
    left_to_others: dict[str, str] = field(default_factory=dict)
    left_of_groups: dict[str, list[str]] = field(default_factory=dict)
    orphans: list[Orphan] = field(default_factory=list)
    namespaces: dict[str, Namespace] = field(default_factory=dict)
    services: list[Service] = field(default_factory=list)
    workloads: list[Workload] = field(default_factory=list)
    claims: dict[str, PersistentVolumeClaim] = field(default_factory=dict)
    volumes: dict[str, PersistentVolume] = field(default_factory=dict)
    storage_classes: dict[str, StorageClass] = field(default_factory=dict)
    volumes_counted: bool = True
    csi_nodes: list[CSINode] = field(default_factory=list)
    storage_capacities: list[CSIStorageCapacity] | None = None
    capacity_drivers: frozenset[str] = frozenset()
    volume_attachments: list[VolumeAttachment] = field(default_factory=list)
    disruption_budgets: list[PodDisruptionBudget] = field(default_factory=list)
    quotas: list[ResourceQuota] = field(default_factory=list)
    hyper_nodes: HyperNodes = field(default_factory=HyperNodes)
    shard: Shard = field(default_factory=Shard)
    resource_claims: dict[str, ResourceClaim] = field(default_factory=dict)
    device_classes: dict[str, DeviceClass] = field(default_factory=dict)
    resource_slices: list[ResourceSlice] = field(default_factory=list)
    device_configs: Mapping[str, str] = field(default_factory=dict)
    given_annotations: dict[str, dict[str, str]] = field(default_factory=dict)
    given_cpus: dict[str, dict[str, CpuSet]] = field(default_factory=dict)
    given_devices: dict[str, dict[str, AllocationResult]] = field(default_factory=dict)
    given_volumes: dict[str, dict[str, str]] = field(default_factory=dict)
    nodes_for_volumes: dict[str, dict[str, str]] = field(default_factory=dict)
    awaited: Mapping[str, AwaitedPods] = field(default_factory=dict)
    rollouts: Mapping[tuple[str, str], Rollout] = field(default_factory=dict)
    made_from: object | None = None
    node_table: object | None = None
    before: Before | None = None
    notes_of_others: dict[str, Any] = field(default_factory=dict)

    def noted_of_others(self, key: str, make: Callable[[], Item]) -> Item:
        """What is made of the other tasks; sessions on clusters that have all of these in common make it once.

        It must not be changed.
        """
        if key not in self.notes_of_others:
            self.notes_of_others[key] = make()
        noted: Item = self.notes_of_others[key]
        return noted

    def display_name(self, uid: str) -> str:
        """What people call a job, given the namespace/name of its PodGroup, which need not exist."""
        return self.names[uid].display if uid in self.names else uid

    @property
    def without_queue(self) -> dict[str, str]:
        """The queues that do not exist, by the namespace/name of the PodGroups that name them."""
        return {job.uid: job.queue for job in self.ignored_jobs}

    def leave_out(self, resources: Collection[str]) -> None:
        """Forget resources that scheduling ignores: what nodes have, pods ask for, and queues may have of them."""
        self.made_from, self.before, self.notes_of_others = None, None, {}
        for queue in self.queues.values():
            for limit in (queue.capability, queue.deserved, queue.guarantee):
                if limit is not None:
                    limit.leave_out(resources)
        for node in self.nodes:
            node.allocatable.leave_out(resources)
            node.capacity.leave_out(resources)
        for entry in self.requests.entries:
            entry.resource.leave_out(resources)
        for job in self.jobs.values():
            job.leave_out(resources)
        for task in self.other_tasks:
            task.best_effort = task.request.is_empty()
