"""What a session leaves behind: the objects that the next one finds when only the controllers act.

All that a session began is over by then: bound pods run, pods that were evicted or are being deleted are gone, and
those of them that a controller stands behind are there again as new pods. A Volcano Job's controller creates pods only
once the PodGroup is admitted; where the Job says so, it restarts or ends the whole Job when a pod is evicted, or fails
as its kubelet stops it for that. Bare pods are gone for good. No pod ends by itself. Pods that do not tolerate a
NoExecute taint of their node are evicted by Kubernetes, and gone as well once they have tolerated it for as long as
they do.

A session leaves on a pod that waits the node that is reserved for it, if others were evicted for that, and it stays
there; a reservation of room that others leave by themselves is forgotten. CPUs that it gave to tasks are not free any
more, also where the tasks still wait. Claims keep the volumes and devices that they were given for pods that are bound.
References: pkg/scheduler/framework/job_updater.go, ``taskUnschedulable`` and ``UpdateSchedulerNumaInfo`` in
cache.go, ``TaskSchedulingReason`` in job_info.go; pkg/controllers/job in volcano-sh/volcano.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from copy import copy
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import chain, compress, count
from typing import Final

from msgspec import structs

from vqs.explain.affected import (
    ENDS,
    comes_back,
    deleted_with,
    evictions,
    is_of_volcano_job,
    pods_by_group,
    reacting,
)
from vqs.explain.given import counted, given_by, with_given, with_quota_usage
from vqs.explain.simulate import Finished
from vqs.model import kubernetes as k8s
from vqs.model.cpu_set import write_cpu_set
from vqs.model.devices import ResourceClaim
from vqs.model.job import NOT_ADMITTED, WAITING_STATUSES, Task, TaskStatus, Transaction
from vqs.model.keys import pod_group_of
from vqs.model.moments import later
from vqs.model.node import numa_topology
from vqs.model.requests import device_claims
from vqs.model.resource import CPU
from vqs.snapshot.cluster.session_cache import SessionCache, same
from vqs.snapshot.controllers.complete import complete, taint_evictions, with_makers
from vqs.snapshot.controllers.names import suffix
from vqs.snapshot.controllers.quotas import QuotaAdmission, uncounted_pods
from vqs.snapshot.controllers.upkeep.budgets import recounted
from vqs.snapshot.controllers.world import controller_of
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.whatif.owners import fresh

PERIOD: Final = timedelta(seconds=1)

_MOVING: Final = (TaskStatus.Binding, TaskStatus.Bound, *WAITING_STATUSES)
"""The statuses of tasks whose pods the next session finds changed; those of all others are as they were."""

_NUMBERED: Final = ("StatefulSet",)
"""Kinds whose pods have the same names when they are made again, besides Volcano's Job."""


# --- what comes after a session ---------------------------------------------------------------------------------------


