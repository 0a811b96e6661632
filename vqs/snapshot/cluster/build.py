"""From objects to the cluster that a session is opened on: tasks, jobs, what they ask for, and HyperNodes.

References: pkg/scheduler/cache/cache.go (Snapshot, newDefaultAndRootQueue), event_handlers.go and util.go; the types
in pkg/scheduler/api.

A HyperNode that is a member of two, or of itself through others, is a fault: then the scheduler does not place jobs
that ask for a network topology. What the cache holds meanwhile depends on the order of events; here, the HyperNodes are
taken by name, and what would be the fault is left out.
Reference: pkg/scheduler/api/hyper_node_info.go (BuildHyperNodeCache, GetMembers).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Final, NoReturn

from vqs.model import kubernetes
from vqs.model.cluster import OPEN, ROOT, Cluster, Orphan, Queue
from vqs.model.codes import VerdictCode
from vqs.model.hypernode import HyperNode, HyperNodes
from vqs.model.job import Job, JobName, SubJob, Task, TaskStatus, topology_constraint
from vqs.model.keys import (
    DEVICE_CONFIG,
    GROUP_NAME,
    PREEMPTABLE,
    QUEUE_ALLOCATION_GATE,
    SCHEDULER_NAME,
    pod_group_of,
    role_of,
)
from vqs.model.kubernetes import ObjectMeta
from vqs.model.kubernetes import Queue as QueueObject
from vqs.model.node import Node, numa_topology
from vqs.model.quantity import finite_number, is_true, whole_number
from vqs.model.requests import RequestTable, claim_names, class_name, is_resized, made_for, volcano_request
from vqs.model.resource import CPU, CSI_VOLUMES, MEMORY, PODS, UNLIMITED_VOLUMES, Resource
from vqs.model.selectors import label_selector
from vqs.model.sharding import Shard
from vqs.releases.profile import DEFAULT_PROFILE, Profile
from vqs.snapshot.apiserver.validation.expressions import NotAnExpressionError, UndecidedError, expression
from vqs.snapshot.cluster.session_cache import Built, Common, Kept, SessionCache, queue_of, same, taken_over
from vqs.snapshot.controllers.job import job_names
from vqs.snapshot.reading.diagnostics import Diagnostic, InputErrors
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.manifests import Manifests, shard_of

NODE = "Node"
HYPER_NODE = "HyperNode"


def hyper_nodes(objects: Iterable[kubernetes.HyperNode], nodes: Sequence[kubernetes.Node]) -> HyperNodes:
    """The HyperNodes of a cluster; of several objects of one name, the last one counts."""
    defined = {each.metadata.name: each for each in objects}
    found = HyperNodes({})
    for name, written in sorted(defined.items()):
        made = found.by_name[name] = HyperNode(name, written.spec.tier, written.spec.tier_name)
        for member in written.spec.members:
            if member.type == NODE:
                made.nodes |= _members(member.selector, nodes)
    for name in sorted(defined):
        for member in defined[name].spec.members:
            if member.type == HYPER_NODE and member.selector.exact_match is not None:
                _adopt(found, name, member.selector.exact_match.name)
    # Add the nodes of each HyperNode to those above it, from the bottom up.
    from_top = [each.name for each in found.by_name.values() if not each.parent]
    for name in from_top:
        from_top.extend(found.by_name[name].children)
    for name in reversed(from_top):
        each = found.by_name[name]
        if each.parent:
            found.by_name[each.parent].nodes |= each.nodes
    return found


def _members(selector: kubernetes.MemberSelector, nodes: Sequence[kubernetes.Node]) -> set[str]:
    """The names of the nodes that a selector chooses; what cannot be read chooses none."""
    members: set[str] = set()
    if selector.exact_match is not None and selector.exact_match.name:
        members.add(selector.exact_match.name)
    if selector.regex_match is not None:
        names = [node.metadata.name for node in nodes]
        chosen_by_pattern = matching(selector.regex_match.pattern, names)
        if chosen_by_pattern is None:
            return set()
        members.update(chosen_by_pattern)
    if selector.label_match is not None:
        chosen = label_selector(selector.label_match)
        if not chosen.empty:
            members.update(node.metadata.name for node in nodes if chosen.matches(node.metadata.labels))
    return members


def matching(pattern: str, names: Iterable[str]) -> list[str] | None:
    """The names that the pattern of a member matches, None if it cannot be read."""
    try:
        regexp = expression(pattern)
        return [name for name in names if regexp.matches(name)]
    except (NotAnExpressionError, UndecidedError):
        return None


def _adopt(found: HyperNodes, parent: str, name: str) -> None:
    """Make a HyperNode a member of another, or note why it cannot be; one without an object is made up."""
    if not name:
        return
    child = found.by_name.setdefault(name, HyperNode(name, defined=False))
    if child.parent and child.parent != parent:
        found.fault = found.fault or f"HyperNode {name} is a member of both {child.parent} and {parent}"
    elif _is_below(found.by_name, parent, name):
        found.fault = found.fault or f"HyperNode {name} is a member of itself, through {parent}"
    elif not child.parent:
        child.parent = parent
        found.by_name[parent].children.append(name)


def _is_below(by_name: Mapping[str, HyperNode], name: str, other: str) -> bool:
    """True if a HyperNode is another one, or is below it."""
    if not by_name[other].children:
        return name == other
    while name:
        if name == other:
            return True
        name = by_name[name].parent
    return False


TASK_PRIORITY = "volcano.sh/task-priority"
OVERSUBSCRIPTION_CPU = "volcano.sh/oversubscription-cpu"
OVERSUBSCRIPTION_MEMORY = "volcano.sh/oversubscription-memory"

_NEVER = datetime.min.replace(tzinfo=UTC).timestamp()
"""The time of what has none."""
_LONGEST_RESOURCE_NAME = 63
_NOT_ATTACHED = frozenset({"rancher.io/local-path", "hostpath.csi.k8s.io"})
"""Drivers of volumes that are local to a node; the scheduler does not count theirs."""
_INT32 = range(-(2**31), 2**31)

_STATUS_OF_PHASE = {
    "Running": TaskStatus.Running,
    "Succeeded": TaskStatus.Succeeded,
    "Failed": TaskStatus.Failed,
}


def build_cluster(manifests: Manifests, cache: SessionCache | None = None) -> Cluster:
    """Build a cluster; each call makes one that shares no state with another.

    Args:
        manifests: the objects.
        cache: what clusters before had, where there were any; what is new is added.

    Raises:
        InputErrors: the amounts of its resources would take too much room.
    """
    cluster = _Builder(manifests, cache).build()
    named: list[Iterable[str]] = [node.allocatable.scalars for node in cluster.nodes]
    named += [entry.resource.scalars for entry in cluster.requests.entries]
    named += [_named_by(queue.object) for queue in cluster.queues.values()]
    names = len(set[str]().union(*named))  # beside cpu and memory
    of_nodes, of_queues = len(cluster.nodes) + len(cluster.requests.entries), len(cluster.queues)
    if names * of_nodes > MOST_OF_NODES:
        _refuse(manifests, MOST_OF_NODES // of_nodes, f"{of_nodes:,} nodes and distinct pod requests", MOST_OF_NODES)
    if names * of_queues > MOST_OF_QUEUES:
        _refuse(manifests, MOST_OF_QUEUES // of_queues, f"{of_queues:,} queues", MOST_OF_QUEUES)
    return cluster


class _Builder:
    def __init__(self, manifests: Manifests, cache: SessionCache | None) -> None:
        self.manifests = manifests
        self.claims = {claim.metadata.key: claim for claim in manifests.claims}
        self.volumes = {volume.metadata.name: volume for volume in manifests.volumes}
        self.storage_classes = {each.metadata.name: each for each in manifests.storage_classes}
        behaviours = manifests.profile.pods
        self.requests = RequestTable(behaviours)
        self._shapes: dict[int, int] = {}  # by the identity of containers, which the pods of the manifests hold
        leaves_out = behaviours.missing_device_claim == "left-out"
        self.device_claims = {claim.metadata.key for claim in manifests.resource_claims} if leaves_out else set[str]()
        self.keeps_reserve = behaviours.queue_allocation_gate == "keeps-reserve"
        self.priorities = {each.metadata.name: each.value for each in manifests.priority_classes}
        # With several global defaults, the scheduler takes the one it hears of last: here, the last one read.
        defaults = [each.value for each in manifests.priority_classes if each.global_default]
        self.default_priority = defaults[-1] if defaults else 0
        self.common = Common(self.priorities, self.default_priority, manifests.profile)
        self.last = cache.begin(self.common) if cache is not None else None

    def build(self) -> Cluster:
        objects = {each.metadata.name: each for each in self.manifests.queues}
        for name in (ROOT, self.manifests.flags.default_queue):  # the scheduler makes these two when it starts
            objects.setdefault(name, own_queue(name))
        queues = {name: _queue(objects[name]) for name in sorted(objects)}
        kept = Kept() if self.last is None else taken_over(self.last, self.manifests, queues.keys())
        if kept.names is not None:
            self.names = kept.names
        if self.last is not None and kept.pods is not None:
            self.requests = self.last.cluster.requests
        all_jobs = [
            kept.jobs.get(each.metadata.key)
            or Job(
                each,
                queue=queue_of(each, self.manifests.flags.default_queue),
                priority=self.priorities.get(each.spec.priority_class_name, self.default_priority),
                created=_seconds(each.metadata.creation_timestamp),
                called=self.names[each.metadata.key],
            )
            for each in self.manifests.pod_groups
        ]
        cluster = self._without_pods(queues, all_jobs)
        if kept.others is not None:
            cluster.other_tasks, cluster.notes_of_others = kept.others.other_tasks, kept.others.notes_of_others
            cluster.orphans, cluster.left_to_others = kept.others.orphans, kept.others.left_to_others
            cluster.left_of_groups = kept.others.left_of_groups
        self._place_pods(cluster, self.manifests.pods if kept.pods is None else kept.pods)
        for job in cluster.jobs.values():
            if job.uid not in kept.jobs and (job.has_sub_group_policy or job.topology is not None):
                job.assign_sub_jobs(_sub_jobs(job))
        if self.last is not None:
            kept.compare(self.last.cluster, cluster)
        return cluster

    def _without_pods(self, queues: dict[str, Queue], jobs: Sequence[Job]) -> Cluster:
        """The cluster before any pod has its place."""
        given, drivers, configs = self.manifests, self.manifests.csi_drivers, self.manifests.config_maps
        behaviours = given.profile.predicates
        is_whole = behaviours.node_shards == "ignored"
        counts_storage = given.csi_storage or behaviours.free_storage == "always"
        return Cluster(
            nodes=self._nodes(),
            queues=queues,
            jobs={job.uid: job for job in jobs if job.queue in queues},
            requests=self.requests,
            names=self.names,
            ignored_jobs=[job for job in jobs if job.queue not in queues],
            ended=given.ended,
            namespaces={each.metadata.name: each for each in given.namespaces},
            services=given.services,
            workloads=given.workloads,
            claims=self.claims,
            volumes=self.volumes,
            storage_classes=self.storage_classes,
            volumes_counted=bool(given.csi_nodes),
            csi_nodes=given.csi_nodes,
            storage_capacities=given.csi_storage_capacities if counts_storage else None,
            capacity_drivers=frozenset(each.metadata.name for each in drivers if each.spec.storage_capacity),
            volume_attachments=given.volume_attachments,
            disruption_budgets=given.disruption_budgets,
            quotas=sorted(given.resource_quotas, key=lambda quota: quota.metadata.key),
            awaited=given.awaited,
            rollouts=given.rollouts,
            resource_claims={each.metadata.key: each for each in given.resource_claims},
            device_classes={each.metadata.name: each for each in given.device_classes},
            resource_slices=given.resource_slices,
            device_configs={
                each.metadata.key: each.data[DEVICE_CONFIG] for each in configs if DEVICE_CONFIG in each.data
            },
            hyper_nodes=hyper_nodes(given.hyper_nodes, given.nodes),
            shard=Shard() if is_whole else shard_of(given.node_shards, given.sharding),
            made_from=Built(given, self.common),
        )

    @cached_property
    def names(self) -> dict[str, JobName]:
        """What all jobs are called."""
        return job_names(self.manifests)

    # --- nodes and queues --------------------------------------------------------------------------------------------

    def _nodes(self) -> list[Node]:
        given, last = self.manifests, self.last
        if last is not None and not same(last.manifests.csi_nodes, given.csi_nodes):
            last = None
        has_numa = given.numa_topologies or (last is not None and last.manifests.numa_topologies)
        if last is not None and not has_numa and same(last.manifests.nodes, given.nodes):
            return [*last.cluster.nodes]
        attach_limits = {each.metadata.name: _attach_limits(each, given.profile) for each in given.csi_nodes}
        # By the identity of their objects; those that sessions change are new.
        known = {} if last is None else {id(node.object): node for node in last.cluster.nodes if node.numa is None}
        nodes = [
            known.get(id(each)) or _node(each, attach_limits.get(each.metadata.name, {}))
            for each in self.manifests.nodes
        ]
        topologies = {each.metadata.name: each for each in self.manifests.numa_topologies}
        for node in nodes:
            if node.name in topologies:
                node.numa = numa_topology(topologies[node.name])
        return nodes

    # --- jobs and tasks ----------------------------------------------------------------------------------------------

    def _place_pods(self, cluster: Cluster, pods: Iterable[kubernetes.Pod]) -> None:
        """Give every pod the scheduler hears of its place: in a job, else among the other tasks."""
        for pod in pods:
            ours = pod.spec.scheduler_name == SCHEDULER_NAME
            if not ours and not pod.spec.node_name:
                if task_status(pod) is TaskStatus.Pending:
                    cluster.left_to_others[pod.metadata.key] = pod.spec.scheduler_name
                    if group := pod_group_of(pod.metadata):
                        cluster.left_of_groups.setdefault(group, []).append(pod.spec.scheduler_name)
                continue
            spec = pod.spec
            if spec.volumes:
                shape = self.requests.number(pod, self._attached_volumes(pod))
            elif spec.init_containers or spec.overhead or spec.resources or is_resized(pod):
                shape = self.requests.number(pod)
            else:
                # pods that share their containers need no closer look
                if id(spec.containers) not in self._shapes:
                    self._shapes[id(spec.containers)] = self.requests.number(pod)
                shape = self._shapes[id(spec.containers)]
            metadata = pod.metadata
            task = Task(
                pod,
                uid=metadata.uid or metadata.key,
                job=pod_group_of(metadata),
                role=role_of(metadata),
                status=task_status(pod),
                request=self.requests.entries[shape].resource,
            )
            task.shape = shape
            task.created = _seconds(metadata.creation_timestamp)
            task.priority = self._priority(pod)
            # A number at the end, in a name that may have a job, a task and an index.
            task.index = whole_number(metadata.name.rpartition("-")[2]) if metadata.name.count("-") > 1 else None
            # What is neither true nor false is no.
            task.preemptable = is_true(metadata.annotations.get(PREEMPTABLE, metadata.labels.get(PREEMPTABLE, "true")))
            if self.keeps_reserve and [gate.name for gate in pod.spec.scheduling_gates] == [QUEUE_ALLOCATION_GATE]:
                task.frees_reserve = False
            job = cluster.jobs.get(task.job)
            if pod.spec.resource_claims and self._lacks_device_claim(cluster, task):
                continue
            if job is not None:
                if task.uid in job.tasks:
                    cluster.made_from = None  # the job will know of one of the two pods only
                task.job = job.uid  # the very same text, for it is held as often as there are tasks
                job.add_task(task)
                continue
            cluster.other_tasks.append(task)
            if ours and task.status is TaskStatus.Pending:
                cluster.orphans.append(_orphan(task, self._groups.get(task.job), self.names))

    def _lacks_device_claim(self, cluster: Cluster, task: Task) -> bool:
        """True if a claim keeps a task out of the scheduler's cache; where no claims are known, none does.

        Reference: pkg/scheduler/cache/cache.go (buildTaskDRAInfo), event_handlers.go (addPod).
        """
        if not self.device_claims:
            return False
        claims, known = task.pod.spec.resource_claims, self.device_claims
        missing = next((each for each in claims if f"{task.namespace}/{each.resource_claim_name}" not in known), None)
        if missing is None or missing.resource_claim_template_name is not None:
            return False
        cluster.made_from = None  # the next one may have the claim
        job = cluster.jobs.get(task.job)
        if job is not None and task.status is TaskStatus.Pending:
            text = f"the pod names a ResourceClaim that does not exist: {missing.resource_claim_name or missing.name}"
            cluster.orphans.append(Orphan(task, job.queue, VerdictCode.UNKNOWN_DEVICE_CLAIM, text))
        return True

    @cached_property
    def _groups(self) -> dict[str, kubernetes.PodGroup]:
        return {each.metadata.key: each for each in self.manifests.pod_groups}

    def _priority(self, pod: kubernetes.Pod) -> int:
        annotation = pod.metadata.annotations.get(TASK_PRIORITY)
        annotated = whole_number(annotation) if annotation else None
        if annotated is not None and annotated in _INT32:
            return annotated
        if pod.spec.priority is not None:
            return pod.spec.priority
        # The API server writes the priority of the class into the pod; a manifest that it never saw has only the class.
        return self.priorities.get(pod.spec.priority_class_name, 1)

    # --- volumes -----------------------------------------------------------------------------------------------------

    def _attached_volumes(self, pod: kubernetes.Pod) -> dict[str, int]:
        """Count a pod's volumes by driver; one unknown claim, and none of them is counted. Ref: getPodCSIVolumes."""
        if not self.manifests.csi_nodes:
            return {}  # were they counted, no node would have room for any; a notice says so
        counts: dict[str, int] = {}
        for name, ephemeral in claim_names(pod):
            claim = self.claims.get(f"{pod.metadata.namespace}/{name}")
            if claim is None or (ephemeral and not made_for(claim, pod)):
                return {}
            driver = self._driver(claim)
            if driver and driver not in _NOT_ATTACHED:
                counted = attach_limit_name(driver, self.manifests.profile)
                counts[counted] = counts.get(counted, 0) + 1
        return counts

    def _driver(self, claim: kubernetes.PersistentVolumeClaim) -> str:
        volume = self.volumes.get(claim.spec.volume_name)
        if volume is not None:
            return volume.spec.csi.driver if volume.spec.csi else ""
        storage_class = self.storage_classes.get(class_name(claim))
        if storage_class is None:
            return ""
        return storage_class.parameters.get("csi.storage.k8s.io/csi-driver-name", storage_class.provisioner)


