"""The page on a comparison of two sessions, and the data that it draws."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from vqs.diff.outcome import Diff, JobDifference, NodeSide, QueueDifference, Side
from vqs.explain.amounts import ABSENT, percent
from vqs.explain.outcome import Amounts
from vqs.inert import name as visible
from vqs.lint.outcome import with_denier
from vqs.report.diff.page import affected_lines, change_line
from vqs.report.diff.phrases import (
    CHANGES,
    changes_of,
    edits_of,
    failure_lines,
    headline,
    queue_of,
    remark_of,
    sentence,
    share,
    tasks_of,
    value,
)
from vqs.report.formats import View
from vqs.report.html.data import Demand, Objects, names_column, notes, packed, plain, resource_list, settings, shown
from vqs.report.html.page import page
from vqs.report.phrases import change


def write(result: Diff, _view: View, /) -> str:
    """Return the page, with the whole result in it: what to look at is chosen there."""
    sides = (result.before, result.after)
    effects = [(name, sign, sum(job.effect == name for job in result.jobs)) for name, sign in _SIGNS.items()]
    first, *more = re.split(r"[:;] ", sentence(result))
    return page(
        "diff",
        diff_data(result),
        title=f"vqs diff-configs {result.before.name} {result.after.name}",
        standstill=[
            f"Nothing is scheduled with {side.name}: {side.session.standstill}"
            for side in sides
            if side.session.standstill
        ],
        sentence=first,
        more=more,
        lead=[line for line in (change_line(result), *affected_lines(result)) if line],
        headline=headline(result),
        failures=failure_lines(result),
        first_divergence=result.first_divergence,
        effects=[(name, sign, number, f"{number:,}") for name, sign, number in effects],
        before=result.before,
        after=result.after,
        figures=list(_figures(result)),
        notes=[(severity, f"{side.name}: {text}") for side in sides for severity, text in notes(side.diagnostics)],
        has_nodes=bool(result.nodes),
        has_evictions=bool(result.evictions),
        settings=[
            {
                "key": each.key,
                "before": value(each.before),
                "after": value(each.after),
                "default_before": each.default_before,
                "default_after": each.default_after,
            }
            for each in result.settings
        ],
        findings=[
            (
                each.change,
                each.finding.severity,
                each.finding.code,
                with_denier(each.finding.message, each.finding.denied),
            )
            for each in result.findings
        ],
        sides=[
            (f"{word}: {side.name}", _about(result, side))
            for word, side in zip(("before", "after"), sides, strict=True)
        ],
    )


_SIGNS: Final = {"gains": "▲ better", "loses": "▼ worse", "both": "◆ better and worse", "neither": "changed"}


def _figures(result: Diff) -> Iterator[dict[str, str]]:
    before, after = result.figures_before, result.figures_after
    for word, name in (
        ("tasks placed", "placed"),
        ("with a reserved node", "pipelined"),
        ("evicted", "evicted"),
        ("still pending", "pending"),
        ("running", "running"),
        ("jobs", "jobs"),
        ("jobs with a full gang", "full_gangs"),
    ):
        one, other = getattr(before, name), getattr(after, name)
        yield {
            "word": word,
            "before": f"{one:,}",
            "after": f"{other:,}",
            "difference": f"{other - one:+,}" if other != one else "",
        }
    yield _share("spread of the queues' shares", before.share_spread, after.share_spread)
    used = {each.resource: each for each in after.utilisation}
    for each in before.utilisation:
        if each.resource in used:
            yield _share(f"{each.resource} used", each.used_after, used[each.resource].used_after)


def _share(word: str, before: float | None, after: float | None) -> dict[str, str]:
    moved = 0.0 if before is None or after is None else after - before
    texts = [ABSENT if each is None else percent(each) for each in (before, after)]
    points = f"{moved * 100:+.1f} points" if round(moved, 3) else ""
    return {"word": word, "before": texts[0], "after": texts[1], "difference": points}


def _about(diff: Diff, side: Side) -> list[tuple[str, str]]:
    read = [("files", ", ".join(side.files)), ("edits", ", ".join(edits_of(diff, side)))]
    return [*(pair for pair in read if pair[1]), *settings(side.session)]


_EFFECTS: Final = {"gains": "gains", "loses": "loses", "both": "gains and loses"}


def diff_data(result: Diff) -> dict[str, Any]:
    """Return what the page draws of both sides."""
    amounts = Objects()
    # What is requested in each queue, after the change where the queue is still there.
    sides = ((queue.name, queue.after or queue.before) for queue in result.queues)
    demands = [Demand(name, side.parent, side.request) for name, side in sides if side]
    return {
        "kind": "diff",
        "changes": dict(CHANGES),
        "resources": resource_list(_named(result), result.after.session.total_resource, demands),
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


def _named(result: Diff) -> Iterable[Amounts]:
    for side in (result.before, result.after):
        yield side.session.total_resource
    for queue in result.queues:
        for each in (queue.before, queue.after):
            if each:
                yield from (each.deserved, each.allocated, each.request)
