"""What every node has, how much of it is used, and what tasks ask for."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from vqs.engine.framework.session import Session
from vqs.engine.nodes.table import Floats
from vqs.explain.outcome import Amounts, NodeResult, TaskResult
from vqs.explain.units import amount, given
from vqs.model.resource import PODS


def node_results(session: Session) -> list[NodeResult]:
    """Return the nodes of a session that is over, by name."""
    nodes = session.nodes
    used_before = nodes.allocatable - session.idle_at_open
    used = nodes.allocatable - nodes.idle
    return [
        NodeResult(
            name=name,
            unschedulable=nodes.nodes[column].object.spec.unschedulable,
            allocatable=_amounts(session, nodes.allocatable, column),
            used_before=_amounts(session, used_before, column),
            used=_amounts(session, used, column),
            pods_before=int(session.pods_at_open[column]),
            pods=int(nodes.pods[column]),
            max_pods=int(nodes.max_tasks[column]),
        )
        for column, name in enumerate(nodes.names)
    ]


def note_requests(session: Session, results: Iterable[TaskResult]) -> None:
    """Add to tasks what they ask for; tasks that ask for the same share it."""
    tasks = {(task.namespace, task.name): task for job in session.jobs.values() for task in job.tasks.values()}
    shared: dict[int, Amounts] = {}
    for result in results:
        task = tasks.get((result.namespace, result.name))
        if task is not None:
            if task.shape < 0 or task.shape not in shared:
                shared[task.shape] = given(task.request)
            result.request = shared[task.shape]


def _amounts(session: Session, table: Floats, column: int) -> Amounts:
    """Return one node's amounts of the resources that it has, or that are used on it all the same."""
    nodes = session.nodes
    rows = np.flatnonzero((nodes.allocatable[:, column] != 0) | (nodes.idle[:, column] != 0))
    resources = ((row, nodes.resources[row]) for row in rows.tolist())
    return {name: amount(name, float(table[row, column])) for row, name in resources if name != PODS}
