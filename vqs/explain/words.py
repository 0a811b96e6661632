"""What is said of the jobs and queues of a session, from its document alone: also of one that an earlier vqs wrote."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Final

from vqs.explain.amounts import amount_of, change, percent
from vqs.explain.outcome import JobResult, QueueResult, Simulation, TaskResult
from vqs.explain.texts.node_reasons import blocked_by, efforts, of_tasks, prospect
from vqs.model.cluster import OPEN, ROOT
from vqs.model.job import INQUEUE, NOT_ADMITTED
from vqs.model.resource import PODS
from vqs.model.wording import count, listed_names

PENDING: Final = "Pending"
PIPELINED: Final = "Pipelined"
RELEASING: Final = "Releasing"
PLACED: Final = frozenset({"Allocated", "Binding", "Bound"})
NO_MORE: Final = "no more placed"
TERMINATING: Final = "terminating"


def is_placed(task: TaskResult) -> bool:
    """True if this session gave the task a node."""
    return task.status in PLACED and task.status_before == PENDING


def is_evicted(task: TaskResult) -> bool:
    """True if this session takes the task off its node."""
    return task.status == RELEASING != task.status_before


def is_unchanged(task: TaskResult) -> bool:
    """True if the session left a task that has a node alone."""
    return task.status == task.status_before != PENDING


def complete_words(result: Simulation) -> Simulation:
    """Say in a result what one that an earlier vqs wrote does not say of its jobs and queues; it is the same result."""
    plugins = {plugin for tier in result.session.tiers for plugin in tier}
    parents = {queue.parent for queue in result.queues}
    standstill = bool(result.session.standstill)
    for queue in result.queues:
        queue.facts = queue.facts or queue_facts(
            queue,
            is_divided="proportion" in plugins,
            is_tree=ROOT in parents and not standstill,
            is_parent=queue.name in parents,
            has_share=not standstill,
        )
    return tell_of_jobs(result)


# --- jobs -------------------------------------------------------------------------------------------------------------


def tell_of_jobs(result: Simulation) -> Simulation:
    """Write into a result what became of each job, whether it waits, and why; it is the same result."""
    tell_of(result.jobs, result.tasks)
    return result


def tell_of(jobs: Iterable[JobResult], tasks: Iterable[TaskResult]) -> None:
    """Write into jobs what became of them, whether they wait, and why, given at least all of their tasks."""
    counts: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for task in tasks:
        key = task.namespace, task.job
        if is_unchanged(task):
            counts[key]["unchanged"] += 1
            counts[key]["terminating"] += task.status == RELEASING
        elif is_evicted(task) and task.verdict:
            counts[key][f"to {task.verdict.action}"] += 1
        elif task.status == PIPELINED:
            counts[key]["reserved"] += 1
    for job in jobs:
        own = counts[job.namespace, job.name]
        stays = job.awaited is None and 0 < job.tasks == own["unchanged"]
        job.waits = not stays and bool(job.verdict or job.unschedulable)
        became = _became(job, own)
        job.says = became if became != job.decision else ""
        job.reason = reason_of(job)


def _became(job: JobResult, tasks: Counter[str]) -> str:
    """Say what became of a job.

    A job that runs and wanted more is not discarded, and one that loses tasks or was admitted a moment ago was
    considered.
    """
    losses = [f"{number} {evicted}" for evicted, number in tasks.items() if evicted.startswith("to ")]
    if job.decision == "pipelined":
        return f"{tasks['reserved']} of {job.tasks} reserved" if tasks["reserved"] else job.decision
    if job.decision not in ("discarded", "not-considered"):
        return job.decision
    if losses:
        return f"loses {', '.join(losses)}"
    if job.decision == "discarded":
        return NO_MORE if job.ready >= max(job.min_available, 1) else job.decision
    if job.phase_before in NOT_ADMITTED and job.phase == INQUEUE:
        return "admitted"
    if job.awaited is None and 0 < job.tasks == tasks["terminating"]:
        return f"{count(job.tasks, 'pod')} {TERMINATING}"
    return job.decision if job.waits else "nothing waits"


def reason_of(job: JobResult) -> str:
    """Say why a job did not get what it wants; empty where it did."""
    code, text = blocked_by(job)
    if not code and not job.verdict:
        return f"unschedulable: {job.unschedulable}" if job.unschedulable else ""
    said = f"{code}: {text}" if code else ""
    if job.verdict and not code:
        said = f"{job.verdict.code}: {of_tasks(job.verdict)}"
    starts = job.outlook is not None and bool(job.outlook.starts_in_session)
    said = "" if starts and prospect(job.outlook) else said
    return joined(prospect(job.outlook), said, efforts(job.outlook), _never_evicting(job), _awaited_pods(job))


def _never_evicting(job: JobResult) -> str:
    """Say that no task is evicted for a job as its preemptionPolicy is Never; empty where that is not so."""
    if not job.never_evicting:
        return ""
    verb = "evicts" if len(job.never_evicting) == 1 else "evict"
    return f"{listed_names(job.never_evicting)} {verb} no task for it, as its preemptionPolicy is Never"


def _awaited_pods(job: JobResult) -> str:
    """Say how many pods of a job do not exist yet, and what they request; empty where there are none."""
    if job.awaited is None:
        return ""
    request = ", ".join(amount_of(name, value) for name, value in job.awaited.request.items())
    pods = "1 pod requests" if job.awaited.pods == 1 else f"{job.awaited.pods:,} pods request"
    return f"its {pods} {request or 'no resources'} and {'is' if job.awaited.pods == 1 else 'are'} not created yet"


def joined(*parts: str) -> str:
    """Put clauses and sentences together: a sentence after a full stop, a clause after a semicolon."""
    text = ""
    for part in filter(None, parts):
        text = f"{text.rstrip('.')}{'. ' if part[0].isupper() else '; '}{part}" if text else part
    return text


# --- queues -----------------------------------------------------------------------------------------------------------


def queue_facts(
    queue: QueueResult, *, is_divided: bool, is_tree: bool, is_parent: bool, has_share: bool = True
) -> list[str]:
    """Return what is said of a queue.

    The share of a queue above others is not kept up to date while a session runs, so only the first one is said. With
    capacity, weights mean nothing, and a queue that deserves nothing has a share as if it held all that it deserves.

    Args:
        queue: the queue.
        is_divided: whether the cluster is divided among queues by their weights.
        is_tree: whether queues are drawn as a tree, which shows the parent of each.
        is_parent: whether there are queues below it.
        has_share: whether what it holds says anything; where nothing is scheduled, it does not.
    """
    share = share_held(queue)
    if not is_divided and not any(value for name, value in queue.opened.deserved.items() if name != PODS):
        share = "deserves nothing"
    elif is_parent:
        share = f"when the session opened, it held {percent(queue.opened.share)} of what it deserves"
    dull = (OPEN, *["child of "] * is_tree, *["weight "] * (not is_divided))
    return [*[share] * has_share, *(fact for fact in settings(queue) if not fact.startswith(dull))]


def share_held(queue: QueueResult) -> str:
    """Write what part of its deserved share a queue holds, before and after, and what it has with what is reserved."""
    name, part = queue.largest_part(queue.held)
    if queue.deserves_nothing or not name:
        return "deserves nothing"
    before = (queue.opened.allocated.get(name) or 0.0) / (queue.opened.deserved[name] or 1.0)
    held = percent(part)
    reserved, with_it = queue.largest_part(queue.closed.allocated)
    of = "number of pods" if name == PODS else name
    said = f"holds {change(percent(before), held)} of the {of} that it deserves"
    if percent(with_it) == held:
        return said
    return f"{said}, {percent(with_it)}{'' if reserved == name else f' of the {reserved}'} with what is reserved"


def settings(queue: QueueResult) -> list[str]:
    """Return what is set on a queue, and what is unusual about it."""
    unusual = {
        f"priority {queue.priority}": bool(queue.priority),
        f"child of {queue.parent}": bool(queue.parent),
        "not reclaimable": not queue.reclaimable,
        "overused at session end (gets no more)": queue.closed.overused,
    }
    return [f"weight {queue.weight}", queue.state, *(fact for fact, holds in unusual.items() if holds)]
