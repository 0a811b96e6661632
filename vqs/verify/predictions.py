"""What vqs says of a dump after some sessions: the decisions that a dump taken then would show.

Pods that are bound in one session and evicted in a later one would not be seen as either; a PodGroup's condition is the
last one that was written.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from vqs.explain.cycles import Cycle
from vqs.explain.outcome import Simulation, TaskResult
from vqs.verify.decisions import Decisions

_PENDING = "Pending"
_BINDING = "Binding"
_RELEASING = "Releasing"


@dataclass(slots=True)
class Prediction:
    """What sessions decide.

    Attributes:
        decisions: as a later dump shows them.
        groups: the PodGroup of each pod that controllers make on the way, by namespace/name.
        ended: the pods that controllers delete, because their job ends or is started again.
        tied: the number of tasks for which nodes were tied.
    """

    decisions: Decisions = field(default_factory=Decisions)
    groups: dict[str, str] = field(default_factory=dict)
    ended: set[str] = field(default_factory=set)
    tied: int = 0


def predict(cycles: Sequence[Cycle], known: Collection[str]) -> Prediction:
    """Return what sessions come to; `known` are the pods that were there before the first."""
    found = Prediction()
    made: set[str] = set()
    for cycle in cycles:
        simulation = cycle.simulation
        _add_tasks(found, simulation, made | ({_key(task) for task in simulation.tasks} - set(known)))
        _add_jobs(found.decisions, simulation)
        found.ended.update(key for key in cycle.gone if key not in found.decisions.evicted and key not in made)
        for key in cycle.gone:
            found.decisions.bound.pop(key, None)
        made.update(cycle.back)
    return found


def _add_tasks(found: Prediction, simulation: Simulation, made: set[str]) -> None:
    """Add what a session decides on pods; those that were made are not what they were before the first session."""
    decisions = found.decisions
    group_names = {(job.namespace, job.name): job.name for job in simulation.jobs}
    decisions.messages = {}
    for task in simulation.tasks:
        key = _key(task)
        if key in made and task.job:
            found.groups[key] = f"{task.namespace}/{group_names.get((task.namespace, task.job), task.job)}"
        if task.status == _BINDING and task.status_before == _PENDING:
            decisions.bound[key] = task.node or ""
        elif task.status == _RELEASING != task.status_before and key not in made:
            decisions.evicted.add(key)
        decisions.messages[key] = _told(task)
        found.tied += bool(task.tied_nodes)


def _add_jobs(decisions: Decisions, simulation: Simulation) -> None:
    decisions.phases = {f"{job.namespace}/{job.name}": job.phase for job in simulation.jobs}
    written = ((job, job.unschedulable) for job in simulation.jobs)
    decisions.conditions.update({f"{job.namespace}/{job.name}": text for job, text in written if text is not None})


def _key(task: TaskResult) -> str:
    return f"{task.namespace}/{task.name}"


def _told(task: TaskResult) -> str:
    """Return the message of a pod's condition PodScheduled."""
    return task.message if task.pod_scheduled is None else task.pod_scheduled