class Aftermath:
    """Turns what a session decided into the objects that the next one finds.

    Attributes:
        first: the objects that it all began with.
        evictions: whom the last session evicts, and for whom.
        bound: the tasks that it binds; they run when the next one opens.
        gone: the pods that are no more when the next one opens.
        created: the pods that their controller creates now, as what they waited for has happened.
        recreated: the pods that are made again by then.
        awaiting_admission: the pods that their controller makes again only once the PodGroup is admitted.
        changed: whether the next session finds anything that the last one did not.
        has_more: whether that is more than other phases of PodGroups that were admitted before.
    """

    def __init__(self, first: Manifests, cache: SessionCache | None = None) -> None:
        self.first = first
        self._placed = SessionCache().placed if cache is None else cache.placed
        self.ended: set[str] = set()
        self.owed: list[tuple[k8s.Pod, Origin]] = []
        self.tainted_since: dict[tuple[str, str], datetime] = {}
        self.names: set[str] = set()
        self.there: dict[str, k8s.Pod] = {}  # those that are there, by namespace/name
        self._following: list[k8s.Pod] | None = None
        self._kept: list[k8s.Pod] = []
        self._seen: frozenset[int] = frozenset()

    def fork(self) -> Aftermath:
        """Return one that goes on from here by itself."""
        forked = copy(self)
        forked.ended, forked.owed, forked.names = set(self.ended), list(self.owed), set(self.names)
        forked.there = dict(self.there)
        return forked

    def of(self, finished: Finished, now: datetime) -> Manifests:
        """Return the manifests for the session that comes after one that was run at some time."""
        self.session = finished.session
        self.completed = finished.manifests
        self.now = now
        self.evictions = list(evictions(self.session))
        self.bound: list[str] = []
        self.gone: list[str] = []
        self.created: list[str] = []
        self.recreated: list[str] = []
        self.awaiting_admission: list[str] = []
        self.changed = self.has_more = False
        seen = self._seen
        is_known = self.completed.pods is self._following  # all that is new was noted as it was made
        unseen = () if is_known else (pod for pod in self.completed.pods if id(pod) not in seen)
        new = {pod.metadata.key: pod for pod in unseen}
        self.there.update(new)
        self.names.update(new)
        self._leaving = {
            name
            for name, pod in new.items()
            if pod.metadata.deletion_timestamp is not None and pod.status.phase in ("", "Pending", "Running")
        }
        self._kept = self.completed.pods  # as long as these are kept, no other pod has the identity of one of them
        self._seen = frozenset(map(id, self._kept))
        self.groups = {group.metadata.key: group for group in self._groups(self.completed)}
        self.tainted: set[str] = set()
        since: dict[tuple[str, str], datetime] = {}
        for pod, _, seconds in taint_evictions(self.completed):
            key = (pod.metadata.key, pod.metadata.uid)
            since[key] = self.tainted_since.get(key, self.now)
            if self.now + PERIOD >= later(since[key], seconds):
                self.tainted.add(pod.metadata.key)
            else:
                self.changed = True  # it is not over as long as a pod is going to be evicted
        self.tainted_since = since
        self._restart_jobs()
        following = self._made_by_controllers(self._left(self.completed))
        self.has_more |= self.changed
        self.changed |= self._has_other_phases
        return following

    def _left(self, completed: Manifests) -> Manifests:
        """Return what is there before controllers have done anything."""
        pods, origins_of_pods = self._pods_left(completed)
        completed = with_given(completed, given_by(self.session))
        kept = [index for index, group in enumerate(completed.pod_groups) if group.metadata.key in self.groups]
        origins = completed.origins.get("resource_claims", [])
        # A claim is unused once its last user is gone; one that had no user is left as it is. Reference: syncClaim in
        # pkg/controller/resourceclaim/controller.go of Kubernetes.
        users: dict[str, set[str]] = {
            claim.metadata.key: {f"{claim.metadata.namespace}/{user.name}" for user in claim.status.reserved_for}
            for claim in completed.resource_claims
            if claim.status.allocation is not None
        }
        placed = {pod.metadata.key for pod in pods if pod.spec.node_name} if users else set()
        for pod in completed.pods if users else ():
            if pod.status.phase not in k8s.ENDED_PHASES and (pod.spec.node_name or pod.metadata.key in placed):
                for name in device_claims(pod):
                    users.get(name, set()).add(pod.metadata.key)
        gone = set(self.gone)
        unused = {name for name, keys in users.items() if keys and keys <= gone}
        claims = [index for index, claim in enumerate(completed.resource_claims) if not self._goes(claim.metadata)]
        return replace(
            completed,
            pods=pods,
            pod_groups=[self.groups[completed.pod_groups[index].metadata.key] for index in kept],
            numa_topologies=list(self._numa_topologies(completed)),
            resource_claims=[self._later_claim(completed.resource_claims[index], unused) for index in claims],
            origins={
                **completed.origins,
                "resource_claims": [origins[index] for index in claims],
                "pods": origins_of_pods,
                "pod_groups": [completed.origins["pod_groups"][index] for index in kept],
            },
            expectations=[],
            sessions=completed.sessions + 1,
        )

    def _later_claim(self, claim: ResourceClaim, unused: Container[str]) -> ResourceClaim:
        """Return a claim on devices without the pods that are gone, and without devices where there is none left."""
        gone = set(self.gone)
        users = [each for each in claim.status.reserved_for if f"{claim.metadata.namespace}/{each.name}" not in gone]
        held = None if claim.metadata.key in unused else claim.status.allocation
        if len(users) == len(claim.status.reserved_for) and held is claim.status.allocation:
            return claim
        return structs.replace(claim, status=structs.replace(claim.status, allocation=held, reserved_for=users))

    def _goes(self, metadata: k8s.ObjectMeta) -> bool:
        """Tell whether an object is deleted, as the pod that it was made for is gone."""
        owner = controller_of(metadata)
        return owner is not None and owner.kind == "Pod" and f"{metadata.namespace}/{owner.name}" in self.gone

    def _made_by_controllers(self, left: Manifests) -> Manifests:
        """Return what is there once controllers have made what they miss."""
        left = with_quota_usage(left, self.completed)
        made = complete(_without(with_makers(left, self.first), self.ended), self._seen)
        awaited = self.completed.awaited
        new: list[k8s.Pod] = []
        if not same(left.pods, made.pods):
            old = {*map(id, left.pods)}
            new = [pod for pod in made.pods if id(pod) not in old]
        for pod in new:
            name = pod.metadata.key
            if name not in self.there:
                is_first = pod_group_of(pod.metadata) in awaited and name not in self.names
                (self.created if is_first else self.recreated).append(name)
                self.changed = True
            self.there[name] = pod
        self.names.update(pod.metadata.key for pod in new)
        self._following = made.pods
        made = with_quota_usage(made, left)
        made = replace(_without(with_makers(made, self.first), self.ended), notes=[])
        return recounted(with_makers(self.completed, self.first), made) if made.disruption_budgets else made

    # --- PodGroups ---------------------------------------------------------------------------------------------------

    def _groups(self, completed: Manifests) -> Iterator[k8s.PodGroup]:
        """Yield the PodGroups as the session leaves them. Reference: jobStatus.

        Only a new phase makes another object of one: no session reads how many of its pods run.
        """
        self._has_other_phases = False
        for group in completed.pod_groups:
            job = self.session.jobs.get(group.metadata.key)
            if job is None or job.phase == group.status.phase:
                yield group
                continue
            self._has_other_phases = True
            self.has_more |= group.status.phase in NOT_ADMITTED
            status = structs.replace(
                group.status,
                phase=job.phase,
                running=len(job.having(TaskStatus.Running)),
                succeeded=len(job.having(TaskStatus.Succeeded)),
                failed=len(job.having(TaskStatus.Failed)),
            )
            yield structs.replace(group, status=status)

    # --- CPUs --------------------------------------------------------------------------------------------------------

    def _numa_topologies(self, completed: Manifests) -> Iterator[k8s.Numatopology]:
        """Yield the Numatopologies without the CPUs that the session gave to tasks: the scheduler keeps that in mind.

        It counts CPUs as free again only when the node's exporter lists as many as before, or more.
        """
        left = {node.name: node.numa for node in self.session.nodes.nodes}
        for topology in completed.numa_topologies:
            now = left.get(topology.metadata.name)
            if now is None or now.free is None or now == numa_topology(topology):
                yield topology
                continue
            self.changed = True
            cpu = structs.replace(topology.spec.numares[CPU], allocatable=write_cpu_set(now.free))
            spec = structs.replace(topology.spec, numares={**topology.spec.numares, CPU: cpu})
            yield structs.replace(topology, spec=spec)

    def _restart_jobs(self) -> None:
        """Take away what the controllers of Volcano Jobs delete as a pod is evicted: other pods, and the PodGroup."""
        self.killed: set[str] = set()
        self.deleted: set[str] = set()
        jobs = {job.metadata.key: job for job in self.first.volcano_jobs}
        victims = {eviction.task for eviction in self.evictions} | self.tainted
        if not jobs or not victims:
            return
        reactions = reacting(self.completed, jobs)
        struck = {id(self.there[name]) for name in victims if name in self.there}
        pods: Mapping[str, list[k8s.Pod]] = {}
        for pod in [pod for pod in self.completed.pods if id(pod) in struck]:
            name = pod_group_of(pod.metadata)
            if name not in self.groups and name not in self.killed:
                continue
            for action, _ in reactions(pod):
                pods = pods or pods_by_group(self.completed.pods)
                self.deleted.update(each.metadata.key for each in deleted_with(pod, action, pods[name]))
                self.killed.add(name)
                self.groups.pop(name, None)
                if action in ENDS:
                    self.ended.add(_owner(pod)[2])

    # --- pods --------------------------------------------------------------------------------------------------------

    def _pods_left(self, completed: Manifests) -> tuple[list[k8s.Pod], list[Origin]]:
        """The pods that are left, and those that come back, and their origins."""
        moving = (job.having(status).values() for job in self.session.jobs.values() for status in _MOVING)
        tasks = {id(task.pod): task for task in chain.from_iterable(moving)}
        evicted = {eviction.task for eviction in self.evictions} | self.tainted
        struck = {id(self.there[name]): name for name in self.deleted | evicted | self._leaving if name in self.there}
        pods, origins = [*completed.pods], [*completed.origins.get("pods", ())]
        touched = tasks.keys() | struck.keys()
        victims: list[tuple[k8s.Pod, Origin]] = []
        for index in [index for index, each in enumerate(map(id, completed.pods)) if each in touched]:
            pod = pods[index]
            name = struck.get(id(pod))
            if name is None:
                pods[index] = self.there[pod.metadata.key] = self._later(pod, tasks[id(pod)])
                continue
            self.gone.append(name)
            del self.there[name]
            if name in evicted:
                victims.append((pod, origins[index]))
        if self.gone:
            self.changed = True
            left = [id(pod) not in struck for pod in pods]
            pods, origins = [*compress(pods, left)], [*compress(origins, left)]
        for pod, origin in self._made_again(victims):
            self.there[pod.metadata.key] = pod
            pods.append(pod)
            origins.append(origin)
        return pods, origins

    def _later(self, pod: k8s.Pod, task: Task) -> k8s.Pod:
        """Return a pod as the next session finds it."""
        if task.status in (TaskStatus.Binding, TaskStatus.Bound):
            self.changed = True
            if task.status is TaskStatus.Binding:
                self.bound.append(f"{task.namespace}/{task.name}")
            return self._placed_pod(pod, task)
        node = nominated_node(task)
        if not node or node == pod.status.nominated_node_name:
            return pod
        self.changed = True
        return nominated_pod(pod, node)

    def _placed_pod(self, pod: k8s.Pod, task: Task) -> k8s.Pod:
        """Return a pod as it runs on the node of its task: the same object as in the last sessions of the cache."""
        node, given = task.node or "", self.session.cluster.given_annotations.get(task.uid)
        key = pod.metadata.key
        known = self._placed.get(key)
        if known is not None and not given and known[0] is pod and known[1:3] == (node, self.now):
            return known[3]
        placed = running_pod(bound_pod(annotated_pod(pod, given) if given else pod, node, self.now), self.now)
        if not given:
            self._placed[key] = pod, node, self.now, placed
        return placed

    def _made_again(self, victims: list[tuple[k8s.Pod, Origin]]) -> Iterator[tuple[k8s.Pod, Origin]]:
        """Yield new pods for those that are gone, as soon as their controllers make them.

        The controllers of Volcano Jobs that are known do so by themselves.
        """
        known = {job.metadata.key for job in self.first.volcano_jobs}
        owed, self.owed = self.owed, []
        quotas = self._quotas()
        for pod, origin in (*owed, *victims):
            if pod_group_of(pod.metadata) in self.killed or not comes_back(pod, origin):
                continue
            is_of_volcano = is_of_volcano_job(pod)
            is_known = is_of_volcano and _owner(pod)[2] in known
            if is_of_volcano and self._waits(pod):
                self.awaiting_admission.append(pod.metadata.key)
                self.owed += [] if is_known else [(pod, origin)]
            elif not is_known:
                made = self._renewed(pod)
                if quotas.admit(made) is not None:
                    self.names.discard(made.metadata.key)
                    self.awaiting_admission.append(pod.metadata.key)
                    self.owed.append((pod, origin))
                    continue
                self.recreated.append(made.metadata.key)
                self.changed = True
                yield made, origin

    def _quotas(self) -> QuotaAdmission:
        """The quotas once they have counted which pods are gone."""
        quotas = self.completed.resource_quotas
        if not quotas:
            return QuotaAdmission(())
        gone = set(self.gone)
        went = [pod for pod in self.completed.pods if pod.metadata.key in gone]
        came = uncounted_pods(self.completed)
        return QuotaAdmission([counted(each, came, went) for each in quotas])

    def _waits(self, pod: k8s.Pod) -> bool:
        """Tell whether the PodGroup of a pod is not admitted."""
        group = self.groups.get(pod_group_of(pod.metadata))
        return group is not None and group.status.phase in NOT_ADMITTED

    def _renewed(self, pod: k8s.Pod) -> k8s.Pod:
        """Return the pod that comes after one: with a new uid, and a new name unless its name is its number."""
        metadata = pod.metadata
        name = metadata.name
        owner = controller_of(metadata)
        if owner is not None and not is_of_volcano_job(pod) and owner.kind not in _NUMBERED:
            prefix = name.rpartition("-")[0] or name
            names = (f"{prefix}-{suffix(prefix, turn)}" for turn in count())
            name = next(each for each in names if f"{metadata.namespace}/{each}" not in self.names)
        made = fresh(pod, name, creation_timestamp=self.now + PERIOD)
        if metadata.uid:
            made.metadata.uid = f"{metadata.uid}-again"
        self.names.add(made.metadata.key)
        return made


