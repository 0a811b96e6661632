"""Say why a task is not placed: one verdict for each, read from the trace, never computed anew.

The gates are asked in the order in which a task passes them: enqueue, the check of the gang, the queue, the node, the
gang as a whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vqs.engine.actions import allocate
from vqs.engine.actions.allocate import FRAGMENTED, NO_NODE_FITS, PRE_PREDICATE, RESERVE_FAILED, ROLE_FAILED
from vqs.engine.plugins import gang, overcommit, proportion
from vqs.explain.outcome import Verdict
from vqs.explain.rules import RULES
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
            return _verdict(job, task, WAITS_FOR_RELEASE, text, action=allocate.NAME)
        case TaskStatus.Allocated if task.uid in session.trace.tasks:
            return _refused(session, job, task, *session.trace.tasks[task.uid])
        case TaskStatus.Allocated:
            text = f"has room on node {task.node}, but is not bound before its gang is complete"
            return _verdict(job, task, WAITS_FOR_GANG, text, action=allocate.NAME)
        case TaskStatus.Pending:
            return _pending(session, job, task)
        case _:
            return None


def job_verdict(session: Session, job: Job) -> Verdict | None:
    """Return the verdict of the job's first task that is not placed; a job without pods has one if it was refused."""
    if not job.tasks and job.uid in session.trace.jobs:
        return _refused(session, job, None, *session.trace.jobs[job.uid])
    verdicts = (verdict(session, job, task) for task in sorted(job.tasks.values(), key=lambda task: task.name))
    return next((each for each in verdicts if each is not None), None)


def orphan_verdict(orphan: Orphan) -> Verdict:
    """Return why the scheduler does not look at a pod at all."""
    rule = RULES[orphan.code]
    log = rule.log.format(queue=orphan.queue, job=orphan.task.job)
    return Verdict(code=orphan.code, queue=orphan.queue, text=orphan.text, log=log, verbosity=rule.verbosity)


def _pending(session: Session, job: Job, task: Task) -> Verdict:
    trace = session.trace
    if task.scheduling_gated:
        gates = ", ".join(gate.name for gate in task.pod.spec.scheduling_gates)
        return _verdict(job, task, GATED, f"is held back by its scheduling gates: {gates}")
    if job.uid in trace.jobs:
        return _refused(session, job, task, *trace.jobs[job.uid])
    if job.uid in session.not_enqueued:
        return _verdict(job, task, NOT_ENQUEUED, f"PodGroup {job.uid} is not in its queue, and no action lets it in")
    if task.last_transaction is not None:
        return _discarded(session, job, task)
    if task.uid in trace.tasks:
        return _refused(session, job, task, *trace.tasks[task.uid])
    if task.best_effort:
        text = "asks for no resources, so only the action backfill places it, and that is not configured"
        return _verdict(job, task, BEST_EFFORT, text)
    blocked = _blocked_by(session, job)
    if blocked and not job.is_ready():
        return _verdict(job, task, NEVER_CONSIDERED, f"was not tried: {blocked}", action=allocate.NAME)
    if job.queue in trace.queues:
        return _refused(session, job, task, *trace.queues[job.queue])
    text = f"was not tried: {blocked or 'its turn did not come in this session'}"
    return _verdict(job, task, NEVER_CONSIDERED, text)


def _discarded(session: Session, job: Job, task: Task) -> Verdict:
    """Tell which sibling kept a gang from being complete, after this task had had a node."""
    last = [each.last_transaction for each in job.tasks.values() if each.last_transaction]
    node = task.last_transaction.node if task.last_transaction else ""
    had = job.ready + len(last)
    text = f"had room on node {node}, but only {had} of the {job.min_available} tasks that its gang needs had"
    if had >= job.min_available:
        text = f"had room on node {node}, but its gang lacked the minimum of a role"
    blocked = _blocked_by(session, job)
    made = _verdict(job, task, GANG_DISCARDED, f"{text}; {blocked}" if blocked else text, action=allocate.NAME)
    made.plugin = gang.NAME
    if had < job.min_available:
        made.need, made.have = float(job.min_available), float(had)
    return made


def _blocked_by(session: Session, job: Job) -> str:
    """Name the sibling that was refused, and why: one that nodes refused first; empty where none was."""
    telling = job.most_telling_fit_error()
    if telling is not None and telling[1].nodes:
        sibling, errors = telling
        return f"{sibling.name} was not placed: {errors.message()}"
    refused = sorted((t for t in job.tasks.values() if t.uid in session.trace.tasks), key=lambda t: t.name)
    if not refused:
        return ""
    _, refusal = session.trace.tasks[refused[0].uid]
    return f"{refused[0].name} was not placed: {_sentence(session, job, refused[0], refusal)}"


def _refused(session: Session, job: Job, task: Task | None, action: str, refusal: Refusal) -> Verdict:
    made = _verdict(job, task, refusal.code, _sentence(session, job, task, refusal), action=action)
    made.plugin, made.resource = refusal.plugin, refusal.resource
    made.need = amount(refusal.resource, refusal.need) if refusal.resource else refusal.need
    made.have = amount(refusal.resource, refusal.have) if refusal.resource else refusal.have
    made.node = refusal.node
    return made


def _verdict(job: Job, task: Task | None, code: str, text: str, *, action: str = "") -> Verdict:
    rule = RULES[code]
    names = {"queue": job.queue, "job": job.uid, "name": job.name, "task": job.uid, "role": ""}
    if task is not None:
        names.update(task=f"{task.namespace}/{task.name}", role=task.role)
    log = rule.log.format(**names)
    return Verdict(code=code, action=action, queue=job.queue, text=text, log=log, verbosity=rule.verbosity)


_SENTENCES = {
    proportion.CLOSED: "queue {queue} is {text}: it takes no jobs, and no tasks of the jobs it has",
    proportion.OVERUSED: "queue {queue} holds all it deserves: {need} of {have} {resource}",
    proportion.LIMIT: "queue {queue} would hold {need} {resource} with this task, and deserves {have}",
    proportion.OVER_CAPABILITY: "queue {queue} would need {need} {resource} with job {job}, and may have {have}",
    overcommit.OVERCOMMITTED: "the jobs let into all queues would wait for {need} {resource} with {job}; {have} is "
    "allowed, the idle part of {text} times the cluster",
    gang.TOO_SMALL: "job {job} cannot start as it is: it needs {need} {text}, and there are {have}",
    ROLE_FAILED: "was not tried, as an earlier task of role {text} fitted nowhere",
    PRE_PREDICATE: "no node was asked: {text}",
    RESERVE_FAILED: "had a node, but could not be given it: {text}",
}


def _sentence(session: Session, job: Job, task: Task | None, refusal: Refusal) -> str:
    if refusal.code in (NO_NODE_FITS, FRAGMENTED):
        return _no_node_fits(job, task, refusal)
    name = refusal.resource
    if refusal.code == proportion.OVERUSED and not name:
        return f"queue {job.queue} deserves nothing"
    text = _SENTENCES.get(refusal.code, "{text}").format(
        queue=job.queue,
        job=job.name,
        resource=name,
        need=in_words(name, refusal.need),
        have=in_words(name, refusal.have),
        text=refusal.text,
    )
    return f"{text}, as no node has any {name}" if name and not session.total_resource.get(name) else text


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
