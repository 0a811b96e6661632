"""Sessions one after another, until the pods of what is admitted have been tried; and their outcome as a whole.

`vqs simulate` tells what the next session does. Whoever asks about a job wants to know what becomes of its pods, and
these may be created only once a session has admitted the PodGroup. Where no pods are awaited, one session is run.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from msgspec import structs

from vqs.explain.aftermath import PERIOD, Aftermath
from vqs.explain.simulate import run_session
from vqs.explain.verdicts import is_created_next
from vqs.model.awaited import DEPENDENCIES
from vqs.model.task import TaskStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from vqs.explain.outcome import JobResult, NodeResult, Simulation, TaskResult, Utilisation
    from vqs.explain.simulate import Finished, SimulateOptions
    from vqs.snapshot.manifests import Manifests

MOST_SESSIONS: Final = 10
"""More sessions are not run: a Job whose tasks depend on one another in so long a chain is told of as far as it got."""

_NOTHING_TRIED: Final = ("not-considered", "not-enqueued")


# --- running ----------------------------------------------------------------------------------------------------------


def until_tried(
    manifests: Manifests, first: Finished, options: SimulateOptions, *, job: str | None = None
) -> list[Finished]:
    """Run sessions after a first one, as long as the controllers create pods of what the session before admitted.

    Args:
        manifests: what the first session was run on.
        first: the first session, which is over.
        options: how to run the others; their time goes on from the first one's.
        job: the only job, by namespace/name, that is asked about: one session does where it awaits no pods.
    """
    sessions = [first]
    if job is not None and job not in first.manifests.awaited:
        return sessions
    aftermath = Aftermath(manifests)
    now = first.session.options.now
    while len(sessions) < MOST_SESSIONS and _brings_pods(sessions[-1]):
        manifests = aftermath.of(sessions[-1], now)
        if not aftermath.created:
            break
        now += PERIOD
        sessions.append(run_session(manifests, replace(options, now=now)))
    return sessions


def tells_of(sessions: Sequence[Finished], job: str) -> Finished:
    """Return the session that tells of a job: the first that finds all of its pods, else the last."""
    return next((each for each in sessions if job not in each.manifests.awaited), sessions[-1])


def _brings_pods(finished: Finished) -> bool:
    """Tell whether pods may be created after a session that were awaited before it."""
    jobs = finished.session.jobs
    return any(
        uid in jobs and (pods.waits_for == DEPENDENCIES or is_created_next(jobs[uid], pods))
        for uid, pods in finished.manifests.awaited.items()
    )


# --- the outcome as a whole -------------------------------------------------------------------------------------------


def as_one(simulations: Sequence[Simulation]) -> Simulation:
    """Return what became of a cluster in sessions one after another, as if it were the outcome of one.

    What is told of before is as the first one found it, and of after as the last one left it. A pod that was bound in
    an earlier session is bound, though the last one finds it running; a pod that was evicted is evicted, though it is
    gone by then or there again. Queues have the figures of the last session, which is the first to see all requests.
    """
    first, *_, last = simulations if len(simulations) > 1 else (*simulations, *simulations)
    if first is last:
        return last
    statements = [statement for each in simulations for statement in each.trace]
    noticed = {(each.code, each.message): each for simulation in simulations for each in simulation.diagnostics}
    return structs.replace(
        last,
        session=structs.replace(last.session, now=first.session.now, sessions=len(simulations)),
        jobs=list(_jobs(simulations)),
        tasks=sorted(_tasks(simulations), key=lambda task: (task.namespace, task.name)),
        trace=[structs.replace(each, id=number) for number, each in enumerate(statements, 1)],
        diagnostics=list(noticed.values()),
        utilisation=list(_utilisation(first.utilisation, last.utilisation)),
        nodes=list(_nodes(first.nodes, last.nodes)),
        expectations=first.expectations,
    )


def _jobs(simulations: Sequence[Simulation]) -> Iterator[JobResult]:
    """Yield the jobs of all sessions, each with the last decision that came of trying it."""
    found: dict[str, JobResult] = {}
    for simulation in simulations:
        for job in simulation.jobs:
            before = found.get(f"{job.namespace}/{job.name}")
            found[f"{job.namespace}/{job.name}"] = job if before is None else _later_job(before, job)
    yield from found.values()


def _later_job(before: JobResult, job: JobResult) -> JobResult:
    untried = job.decision in _NOTHING_TRIED and before.decision not in _NOTHING_TRIED
    decision = before.decision if untried else job.decision
    return structs.replace(job, phase_before=before.phase_before, decision=decision)


def _tasks(simulations: Sequence[Simulation]) -> Iterator[TaskResult]:
    found: dict[str, TaskResult] = {}
    for simulation in simulations:
        for task in simulation.tasks:
            before = found.get(f"{task.namespace}/{task.name}")
            found[f"{task.namespace}/{task.name}"] = task if before is None else _later_task(before, task)
    yield from found.values()


def _later_task(before: TaskResult, task: TaskResult) -> TaskResult:
    """Return a task as it is after another session, given what became of it until then."""
    is_evicted = before.status == TaskStatus.Releasing.name
    stays_bound = before.status == TaskStatus.Binding.name and task.status == TaskStatus.Running.name
    return before if is_evicted or stays_bound else structs.replace(task, status_before=before.status_before)


def _utilisation(first: Iterable[Utilisation], last: Iterable[Utilisation]) -> Iterator[Utilisation]:
    before = {each.resource: each for each in first}
    for each in last:
        was = before.get(each.resource, each)
        yield structs.replace(each, used_before=was.used_before, stranded_before=was.stranded_before)


def _nodes(first: Iterable[NodeResult], last: Iterable[NodeResult]) -> Iterator[NodeResult]:
    before = {each.name: each for each in first}
    for each in last:
        was = before.get(each.name, each)
        yield structs.replace(each, used_before=was.used_before, pods_before=was.pods_before)
