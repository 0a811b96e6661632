"""Evictions that a change causes, and that a budget of the same change keeps from being seen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from vqs.diff.evictions import eviction_differences
from vqs.diff.run import Input, opened, run_both
from vqs.explain.simulate import Opened, SimulateOptions
from vqs.model.wording import first_names
from vqs.snapshot.reading.diagnostics import Diagnostic
from vqs.snapshot.reading.kinds import key_of

BUDGET_SPARES_PODS: Final = "budget-spares-pods"
_PLUGIN: Final = "pdb"
_LIST: Final = "disruption_budgets"


def spared(before: Input, after: Input, session: Opened, alike: SimulateOptions) -> Iterator[Diagnostic]:
    """Yield a warning if budgets that a change adds or changes spare pods that the rest of it would evict.

    The scheduler may act on the rest before the budgets' controller has counted the pods.

    Args:
        before: the base.
        after: the candidate.
        session: one that was opened on the candidate.
        alike: how the sessions of both are run.
    """
    known = {key_of(each): each for each in before.manifests.disruption_budgets}
    changed = [
        (each, origin) for each, origin in after.manifests.with_origins(_LIST) if known.get(key_of(each)) != each
    ]
    plugins = {option.name for tier in session.session.conf.tiers for option in tier.plugins}
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