# --- pods -------------------------------------------------------------------------------------------------------------


def task_status(pod: kubernetes.Pod) -> TaskStatus:
    """The status of a task as its pod tells it. Reference: helpers.go."""
    phase = pod.status.phase or "Pending"  # what the API server makes of a new pod
    if phase in ("Running", "Pending") and pod.metadata.deletion_timestamp is not None:
        return TaskStatus.Releasing
    if phase == "Pending":
        return TaskStatus.Bound if pod.spec.node_name else TaskStatus.Pending
    return _STATUS_OF_PHASE.get(phase, TaskStatus.Unknown)


def _orphan(task: Task, pod_group: kubernetes.PodGroup | None, names: Mapping[str, JobName]) -> Orphan:
    if not task.job:
        text = f"the pod has no annotation {GROUP_NAME}, so it belongs to no PodGroup"
        return Orphan(task, "", VerdictCode.NO_POD_GROUP, text)
    if pod_group is None:
        return Orphan(task, "", VerdictCode.NO_POD_GROUP, f"there is no PodGroup {task.job}")
    queue = pod_group.spec.queue
    text = f"{names[task.job].of_pod_group} names a queue that does not exist: {queue}"
    return Orphan(task, queue, VerdictCode.UNKNOWN_QUEUE, text)


