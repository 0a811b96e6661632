"""What a queue could still take when the session is over: for each kind of pending task, every limit it meets."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from vqs.engine.framework.finished import FinishedSession
from vqs.engine.framework.ledger import QueueFigures, QueueLedger
from vqs.engine.nodes.reasons import FITS
from vqs.engine.nodes.shortage import Shortage, shortage
from vqs.explain.outcome import NEARLY_UNLIMITED, Amounts, amount, amounts
from vqs.explain.queues import outcome
from vqs.explain.verdicts import verdict
from vqs.model.job import Task, TaskStatus
from vqs.model.resource import EPSILON, PODS, Resource

_PROPORTION = "proportion"


@dataclass(frozen=True, slots=True)
class _Limit:
    """One limit for tasks like one: what is left of each resource it asks for, and how many more tasks that is.

    `beyond` is what is held beyond the limit, `single` the most of each resource that one such task could ask for if it
    were changed in that alone.
    """

    what: Literal["deserved", "realCapability", "nodes"]
    queue: str
    enforced: bool
    room: dict[str, float]
    single: dict[str, float]
    tasks: float
    resource: str
    beyond: dict[str, float] = field(default_factory=dict)

    def outcome(self) -> outcome.RoleLimit:
        return outcome.RoleLimit(
            kind=self.what,
            queue=self.queue,
            enforced=self.enforced,
            room=_in_units(self.room),
            excess=_in_units(self.beyond),
            tasks=None if math.isinf(self.tasks) else int(self.tasks),
            resource=self.resource,
        )


def pending_roles(session: FinishedSession, ledger: QueueLedger, below: set[str]) -> list[outcome.PendingRole]:
    """Return the tasks without a place of the jobs in some queues, those of a job that ask for the same together."""
    figures = ledger.closed()
    groups: dict[tuple[str, str, int], list[Task]] = {}
    for job in session.jobs.values():
        if job.queue not in below:
            continue
        for task in sorted(job.having(TaskStatus.Pending).values(), key=lambda task: task.name):
            groups.setdefault((job.uid, task.role, task.shape), []).append(task)
    nodes: dict[int, _Limit] = {}
    return [_role(session, ledger, figures, tasks, nodes) for tasks in groups.values()]


def _role(
    session: FinishedSession,
    ledger: QueueLedger,
    figures: Mapping[str, QueueFigures],
    tasks: list[Task],
    nodes: dict[int, _Limit],
) -> outcome.PendingRole:
    """Hold the tasks of a role against every limit; `nodes` keeps that of the nodes, which is the same for a class."""
    first = tasks[0]
    job = session.jobs[first.job]
    task_class = session.fit(first).task_class.number
    if task_class not in nodes:
        nodes[task_class] = _node_limit(session, first)
    divided = ledger.plugin == _PROPORTION
    limits = []
    for name in ledger.line(job.queue):
        held = figures[name]
        if divided or not held.deserved.is_empty():
            limits.append(_limit("deserved", name, held.deserved, held.allocated, first.request, enforced=divided))
        limits.append(
            _limit("realCapability", name, held.real_capability, held.allocated, first.request, enforced=not divided)
        )
    limits.append(nodes[task_class])
    enforced = [limit for limit in limits if limit.enforced]
    strictest = min(enforced, key=lambda limit: limit.tasks)
    why = verdict(session, job, first)
    return outcome.PendingRole(
        job=job.uid,
        display_name=job.display_name,
        queue=job.queue,
        role=first.role,
        tasks=len(tasks),
        request=amounts(first.request),
        limits=[limit.outcome() for limit in limits],
        fitting=int(min(strictest.tasks, len(tasks))),
        strictest=None if math.isinf(strictest.tasks) else limits.index(strictest),
        largest_request=_in_units(
            {name: min(limit.single[name] for limit in enforced) for name in _asked(first.request)}
        ),
        verdict=why.code if why else "",
    )


def _asked(request: Resource) -> list[str]:
    """Name what a task asks for, but for its place as a pod."""
    return [name for name in request.dimensions() if name != PODS and request.get(name) > 0]


def _in_units(figures: Mapping[str, float]) -> Amounts:
    return {name: None if math.isinf(figure) else amount(name, figure) for name, figure in figures.items()}


# --- queues -----------------------------------------------------------------------------------------------------------


def _limit(
    what: Literal["deserved", "realCapability"],
    queue: str,
    limit: Resource,
    held: Resource,
    request: Resource,
    *,
    enforced: bool,
) -> _Limit:
    """Hold a request against a limit; here, unlike on nodes, there is no tolerance."""
    room = {
        name: math.inf if limit.get(name) >= NEARLY_UNLIMITED else max(limit.get(name) - held.get(name), 0.0)
        for name in _asked(request)
    }
    counts = {
        name: math.floor(left / request.get(name)) if left < math.inf else math.inf for name, left in room.items()
    }
    resource = min(counts, key=lambda name: counts[name], default="")
    single = {
        name: left if all(counts[other] > 0 for other in counts if other != name) else 0.0
        for name, left in room.items()
    }
    beyond = {name: over for name in room if (over := held.get(name) - limit.get(name)) > 0}
    return _Limit(what, queue, enforced, room, single, counts.get(resource, math.inf), resource, beyond)


# --- nodes ------------------------------------------------------------------------------------------------------------


def _node_limit(session: FinishedSession, task: Task) -> _Limit:
    """Count the tasks that the idle room of the nodes takes which no predicate refuses now, one at a time.

    What is short is what the closest node lacks, as in the verdict on a task; where a node has room for some of the
    tasks, it is what is used up first.
    """
    fit = session.fit(task)
    rows = np.arange(len(session.nodes), dtype=np.intp)
    for predicate in session.node_plugins.predicates:
        rows = rows[predicate.codes(fit.task_class, rows) == FITS]
    names = _asked(task.request)
    counted = task.request.dimensions() if names else []
    idle = session.nodes.idle[[session.nodes.row[name] for name in counted]][:, rows]
    need = np.array([task.request.get(name) for name in counted])[:, None]
    enough = need - idle < EPSILON
    with np.errstate(divide="ignore", invalid="ignore"):
        fits = np.where(need > 0, np.floor((idle + EPSILON) / need), np.inf)
    tasks = float(np.maximum(fits.min(axis=0), 0).sum()) if counted and len(rows) else (math.inf if len(rows) else 0.0)
    room = {name: _largest(idle[counted.index(name)], len(rows)) for name in names}
    single = {}
    for name in names:
        at = counted.index(name)
        others = np.delete(enough, at, axis=0).all(axis=0)
        single[name] = _largest(idle[at][others], int(others.sum()))
    lack = shortage(fit, session.reasons)
    scarce = "" if not counted or not len(rows) else counted[int(fits.sum(axis=1).argmin())]
    if isinstance(lack, Shortage) and not tasks:
        scarce = lack.resource
    return _Limit("nodes", "", True, room, single, tasks, scarce)


def _largest(idle: np.ndarray[tuple[int], np.dtype[np.float64]], number: int) -> float:
    return max(float(idle.max()), 0.0) if number else 0.0
