"""What about a cluster keeps a session from doing what its user may expect of it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from functools import partial
from itertools import chain
from typing import Final

import numpy as np

from vqs.engine.framework.finished import FinishedSession
from vqs.engine.framework.ledger import QueueFigures
from vqs.engine.framework.session import Session
from vqs.engine.framework.trace import Op, StatementResult
from vqs.explain.units import in_words
from vqs.model.codes import NO_NODE_SHARD
from vqs.model.keys import pod_group_of
from vqs.model.resource import CPU, EPSILON, MEMORY, PODS, Resource
from vqs.model.sharding import ShardingMode
from vqs.model.task import COMPLETED_STATUSES, Task
from vqs.model.wording import count, first_names, listed_names
from vqs.snapshot.controllers.taint_evictions import TaintEviction, taint_evictions, written
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.missing_kinds import WaitingPods, missing_kinds
from vqs.snapshot.reading.wanted_kinds import how_to_add

_BELOW_DESERVED: Final = (
    "reclaim may take tasks from a queue that holds more than it deserves of one resource; a guarantee, or "
    "reclaimable: false on the queue, protects it"
)

_SHARDING_FLAGS: Final = (
    "if the scheduler is started with --scheduler-sharding-mode and --scheduler-sharding-name, give the same options"
)

_MANY: Final = 10
"""The number of pods evicted by Kubernetes that are named."""


def notice_gaps(session: Session) -> None:
    """Add notices about the input of a session that was just opened."""
    _no_nodes(session)
    _unknown_nodes(session)
    _overcommitted_nodes(session)
    _other_tasks(session)
    _left_to_others(session)
    _unknown_queues(session)
    _shard(session)


def notice_missing_kinds(session: Session, given: Manifests, completed: Manifests, waiting: WaitingPods) -> None:
    """Note each kind that something that waits hangs on, and that the snapshot has nothing of."""
    for kind, hanging in missing_kinds(given, completed, waiting):
        verb = "depends" if len(hanging) == 1 else "depend"
        text = f"{first_names(hanging, 1)} {verb} on a {kind.kind.name}, and the snapshot has none: {kind.without}"
        session.note("missing-kind", text, help=how_to_add([kind]), unknown=[f"objects of kind {kind.kind.name}"])


def notice_taints(session: Session, manifests: Manifests) -> None:
    """Note the pods that Kubernetes evicts for taints of their nodes: for this session, they run."""
    found = [_leaving(each) for each in taint_evictions(manifests)]
    if found:
        text = f"Kubernetes, not Volcano, evicts {count(len(found), 'pod')} for NoExecute taints of their nodes"
        session.note("taint-evictions", f"{text}, after this session: {first_names(found, _MANY)}")


def notice_reclaim(session: FinishedSession) -> None:
    """Warn of queues that reclaim leaves with less than they deserve of what it takes from them."""
    for queue, tasks in sorted(_reclaimed(session).items()):
        if left := _below_deserved(session.closed_queues[queue], tasks):
            text = f"reclaim takes {count(len(tasks), 'task')} from queue {queue} and leaves it less than it deserves"
            session.warn("reclaim-below-deserved", f"{text}: {listed_names(left)}", help=_BELOW_DESERVED)


def _reclaimed(session: FinishedSession) -> dict[str, list[Task]]:
    """Return the tasks that reclaim evicts, by the queue that loses them."""
    taken: dict[str, list[Task]] = {}
    for record in session.trace.statements:
        if record.action == "reclaim" and record.result is not StatementResult.DISCARD:
            for step in record.operations:
                name = session.jobs[step.task.job].queue
                if step.op is Op.EVICT and name in session.closed_queues:
                    taken.setdefault(name, []).append(step.task)
    return taken


def _below_deserved(queue: QueueFigures, taken: Sequence[Task]) -> list[str]:
    """Return what a queue holds and deserves of the resources taken from it that it has too little of."""
    held, deserved = queue.allocated, queue.deserved
    names = sorted({name for task in taken for name in task.request.names() if name != PODS})
    return [
        f"{in_words(name, held.get(name))} of {in_words(name, deserved.get(name))} {name}"
        for name in names
        if deserved.get(name) - held.get(name) >= EPSILON
    ]


def _leaving(eviction: TaintEviction) -> str:
    pod, taint, seconds = eviction
    group = pod_group_of(pod.metadata)
    of_job = f" of {group}" if group else ""
    later = f", {seconds:,} s later" if seconds else ""
    return f"{pod.metadata.key}{of_job} on {pod.spec.node_name} ({written(taint)}{later})"


def _no_nodes(session: Session) -> None:
    nodes = session.nodes.nodes
    if not nodes:
        session.warn("no-nodes", "the snapshot has no nodes, so nothing can be placed")
    empty = [node.name for node in nodes if node.allocatable.is_empty()]
    if empty:
        session.warn("empty-nodes", f"{_some(empty, 'node has', 'nodes have')} no allocatable resources")


def _unknown_nodes(session: Session) -> None:
    nodes, others = session.nodes, session.cluster.other_tasks
    found = [
        job.noted("lost", partial(_lost, job.tasks.values(), nodes.index), of=nodes.likeness)
        for job in session.jobs.values()
    ]
    lost = [*chain.from_iterable(found), *_lost(others, nodes.index)]
    if lost:
        session.warn("unknown-node", f"{_some(lost, 'pod runs', 'pods run')} on a node that is not in the snapshot")


def _lost(tasks: Iterable[Task], known: Container[str]) -> list[str]:
    return [f"{task.namespace}/{task.name} on {task.node}" for task in tasks if task.node and task.node not in known]


def _overcommitted_nodes(session: Session) -> None:
    nodes = session.nodes
    names = [nodes.names[column] for column in np.flatnonzero((nodes.idle <= -EPSILON).any(axis=0))]
    if names:
        text = f"{_some(names, 'node is', 'nodes are')} overcommitted"
        session.warn("overcommitted-nodes", f"{text}: pods request more than is allocatable")


def _other_tasks(session: Session) -> None:
    """Tell what pods hold that no report names."""
    text = session.cluster.noted_of_others("told", partial(_told_of, session.cluster.other_tasks))
    if text:
        session.note("strangers", text)


def _told_of(others: Sequence[Task]) -> str:
    placed = [task for task in others if task.node and task.status not in COMPLETED_STATUSES]
    if not placed:
        return ""
    held = Resource()
    for task in placed:
        held.add(task.request)
    amounts = " and ".join(f"{in_words(name, held.get(name))} {name}" for name in (CPU, MEMORY))
    text = f"{_some(_names(placed), 'pod belongs', 'pods belong')} to no job"
    return f"{text} and {'holds' if len(placed) == 1 else 'hold'} {amounts} of the nodes"


def _left_to_others(session: Session) -> None:
    names = [f"{pod}: {scheduler or 'default-scheduler'}" for pod, scheduler in session.cluster.left_to_others.items()]
    if names:
        text = f"{_some(names, 'pending pod is', 'pending pods are')} left to other schedulers"
        session.note("other-scheduler", text)


def _unknown_queues(session: Session) -> None:
    if session.cluster.without_queue:
        names = sorted(map(session.cluster.display_name, session.cluster.without_queue))
        text = f"{_some(names, 'job names', 'jobs name')} a queue that does not exist"
        session.warn("unknown-queue", f"{text}; the scheduler ignores {'it' if len(names) == 1 else 'them'}")


def _shard(session: Session) -> None:
    """Tell where NodeShards and the scheduler's flags do not go together."""
    shard = session.cluster.shard
    sharding, known = shard.sharding, listed_names(list(shard.others))
    if sharding.mode is not ShardingMode.NONE and not shard.is_defined:
        effect = "no node is used" if sharding.mode is ShardingMode.HARD else "no node is preferred"
        text = f"scheduler-sharding-mode is {sharding.mode}, and there is no NodeShard {sharding.name}: {effect}"
        session.warn(NO_NODE_SHARD, text, help=f"--scheduler-sharding-name takes one of {known}" if known else "")
    elif sharding.mode is ShardingMode.NONE and (shard.is_defined or known):
        text = "the snapshot has NodeShards, and scheduler-sharding-mode is none: all nodes are used alike"
        session.note("sharding-off", text, help=_SHARDING_FLAGS)
    unknown = sorted(name for name in shard.nodes if name not in session.nodes.index)
    if unknown:
        text = f"NodeShard {sharding.name} names {_some(unknown, 'node that is', 'nodes that are')} not in the snapshot"
        session.note("unknown-shard-node", text)


def _names(tasks: Sequence[Task]) -> list[str]:
    return [f"{task.namespace}/{task.name}" for task in tasks]


def _some(names: Sequence[str], one: str, many: str) -> str:
    """Count things, say of them what a noun and its verb say, and name the first.

    >>> _some(["a"], "node has", "nodes have"), _some(["a", "b"], "node has", "nodes have")
    ('1 node (a) has', '2 nodes (such as a) have')
    """
    noun, _, verb = (one if len(names) == 1 else many).rpartition(" ")
    return f"{len(names):,} {noun} ({'' if len(names) == 1 else 'such as '}{names[0]}) {verb}"