def _seconds(time: datetime | None) -> float:
    return time.timestamp() if time is not None else _NEVER


# --- nodes ------------------------------------------------------------------------------------------------------------


def _node(node: kubernetes.Node, attach_limits: dict[str, float]) -> Node:
    allocatable = Resource.from_quantities(node.status.allocatable)
    max_tasks = int(allocatable.scalars.get(PODS, 0))
    allocatable.scalars.update(attach_limits)
    capacity = Resource.from_quantities(node.status.capacity)
    extra = Resource(
        finite_number(node.metadata.annotations.get(OVERSUBSCRIPTION_CPU, "")) or 0.0,
        finite_number(node.metadata.annotations.get(OVERSUBSCRIPTION_MEMORY, "")) or 0.0,
    )
    return Node(node.metadata.name, node, allocatable.add(extra), capacity.add(extra), max_tasks)


def _attach_limits(csi_node: kubernetes.CSINode, profile: Profile) -> dict[str, float]:
    limits = {}
    for driver in csi_node.spec.drivers:
        count = driver.allocatable.count if driver.allocatable else None
        limits[attach_limit_name(driver.name, profile)] = float(UNLIMITED_VOLUMES if count is None else count)
    return limits


def attach_limit_name(driver: str, profile: Profile = DEFAULT_PROFILE) -> str:
    """The resource name that counts a driver's volumes; a long driver name is cut and hashed in old releases."""
    if profile.predicates.attach_limit_names == "whole":
        return CSI_VOLUMES + driver.replace("/", "-")
    if len(CSI_VOLUMES) + len(driver) < _LONGEST_RESOURCE_NAME:
        return CSI_VOLUMES + driver
    digest = hashlib.sha1(driver.encode(), usedforsecurity=False).hexdigest()
    return CSI_VOLUMES + driver[:23] + digest[:16]


