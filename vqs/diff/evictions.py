"""The evictions that only one of the sessions makes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Literal

from vqs.diff.outcome import BY_KUBERNETES, EvictionDifference
from vqs.diff.run import Run
from vqs.explain.outcome import OperationResult, StatementResult, TaintEvictionResult

_Eviction = tuple["StatementResult", "OperationResult"]


def eviction_differences(before: Run, after: Run, interchangeable: Collection[str] = ()) -> list[EvictionDifference]:
    """Return the tasks that are evicted on one side only, the candidate's first, by name, but for those that are alike.

    Volcano's sessions come first, and then what Kubernetes evicts for taints of nodes.
    """
    return [*_by_sessions(before, after, interchangeable), *_by_taints(before, after)]


def _by_taints(before: Run, after: Run) -> list[EvictionDifference]:
    old, new = ({each.task: each for each in side.simulation.taint_evictions} for side in (before, after))
    return [
        *(_of_taint("added", after, each) for name, each in sorted(new.items()) if name not in old),
        *(_of_taint("gone", before, each) for name, each in sorted(old.items()) if name not in new),
    ]


def _of_taint(change: Literal["added", "gone"], run: Run, eviction: TaintEvictionResult) -> EvictionDifference:
    task = run.tasks.get(eviction.task)
    later = f", {eviction.after_seconds:,} s later" if eviction.after_seconds else ""
    return EvictionDifference(
        change=change,
        task=eviction.task,
        job=eviction.job,
        display_name=eviction.called,
        queue=task.queue if task else "",
        node=eviction.node,
        action=BY_KUBERNETES,
        reason=f"{eviction.taint}{later}",
    )


def _by_sessions(before: Run, after: Run, interchangeable: Collection[str]) -> list[EvictionDifference]:
    made, gone = (
        {name: each for name, each in _evictions(side).items() if name not in interchangeable}
        for side in (after, before)
    )
    new = {name: each for name, each in made.items() if name not in gone}
    old = {name: each for name, each in gone.items() if name not in made}
    added = [_difference("added", after, new[name]) for name in _without_stand_ins(new, old, after, before)]
    return added + [_difference("gone", before, old[name]) for name in _without_stand_ins(old, new, before, after)]


def _without_stand_ins(here: Collection[str], there: Collection[str], one: Run, other: Run) -> list[str]:
    """Return the tasks by name, without those whose pods the controller recreated under other names."""
    own = Counter(other.owners.get(name) for name in there if name not in one.tasks)
    left = []
    for name in sorted(here):
        owner = one.owners.get(name)
        if owner is not None and name not in other.tasks and own[owner]:
            own[owner] -= 1
        else:
            left.append(name)
    return left


def _evictions(run: Run) -> dict[str, _Eviction]:
    return {
        operation.task: (statement, operation)
        for statement in run.statements
        if statement.result == "commit"
        for operation in statement.operations
        if operation.op == "evict"
    }


def _difference(change: Literal["added", "gone"], run: Run, eviction: _Eviction) -> EvictionDifference:
    statement, operation = eviction
    task = run.tasks.get(operation.task)
    return EvictionDifference(
        change=change,
        task=operation.task,
        job=f"{task.namespace}/{task.job}" if task else "",
        display_name=run.display_name(run.owners[operation.task]) if task else "",
        queue=task.queue if task else "",
        node=operation.node,
        action=statement.action,
        evictor=operation.evictor,
        reason=operation.reason,
    )
