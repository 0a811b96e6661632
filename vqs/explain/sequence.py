"""Sessions one after another, until the pods of what is admitted have been tried; and their outcome as a whole.

`vqs simulate` tells what the next session does. Whoever asks about a job wants to know what becomes of its pods, and
these may be created only once a session has admitted the PodGroup. Where no pods are awaited, one session is run.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeVar

from msgspec import structs

from vqs.explain.aftermath import PERIOD, Aftermath
from vqs.explain.simulate import run_session
from vqs.explain.verdicts import is_created_next
from vqs.model.awaited import DEPENDENCIES
from vqs.model.task import TaskStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from vqs.explain.outcome import Decision, JobResult, NodeResult, Simulation, TaskResult, Utilisation
    from vqs.explain.simulate import Finished, SimulateOptions
    from vqs.snapshot.manifests import Manifests

Outcome = TypeVar("Outcome")

MOST_SESSIONS: Final = 10
"""More sessions are not run: a Job whose tasks depend on one another in so long a chain is told of as far as it got."""

_NOTHING_TRIED: Final = ("not-considered", "not-enqueued")
_BOUND: Final = ("committed", "partially-committed")


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
    first, last = simulations[0], simulations[-1]
    if first is last:
        return first
    jobs = ((f"{job.namespace}/{job.name}", job) for each in simulations for job in each.jobs)
    tasks = ((f"{task.namespace}/{task.name}", task) for each in simulations for task in each.tasks)
    statements = [statement for each in simulations for statement in each.trace]
    noticed = {(each.code, each.message): each for simulation in simulations for each in simulation.diagnostics}
    return structs.replace(
        last,
        session=structs.replace(last.session, now=first.session.now, sessions=len(simulations)),
        jobs=list(_merged(jobs, _later_job)),
        tasks=sorted(_merged(tasks, _later_task), key=lambda task: (task.namespace, task.name)),
        trace=[structs.replace(each, id=number) for number, each in enumerate(statements, 1)],
        diagnostics=list(noticed.values()),
        utilisation=list(_utilisation(first.utilisation, last.utilisation)),
        nodes=list(_nodes(first.nodes, last.nodes)),
        expectations=first.expectations,
    )


def _merged(found: Iterable[tuple[str, Outcome]], later: Callable[[Outcome, Outcome], Outcome]) -> Iterator[Outcome]:
    """Yield what was found under each name; of what was found again, `later` makes one of the earlier and the later."""
    merged: dict[str, Outcome] = {}
    for name, outcome in found:
        merged[name] = later(merged[name], outcome) if name in merged else outcome
    yield from merged.values()


def _later_job(before: JobResult, job: JobResult) -> JobResult:
    """Return a job as it is after another session."""
    return structs.replace(job, phase_before=before.phase_before, decision=_decision(before.decision, job.decision))


def _decision(before: Decision, after: Decision) -> Decision:
    """Return the decision on a job as a whole: the last one that came of trying it, and what was bound stays bound."""
    if after in _NOTHING_TRIED and before not in _NOTHING_TRIED:
        return before
    return "partially-committed" if before in _BOUND and after not in _BOUND else after


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