# --- queues -----------------------------------------------------------------------------------------------------------


def own_queue(name: str) -> QueueObject:
    """One of the two queues that the scheduler makes where there are none of their names."""
    made = QueueObject(metadata=ObjectMeta(name=name))
    made.spec.weight = 1
    made.spec.reclaimable = name != ROOT
    made.status.state = OPEN
    return made


def _queue(queue: QueueObject) -> Queue:
    spec = queue.spec
    return Queue(
        name=queue.metadata.name,
        object=queue,
        weight=spec.weight,
        priority=spec.priority,
        state=queue.status.state or OPEN,  # what the queue controller makes of a new queue
        reclaimable=spec.reclaimable is not False,
        parent=spec.parent,
        created=_seconds(queue.metadata.creation_timestamp),
        capability=Resource.from_quantities(spec.capability) if spec.capability else None,
        deserved=Resource.from_quantities(spec.deserved) if spec.deserved else None,
        guarantee=Resource.from_quantities(spec.guarantee.resource),
    )


# --- sub-jobs ---------------------------------------------------------------------------------------------------------


def _sub_jobs(job: Job) -> Iterator[tuple[Task, SubJob]]:
    """Assign each task to a sub-job, making these as they are met."""
    made: dict[str, SubJob] = {}
    for policy in job.pod_group.spec.sub_group_policy:
        job.min_sub_groups[f"{job.uid}/{policy.name}"] = policy.min_sub_groups or 0
    for task in job.tasks.values():
        sub_job = _sub_job(job, task)
        yield task, made.setdefault(sub_job.uid, sub_job)


