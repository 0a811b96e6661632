"""How full the cluster is, and how much idle room is stranded."""

from __future__ import annotations

from functools import partial

import numpy as np

from vqs.engine.framework.session import Session
from vqs.engine.nodes.table import Floats, Integers
from vqs.explain.outcome import Utilisation
from vqs.explain.units import amount
from vqs.model.job import Job
from vqs.model.resource import EPSILON, PODS


def utilisation(session: Session, idle_before: Floats) -> list[Utilisation]:
    """Return, for every resource that nodes have, how full it is and how much of the rest is stranded.

    Idle resources are stranded on nodes that cannot take the typical task: one that asks for the median of what the
    tasks that ask for this resource ask for, of each resource.

    Args:
        session: a session that is over.
        idle_before: what was idle when it opened, (resources, nodes).
    """
    nodes = session.nodes
    requests = _requests(session)
    made = []
    for row, name in enumerate(nodes.resources):
        total = float(nodes.allocatable[row].sum())
        asking = requests[requests[:, row] > 0]
        shown = amount(name, total)
        if name == PODS or total <= 0 or shown is None or not len(asking):
            continue  # of what there is no limit to, no part is used
        typical = _median(asking)[:, None]
        made.append(
            Utilisation(
                resource=name,
                total=shown,
                used_before=_used(total, idle_before[row]),
                used_after=_used(total, nodes.idle[row]),
                stranded_before=_stranded(idle_before, row, typical),
                stranded_after=_stranded(nodes.idle, row, typical),
            )
        )
    return made


def _requests(session: Session) -> Floats:
    """Return what the tasks of all jobs ask for, (tasks, resources)."""
    shapes = [job.noted("shapes", partial(_shapes, job)) for job in session.jobs.values()]
    requests: Floats = session.nodes.vectors[np.concatenate([np.zeros(0, np.intp), *shapes])]
    return requests


def _shapes(job: Job) -> Integers:
    return np.array([task.shape for task in job.tasks.values()], dtype=np.intp)


def _median(rows: Floats) -> Floats:
    """Return the median of each column; for that, `np.median` would import what masks arrays."""
    middle = [(len(rows) - 1) // 2, len(rows) // 2]
    median: Floats = np.partition(rows, middle, axis=0)[middle].sum(axis=0) / 2
    return median


def _used(total: float, idle: Floats) -> float:
    return (total - float(idle.sum())) / total


def _stranded(idle: Floats, row: int, typical: Floats) -> float:
    """Return the idle part that is on nodes without room for the typical task, 0 where nothing is idle."""
    available = np.maximum(idle, 0.0)
    total = float(available[row].sum())
    if total <= 0:
        return 0.0
    short = (typical - available >= EPSILON).any(axis=0)
    return float(available[row][short].sum()) / total
