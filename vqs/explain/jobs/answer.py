"""The answer in a few sentences: what became of a job, the first gate it did not pass, and what eviction tried."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vqs.explain.jobs.outcome import Appeal, Loss, Search
from vqs.explain.outcome import JobResult, TaskResult, Verdict
from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.model.task import TaskStatus
from vqs.model.wording import count, first_names


def answer(
    job: JobResult,
    tasks: Sequence[TaskResult],
    cause: Verdict | None,
    cause_of: str,
    *,
    appeals: Sequence[Appeal],
    looked: Sequence[Search],
    losses: Sequence[Loss],
) -> str:
    """Return the answer.

    Args:
        job: the job.
        tasks: its tasks.
        cause: the first gate that was not passed.
        cause_of: the task that did not pass it; empty where it is the job.
        appeals: the actions that evict, and whether they were asked.
        looked: their searches.
        losses: the job's own tasks that are evicted.
    """
    waiting, reserved = _waiting(tasks), [task for task in tasks if task.status == TaskStatus.Pipelined.name]
    placed = sum(task.status_before == TaskStatus.Pending.name != task.status for task in tasks) - len(reserved)
    state = _state(job, len(tasks), placed=placed, waiting=waiting, reserved=reserved, losses=losses)
    told = not waiting and bool(reserved)
    sentences = [f"{state}." if told or cause is None else f"{state}: {_why(cause, cause_of)}."]
    if losses and (waiting or reserved):
        few = "1 of its tasks is" if len(losses) == 1 else f"{len(losses)} of its tasks are"
        sentences.append(f"{few} evicted, {_by(losses)}.")
    if waiting or reserved:
        sentences += _evictions(appeals, looked)
    return " ".join(sentences)


def _why(cause: Verdict, task: str) -> str:
    """Return the verdict's sentence; some leave it to the reader which task they are about."""
    text = cause.text.rstrip(".")
    return f"{task} {text}" if task and VERDICT_RULES[cause.code].about_task else text


def _having(tasks: Sequence[TaskResult], status: TaskStatus) -> int:
    return sum(task.status == status.name for task in tasks)


def _waiting(tasks: Sequence[TaskResult]) -> int:
    """Count the tasks that have no place, or may not go to it yet."""
    return _having(tasks, TaskStatus.Pending) + _having(tasks, TaskStatus.Allocated)


def _state(
    job: JobResult, tasks: int, *, placed: int, waiting: int, reserved: Sequence[TaskResult], losses: Sequence[Loss]
) -> str:
    """Tell how far the job is."""
    name = job.called
    if job.decision == "not-enqueued":
        return f"{name} is not let into its queue"
    if not waiting and not reserved:
        if losses:
            return f"{name} loses {len(losses):,} of its {count(tasks, 'task')}, {_by(losses)}"
        if job.awaited is not None:
            return f"{name} waits for pods that do not exist yet"
        state = f"{name} waits for nothing" if tasks else f"{name} has no pods"
        if job.verdict is not None:
            return f"{state}, and is refused"
        return state + (f": this session places {count(placed, 'task')} of it" if placed else "")
    places = f"{count(len(reserved), 'place')} reserved"
    if reserved and not waiting:
        leaving = {name for task in reserved for name in task.waits_for}
        if not leaving:
            return f"{name} has {places}; a later session places it"
        gone = f"{first_names(sorted(leaving))} {'is' if len(leaving) == 1 else 'are'} gone"
        return f"{name} has {places}, and waits until {gone}"
    wait = f"{waiting:,} of its {count(tasks, 'task')} {'waits' if waiting == 1 else 'wait'}"
    if reserved:
        return f"{name} is not complete: it has {places}, and {wait}"
    if job.ready >= job.min_available and job.ready:
        return f"{name} has its minimum, and {wait}"
    return f"{name} is not placed"


def _by(losses: Sequence[Loss]) -> str:
    """Name the actions that evict tasks of the job, and for whom they do."""
    evictors: dict[str, dict[str, None]] = {}
    for loss in losses:
        evictors.setdefault(loss.action, {})[loss.evictor_display_name or loss.evictor_job] = None
    return " and ".join(f"by {action} for {first_names(list(jobs))}" for action, jobs in evictors.items())


