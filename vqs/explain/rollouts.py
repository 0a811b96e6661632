"""Rollouts that wait: the pods of a new ReplicaSet need the room of those that they replace, which end only after them.

Reference: ``reconcileOldReplicaSets`` in pkg/controller/deployment/rolling.go of Kubernetes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from vqs.engine.framework.finished import FinishedSession
from vqs.engine.nodes.table import Masks
from vqs.explain.outcome import Blocker
from vqs.model.codes import VerdictCode
from vqs.model.job import Job
from vqs.model.resource import EPSILON
from vqs.model.rollout import Rollout
from vqs.model.task import Task, TaskStatus
from vqs.model.wording import count

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