def _owner(owned: k8s.Pod | k8s.PodGroup) -> tuple[str, str, str]:
    """Return the version, kind and key of what controls an object; empty where nothing does."""
    owner = controller_of(owned.metadata)
    return (owner.api_version, owner.kind, f"{owned.metadata.namespace}/{owner.name}") if owner else ("", "", "")


def nominated_node(task: Task) -> str:
    """Return the node that the scheduler writes on a pod that waits: others had to leave it for the pod."""
    if task.status not in WAITING_STATUSES or task.scheduling_gated:
        return ""
    last = task.last_transaction or Transaction(task.status, task.node, eviction_occurred=task.eviction_occurred)
    return last.node or "" if last.status is TaskStatus.Pipelined and last.eviction_occurred else ""


# --- pods as they change ----------------------------------------------------------------------------------------------


def bound_pod(pod: k8s.Pod, node: str, now: datetime) -> k8s.Pod:
    """Return a pod that was bound to a node at some time, before anything of it runs."""
    others = [each for each in pod.status.conditions if each.type != "PodScheduled"]
    scheduled = k8s.Condition(type="PodScheduled", status="True", last_transition_time=now)
    status = structs.replace(pod.status, nominated_node_name="", conditions=[*others, scheduled])
    return structs.replace(pod, spec=structs.replace(pod.spec, node_name=node), status=status)


