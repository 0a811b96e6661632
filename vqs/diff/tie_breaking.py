"""What holds however ties are broken, and what depends on it.

Both sides are run under several ways to break ties. A change of a job that is seen under all of them holds. What is
seen only under some depends on tie-breaking, and is marked so. The number of changes of a kind can hold all the same:
where two tasks are evicted under each way, and tie-breaking decides which, two evictions hold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeVar

from msgspec.structs import replace

from vqs.diff.changes import effect_of, ordered
from vqs.diff.outcome import Diff, Differences, Effect, EvictionDifference, JobDifference, QueueDifference
from vqs.diff.queues import changed

Difference = TypeVar("Difference", JobDifference, EvictionDifference)


def merged(diffs: Sequence[Diff]) -> Diff:
    """Return the first of several differences, with what holds in all of them, and then what does not."""
    first = diffs[0]
    if len(diffs) == 1:
        return replace(first)
    jobs = _sure_first(_jobs([diff.jobs for diff in diffs]))
    evictions = _sure_first(_evictions([diff.evictions for diff in diffs]))
    queues = _queues(first.queues, [changed(diff.queues) for diff in diffs])
    tie_dependent = sum(each.tie_dependent for differences in (evictions, queues) for each in differences)
    tie_dependent += sum(job.tie_dependent or bool(job.tie_dependent_changes) for job in jobs)
    summary = replace(_least([diff.summary for diff in diffs]), tie_dependent=tie_dependent)
    drawn = any(diff.node_order_drawn for diff in diffs)
    return replace(
        first,
        seeds=len(diffs),
        node_order_drawn=drawn,
        summary=summary,
        jobs=jobs,
        evictions=evictions,
        queues=queues,
    )


def _least(summaries: Sequence[Differences]) -> Differences:
    """Return the smallest of each number."""
    numbers = {
        field: min(getattr(each, field) for each in summaries)
        for field in Differences.__struct_fields__
        if field != "changes"
    }
    kinds = sorted({kind for each in summaries for kind in each.changes})
    changes = {kind: min(each.changes.get(kind, 0) for each in summaries) for kind in kinds}
    return Differences(**numbers, changes={kind: number for kind, number in changes.items() if number})


def _jobs(seen: Sequence[Sequence[JobDifference]]) -> list[JobDifference]:
    by_name = [{(job.namespace, job.name): job for job in jobs} for jobs in seen]
    names = sorted({name for jobs in by_name for name in jobs})
    return [_job([jobs[name] for jobs in by_name if name in jobs], len(seen)) for name in names]


def _job(seen: Sequence[JobDifference], runs: int) -> JobDifference:
    """Return what becomes of a job: the changes that are always seen, else all of them as tie-dependent."""
    counts = Counter(change for job in seen for change in job.changes)
    always = ordered(change for change, number in counts.items() if number == runs)
    changes = always or ordered(counts)
    job = next((job for job in seen if job.changes == changes), seen[0])
    return replace(
        job,
        changes=changes,
        effect=job.effect if job.changes == changes else effect_of(changes),
        held=runs if always else max(counts.values()),
        tie_dependent=not always,
        tie_dependent_changes=ordered(counts.keys() - changes),
    )


def _queues(first: Iterable[QueueDifference], seen: Sequence[Sequence[QueueDifference]]) -> list[QueueDifference]:
    """Return all queues: of those that differ, the figures that always do, else the figures that sometimes do."""
    by_name = [{queue.name: queue for queue in queues} for queues in seen]
    found = []
    for same in first:
        changes = [queues[same.name] for queues in by_name if same.name in queues]
        if not changes:
            found.append(same)
            continue
        counts = Counter(field for queue in changes for field in queue.fields)
        always = [field for field in changes[0].fields if counts[field] == len(seen)]
        sure = len(changes) == len(seen) and bool(always or not counts)
        fields = always if sure else [*dict.fromkeys(field for queue in changes for field in queue.fields)]
        found.append(
            replace(changes[0], fields=fields, effect=_effect(changes), held=len(changes), tie_dependent=not sure)
        )
    return found


def _effect(seen: Sequence[QueueDifference]) -> Effect:
    """Return whether a queue is better off under all ways, both where that depends on them."""
    effects = {queue.effect for queue in seen}
    if len(effects) == 1:
        return effects.pop()
    return "both" if {"gains", "loses"} <= effects or "both" in effects else "neither"


def _evictions(seen: Sequence[Sequence[EvictionDifference]]) -> list[EvictionDifference]:
    counts = Counter((each.change, each.task) for evictions in seen for each in evictions)
    first = {(each.change, each.task): each for evictions in reversed(seen) for each in evictions}
    return [replace(first[key], held=counts[key], tie_dependent=counts[key] < len(seen)) for key in counts]


def _sure_first(differences: Iterable[Difference]) -> list[Difference]:
    return sorted(differences, key=lambda each: each.tie_dependent)
