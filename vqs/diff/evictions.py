"""The evictions that only one session makes, and those that a budget of the same change keeps from being seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Final, Literal

from vqs.diff.outcome import BY_KUBERNETES, EvictionDifference
from vqs.diff.run import Input, Run, opened, run_both
from vqs.explain.outcome import OperationResult, StatementResult, TaintEvictionResult
from vqs.explain.simulate import Opened, SimulateOptions
from vqs.model.wording import first_names
from vqs.snapshot.reading.diagnostics import Diagnostic
from vqs.snapshot.reading.kinds import key_of

_Eviction = tuple["StatementResult", "OperationResult"]


def eviction_differences(before: Run, after: Run, interchangeable: Collection[str] = ()) -> list[EvictionDifference]:
    """Return the tasks that are evicted on one side only, the candidate's first, by name, but for those that are alike.

    Volcano's sessions come first, and then what Kubernetes evicts for taints of nodes.
    """
    made, gone = (
        {
            operation.task: (statement, operation)
            for statement in side.statements
            if statement.result == "commit"
            for operation in statement.operations
            if operation.op == "evict" and operation.task not in interchangeable
        }
        for side in (after, before)
    )
    new = {name: each for name, each in made.items() if name not in gone}
    old = {name: each for name, each in gone.items() if name not in made}
    were, are = ({each.task: each for each in side.simulation.taint_evictions} for side in (before, after))
    return [
        *(_difference("added", after, new[name]) for name in _without_stand_ins(new, old, after, before)),
        *(_difference("gone", before, old[name]) for name in _without_stand_ins(old, new, before, after)),
        *(_of_taint("added", after, each) for name, each in sorted(are.items()) if name not in were),
        *(_of_taint("gone", before, each) for name, each in sorted(were.items()) if name not in are),
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


def _difference(change: Literal["added", "gone"], run: Run, eviction: _Eviction) -> EvictionDifference:
    statement, operation = eviction
    task, evictor = run.tasks.get(operation.task), run.tasks.get(operation.evictor)
    return EvictionDifference(
        change=change,
        task=operation.task,
        job=f"{task.namespace}/{task.job}" if task else "",
        display_name=run.display_name(run.owners[operation.task]) if task else "",
        queue=task.queue if task else "",
        node=operation.node,
        action=statement.action,
        evictor=operation.evictor,
        evictor_job=run.display_name(run.owners[operation.evictor]) if evictor else "",
        evictor_queue=evictor.queue if evictor else "",
        reason=operation.reason,
    )


BUDGET_SPARES_PODS: Final = "budget-spares-pods"
_PLUGIN: Final = "pdb"
_LIST: Final = "disruption_budgets"


def spared(before: Input, after: Input, session: Opened, alike: SimulateOptions) -> Iterator[Diagnostic]:
    """Yield a warning if budgets that a change adds or changes spare pods that the rest of it would evict.

    The scheduler may act on the rest before the budgets' controller has counted the pods.
    """
    known = {key_of(each): each for each in before.manifests.disruption_budgets}
    changed = [
        (each, origin) for each, origin in after.manifests.with_origins(_LIST) if known.get(key_of(each)) != each
    ]
    plugins = {option.name for option in session.session.conf.plugins}
    if not changed or _PLUGIN not in plugins:
        return
    manifests = after.manifests
    origins = {**manifests.origins, _LIST: before.manifests.origins.get(_LIST, [])}
    budgets = before.manifests.disruption_budgets
    others = replace(after, manifests=replace(manifests, disruption_budgets=budgets, origins=origins))
    evicted = [_evicted(before, each, alike) for each in (others, after)]
    names = sorted(evicted[0] - evicted[1])
    if names:
        budget, origin = changed[0]
        message = (
            f"PodDisruptionBudget {budget.metadata.key} spares pods that the rest of the change evicts: "
            f"{first_names(names)}; whether the scheduler is faster than the budget's controller is not known"
        )
        yield origin.diagnostic(BUDGET_SPARES_PODS, message, ("spec",), severity="warning")


def _evicted(before: Input, after: Input, alike: SimulateOptions) -> set[str]:
    """Return the tasks that are evicted in a candidate, and not in the base."""
    runs = run_both((before, after), (opened(before, alike), opened(after, alike)))
    return {each.task for each in eviction_differences(*runs) if each.change == "added"}
