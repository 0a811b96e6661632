"""Which host ports a task asks for, and which pods use them, in words."""

from __future__ import annotations

from itertools import chain

from vqs.engine.framework.session import Session
from vqs.engine.nodes.pods import host_ports
from vqs.engine.plugins.predicates.filters import PORTS_TAKEN
from vqs.model.job import FitErrors
from vqs.model.task import COMPLETED_STATUSES, Task
from vqs.model.wording import first_names, listed_names


def ports_in_use(session: Session, task: Task, errors: FitErrors) -> str:
    """Say which pods use the host ports that a task asks for, where nodes refuse it for them; empty elsewhere."""
    refused, job = errors.reasons.get(PORTS_TAKEN, 0), session.jobs.get(task.job)
    wanted = _ports(task)
    if not refused or job is None:
        return ""
    tasks = chain(session.cluster.other_tasks, *(other.tasks.values() for other in session.jobs.values()))
    placed = (each for each in tasks if each.node and each.job != task.job and each.status not in COMPLETED_STATUSES)
    using = [each for each in placed if not wanted.isdisjoint(_ports(each))]
    named = f"host port{'s' if len(wanted) > 1 else ''} {listed_names([str(port) for _, port in sorted(wanted)])}"
    said: list[str] = []
    if using:
        verb = "uses" if len(using) == 1 else "use"
        said.append(f"{first_names([f'{each.namespace}/{each.name}' for each in using])} {verb} {named}")
    staying = (each for each in job.tasks.values() if each.status not in COMPLETED_STATUSES)
    own = [each for each in staying if not wanted.isdisjoint(_ports(each))]
    if len(own) > 1 and refused > len({each.node for each in using}):
        said.append(f"{len(own):,} pods of the job itself ask for {named}, and a node has room for one of them")
    return "; ".join(said)


def _ports(task: Task) -> set[tuple[str, int]]:
    return {(protocol, port) for _, protocol, port in host_ports(task.pod.spec)}