def _sub_job(job: Job, task: Task) -> SubJob:
    for policy in job.pod_group.spec.sub_group_policy:
        labels, selector = task.pod.metadata.labels, policy.label_selector
        values = [labels.get(key, "") for key in policy.match_label_keys]
        if values and all(values) and (selector is None or label_selector(selector).matches(labels)):
            group = f"{job.uid}/{policy.name}"
            size = 1 if policy.sub_group_size is None else policy.sub_group_size
            topology = topology_constraint(policy.network_topology)
            return SubJob(f"{group}-{'-'.join(values)}", group, size, whole_number(values[0]) or 0, topology)
    minimum = 1 if job.has_sub_group_policy else job.min_available
    return SubJob(job.uid, job.uid, minimum, topology=topology_constraint(job.pod_group.spec.network_topology))


# --- how large a table of nodes may be --------------------------------------------------------------------------------


MOST_OF_NODES: Final = 10_000_000
"""How many amounts of nodes and of distinct pod requests a session keeps: about 1 GB."""

MOST_OF_QUEUES: Final = 500_000
"""How many amounts of queues it keeps, each of which is computed and compared in several accounts."""


def _refuse(manifests: Manifests, most_names: int, things: str, most: int) -> NoReturn:
    """Refuse the first object with which there are too many resources; the input as a whole if it is no one object."""
    limit = f"with {things}, no more than {most_names:,} resources can be simulated"
    hint = f"no more than {most:,} amounts are kept; simulate a part of the input"
    for names, what, origin in _growth(manifests):
        if names > most_names:
            message = f"{what} names a resource too many: {limit}"
            raise InputErrors([origin.diagnostic("too-large", message, hint=hint)])
    message = f"the input names too many resources: {limit}"
    raise InputErrors([Diagnostic(code="too-large", severity="error", message=message, help=hint)])


def _growth(manifests: Manifests) -> Iterator[tuple[int, str, Origin]]:
    """Yield the objects that name resources which none before them names, each with how many there are so far."""
    known: set[str] = set()
    for list_name, names in _NAMES_OF:
        for each, origin in manifests.with_origins(list_name):
            before = len(known)
            known.update(name for name in names(each) if name not in (CPU, MEMORY))
            if len(known) > before:
                yield len(known), f"{type(each).__name__} {each.metadata.name}", origin


def _named_by(queue: kubernetes.Queue) -> set[str]:
    spec = queue.spec
    return {*spec.capability, *spec.deserved, *spec.guarantee.resource}


_NAMES_OF: Final[tuple[tuple[str, Callable[[Any], Iterable[str]]], ...]] = (
    ("nodes", lambda node: node.status.allocatable or ()),
    ("csi_nodes", lambda node: (driver.name for driver in node.spec.drivers)),
    ("pods", lambda pod: volcano_request(pod).scalars),
    ("queues", _named_by),
)