def running_pod(pod: k8s.Pod, now: datetime) -> k8s.Pod:
    """Return a bound pod that runs since some time, and is ready."""
    others = [each for each in pod.status.conditions if each.type != "Ready"]
    ready = k8s.Condition(type="Ready", status="True", last_transition_time=now)
    status = structs.replace(pod.status, phase="Running", start_time=now, conditions=[*others, ready])
    return structs.replace(pod, status=status)


def nominated_pod(pod: k8s.Pod, node: str) -> k8s.Pod:
    """Return a pod that waits for a node that is reserved for it."""
    return structs.replace(pod, status=structs.replace(pod.status, nominated_node_name=node))


def annotated_pod(pod: k8s.Pod, annotations: Mapping[str, str]) -> k8s.Pod:
    """Return a pod with more annotations: those that say which devices it was given."""
    metadata = structs.replace(pod.metadata, annotations={**pod.metadata.annotations, **annotations})
    return structs.replace(pod, metadata=metadata)


def _without(manifests: Manifests, ended: set[str]) -> Manifests:
    """Leave out the Volcano Jobs that are over."""
    if not ended:
        return manifests
    kept = [index for index, job in enumerate(manifests.volcano_jobs) if job.metadata.key not in ended]
    origins = manifests.origins.get("volcano_jobs", [])
    return replace(
        manifests,
        volcano_jobs=[manifests.volcano_jobs[index] for index in kept],
        origins={**manifests.origins, "volcano_jobs": [origins[index] for index in kept]},
    )
