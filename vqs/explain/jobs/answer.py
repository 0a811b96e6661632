"""The answer in a few sentences: what became of a job, what keeps it from being placed, and what eviction tried.

What keeps it is the first gate that it, or one of its tasks, did not pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from vqs.explain.jobs.outcome import EvictionAction, Search, TaskEviction
from vqs.explain.outcome import JobLoss, JobResult, TaskResult, Verdict
from vqs.explain.texts.node_reasons import blocked_by, efforts, others, partly, prospect
from vqs.explain.verdict_rules import VERDICT_RULES, Stage
from vqs.explain.verdicts import OF_NODES
from vqs.model.codes import VerdictCode
from vqs.model.job import WAITING_STATUSES, TaskStatus
from vqs.model.wording import count, first_names

_WAITING: Final = frozenset(status.name for status in WAITING_STATUSES)

_LACKING_NODES: Final = (
    *OF_NODES,
    VerdictCode.RESOURCE_ON_NO_NODE,
    VerdictCode.GANG_EXCEEDS_CLUSTER,
    VerdictCode.CLUSTER_FULL,
    VerdictCode.NOT_ENQUEUED_OVERCOMMIT,
)
"""What nodes that are added may lift."""


def is_waiting(task: TaskResult) -> bool:
    """Tell whether a task has no node, or may not go to its node yet."""
    return task.status in _WAITING


def cause(job: JobResult, tasks: Sequence[TaskResult]) -> tuple[Verdict | None, str]:
    """Return the verdict that names the first gate, and the task that got it; empty where it is the job's.

    Verdicts that follow from what another task met come last.
    """
    met = [(task.verdict, task.name) for task in tasks if task.verdict is not None and _stage(task.verdict)]
    met.sort(key=lambda each: VERDICT_RULES[each[0].code].follows)
    if met:
        return met[0]
    if job.verdict is None or job.verdict.code == VerdictCode.EVICTED:
        return None, ""
    return job.verdict, next((task.name for task in tasks if task.verdict == job.verdict), "")


def blocked_at(job: JobResult, tasks: Sequence[TaskResult], verdict: Verdict | None) -> Stage:
    """Return the gate that the verdict stands for, if anything waits."""
    waits = any(map(is_waiting, tasks))
    if verdict is None or ((tasks or job.tasks) and not waits) or not _stage(verdict):
        return ""
    return "enqueue" if job.decision == "not-enqueued" else _stage(verdict)


def _stage(verdict: Verdict) -> Stage:
    return VERDICT_RULES[verdict.code].stage


def answer(
    job: JobResult,
    tasks: Sequence[TaskResult],
    *,
    eviction_actions: Sequence[EvictionAction],
    looked: Sequence[Search],
    evictions: Sequence[TaskEviction],
    losses: Sequence[JobLoss],
    autoscaler: str = "",
) -> str:
    """Return the answer: what becomes of the job, all that keeps it waiting, and what eviction tried."""
    waiting, reserved = _waiting(tasks), _having(tasks, TaskStatus.Pipelined)
    lead = _lead(job, tasks, waiting=waiting, reserved=reserved, evictions=evictions, never=not autoscaler)
    own = [loss.told(_by(evictions)) for loss in losses if loss.job == job.uid and loss.pods_lost > loss.evicted]
    if own and not waiting and not reserved:
        lead = own[0]
    sentences = [f"{lead.rstrip('.')}.", _with_controllers(job, losses), autoscaler]
    if waiting or reserved or job.awaited:
        sentences += [efforts(job.outlook), _others(job, len(tasks))]
    if evictions and (waiting or reserved):
        few = "1 of its tasks is" if len(evictions) == 1 else f"{len(evictions):,} of its tasks are"
        sentences.append(f"{own[0] if own else f'{few} evicted {_by(evictions)}'}.")
    if waiting or reserved:
        sentences += _evictions(eviction_actions, looked)
    return " ".join(filter(None, sentences))


def _with_controllers(job: JobResult, losses: Sequence[JobLoss]) -> str:
    """Say what other jobs lose for it where the controller of one deletes more pods than are evicted."""
    others = [loss for loss in losses if loss.job != job.uid]
    lost, evicted = (sum(getattr(loss, each) for loss in others) for each in ("pods_lost", "evicted"))
    if lost == evicted:
        return ""
    if len(others) == 1:
        return f"{others[0].told('for this job')}."
    return (
        f"{len(others):,} other jobs lose {lost:,} pods: {evicted:,} evicted for this job, {lost - evicted:,} more by "
        "their policies."
    )


def _others(job: JobResult, pods: int) -> str:
    """Say what else keeps the job waiting; of one that starts later, what keeps those of its pods that do not."""
    if job.outlook is None or not prospect(job.outlook) or job.outlook.starts_in_session is None:
        # Another limit of the same queue on the same resource goes with the first.
        of_one = {(each.queue, each.resource) for each in job.blockers[:1] if each.queue}
        return others([each for each in job.blockers[1:] if (each.queue, each.resource) not in of_one])
    if job.outlook.pods_bound >= pods or not job.blockers:
        return ""
    return f"The others wait: {job.blockers[0].text.rstrip('.')}."


def of_an_autoscaler(job: JobResult, tasks: Sequence[TaskResult], sign: str, *, held_back: bool) -> str:
    """Say of a job that lacks nodes what an autoscaler does about it; empty where it lacks none, or there is none."""
    if not sign or blocked_by(job)[0] not in _LACKING_NODES:
        return ""
    has = f"The cluster has an autoscaler ({sign}), which adds nodes for pods that are marked as unschedulable"
    if held_back and job.decision == "not-enqueued":
        return f"{has}; it is not asked for any, as these pods are not created before enqueue admits the job."
    marked = sum(task.pod_scheduled_reason == "Unschedulable" for task in tasks)
    if not marked:
        return ""
    return f"{has}, as {'1 of this job is' if marked == 1 else f'{marked:,} of this job are'}."


def _lead(
    job: JobResult,
    tasks: Sequence[TaskResult],
    *,
    waiting: int,
    reserved: int,
    evictions: Sequence[TaskEviction],
    never: bool,
) -> str:
    """Say what becomes of the job, and the first thing that keeps it waiting."""
    name, why = job.called, blocked_by(job)[1]
    outlook = job.outlook
    if outlook is not None and (waiting or reserved or job.awaited):
        pods = len(tasks) + (job.awaited.pods if job.awaited else 0)
        if outlook.starts_in_session is not None and outlook.starts_in_session > 1:
            now = f"; it is not admitted in this session: {why}" if job.decision == "not-enqueued" else ""
            return f"{name} {prospect(outlook)}{partly(outlook, pods)}{now}"
        if job.blockers and job.blockers[0].blocks_min_available and outlook.starts_in_session is None:
            return f"{name} {'can never start' if never else 'cannot start on the nodes that there are'}: {why}"
        if reserved and outlook.starts_in_session is None:
            return f"{name} {prospect(job.outlook)}: {why}" if why else f"{name} {prospect(job.outlook)}"
    state = _state(job, tasks, waiting=waiting, reserved=reserved, evictions=evictions)
    return f"{state}: {why}" if why else state


def _having(tasks: Sequence[TaskResult], status: TaskStatus) -> int:
    return sum(task.status == status.name for task in tasks)


def _waiting(tasks: Sequence[TaskResult]) -> int:
    """Count the tasks that have no place, or may not go to it yet."""
    return _having(tasks, TaskStatus.Pending) + _having(tasks, TaskStatus.Allocated)


def _state(
    job: JobResult, tasks: Sequence[TaskResult], *, waiting: int, reserved: int, evictions: Sequence[TaskEviction]
) -> str:
    """Tell how far the job is."""
    name = job.called
    if job.verdict is not None and job.verdict.code == VerdictCode.UNKNOWN_QUEUE:
        return f"{name} is ignored by the scheduler"
    if job.decision == "not-enqueued":
        return f"{name} is not admitted (PodGroup stays Pending)"
    if not waiting and not reserved:
        return _settled(job, tasks, evictions)
    pending = waiting + reserved
    wait = f"{pending:,} of its {count(len(tasks), 'task')} {'waits' if pending == 1 else 'wait'}"
    if job.ready >= job.min_available and job.ready:
        return f"{name} has its minimum of tasks (minAvailable {job.min_available}), and {wait}"
    return f"{name} is not placed"


def _settled(job: JobResult, tasks: Sequence[TaskResult], evictions: Sequence[TaskEviction]) -> str:
    """Tell how far a job is of which no task waits."""
    name = job.called
    placed = sum(task.status_before == TaskStatus.Pending.name != task.status for task in tasks)
    if evictions:
        return f"{name} loses {len(evictions):,} of its {count(len(tasks), 'task')}, evicted {_by(evictions)}"
    if job.awaited is not None:
        return f"{name} waits for pods that do not exist yet"
    if any(each.code == VerdictCode.OTHER_SCHEDULER for each in job.blockers):
        return f"{name} is not scheduled by Volcano"
    if job.verdict is not None:
        return f"{name} has no {'pending task' if tasks else 'pods in this snapshot'}, and cannot start"
    if placed:
        return f"{name} is placed: this session binds {count(placed, 'task')} of it"
    return f"{name} has no pending task: nothing keeps it waiting" if tasks else f"{name} has no pods"


def _by(evictions: Sequence[TaskEviction]) -> str:
    """Name the actions that evict tasks of the job, and for whom they do."""
    evictors: dict[str, dict[str, None]] = {}
    for loss in evictions:
        evictors.setdefault(loss.action, {})[loss.evictor_display_name or loss.evictor_job] = None
    return " and ".join(f"by {action} for {first_names(list(jobs))}" for action, jobs in evictors.items())


# --- what eviction tried ----------------------------------------------------------------------------------------------


def _evictions(eviction_actions: Sequence[EvictionAction], looked: Sequence[Search]) -> Iterator[str]:
    """Tell what came of each action's search; those that were not asked share a sentence where they share the cause."""
    refused: dict[str, list[str]] = {}
    for action in eviction_actions:
        if action.searched:
            yield _found(action.action, [search for search in looked if search.action == action.action])
        else:
            refused.setdefault(action.reason, []).append(action.action)
    for why, actions in refused.items():
        verb = "evicts" if len(actions) == 1 else "evict"
        yield f"{' and '.join(actions)} {verb} no task for it: {why}."


