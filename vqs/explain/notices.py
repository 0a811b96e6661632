"""What about a cluster keeps a session from doing what its user may expect of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from vqs.engine.session import Session
from vqs.explain.units import in_words
from vqs.model.resource import CPU, EPSILON, MEMORY, Resource
from vqs.model.task import COMPLETED_STATUSES, Task
from vqs.model.wording import count, first_names
from vqs.snapshot.keys import pod_group_of
from vqs.snapshot.manifests import Manifests
from vqs.snapshot.missing_kinds import missing_kinds
from vqs.snapshot.taint_evictions import TaintEviction, taint_evictions, written
from vqs.snapshot.wanted_kinds import how_to_add

_MANY: Final = 10
"""So many pods that Kubernetes evicts are named."""


def notice_gaps(session: Session) -> None:
    """Add notices about the input of a session that was just opened."""
    _no_nodes(session)
    _unknown_nodes(session)
    _overcommitted_nodes(session)
    _other_tasks(session)
    _left_to_others(session)
    _unknown_queues(session)


def notice_missing_kinds(session: Session, given: Manifests, completed: Manifests) -> None:
    """Note each kind that something that waits hangs on, and that the snapshot has nothing of."""
    for kind, hanging in missing_kinds(given, completed):
        verb = "hang" if len(hanging) > 1 else "hangs"
        text = f"{first_names(hanging, 1)} {verb} on a {kind.kind.name}, and the snapshot has none: {kind.without}"
        session.note("missing-kind", text, help=how_to_add([kind]))


def notice_taints(session: Session, manifests: Manifests) -> None:
    """Note the pods that Kubernetes evicts for taints of their nodes: for this session, they run."""
    found = [_leaving(each) for each in taint_evictions(manifests)]
    if found:
        text = f"Kubernetes, not Volcano, evicts {count(len(found), 'pod')} for NoExecute taints of their nodes"
        session.note("taint-evictions", f"{text}, after this session: {first_names(found, _MANY)}")


def _leaving(eviction: TaintEviction) -> str:
    pod, taint, seconds = eviction
    group = pod_group_of(pod.metadata)
    of_job = f" of {group}" if group else ""
    later = f", {seconds:,} s later" if seconds else ""
    return f"{pod.metadata.key}{of_job} on {pod.spec.node_name} ({written(taint)}{later})"


def _no_nodes(session: Session) -> None:
    nodes = session.nodes.nodes
    if not nodes:
        session.warn("no-nodes", "there are no nodes, so nothing can be placed")
    empty = [node.name for node in nodes if node.allocatable.is_empty()]
    if empty:
        session.warn("empty-nodes", f"{_some(empty, 'node')} without allocatable resources")


def _unknown_nodes(session: Session) -> None:
    tasks = [task for job in session.jobs.values() for task in job.tasks.values()]
    lost = [
        f"{task.namespace}/{task.name} on {task.node}"
        for task in [*tasks, *session.cluster.other_tasks]
        if task.node and task.node not in session.nodes.index
    ]
    if lost:
        session.warn("unknown-node", f"{_some(lost, 'pod')} on a node that is not in the snapshot")


def _overcommitted_nodes(session: Session) -> None:
    nodes = session.nodes
    names = [nodes.names[column] for column in np.flatnonzero((nodes.idle <= -EPSILON).any(axis=0))]
    if names:
        session.warn("overcommitted-nodes", f"{_some(names, 'node')} with pods that request more than there is")


def _other_tasks(session: Session) -> None:
    """Tell what pods hold that no report names."""
    placed = [task for task in session.cluster.other_tasks if task.node and task.status not in COMPLETED_STATUSES]
    held = Resource()
    for task in placed:
        held.add(task.request)
    if placed:
        amounts = " and ".join(f"{in_words(name, held.get(name))} {name}" for name in (CPU, MEMORY))
        session.note(
            "strangers", f"{_some(_names(placed), 'pod')} of none of the jobs; they hold {amounts} of the nodes"
        )


def _left_to_others(session: Session) -> None:
    names = [
        f"{pod}, for {scheduler or 'default-scheduler'}" for pod, scheduler in session.cluster.left_to_others.items()
    ]
    if names:
        session.note("other-scheduler", f"{_some(names, 'pending pod')} that another scheduler is to place")


def _unknown_queues(session: Session) -> None:
    if session.cluster.without_queue:
        text = _some(sorted(session.cluster.without_queue), "PodGroup")
        session.warn("unknown-queue", f"{text} in a queue that does not exist; the scheduler ignores them")


def _names(tasks: Sequence[Task]) -> list[str]:
    return [f"{task.namespace}/{task.name}" for task in tasks]


def _some(names: Sequence[str], what: str) -> str:
    """Count things and name the first."""
    if len(names) == 1:
        return f"there is 1 {what} ({names[0]})"
    return f"there are {len(names)} {what}s (such as {names[0]})"
