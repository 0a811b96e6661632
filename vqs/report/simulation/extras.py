"""What is shown only where it is asked for: a selection of queues, jobs and tasks, and further lists."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import groupby
from typing import Final, NamedTuple

from msgspec import structs

from vqs.explain.amounts import amount, change, number
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
)
from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.explain.verdicts import OF_NODES
from vqs.model.task import TaskStatus
from vqs.model.wording import and_more, count
from vqs.report.formats import Extras, Filters, View
from vqs.report.page import Cell, Column, Grid, Part, table
from vqs.snapshot.reading.diagnostics import did_you_mean


class Selection(NamedTuple):
    """What is left of a result."""

    queues: list[QueueResult]
    jobs: list[JobResult]
    tasks: list[TaskResult]


def select(result: Simulation, filters: Filters) -> Selection:
    """Return the tasks that match, the jobs that match or have such tasks, and the queues of these.

    A job matches whatever its tasks are; what is asked of their status, it cannot answer.
    """
    if not filters:
        return Selection(result.queues, result.jobs, result.tasks)

    def is_meant(each: JobResult | TaskResult, paths: Sequence[str]) -> bool:
        code = [each.verdict.code] if each.verdict else []
        return (
            _matches([each.queue], filters.queues)
            and (not filters.jobs or any(_is_named(paths, pattern) for pattern in filters.jobs))
            and _matches(code, filters.verdicts)
        )

    spellings = {(job.namespace, job.name): job.spellings() for job in result.jobs}
    tasks = [
        task
        for task in result.tasks
        if is_meant(task, spellings.get((task.namespace, task.job), (f"{task.namespace}/{task.job}",)))
        and _matches([task.status], filters.statuses)
    ]
    owners = {(task.namespace, task.job) for task in tasks}
    jobs = [
        job
        for job in result.jobs
        if (job.namespace, job.name) in owners or (not filters.statuses and is_meant(job, job.spellings()))
    ]
    names = {*(job.queue for job in jobs), *(task.queue for task in tasks)}
    only_queues = filters == Filters(queues=filters.queues)
    queues = [
        queue
        for queue in result.queues
        if queue.name in names or (only_queues and _matches([queue.name], filters.queues))
    ]
    return Selection(queues, jobs, tasks)


def selected(result: Simulation, filters: Filters) -> Simulation:
    """Return a result that holds only the queues, jobs and tasks that match."""
    queues, jobs, tasks = select(result, filters)
    left = [] if filters else result.left_to_others
    return structs.replace(result, queues=queues, jobs=jobs, tasks=tasks, left_to_others=left)


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


def _is_named(paths: Sequence[str], pattern: str) -> bool:
    """True if a job is called like a pattern; one without a slash is matched with the name alone."""
    return any(_is_like(path if "/" in pattern else path.partition("/")[2], pattern) for path in paths)


def _matches(names: Sequence[str], patterns: Sequence[str]) -> bool:
    """True if one of the names is like one of the patterns, where there are any."""
    return not patterns or any(_is_like(name, pattern) for name in names for pattern in patterns)


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
    if grid is None or len(grid.rows) <= _LONG or view.everything:
        return Part(title, grid=grid)
    return Part(f"{title} (the first {_LONG} of {len(grid.rows):,}; -v shows all)", grid=grid.first(_LONG))


# --- nodes -----------------------------------------------------------------------------------------------------------


def _nodes(nodes: Sequence[NodeResult]) -> Grid | None:
    def usage(resource: str) -> Callable[[NodeResult], Cell]:
        def said(node: NodeResult) -> str | None:
            if resource not in node.allocatable:
                return None
            before, after, total = (
                amount(resource, amounts.get(resource)) for amounts in (node.used_before, node.used, node.allocatable)
            )
            return f"{change(before, after)} of {total}"

        return said

    resources = dict.fromkeys(name for node in nodes for name in node.allocatable)
    columns: dict[Column, Callable[[NodeResult], Cell]] = {
        Column("NODE"): lambda node: node.name,
        Column("PODS", numeric=True): lambda node: (
            f"{change(str(node.pods_before), str(node.pods))} of {node.max_pods}"
        ),
        **{Column(name.upper(), numeric=True): usage(name) for name in resources},
    }
    return table(nodes, columns, "STATE", lambda node: "unschedulable" * node.unschedulable) if nodes else None


# --- a task and the nodes --------------------------------------------------------------------------------------------


def _fit_errors(name: str, inspection: Inspection) -> tuple[str, Grid | None]:
    """Count the nodes that fitted at once, those that fit later, and those that rejected the task; then list them."""
    idle = sum(not each.reasons and each.idle for each in inspection.nodes)
    rejecting = sum(bool(each.reasons) for each in inspection.nodes)
    later = len(inspection.nodes) - idle - rejecting
    numbers = [
        f"{idle:,} fitted",
        f"{later:,} fit once terminating pods are gone" if later else "",
        f"{rejecting:,} rejected it",
    ]
    fitting = f"of {count(len(inspection.nodes), 'node')}, {', '.join(filter(None, numbers))}"
    telling = sorted(inspection.nodes, key=lambda node: (not node.chosen, bool(node.reasons)))
    grid = table(telling, {Column("NODE"): lambda node: node.node}, "ANSWER", _answer) if telling else None
    return f"Fit errors of {name}: at its last attempt, {fitting}", grid


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
    def score(plugin: str) -> Callable[[NodeInspection], Cell]:
        return lambda node: number(node.scores.get(plugin, 0.0))

    compared = [node for node in inspection.nodes if node.total is not None]
    title = f"Scores of {name}: {count(len(compared), 'node')} compared when it was tried"
    if not compared:
        return f"{title}, as none fitted; --fit-errors shows why", None
    plugins = dict.fromkeys(plugin for node in compared for plugin in node.scores)
    columns: dict[Column, Callable[[NodeInspection], Cell]] = {
        Column("NODE"): lambda node: node.node,
        **{Column(plugin.upper(), numeric=True): score(plugin) for plugin in plugins},
        Column("TOTAL", numeric=True): lambda node: number(node.total or 0.0),
    }
    best_first = sorted(compared, key=lambda node: (-(node.total or 0.0), not node.chosen))
    return title, table(best_first, columns, says=lambda node: "chosen" * node.chosen)


def _not_tried(result: Simulation, name: str) -> tuple[str, Grid | None]:
    task = _task(result, name)
    if task.status == TaskStatus.Pipelined.name and task.verdict:
        return f"allocate compared {name} with no node: {task.verdict.text}", None
    why = task.verdict.text if task.verdict else f"it was {task.status_before} before"
    return f"{name} was not compared with any node: {why}", None


# --- decisions -------------------------------------------------------------------------------------------------------


def _decisions(result: Simulation, view: View) -> Grid | None:
    tiers = result.session.tiers

    def steps(statement: StatementResult) -> str:
        """Name the first steps; evictions for the same preemptor, decided by the same plugins, are named together."""
        shown = statement.operations[: None if view.everything else _STEPS]
        groups = groupby(
            shown, lambda step: (step.node, step.evictor, *_deciding(step, tiers)) if step.evictor else object()
        )
        # The text of an eviction has commas of its own.
        between = "; " if any(step.op == "evict" for step in shown) else ", "
        named = between.join(_steps([*group], tiers) for _, group in groups)
        return named + and_more(len(statement.operations) - len(shown))

    shown = {job.uid for job in select(result, view.filters).jobs}
    statements = [each for each in result.trace if each.job in shown]
    columns: dict[Column, Callable[[StatementResult], Cell]] = {
        Column("#", numeric=True): lambda each: str(each.id),
        Column("ACTION"): lambda each: each.action,
        Column("JOB"): lambda each: each.called,
        Column("RESULT"): lambda each: each.result,
    }
    return table(statements, columns, "STEPS", steps) if statements else None


def _deciding(step: OperationResult, tiers: Sequence[Sequence[str]]) -> list[str]:
    """The plugins of the tier that decided an eviction."""
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