# --- what eviction tried ----------------------------------------------------------------------------------------------


def _evictions(appeals: Sequence[Appeal], looked: Sequence[Search]) -> Iterator[str]:
    """Tell what came of each action's search; those that were not asked share a sentence where they share the cause."""
    refused: dict[str, list[str]] = {}
    for appeal in appeals:
        if appeal.asked:
            yield _found(appeal.action, [search for search in looked if search.action == appeal.action])
        else:
            refused.setdefault(appeal.why, []).append(appeal.action)
    for why, actions in refused.items():
        verb = "evicts" if len(actions) == 1 else "evict"
        yield f"{' and '.join(actions)} {verb} nobody for it: {why}."


def _found(action: str, looked: Sequence[Search]) -> str:
    """Tell what came of an action's searches."""
    evicted = sum(len(search.victims) for search in looked if search.result in ("commit", "keep"))
    if evicted:
        return f"{action} evicts {count(evicted, 'task')} for it."
    given_back = sum(len(search.victims) for search in looked if search.result == "discard")
    if given_back:
        return (
            f"{action} could have evicted {count(given_back, 'task')} for it, but its gang would not have been "
            "complete, so nobody is."
        )
    if any(search.node for search in looked):
        return f"{action} found it room without evicting a task."
    if all(search.refusal for search in looked):
        return f"{action} evicts nobody for it: {nobody(looked)}."
    return f"{action} looked for tasks to evict for it, and found none: {nobody(looked)}."


def nobody(looked: Sequence[Search]) -> str:
    """Tell what stopped the search that came furthest."""
    search = max(looked, key=lambda each: (each.polled, each.candidates, each.nodes, not each.refusal))
    if search.refusal:
        return search.refusal
    if not search.candidates:
        return _no_candidates(looked)
    all_of_them = "the one candidate" if search.candidates == 1 else f"all {search.candidates} candidates"
    if search.spared_by:
        plugin, number = max(search.spared_by.items(), key=lambda item: (item[1], item[0]))
        last = all_of_them if search.candidates == 1 else f"the last of {search.candidates} candidates"
        return f"{plugin} spared {last} on {_of(number, search.polled)}"
    if search.too_small == search.nodes:
        if search.nodes == 1:
            return f"1 node is fit for it but for room, and evicting {all_of_them} there would not make enough"
        return f"{search.nodes} nodes are fit for it but for room, and on none would evicting {all_of_them} make enough"
    spared = f", as {' and '.join(plugins)} spared the rest" if (plugins := _spared_others(search)) else ""
    return f"those that may be evicted would not have made room enough{spared}"


def _spared_others(search: Search) -> list[str]:
    """Name the plugins that spared candidates where others were left, as far as the votes were kept."""
    polls = [poll for poll in search.polls if poll.tier and not poll.too_small]
    votes = (vote for poll in polls for each in poll.candidates for vote in each.votes if vote.tier == poll.tier)
    return sorted({vote.plugin for vote in votes if not vote.taken})


def _no_candidates(looked: Sequence[Search]) -> str:
    nodes = max(search.nodes for search in looked)
    if not nodes:
        return "no node would do, whoever was evicted there"
    circles = {search.circle for search in looked}
    whose = {
        frozenset(
            {"other-queues"}
        ): "no task of another queue that may be reclaimed from runs there and may be evicted",
        frozenset({"queue"}): "no task of another job of its queue runs there and may be evicted",
        frozenset({"job"}): "no task of its own runs there and may be evicted",
    }
    return whose.get(frozenset(circles), "no task of its queue runs there and may be evicted")


def _of(number: int, nodes: int) -> str:
    if nodes == 1:
        return "the one node"
    if number < nodes:
        return f"{number} of {nodes} nodes"
    return "both nodes" if number == 2 else f"all {number} nodes"  # noqa: PLR2004 - both are two
