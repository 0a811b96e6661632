"""The figures of a run by name, as plans and conditions name them: ``replay.wait.p95``, ``queue:a.missed``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import structs

from vqs.replay.figures import figures_of
from vqs.replay.outcome import Replay
from vqs.replay.statistics import Spread
from vqs.replay.summary import Group

SPREADS: Final = ("admission", "wait", "completion", "slowdown")
"""The times and ratios of jobs of which there is a mean, a median and so on."""

STATISTICS: Final = tuple(each.name for each in structs.fields(Spread) if each.name != "count")

WHOLE: Final = "replay"
"""The scope of figures of all jobs, and of the cluster."""


def scope_of(queue: str | None, priority: int | None = None) -> str:
    """What the figures of some jobs begin with: those of a queue, of a priority, of both, or of all.

    >>> scope_of("a"), scope_of(None, 9), scope_of("a", 9), scope_of(None)
    ('queue:a', 'priority:9', 'queue:a.priority:9', 'replay')
    """
    named = (("queue", queue), ("priority", priority))
    return ".".join(f"{what}:{name}" for what, name in named if name is not None) or WHOLE


def measured(run: Replay) -> dict[str, float]:
    """Return the figures of a run by name; what a run does not have, such as a wait without a start, is left out."""
    found = figures_of(run)
    scopes = [(scope_of(group.queue, group.priority), group) for group in found.groups]
    if (priorities := {job.priority for job in run.jobs}) and len(priorities) == 1:
        # Where all jobs have one priority, its jobs are no group of their own.
        scopes.append((scope_of(None, *priorities), found.all))
    made = {f"{scope}.{name}": value for scope, group in scopes for name, value in of_group(group)}
    whole = {
        "end": run.end,
        "makespan": run.makespan,
        "drain": found.drain,
        "throughput": found.throughput,
        "fairness": found.fairness.mean,
    }
    made |= {f"{WHOLE}.{name}": value for name, value in whole.items() if value is not None}
    for usage in found.usage:
        made |= {f"{WHOLE}.{name}.{usage.resource}": getattr(usage, name) for name in ("used", "peak", "stranded")}
    for debt in found.deficits:
        scope = scope_of(debt.queue)
        made |= {f"{scope}.missed": debt.fraction} if debt.dominant else {}
        made |= {f"{scope}.{name}.{debt.resource}": getattr(debt, name) for name in ("entitled", "deficit", "fraction")}
    for waited in found.waited:
        made[f"{scope_of(waited.queue)}.waited.{waited.code}"] = waited.seconds
    for taken in found.evictions_by_queue:
        made[f"{scope_of(taken.victim_queue)}.evicted.{taken.action}.{taken.evictor_queue}"] = float(taken.pods)
    if run.growth is not None:
        bought = [len(each.nodes) for each in run.growth.purchases]
        unused = [len(each.unused) for each in run.growth.purchases]
        made |= {f"{WHOLE}.bought": float(sum(bought)), f"{WHOLE}.boughtUnused": float(sum(unused))}
        made[f"{WHOLE}.removed"] = float(run.growth.removed)
    if run.cost is not None:
        for unit, bill in (("cost", run.cost.money), ("energy", run.cost.energy)):
            values = {} if bill is None else structs.asdict(bill)
            made |= {f"{WHOLE}.{unit}.{name}": value for name, value in values.items()}
        for own in run.cost.queues:
            named = {"cost": own.spent, "cost.lost": own.lost, "energy": own.energy, "energy.lost": own.energy_lost}
            scope = scope_of(own.queue)
            made |= {f"{scope}.{name}": value for name, value in named.items() if value is not None}
    return made


def of_group(group: Group) -> Iterator[tuple[str, float]]:
    """Yield the figures of some jobs by name, without their scope."""
    yield "jobs", float(group.jobs)
    yield "started", float(group.started)
    yield "neverStarted", float(group.jobs - group.started)
    yield "completed", float(group.completed)
    for name in SPREADS:
        spread: Spread | None = getattr(group, name)
        if spread is not None:
            yield from ((f"{name}.{statistic}", getattr(spread, statistic)) for statistic in STATISTICS)
    yield "evictions", float(group.evictions)
    yield "pods-lost", float(group.pods_lost)
    yield "restarted", float(group.restarted)
    yield "work", group.work
    yield "workLost", group.work_lost
