"""Run a session and list every job that waits, each with its cause."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Sequence
from dataclasses import dataclass

from msgspec import structs

from vqs.explain.assemble import assemble, diagnostics, ignored_jobs
from vqs.explain.jobs.answer import blocked_at, cause, is_waiting
from vqs.explain.jobs.waiting_outcome import WaitingJob, WaitingJobs
from vqs.explain.outcome import DiagnosticResult, JobResult, SessionInfo, TaskResult
from vqs.explain.outlook import Sessions, ahead_of_promises, take, tells_of
from vqs.explain.pods_of_others import left_to_others
from vqs.explain.simulate import Finished, SimulateOptions, run_session
from vqs.explain.texts.node_reasons import blocked_by
from vqs.explain.verdicts import pods_without_task
from vqs.model.wording import count, first_names
from vqs.snapshot.reading.collector import paused_collector
from vqs.snapshot.reading.manifests import Manifests


def waiting_jobs(manifests: Manifests, options: SimulateOptions) -> WaitingJobs:
    """Run a session and list the jobs that wait; where pods are created after it, also the sessions that try these.

    Raises:
        InputErrors: as for `simulate`.
    """
    with paused_collector():
        listed = waiting_after(manifests, run_session(manifests, options), options)
    left = [each.name for each in left_to_others(manifests)]
    return WaitingJobs(
        volcano=manifests.profile.name,
        scenario=options.scenario,
        session=structs.replace(listed.last, now=listed.first.now, sessions=listed.sessions),
        answer=_answer(listed.jobs, listed.number, left),
        jobs=listed.jobs,
        left_to_others=left,
        diagnostics=listed.diagnostics,
    )


@dataclass(frozen=True, slots=True)
class Listed:
    """The jobs that wait, of how many, and the sessions that were run to see that: the first, the last, how many."""

    jobs: list[WaitingJob]
    number: int
    first: SessionInfo
    last: SessionInfo
    sessions: int
    diagnostics: list[DiagnosticResult]


def waiting_after(
    manifests: Manifests, first: Finished, options: SimulateOptions, queues: Container[str] | None = None
) -> Listed:
    """List the jobs that wait, given the first session; those of some queues, or all where it is None."""
    sequence = Sessions(manifests, first, options)
    ran = sequence.until_tried()
    outcomes = [SessionOutcome(each, options.scenario) for each in ran]
    every = {uid: job for each in outcomes for uid, job in each.jobs.items()}
    jobs = [uid for uid, job in every.items() if queues is None or job.queue in queues]
    for uid, prospect in ahead_of_promises(ran, sequence, jobs).items():
        take(outcomes[ran.index(tells_of(ran, uid))].jobs[uid], prospect)
    waiting = [each for uid in jobs if (each := _waiting(uid, ran, outcomes)) is not None]
    waiting.sort(key=lambda each: (each.namespace, each.display_name, each.name))
    return Listed(
        waiting,
        len(jobs),
        outcomes[0].result.session,
        outcomes[-1].result.session,
        len(ran),
        diagnostics(ran[0].session, ran[0].manifests),
    )


class SessionOutcome:
    """What became of the jobs in one session, with the tasks of each."""

    def __init__(self, ran: Finished, scenario: str) -> None:
        self.result = result = assemble(ran.session, ran.manifests, scenario)
        self.jobs = {job.uid: job for job in (*result.jobs, *ignored_jobs(ran.session))}
        self.tasks_of: defaultdict[str, list[TaskResult]] = defaultdict(list)
        for task in result.tasks:
            self.tasks_of[f"{task.namespace}/{task.job}"].append(task)

    def of(self, uid: str) -> tuple[JobResult, list[TaskResult]]:
        """Return a job and its tasks."""
        return self.jobs[uid], self.tasks_of[uid]


def _waiting(uid: str, ran: Sequence[Finished], outcomes: Sequence[SessionOutcome]) -> WaitingJob | None:
    """Return a job as the session that tells of it leaves it; None where it waits for nothing."""
    told = tells_of(ran, uid)
    number = next(at for at, each in enumerate(ran) if each is told)
    job, tasks = outcomes[number].of(uid)
    verdict, task = cause(job, tasks)
    gate = blocked_at(job, tasks, verdict)
    others = pods_without_task(told.session, uid)
    waiting = sum(map(is_waiting, tasks)) + others
    if not waiting and not gate:
        return None
    return WaitingJob(
        namespace=job.namespace,
        name=job.name,
        display_name=job.called,
        owner=job.owner,
        queue=job.queue,
        min_available=job.min_available,
        tasks=len(tasks) + others,
        waiting=waiting,
        decision=job.decision,
        blocked_at=gate,
        cause=verdict,
        cause_task=task,
        code=blocked_by(job)[0],
        why=blocked_by(job)[1],
        blockers=job.blockers,
        outlook=job.outlook,
        session=number + 1,
    )


def _answer(waiting: Sequence[WaitingJob], jobs: int, left: Sequence[str]) -> str:
    if not jobs:
        said = "There are no jobs."
    elif not waiting:
        said = "No job waits." if jobs > 1 else "The only job does not wait."
    else:
        causes = Counter(each.code for each in waiting if each.code)
        listed = ", ".join(
            f"{number:,} {code}" for code, number in sorted(causes.items(), key=lambda it: (-it[1], it[0]))
        )
        verb = "waits" if len(waiting) == 1 else "wait"
        said = f"{len(waiting):,} of {count(jobs, 'job')} {verb}{f': {listed}' if listed else ''}."
    verb = "waits" if len(left) == 1 else "wait"
    return f"{said} {first_names(left)} {verb} for another scheduler." if left else said
