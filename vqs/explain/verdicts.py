"""Say why a task is not placed: one verdict for each, read from the trace, never computed anew.

The gates are asked in the order in which a task passes them: enqueue, the check of the gang, the queue, the node, the
gang as a whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vqs.engine.actions import allocate
from vqs.engine.actions.allocate import FRAGMENTED, NO_NODE_FITS, PRE_PREDICATE, ROLE_FAILED
from vqs.engine.plugins import gang, overcommit, proportion
from vqs.explain.outcome import Verdict
from vqs.explain.units import amount, in_words
from vqs.model.task import TaskStatus

if TYPE_CHECKING:
    from vqs.engine.session import Session
    from vqs.engine.trace import Refusal
    from vqs.model.cluster import Orphan
    from vqs.model.job import Job
    from vqs.model.task import Task

GATED = "gated"
NOT_ENQUEUED = "not-enqueued"
BEST_EFFORT = "left-to-backfill"
GANG_DISCARDED = "gang-discarded"
WAITS_FOR_GANG = "waits-for-gang"
WAITS_FOR_RELEASE = "waits-for-release"
NEVER_CONSIDERED = "never-considered"


def verdict(session: Session, job: Job, task: Task) -> Verdict | None:
    """Return why a task is not placed, None where it is."""
    match task.status:
        case TaskStatus.Pipelined:
            text = f"waits for resources that are being released on node {task.node}"
            return Verdict(code=WAITS_FOR_RELEASE, action=allocate.NAME, queue=job.queue, text=text)
        case TaskStatus.Allocated if task.uid in session.trace.tasks:
            action, refusal = session.trace.tasks[task.uid]
            return _refused(job, task, action, refusal)
        case TaskStatus.Allocated:
            text = f"has room on node {task.node}, but is not bound before its gang is complete"
            return Verdict(code=WAITS_FOR_GANG, action=allocate.NAME, queue=job.queue, text=text)
        case TaskStatus.Pending:
            return _pending(session, job, task)
        case _:
            return None


def job_verdict(session: Session, job: Job) -> Verdict | None:
    """Return the verdict of the job's first task that is not placed; a job without pods has one if it was refused."""
    if not job.tasks and job.uid in session.trace.jobs:
        action, refusal = session.trace.jobs[job.uid]
        return _refused(job, None, action, refusal)
    verdicts = (verdict(session, job, task) for task in sorted(job.tasks.values(), key=lambda task: task.name))
    return next((each for each in verdicts if each is not None), None)


def orphan_verdict(orphan: Orphan) -> Verdict:
    """Return why the scheduler does not look at a pod at all."""
    return Verdict(code=orphan.code, text=orphan.text)


def _pending(session: Session, job: Job, task: Task) -> Verdict:
    if task.scheduling_gated:
        gates = ", ".join(gate.name for gate in task.pod.spec.scheduling_gates)
        return Verdict(code=GATED, queue=job.queue, text=f"is held back by its scheduling gates: {gates}")
    if job.uid in session.not_enqueued and job.uid not in session.trace.jobs:
        text = f"PodGroup {job.uid} is not in its queue, and no action lets it in"
        return Verdict(code=NOT_ENQUEUED, queue=job.queue, text=text)
    if job.uid in session.trace.jobs:
        action, refusal = session.trace.jobs[job.uid]
        return _refused(job, task, action, refusal)
    if task.last_transaction is not None:
        return _discarded(job, task)
    if task.uid in session.trace.tasks:
        action, refusal = session.trace.tasks[task.uid]
        return _refused(job, task, action, refusal)
    if task.best_effort:
        text = "asks for no resources, so only the action backfill places it, and that is not configured"
        return Verdict(code=BEST_EFFORT, queue=job.queue, text=text)
    if job.queue in session.trace.queues:
        action, refusal = session.trace.queues[job.queue]
        return _refused(job, task, action, refusal)
    text = "was never tried: the session ended its job, or the job's try, before its turn came"
    return Verdict(code=NEVER_CONSIDERED, queue=job.queue, text=text)


def _discarded(job: Job, task: Task) -> Verdict:
    """Tell which sibling kept a gang from being complete, after this task had had a node."""
    last = task.last_transaction
    node = last.node if last else ""
    text = f"had room on node {node}, but its gang was not complete: {job.ready} of {job.min_available} tasks are ready"
    telling = job.most_telling_fit_error()
    if telling is not None:
        sibling, errors = telling
        text += f"; {sibling.name} was not placed: {errors.message()}"
    return Verdict(
        code=GANG_DISCARDED,
        action=allocate.NAME,
        plugin=gang.NAME,
        queue=job.queue,
        need=float(job.min_available),
        have=float(job.ready),
        text=text,
    )


def _refused(job: Job, task: Task | None, action: str, refusal: Refusal) -> Verdict:
    return Verdict(
        code=refusal.code,
        action=action,
        plugin=refusal.plugin,
        queue=job.queue,
        resource=refusal.resource,
        need=amount(refusal.resource, refusal.need) if refusal.resource else refusal.need,
        have=amount(refusal.resource, refusal.have) if refusal.resource else refusal.have,
        text=_sentence(job, task, refusal),
    )


def _sentence(job: Job, task: Task | None, refusal: Refusal) -> str:
    need, have = in_words(refusal.resource, refusal.need), in_words(refusal.resource, refusal.have)
    match refusal.code:
        case proportion.CLOSED:
            return f"queue {job.queue} takes no jobs: its state is {refusal.text}"
        case proportion.OVERUSED:
            return f"queue {job.queue} holds all it deserves: {need} of {have} {refusal.resource}"
        case proportion.LIMIT:
            return f"queue {job.queue} would hold {need} {refusal.resource} with this task, and deserves {have}"
        case proportion.OVER_CAPABILITY:
            return f"queue {job.queue} would need {need} {refusal.resource} with job {job.name}, and may have {have}"
        case overcommit.OVERCOMMITTED:
            return f"the jobs in all queues would wait for {need} {refusal.resource} with {job.name}; {have} is allowed"
        case gang.TOO_SMALL:
            return f"job {job.name} can never start: it needs {need} {refusal.text} and has {have}"
        case code if code == ROLE_FAILED:
            return f"was not tried, as an earlier task of role {refusal.text} fitted nowhere"
        case code if code == PRE_PREDICATE:
            return f"no node was asked: {refusal.text}"
        case code if code in (NO_NODE_FITS, FRAGMENTED):
            return _no_node_fits(job, task, refusal)
        case _:
            return refusal.text


def _no_node_fits(job: Job, task: Task | None, refusal: Refusal) -> str:
    """Tell how many nodes gave which reason, and what the closest one lacks."""
    errors = job.fit_errors.get(task.uid) if task else None
    text = errors.message() if errors else "no node fits"
    if not refusal.node:
        return text
    need, have = in_words(refusal.resource, refusal.need), in_words(refusal.resource, refusal.have)
    text += f" Closest is {refusal.node}: {have} {refusal.resource} of the {need} that are needed"
    if refusal.code == FRAGMENTED:
        return f"{text}; all nodes together have room, but no single one"
    return text
