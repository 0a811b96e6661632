"""The parts of the page on a difference, each a grid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from vqs.diff.outcome import Diff, JobDifference, QueueDifference
from vqs.explain.amounts import ABSENT
from vqs.model.wording import count
from vqs.report.diff.phrases import (
    ARROW,
    CHANGES,
    EFFECTS,
    amounts,
    changes_of,
    eviction_remark,
    facts,
    held,
    node_changes,
    on_tie_breaking,
    queue_of,
    remark_of,
    share,
    tasks_of,
    value,
)
from vqs.report.grid import Column, Grid, Row, cell
from vqs.report.lint.summary import place_of, with_denier
from vqs.report.page import Part
from vqs.report.phrases import change

_MANY: Final = 50
"""Of a list of more rows, the first ones are shown, unless everything is asked for."""

_ON_TIE_BREAKING: Final = "Depends on tie-breaking"
_FOLDED: Final = (_ON_TIE_BREAKING, "Lint")

_LEGEND: Final = "Signs: + better off, - worse off, ± both"
_WITH_SIGNS: Final = ("Queues", "Jobs", _ON_TIE_BREAKING)

_STYLES: Final = {"gains": "green", "loses": "red", "both": "yellow", "neither": ""}
_PRESENCE: Final = {"added": "new", "gone": "avoided", "removed": "removed", "changed": "changed"}
_FINDING: Final = {"new": "new", "gone": "resolved"}
_FIGURES: Final = ("guarantee", "capability", "real_capability", "request", "deserved", "inqueue", "allocated")
_ALWAYS: Final = ("deserved", "allocated")
_NAMES: Final = {"real_capability": "limit"}
_RESOURCES_FIRST: Final = ("cpu", "memory")


def parts(diff: Diff, *, everything: bool) -> Iterator[Part]:
    """Yield the parts in which something differs, each with its title; the first with signs explains them."""
    legend = _LEGEND
    for title, grid in (
        ("Behaviours", _behaviours(diff)),
        ("Settings", _settings(diff)),
        ("Nodes", _nodes(diff)),
        ("Queues", _queues(diff, everything=everything)),
        ("Jobs", _jobs([job for job in diff.jobs if not job.tie_dependent])),
        ("Evictions", _evictions(diff)),
        (_ON_TIE_BREAKING, _jobs([job for job in diff.jobs if job.tie_dependent])),
        ("Lint", _findings(diff)),
    ):
        if grid.rows:
            part = _cut(title, grid, everything=everything)
            yield replace(part, legend=legend) if title in _WITH_SIGNS else part
            legend = "" if title in _WITH_SIGNS else legend
    if everything and diff.jobs:
        yield Part("Tasks", grid=_tasks(diff), folded=True)


def _cut(title: str, grid: Grid, *, everything: bool) -> Part:
    if everything or len(grid.rows) <= _MANY:
        return Part(title, grid=grid, folded=title in _FOLDED)
    title = f"{title}: the first {_MANY} of {count(len(grid.rows), 'row')}; -v shows all"
    return Part(title, grid=grid.first(_MANY))


def _behaviours(diff: Diff) -> Grid:
    """Return the behaviours that cause what differs, each with how much."""
    columns = (
        Column("BEHAVIOUR", named=True),
        Column("BEFORE → AFTER"),
        Column("JOBS", numeric=True),
        Column("QUEUES", numeric=True),
    )
    rows = [
        Row(
            tuple(
                map(cell, (each.name, f"{each.before} → {each.after}", f"{len(each.jobs):,}", f"{len(each.queues):,}"))
            ),
            each.decides if not each.together else f"{each.decides} Only together with {', '.join(each.together)}.",
        )
        for each in diff.behaviours
        if each.jobs or each.queues
    ]
    return Grid(columns, rows, "WHAT IT DECIDES")


def _settings(diff: Diff) -> Grid:
    rows = [
        Row((cell(each.key),), f"{_set(each.before, each.default_before)} → {_set(each.after, each.default_after)}")
        for each in diff.settings
    ]
    return Grid((Column("SETTING"),), rows, "BEFORE → AFTER")


def _set(setting: Any, default: bool) -> str:
    return f"{value(setting)} (default)" if default else value(setting)


def _nodes(diff: Diff) -> Grid:
    rows = [
        Row((cell(node.name), cell(_PRESENCE[node.change])), node_changes(node))
        for node in diff.nodes
        if node.change != "same"
    ]
    return Grid((Column("NODE"), Column("CHANGE")), rows, "WHAT")


def _queues(diff: Diff, *, everything: bool) -> Grid:
    queues = [queue for queue in diff.queues if queue.change != "same"]
    rows = [(queue, [*_resources(queue, everything=everything)]) for queue in queues]
    figures = [
        field
        for field in _FIGURES
        if field in _ALWAYS or any(_shows(queue, field, name) for queue, names in rows for name in names)
    ]
    columns = (
        Column(" "),
        Column("QUEUE"),
        Column("RESOURCE"),
        *(Column(_NAMES.get(field, field).upper(), True, field not in _ALWAYS) for field in figures),
        Column("SHARE", numeric=True),
    )
    return Grid(columns, [row for queue, names in rows for row in _queue(queue, names, figures)], "ALSO")


def _queue(queue: QueueDifference, resources: Sequence[str], figures: Sequence[str]) -> Iterator[Row]:
    shares = change(share(queue.before), share(queue.after))
    sign, name, remark = EFFECTS[queue.effect], queue.name, _also(queue)
    for resource in resources:
        texts = [amounts(held(queue.before, field), held(queue.after, field), resource) for field in figures]
        style = _STYLES[queue.effect] if name else ""
        yield Row((cell(sign, style), cell(name, style), cell(resource), *map(cell, texts), cell(shares)), remark)
        sign = name = shares = remark = ""


def _shows(queue: QueueDifference, field: str, resource: str) -> bool:
    """Return whether a figure differs, or of a queue that is new or gone, whether it has any."""
    before, after = held(queue.before, field), held(queue.after, field)
    only = before if after is None else after if before is None else None
    return ARROW in amounts(before, after, resource) if only is None else bool(only.get(resource))


def _resources(queue: QueueDifference, *, everything: bool) -> list[str]:
    """Return the resources with a figure that differs, cpu where none does."""
    sides = [side for side in (queue.before, queue.after) if side]
    named = {name for side in sides for field in _FIGURES for name, each in getattr(side, field).items() if each != 0}
    if not everything:
        named = {name for name in named if any(_shows(queue, field, name) for field in _FIGURES)} or {"cpu"}
        named = named - {"pods"} or named
    return sorted(named or {"cpu"}, key=lambda name: (name == "pods", name not in _RESOURCES_FIRST, name))


def _also(queue: QueueDifference) -> str:
    """Say what else differs about a queue."""
    if queue.before is None or queue.after is None:
        return "new" if queue.before is None else "removed"
    texts = [*facts(queue.before, queue.after)]
    if queue.tie_dependent:
        texts.append(on_tie_breaking(queue.held))
    return ", ".join(texts)


def _jobs(jobs: Sequence[JobDifference]) -> Grid:
    columns = (Column(" "), Column("JOB"), Column("QUEUE"), Column("CHANGE"), Column("BEFORE"), Column("AFTER"))
    rows = [
        Row(
            (
                cell(EFFECTS[job.effect], _STYLES[job.effect]),
                cell(job.called, _STYLES[job.effect]),
                cell(queue_of(job)),
                cell(changes_of(job)),
                cell(tasks_of(job.before)),
                cell(tasks_of(job.after)),
            ),
            remark_of(job),
        )
        for job in jobs
    ]
    return Grid(columns, rows, "WHY")


def _evictions(diff: Diff) -> Grid:
    columns = (Column("CHANGE"), Column("TASK"), Column("QUEUE"), Column("NODE"))
    rows = [
        Row(
            (
                cell(_PRESENCE[each.change], "red" if each.change == "added" else "green"),
                cell(each.task),
                cell(each.queue),
                cell(each.node),
            ),
            eviction_remark(each),
        )
        for each in diff.evictions
    ]
    return Grid(columns, rows, "BY")


def _findings(diff: Diff) -> Grid:
    columns = (Column("CHANGE"), Column("CODE"), Column("PLACE"))
    rows = [
        Row(
            (
                cell(_FINDING[each.change], "red" if each.change == "new" else "green"),
                cell(each.finding.code),
                cell(place_of(each.finding) or ABSENT),
            ),
            f"{each.finding.severity}: {with_denier(each.finding.message, each.finding.denied)}",
        )
        for each in diff.findings
    ]
    return Grid(columns, rows, "WHAT")


def _tasks(diff: Diff) -> Grid:
    columns = (Column("TASK"), Column("CHANGE"), Column("STATUS"), Column("NODE"), Column("VERDICT"))
    rows = []
    for job in diff.jobs:
        for task in job.tasks:
            sides = task.before, task.after
            status, node, verdict = (
                change(*((getattr(side, field) or ABSENT) if side else ABSENT for side in sides))
                for field in ("status", "node", "verdict")
            )
            name = change(*((side.name if side else "") or task.name for side in sides))
            rows.append(Row((cell(name), cell(CHANGES[task.change]), cell(status), cell(node), cell(verdict))))
    return Grid(columns, rows)
