"""Place a sub-job where gangpreempt or gangreclaim promised it room earlier in the session.

Each pending task has to fit on the node that an earlier session chose for it, within the HyperNode of the promise; then
no other node is asked. Where one does not, the promise is forgotten, and so are the nodes that were chosen.
Reference: pkg/scheduler/actions/allocate/allocate.go (allocateFromNomination).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vqs.engine.framework.order import TaskQueue
from vqs.engine.framework.session import Session
from vqs.engine.framework.statement import Statement
from vqs.engine.nodes.reasons import FITS
from vqs.model.job import SubJob
from vqs.model.task import Task


def place_nominated(statement: Statement, sub_job: SubJob, tasks: TaskQueue) -> bool:
    """Place all of some tasks as they were promised and take them out of their queue; else forget the promise."""
    session, steps = statement.session, len(statement.operations)
    if _fit(session, statement, sub_job, tasks.copy()) and all(
        _take(session, statement, task) for task in _each(tasks.copy())
    ):
        held = sub_job.allocated_hyper_node
        sub_job.allocated_hyper_node = session.topology.lowest_common(held, sub_job.nominated_hyper_node)
        while tasks:
            tasks.pop()
        return True
    if len(statement.operations) > steps:
        statement.undo()
        statement.operations.clear()
    sub_job.nominated_hyper_node = ""
    for task in _each(tasks.copy()):
        task.nominated_node = None
    return False


def _fit(session: Session, statement: Statement, sub_job: SubJob, tasks: TaskQueue) -> bool:
    """True if each task may go where it was promised room, all by itself."""
    queue = session.queues[statement.job.queue]
    within = set(session.topology.members.get(sub_job.nominated_hyper_node, np.arange(0)).tolist())
    for task in _each(tasks):
        node = session.nodes.index.get(task.nominated_node or "")
        if session.plugins.allocatable(queue, task) is not None or node not in within or node is None:
            return False
        if session.pre_predicate(task) is not None or session.fit(task).codes[node] != FITS:
            return False
        if session.sampler is not None:
            session.sampler.search_one()
    return True


def _take(session: Session, statement: Statement, task: Task) -> bool:
    """Give a task its node, where there is still room; tell whether nothing failed."""
    node = session.nodes.index[task.nominated_node or ""]
    fit = session.fit(task)
    if fit.idle[node]:
        failure = statement.allocate(task, node)
    elif fit.short[node] == FITS:
        failure = statement.pipeline(task, node)
    else:
        return True  # as in the reference, it is passed over
    if failure is None:
        session.trace.place(task, 1)
    return failure is None


def _each(tasks: TaskQueue) -> Iterator[Task]:
    while tasks:
        yield tasks.pop()
