"""What takes room that jobs never get: what rollouts replace, PodGroups without pods, pods that go with their node.

Reference: ``reconcileOldReplicaSets`` in pkg/controller/deployment/rolling.go of Kubernetes.

For PodGroups without pods that are admitted, what their minResources ask for is kept, and nothing takes it. Pods that
go with their node, of DaemonSets and static ones, take room that others never have. The kubelet counts a device in
capacity as long as its plugin has named it, and in allocatable only while it is healthy; where the plugin has stopped,
none is.
Reference: ``GetCapacity`` in pkg/kubelet/cm/devicemanager/manager.go of k8s.io/kubernetes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import chain
from typing import Final

from vqs.engine.framework.finished import FinishedSession
from vqs.engine.nodes.table import Floats, Masks
from vqs.explain.outcome import Blocker, in_words
from vqs.model import kubernetes as k8s
from vqs.model.codes import VerdictCode
from vqs.model.job import INQUEUE, Job, Task, TaskStatus
from vqs.model.quantity import QuantityError, parse
from vqs.model.resource import EPSILON, Resource
from vqs.model.rollout import Rollout
from vqs.model.wording import count, first_names, listed_names
from vqs.snapshot.controllers.world import controller_of, goes_with_its_node

_OF_A_LIMIT = (VerdictCode.QUEUE_LIMIT, VerdictCode.QUEUE_CAPABILITY, VerdictCode.QUEUE_OVERUSED)
_OF_ROOM = (VerdictCode.NO_NODE_FITS, VerdictCode.FRAGMENTED, VerdictCode.CLUSTER_FULL)


def replaces_older(
    session: FinishedSession, job: Job, waiting: Sequence[Task], blocker: Blocker, could_hold: Callable[[Task], Masks]
) -> str:
    """Say of a job that replaces older pods of its Deployment that these take its room; empty where it is not so.

    Args:
        session: a session that is over.
        job: one that waits.
        waiting: one of its pending tasks of each shape.
        blocker: what keeps it waiting first.
        could_hold: tells which nodes could hold a task once others have left them, (nodes,).
    """
    rollout = rollout_of(session, job)
    if rollout is None or not waiting:
        return ""
    older = [*_running(session, rollout)]
    if blocker.code in _OF_A_LIMIT:
        need, have = blocker.need, blocker.have
        takes_room = need is not None and any(
            each.request.get(blocker.resource) - need + (have or 0.0) > -EPSILON for each in older
        )
    else:
        takes_room = blocker.code in _OF_ROOM and any(
            _fits_without(session, each, task, could_hold(task)) for task in waiting for each in older
        )
    kept = min(len(older), rollout.replicas - rollout.unavailable)
    if not takes_room or kept <= 0:
        return ""
    pods = count(kept, "older pod")
    limit = f"maxUnavailable {rollout.unavailable} of {rollout.replicas}"
    return f"the rollout of Deployment {rollout.deployment.metadata.key} keeps {pods} until a new one runs ({limit})"


def rollout_of(session: FinishedSession, job: Job) -> Rollout | None:
    """Return the rollout that makes a job, in place of older pods of a Deployment; None where none does."""
    made_by = _replica_set(job)
    return session.cluster.rollouts.get(made_by) if made_by else None


def _running(session: FinishedSession, rollout: Rollout) -> Iterator[Task]:
    """Yield the tasks that run of the older ReplicaSets."""
    jobs = session.noted("jobs of ReplicaSets", lambda: {_replica_set(each): each for each in session.jobs.values()})
    for each in rollout.older:
        job = jobs.get((each.metadata.namespace, each.metadata.name))
        if job is not None:
            yield from job.having(TaskStatus.Running).values()


def _replica_set(job: Job) -> tuple[str, str] | None:
    return next(((job.namespace, each.name) for each in job.called.owners if each.kind == "ReplicaSet"), None)


def _fits_without(session: FinishedSession, older: Task, task: Task, could_hold: Masks) -> bool:
    """True if the node of an older pod would have room for a task without that pod."""
    column = session.nodes.index.get(older.node or "")
    if column is None or not could_hold[column]:
        return False
    idle, rows = session.nodes.future_idle, session.nodes.row
    return all(
        name in rows and task.request.get(name) - (float(idle[rows[name]][column]) + older.request.get(name)) < EPSILON
        for name in task.request.dimensions()
    )


def stale_groups(session: FinishedSession, resource: str) -> list[Job]:
    """Return the jobs whose PodGroup was Inqueue and has no pods, nor any to come; those first that keep most.

    What a controller keeps up may get pods yet, unless it is a Volcano Job that has ended.
    """

    def found() -> list[Job]:
        stale = [
            job
            for job in session.jobs.values()
            if job.pod_group.status.phase == INQUEUE
            and not job.tasks
            and job.uid not in session.cluster.awaited
            and (job.uid in session.cluster.ended or controller_of(job.pod_group.metadata) is None)
            and job.minimum().get(resource)
        ]
        return sorted(stale, key=lambda job: (-job.minimum().get(resource), job.uid))

    return session.noted(f"stale groups: {resource}", found)


def kept_by_stale_groups(session: FinishedSession, resource: str) -> str:
    """Say how much of what admitted jobs wait for is that of PodGroups without pods; empty where it is nothing."""
    stale = stale_groups(session, resource)
    if not stale:
        return ""
    kept = in_words(resource, sum(job.minimum().get(resource) for job in stale))
    named = first_names([job.pod_group.metadata.key for job in stale])
    return f"; {kept} {resource} of what they request is kept for {count(len(stale), 'PodGroup')} without pods: {named}"


_KINDS: Final = {"DaemonSet": "DaemonSet pod", "Node": "static pod"}


def daemons(session: FinishedSession) -> dict[str, list[Task]]:
    """The tasks that go with their node, by its name."""

    def make() -> dict[str, list[Task]]:
        found: defaultdict[str, list[Task]] = defaultdict(list)
        for task in chain(session.cluster.other_tasks, *(job.tasks.values() for job in session.jobs.values())):
            if task.node and goes_with_its_node(task.pod):
                found[task.node].append(task)
        return {**found}

    return session.noted("daemons", make)


def taken_by_daemons(session: FinishedSession, node: str) -> Resource:
    """What the tasks that go with a node take of it."""
    return Resource.total(task.request for task in daemons(session).get(node, ()))


def room_beside(session: FinishedSession, node: str, allocatable: Resource) -> Resource:
    """What a node has for others than its daemons."""
    return allocatable.clone().sub(taken_by_daemons(session, node))


def held_by_daemons(session: FinishedSession) -> Floats:
    """What tasks that go with their node, and that no job may evict, hold of each resource, (resources, nodes)."""

    def make() -> Floats:
        nodes = session.nodes
        held: Floats = nodes.allocatable * 0
        for node, tasks in daemons(session).items():
            for task in tasks if node in nodes.index else ():
                if task.job not in session.jobs:
                    held[:, nodes.index[node]] += nodes.vector(task.request)
        return held

    return session.noted("held by daemons", make)


def daemons_in_words(session: FinishedSession, node: str) -> str:
    """Say how many tasks of each kind go with a node; empty where none does."""
    owners = (controller_of(task.pod.metadata) for task in daemons(session).get(node, ()))
    kinds = [owner.kind for owner in owners if owner is not None]
    return listed_names([count(kinds.count(kind), said) for kind, said in _KINDS.items() if kind in kinds])


def not_offered(nodes: Iterable[k8s.Node], resource: str) -> dict[str, Fraction]:
    """Return how much of a resource nodes have beyond what they offer, by their names; none of what is no device."""
    if "/" not in resource:
        return {}
    found = {}
    for node in nodes:
        try:
            has, offers = (parse(each.get(resource, 0)) for each in (node.status.capacity, node.status.allocatable))
        except QuantityError:
            continue
        if has > offers:
            found[node.metadata.name] = has - offers
    return dict(sorted(found.items()))


def not_offered_in_words(nodes: Iterable[k8s.Node], resource: str) -> str:
    """Say which nodes have more of a resource than they offer, and why that may be; empty where none has."""
    found = not_offered(nodes, resource)
    if not found:
        return ""
    have, offer = ("has", "it does") if len(found) == 1 else ("have", "they do")
    more = f"{float(sum(found.values())):g} more {resource}"
    return (
        f"{first_names([*found])} {have} {more} that {offer} not offer, as allocatable is less than capacity: devices "
        "are not healthy there, or the device plugin does not run"
    )
