"""The evictions that only one of the sessions makes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from vqs.diff.outcome import EvictionDifference

if TYPE_CHECKING:
    from collections.abc import Collection

    from vqs.diff.run import Run
    from vqs.explain.outcome import OperationResult, StatementResult

_Eviction = tuple["StatementResult", "OperationResult"]


def eviction_differences(before: Run, after: Run, alike: Collection[str] = ()) -> list[EvictionDifference]:
    """Return the tasks that only one session evicts, the candidate's first, by name, but for those that are alike."""
    made, gone = (
        {name: each for name, each in _evictions(side).items() if name not in alike} for side in (after, before)
    )
    added = [_difference("added", after, made[name]) for name in sorted(made.keys() - gone.keys())]
    return added + [_difference("gone", before, gone[name]) for name in sorted(gone.keys() - made.keys())]


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
        queue=task.queue if task else "",
        node=operation.node,
        action=statement.action,
        evictor=operation.evictor,
        reason=operation.reason,
    )
