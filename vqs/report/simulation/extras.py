"""What is shown only where it is asked for: a selection of queues, jobs and tasks, and further lists."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import groupby
from typing import Final, NamedTuple

from msgspec import structs

from vqs.explain.amounts import ABSENT, amount, number
from vqs.explain.assemble import TAKEN
from vqs.explain.outcome import (
    Inspection,
    JobResult,
    NodeInspection,
    NodeResult,
    OperationResult,
    QueueResult,
    Simulation,
    StatementResult,
    TaskResult,
    Verdict,
)
from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.explain.verdicts import OF_NODES
from vqs.model.task import TaskStatus
from vqs.model.wording import and_more, count
from vqs.report.formats import Detail, Extras, Filters, View
from vqs.report.grid import Column, Grid, Row, cell
from vqs.report.page import Part
from vqs.report.phrases import change
from vqs.snapshot.reading.diagnostics import did_you_mean


class Selection(NamedTuple):
    """What is left of a result."""

    queues: list[QueueResult]
    jobs: list[JobResult]
    tasks: list[TaskResult]


def select(result: Simulation, filters: Filters) -> Selection:
    """Return the tasks that match, the jobs that match or have such tasks, and the queues of these."""
    if not filters:
        return Selection(result.queues, result.jobs, result.tasks)
    spellings = {(job.namespace, job.name): job.spellings() for job in result.jobs}
    tasks = [task for task in result.tasks if _is_task(task, filters, spellings)]
    owners = {(task.namespace, task.job) for task in tasks}
    jobs = [job for job in result.jobs if (job.namespace, job.name) in owners or _is_job(job, filters)]
    names = {*(job.queue for job in jobs), *(task.queue for task in tasks)}
    only_queues = filters == Filters(queues=filters.queues)
    queues = [
        queue
        for queue in result.queues
        if queue.name in names or (only_queues and _matches(queue.name, filters.queues))
    ]
    return Selection(queues, jobs, tasks)


def selected(result: Simulation, filters: Filters) -> Simulation:
    """Return a result that holds only the queues, jobs and tasks that match."""
    queues, jobs, tasks = select(result, filters)
    return structs.replace(result, queues=queues, jobs=jobs, tasks=tasks)


def misses(result: Simulation, filters: Filters) -> Iterator[str]:
    """Say which patterns match nothing, and what was probably meant."""
    queues = {*(queue.name for queue in result.queues), *(task.queue for task in result.tasks)}
    jobs = {task.job for task in result.tasks}
    paths = {path for job in result.jobs for path in job.spellings()}
    jobs.update(path.partition("/")[2] for path in paths)
    statuses = {task.status for task in result.tasks}
    given = [*(task.verdict for task in result.tasks), *(job.verdict for job in result.jobs)]
    verdicts = {verdict.code for verdict in given if verdict}
    yield from _unmatched("no queue is called", filters.queues, queues, queues)
    yield from _unmatched("no job is called", filters.jobs, jobs | paths, jobs | paths)
    yield from _unmatched("no task has the status", filters.statuses, statuses, TaskStatus.__members__)
    yield from _unmatched("nothing has the verdict", filters.verdicts, verdicts, VERDICT_RULES)


def _unmatched(lack: str, patterns: Sequence[str], present: Iterable[str], known: Iterable[str]) -> Iterator[str]:
    for pattern in patterns:
        if not any(_is_like(name, pattern) for name in present):
            hint = "" if pattern in known else did_you_mean(pattern, known)
            yield f"{lack} {pattern!r}" + (f" ({hint})" if hint else "")


def _is_task(task: TaskResult, filters: Filters, spellings: Mapping[tuple[str, str], Sequence[str]]) -> bool:
    paths = spellings.get((task.namespace, task.job), (f"{task.namespace}/{task.job}",))
    return (
        _matches(task.queue, filters.queues)
        and _is_named(paths, filters.jobs)
        and _matches(task.status, filters.statuses)
        and _has(task.verdict, filters.verdicts)
    )


def _is_job(job: JobResult, filters: Filters) -> bool:
    """Tell whether a job matches, whatever its tasks are; what is asked of their status, it cannot answer."""
    return (
        not filters.statuses
        and _matches(job.queue, filters.queues)
        and _is_named(job.spellings(), filters.jobs)
        and _has(job.verdict, filters.verdicts)
    )


def _has(verdict: Verdict | None, patterns: Sequence[str]) -> bool:
    return not patterns or (verdict is not None and _matches(verdict.code, patterns))


def _is_named(paths: Sequence[str], patterns: Sequence[str]) -> bool:
    return not patterns or any(
        _is_like(path if "/" in pattern else path.partition("/")[2], pattern) for path in paths for pattern in patterns
    )


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return not patterns or any(_is_like(name, pattern) for pattern in patterns)


def _is_like(name: str, pattern: str) -> bool:
    """Match without regard to case: names in Kubernetes are lower-case, and what is typed may not be."""
    return fnmatchcase(name.casefold(), pattern.casefold())


_LONG: Final = 100
"""A list of more rows than these is cut, unless everything is asked for."""

_STEPS: Final = 5
"""More steps of a statement than these are counted, unless everything is asked for."""


def extra_parts(result: Simulation, view: View) -> Iterator[Part]:
    """Yield what was asked for."""
    extras = view.extras
    inspections = {f"{each.namespace}/{each.name}": each for each in result.inspections if each.nodes}
    if extras.nodes:
        yield _cut("Nodes", _nodes(result.nodes), view)
    for name in dict.fromkeys(extras.fit_errors):
        title, grid = _fit_errors(name, inspections[name]) if name in inspections else _not_tried(result, name)
        yield replace(_cut(title, grid, view), lines=_outcome(result, name) if name in inspections else ())
    for name in dict.fromkeys(extras.scores):
        title, grid = _scores(name, inspections[name]) if name in inspections else _not_tried(result, name)
        yield _cut(title, grid, view)
    if extras.trace:
        decisions = _decisions(result, view)
        yield _cut("Decisions, in order" if decisions else "No decisions", decisions, view)


def unknown_tasks(result: Simulation, extras: Extras) -> list[str]:
    """Say which of the tasks that were asked for do not exist, and what was probably meant."""
    names = {f"{task.namespace}/{task.name}" for task in result.tasks}
    lines = []
    for name in sorted(extras.watched - names):
        hint = did_you_mean(name, names)
        lines.append(f"there is no task {name!r} (NAMESPACE/NAME){f'; {hint}' if hint else ''}")
    return lines


def _cut(title: str, grid: Grid | None, view: View) -> Part:
    """Shorten a list that is too long to be read."""
    if grid is None or len(grid.rows) <= _LONG or view.detail is Detail.EVERYTHING:
        return Part(title, grid=grid)
    return Part(f"{title} (the first {_LONG} of {len(grid.rows):,}; -v shows all)", grid=grid.first(_LONG))


# --- nodes -----------------------------------------------------------------------------------------------------------


def _nodes(nodes: Sequence[NodeResult]) -> Grid | None:
    if not nodes:
        return None
    resources = list(dict.fromkeys(name for node in nodes for name in node.allocatable))
    figures = (Column(name.upper(), numeric=True) for name in resources)
    columns = (Column("NODE"), Column("PODS", numeric=True), *figures)
    return Grid(columns, [_node(node, resources) for node in nodes], "STATE")


def _node(node: NodeResult, resources: Sequence[str]) -> Row:
    figures = (cell(_usage(node, resource)) for resource in resources)
    pods = cell(f"{change(str(node.pods_before), str(node.pods))} of {node.max_pods}")
    return Row((cell(node.name), pods, *figures), "unschedulable" if node.unschedulable else "")


def _usage(node: NodeResult, resource: str) -> str:
    if resource not in node.allocatable:
        return ABSENT
    before, after, total = (
        amount(resource, amounts.get(resource)) for amounts in (node.used_before, node.used, node.allocatable)
    )
    return f"{change(before, after)} of {total}"


# --- a task and the nodes --------------------------------------------------------------------------------------------


def _fit_errors(name: str, inspection: Inspection) -> tuple[str, Grid | None]:
    title = f"Fit errors of {name}: at its last attempt, {_fitting(inspection)}"
    telling = sorted(inspection.nodes, key=lambda node: (not node.chosen, bool(node.reasons)))
    rows = [Row((cell(node.node),), _answer(node)) for node in telling]
    return title, Grid((Column("NODE"),), rows, "ANSWER") if rows else None


def _fitting(inspection: Inspection) -> str:
    """Count the nodes that fitted at once, those that fit later, and those that rejected the task."""
    idle = sum(not each.reasons and each.idle for each in inspection.nodes)
    rejecting = sum(bool(each.reasons) for each in inspection.nodes)
    later = len(inspection.nodes) - idle - rejecting
    numbers = [
        f"{idle:,} fitted",
        f"{later:,} fit once terminating pods are gone" if later else "",
        f"{rejecting:,} rejected it",
    ]
    return f"of {count(len(inspection.nodes), 'node')}, {', '.join(filter(None, numbers))}"


def _outcome(result: Simulation, name: str) -> Sequence[str]:
    """Say what became of a task after that attempt, where the nodes do not tell: it was rolled back, or pods leave."""
    verdict = _task(result, name).verdict
    return [] if verdict is None or verdict.code in OF_NODES else [f"Outcome: {verdict.code}: {verdict.text}"]


def _task(result: Simulation, name: str) -> TaskResult:
    return next(task for task in result.tasks if f"{task.namespace}/{task.name}" == name)


def _answer(node: NodeInspection) -> str:
    if node.reasons:
        return ", ".join(node.reasons)
    answer = "fits" if node.idle else "fits once terminating pods are gone"
    return f"{answer}, chosen" if node.chosen else answer


def _scores(name: str, inspection: Inspection) -> tuple[str, Grid | None]:
    compared = [node for node in inspection.nodes if node.total is not None]
    title = f"Scores of {name}: {count(len(compared), 'node')} compared when it was tried"
    if not compared:
        return f"{title}, as none fitted; --fit-errors shows why", None
    plugins = list(dict.fromkeys(plugin for node in compared for plugin in node.scores))
    columns = (Column("NODE"), *(Column(name.upper(), numeric=True) for name in (*plugins, "total")))
    best_first = sorted(compared, key=lambda node: (-(node.total or 0.0), not node.chosen))
    return title, Grid(columns, [_scored(node, plugins) for node in best_first], "")


def _scored(node: NodeInspection, plugins: Sequence[str]) -> Row:
    figures = (cell(number(node.scores.get(plugin, 0.0))) for plugin in plugins)
    return Row((cell(node.node), *figures, cell(number(node.total or 0.0))), "chosen" if node.chosen else "")


def _not_tried(result: Simulation, name: str) -> tuple[str, Grid | None]:
    task = _task(result, name)
    if task.status == TaskStatus.Pipelined.name and task.verdict:
        return f"allocate compared {name} with no node; it {task.verdict.text}", None
    why = task.verdict.text if task.verdict else f"it was {task.status_before} before"
    return f"{name} was not compared with any node: {why}", None


# --- decisions -------------------------------------------------------------------------------------------------------


def _decisions(result: Simulation, view: View) -> Grid | None:
    shown = {job.uid for job in select(result, view.filters).jobs}
    columns = (Column("#", numeric=True), Column("ACTION"), Column("JOB"), Column("RESULT"))
    rows = [_decision(each, result.session.tiers, view) for each in result.trace if each.job in shown]
    return Grid(columns, rows, "STEPS") if rows else None


def _decision(statement: StatementResult, tiers: Sequence[Sequence[str]], view: View) -> Row:
    limit = None if view.detail is Detail.EVERYTHING else _STEPS
    shown = statement.operations[:limit]
    groups = [list(group) for _, group in groupby(shown, lambda step: _kind(step, tiers))]
    rest = len(statement.operations) - len(shown)
    # The text of an eviction has commas of its own.
    between = "; " if any(step.op == "evict" for step in shown) else ", "
    named = between.join(_steps(group, tiers) for group in groups) + and_more(rest)
    cells = (cell(str(statement.id)), cell(statement.action), cell(statement.called), cell(statement.result))
    return Row(cells, named)


def _kind(step: OperationResult, tiers: Sequence[Sequence[str]]) -> Hashable:
    """Return what steps that are named together have in common: only evictions for the same preemptor are."""
    return (step.node, step.evictor, *_deciding(step, tiers)) if step.evictor else object()


def _deciding(step: OperationResult, tiers: Sequence[Sequence[str]]) -> list[str]:
    """Return the plugins of the tier that decided an eviction."""
    return [] if step.tier is None else [name for name in tiers[step.tier - 1] if step.votes.get(name) == TAKEN]


def _steps(steps: Sequence[OperationResult], tiers: Sequence[Sequence[str]]) -> str:
    """Write steps; of evictions also in whose favour they are, and which plugins decided them."""
    first = steps[0]
    text = f"{first.op} {', '.join(step.task for step in steps)} on {first.node}"
    if first.evictor:
        text += f" for {first.evictor}"
    decided = _deciding(first, tiers)
    if decided:
        text += f", allowed by {', '.join(decided)} (tier {first.tier})"
    return text
