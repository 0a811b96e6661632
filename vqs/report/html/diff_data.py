"""A comparison as data for the page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from vqs.diff.outcome import Diff, JobDifference, NodeSide, QueueDifference
from vqs.explain.outcome import Amounts
from vqs.report.diff.phrases import CHANGES, changes_of, queue_of, remark_of, share, tasks_of
from vqs.report.html.columns import Objects, names_column, packed, plain, shown
from vqs.report.html.resources import Demand, resource_list
from vqs.report.phrases import change
from vqs.report.visible import visible

_EFFECTS: Final = {"gains": "gains", "loses": "loses", "both": "gains and loses"}


def diff_data(result: Diff) -> dict[str, Any]:
    """Return what the page draws of both sides."""
    amounts = Objects()
    return {
        "kind": "diff",
        "changes": dict(CHANGES),
        "resources": resource_list(_named(result), result.after.session.total_resource, list(_demands(result))),
        "jobs": [_job(job) for job in result.jobs],
        "queues": [_queue(queue) for queue in result.queues],
        "isTree": any(side.parent for queue in result.queues for side in (queue.before, queue.after) if side),
        "nodes": {
            "name": names_column(node.name for node in result.nodes),
            "before": _nodes([node.before for node in result.nodes], amounts),
            "after": _nodes([node.after for node in result.nodes], amounts),
        },
        "amounts": amounts.listed(),
        "evictions": [plain(each) | shown({"job": each.called}) for each in result.evictions],
    }


def _job(job: JobDifference) -> dict[str, Any]:
    said = {
        "path": job.called,
        "said": changes_of(job),
        "queue": queue_of(job),
        "remark": remark_of(job),
        "told": [tasks_of(job.before), tasks_of(job.after)],
    }
    return {**plain(job), **shown(said)}


def _queue(queue: QueueDifference) -> dict[str, Any]:
    side = queue.after or queue.before
    return {**plain(queue), "parent": visible(side.parent if side else ""), "facts": visible(_facts(queue))}


def _facts(queue: QueueDifference) -> str:
    """Say of a queue what has become of it, and of what is set on it."""
    before, after = queue.before, queue.after
    if before is None or after is None:
        return f"{queue.change}; share {share(side)}" if (side := after or before) else queue.change
    facts = [_EFFECTS[queue.effect]] if queue.effect in _EFFECTS else []
    facts.append(f"share {change(share(before), share(after))}")
    facts.append(f"weight {change(str(before.weight), str(after.weight))}")
    if before.state != after.state:
        facts.append(change(before.state, after.state))
    return " · ".join([*facts, *["depends on tie-breaking"] * queue.tie_dependent])


def _nodes(sides: Sequence[NodeSide | None], amounts: Objects) -> dict[str, Any]:
    def number(of: Amounts | None) -> int:
        return amounts.number(tuple(of.items()), of) if of else 0

    return {
        "there": packed([int(side is not None) for side in sides]),
        "unschedulable": packed([int(side is not None and side.unschedulable) for side in sides]),
        "pods": packed([side.pods if side else 0 for side in sides]),
        "allocatable": [number(side.allocatable if side else None) for side in sides],
        "used": [number(side.used if side else None) for side in sides],
    }


def _demands(result: Diff) -> Iterator[Demand]:
    """Yield what is requested in each queue, after the change where the queue is still there."""
    for queue in result.queues:
        if side := queue.after or queue.before:
            yield Demand(queue.name, side.parent, side.request)


def _named(result: Diff) -> Iterable[Amounts]:
    for side in (result.before, result.after):
        yield side.session.total_resource
    for queue in result.queues:
        for each in (queue.before, queue.after):
            if each:
                yield from (each.deserved, each.allocated, each.request)
