"""Pods of other jobs that stand in the way on nodes that could hold a task: what comes of it where they begin again.

Only pods count whose controller makes them again at once, and only as many as leave a node with enough for a task.
Where they go then, the session says.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Final

import numpy as np

from vqs.engine.nodes.shortage import could_hold
from vqs.explain.jobs.case import Case, Parameter
from vqs.explain.jobs.own_fields import is_refused_by_nodes, is_scaled
from vqs.model import kubernetes as k8s
from vqs.model.job import Task, TaskStatus
from vqs.model.resource import EPSILON
from vqs.model.selectors import label_selector
from vqs.snapshot.controllers.world import controller_of
from vqs.snapshot.whatif.edits import Edit, Remove

MOVE: Final = "move"

_MOST_MOVED: Final = 8
"""No more pods than these are deleted by hand."""


def move(case: Case) -> Iterator[Parameter]:
    """Delete pods of other jobs on one node more, those first that few pods have to leave."""
    nodes, waiting = case.session.nodes, list[Task]()
    if is_refused_by_nodes(case):  # those that no node has enough left for
        requests = ((task, nodes.vector(task.request)[:, np.newaxis]) for task in case.pending)
        waiting = [task for task, request in requests if not np.all(request - nodes.idle < EPSILON, axis=0).any()]
    if not waiting:
        return
    holding = could_hold(case.session.fit(waiting[0]), case.session.reasons)
    there = [(nodes.index[name], tasks) for name, tasks in _movable(case).items() if name in nodes.index]
    freeing = [pods for at, tasks in there if holding[at] and (pods := _in_the_way(case, waiting[0], at, tasks))]
    freeing.sort(key=lambda tasks: (len(tasks), tasks[0].node))
    steps = [[*chain(*freeing[:number])] for number in range(min(len(freeing), len(waiting)) + 1)]
    steps = [tasks for tasks in steps if len(tasks) <= _MOST_MOVED]

    def edits(step: int) -> list[Edit]:
        return [Remove("pod", task.namespace, task.name) for task in steps[step]]

    if len(steps) > 1:
        yield Parameter(
            MOVE,
            f"pod/{steps[1][0].pod.metadata.key}",
            most=len(steps) - 1,
            guess=len(steps) - 1,
            value=lambda step: len(steps[step]),
            edits=edits,
        )


def _movable(case: Case) -> dict[str, list[Task]]:
    """Return the tasks of other jobs that may go and whose pods are made again, by node.

    What makes them has to be in the snapshot, or the session would not; and no disruption budget is about them, which a
    deletion passes over.
    """
    workloads = {(type(each).__name__, each.metadata.key) for each in case.given.workloads}
    budgets = [(each.metadata.namespace, label_selector(each.spec.selector)) for each in case.given.disruption_budgets]

    def may_go(pod: k8s.Pod) -> bool:
        metadata, owner = pod.metadata, controller_of(pod.metadata)
        is_made = owner is not None and (owner.kind, f"{metadata.namespace}/{owner.name}") in workloads
        return is_made and not any(
            namespace == metadata.namespace and selector.matches(metadata.labels) for namespace, selector in budgets
        )

    given = {pod.metadata.key for pod in case.given.pods}
    found: dict[str, list[Task]] = {}
    for job in case.session.jobs.values():
        if job is not case.job and is_scaled(job):
            for task in chain(job.having(TaskStatus.Running).values(), job.having(TaskStatus.Bound).values()):
                if task.node and task.pod.metadata.key in given and may_go(task.pod):
                    found.setdefault(task.node, []).append(task)
    return found


def _in_the_way(case: Case, task: Task, at: int, others: list[Task]) -> list[Task]:
    """Return the fewest tasks that have to leave a node for another one to fit; none where all are too few."""
    nodes = case.session.nodes
    request = nodes.vector(task.request)
    lacking = np.maximum(request - nodes.idle[:, at], 0)

    def part(other: Task) -> float:
        """Say how much of what is lacking a task holds."""
        held = nodes.vector(other.request)
        return float(sum(np.minimum(held, lacking)[lacking > 0] / lacking[lacking > 0]))

    leaving: list[Task] = []
    for other in sorted(others, key=lambda other: (-part(other), other.name)):
        if np.all(lacking < EPSILON):
            break
        leaving.append(other)
        lacking = lacking - nodes.vector(other.request)
    return leaving if np.all(lacking < EPSILON) else []