def _found(action: str, looked: Sequence[Search]) -> str:
    """Tell what came of an action's searches."""
    evicted = sum(len(search.victims) for search in looked if search.result in ("commit", "keep"))
    if evicted:
        return f"In this session, {action} evicts {count(evicted, 'task')} for it."
    rolled_back = sum(len(search.victims) for search in looked if search.result == "discard")
    if rolled_back:
        return (
            f"{action} tried to evict {count(rolled_back, 'task')} for it, which is rolled back: its gang would "
            "still be incomplete."
        )
    if any(search.node for search in looked):
        placed = len({search.task for search in looked if search.node})
        return f"In this session, {action} reserves nodes for {count(placed, 'task')} of it without evicting any."
    if all(search.refusal for search in looked):
        return f"{action} evicts no task for it: {no_victim(looked)}."
    return f"{action} found no task to evict for it: {no_victim(looked, with_example=True)}."


def no_victim(looked: Sequence[Search], *, with_example: bool = False) -> str:
    """Tell what stopped the search that came furthest: why no task was evicted, with one of them for example."""
    search = max(looked, key=lambda each: (each.voted_nodes, each.candidates, each.nodes, not each.refusal))
    if search.refusal:
        return search.refusal
    if not search.candidates:
        nodes = max(search.nodes for search in looked)
        if not nodes:
            return "no node could hold it, whatever is evicted there"
        sources = {search.victims_from for search in looked}
        whose = {
            frozenset({"other-queues"}): "its candidate nodes run no evictable task of another reclaimable queue",
            frozenset({"queue"}): "its candidate nodes run no evictable task of another job of its queue",
            frozenset({"job"}): "its candidate nodes run no evictable task of the job itself",
        }
        return whose.get(frozenset(sources), "its candidate nodes run no evictable task of its queue")
    if search.spared_by:
        plugin, number = max(search.spared_by.items(), key=lambda item: (item[1], item[0]))
        where, example = _of(number, search.voted_nodes), _spared(looked, plugin) if with_example else ""
        if search.candidates == 1:
            return f"{plugin} spares the one candidate on {where}{example}"
        none = f"none of {search.candidates} candidates may be evicted"
        return f"{none}, as on {where} the plugin {plugin} spares every task that the others would evict{example}"
    all_of_them = "the one candidate" if search.candidates == 1 else f"all {search.candidates} candidates"
    if search.insufficient_nodes == search.nodes:
        where = "the one node" if search.nodes == 1 else f"any of {search.nodes} nodes"
        return f"evicting {all_of_them} would not free enough on {where}"
    voted = [node for node in search.node_votes if node.tier and not node.insufficient]
    votes = (vote for node in voted for each in node.candidates for vote in each.votes if vote.tier == node.tier)
    spared = (
        f"; the {'plugin' if len(plugins) == 1 else 'plugins'} {' and '.join(plugins)} did not allow the others"
        if (plugins := sorted({vote.plugin for vote in votes if not vote.evictable}))
        else ""
    )
    return f"evicting all candidates that the plugins allow would not free enough room{spared}"


def _spared(looked: Sequence[Search], plugin: str) -> str:
    """Name a task that a plugin spares, and why, where the votes of a search are kept; else empty."""
    candidates = (each for search in looked for node in search.node_votes for each in node.candidates)
    reasons = ((each, vote.reason) for each in candidates for vote in each.votes if vote.plugin == plugin)
    each, reason = next(((each, reason) for each, reason in reasons if reason), (None, ""))
    return f", such as {each.task}: {reason}" if each is not None else ""


def _of(number: int, nodes: int) -> str:
    if nodes == 1:
        return "the one node"
    if number < nodes:
        return f"{number} of {nodes} nodes"
    return "both nodes" if number == 2 else f"all {number} nodes"  # noqa: PLR2004 - both are two
