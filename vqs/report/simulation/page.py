"""The page on a session: a summary, the jobs that wait, the other jobs, queues, tasks and notes.

The page on session after session has a line for each, and then how the last one ends.

A selection of queues, jobs and tasks, and further lists, are shown only where they are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import chain, groupby
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import structs
from rich.text import Text

from vqs.explain.amounts import ABSENT, amount, bar, change, number
from vqs.explain.assemble import TAKEN
from vqs.explain.outcome import (
    Amounts,
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
from vqs.explain.words import (
    NO_MORE,
    PENDING,
    PIPELINED,
    PLACED,
    is_evicted,
    is_placed,
    is_unchanged,
    settings,
    share_held,
)
from vqs.inert import name as visible
from vqs.model.codes import VerdictCode
from vqs.model.job import TaskStatus
from vqs.model.wording import and_more, count, first_names
from vqs.report.formats import Detail, Extras, Filters, View
from vqs.report.page import Cell, Column, Grid, Line, Page, Part, Span, cell, table
from vqs.report.phrases import (
    among_ties,
    caveats,
    job_reason,
    no_queues,
    notes,
    queue_columns,
    resources_of,
    shared_reason,
    standstill,
    task_reason,
    timing_line,
)
from vqs.report.simulation.summary import (
    awaited_lines,
    expectations_line,
    failed_lines,
    headline,
    job_of,
    left_line,
    lost_lines,
    next_command,
    reason_lines,
    summarize,
    usage_lines,
)
from vqs.snapshot.reading.diagnostics import did_you_mean

if TYPE_CHECKING:
    from vqs.explain.affected import Eviction
    from vqs.explain.cycles import Cycle, Cycles


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


_MOST: Final = 20
"""A list of more rows than these is cut to what people look for, unless everything is asked for."""

_USUAL: Final = 3
"""The number of figures of a queue for which there is always room."""

_MOST_SETTLED: Final = 10
"""More jobs of which nothing waits than these are counted, unless everything is asked for."""

_MOST_QUEUES: Final = 8
"""Of more queues than these only those in which jobs wait are shown, a line each, unless everything is asked for."""

_DECISION_STYLES: Final = {
    "committed": "green",
    "pipelined": "cyan",
    "partially-committed": "magenta",
    "discarded": "red",
    "not-enqueued": "red",
}


def page(result: Simulation, view: View, /) -> Page:
    """Return the page on a session: jobs, queues, tasks, what else was asked for, notes and expectations."""
    about = selected(result, view.filters)
    summary = summarize(about)
    lead, of_all = summary.counts(), f"{count(len(result.tasks), 'task')} in all"
    if view.filters and not (about.queues or about.jobs or about.tasks):
        lead = f"Nothing matches, of {count(len(result.jobs), 'job')} and {of_all}"
    elif view.filters:
        lead = f"{lead} ({len(about.tasks):,} of {of_all})"
    answer = [lead, *reason_lines(about), *left_line(about), *lost_lines(about), *awaited_lines(about)]
    return Page(
        stops=standstill(result),
        headline=headline(result),
        parts=_parts(result, view),
        answer=answer,
        details=usage_lines(result),
        next=next_command(about, summary, view),
        caveats=caveats(result.diagnostics),
    )


def _parts(result: Simulation, view: View) -> Iterator[Part]:
    if view.filters:
        yield from _matching(result, view)
    else:
        if result.jobs:
            yield from _jobs(result, everything=view.everything)
        yield _queue_part(result, everything=view.everything)
        if result.tasks:
            yield from _tasks(result, view)
    yield from extra_parts(result, view)
    yield from notes(result.diagnostics)
    if result.timing:
        yield Part(lines=[timing_line(result.timing)])
    if line := expectations_line(result):
        yield Part(line, items=[Line(failed, "red") for failed in failed_lines(result)])


def _matching(result: Simulation, view: View) -> Iterator[Part]:
    """Yield only what is asked for, and that whole, however long."""
    everything = view.everything
    queues, jobs, tasks = select(result, view.filters)
    if jobs:
        grid = _job_grid(jobs, everything=everything)
        yield Part(f"Jobs: {len(jobs):,} of {len(result.jobs):,}", grid=grid)
    if queues:
        grid = _queues(queues, result.session.total_resource, everything=everything)
        yield Part(f"Queues: {len(queues):,} of {len(result.queues):,}", grid=grid)
    shown = _task_grid(result, tasks, everything=everything) if tasks else None
    yield Part(f"Tasks: {len(tasks):,} of {len(result.tasks):,}", grid=shown)


# --- queues ----------------------------------------------------------------------------------------------------------


def _queue_part(result: Simulation, *, everything: bool) -> Part:
    if not result.queues:
        return Part(no_queues(result))
    if everything or len(result.queues) <= _MOST_QUEUES:
        return Part("Queues", grid=_queues(result.queues, result.session.total_resource, everything=everything))
    names = {job.queue for job in result.jobs if job.waits}
    waited_in = [queue for queue in result.queues if queue.name in names]
    title = f"Queues in which jobs wait: {len(waited_in):,} of {len(result.queues):,}"
    title += f", the first {_MOST} here" if len(waited_in) > _MOST else ""
    longest = max((len(visible(queue.name)) for queue in waited_in), default=0)
    headings = [Span(_queue_heading(queue, longest)) for queue in waited_in[:_MOST]]
    return Part(f"{title}; -v shows every queue and its figures", grid=Grid((Column("QUEUE"),), headings))


def _queues(queues: Sequence[QueueResult], total: Amounts, *, everything: bool) -> Grid:
    """Return the figures of queues; what other queues are guaranteed limits a queue as well."""
    figures = queue_columns(queues, everything=everything, total=total)

    def said(title: str) -> Callable[[tuple[QueueResult, str]], Cell]:
        return lambda each: figures[title](*each)

    columns: dict[Column, Callable[[tuple[QueueResult, str]], Cell]] = {
        Column("  RESOURCE"): lambda each: f"  {each[1]}",
        **{Column(title, numeric=True, dispensable=at >= _USUAL): said(title) for at, title in enumerate(figures)},
    }
    longest = max(len(visible(queue.name)) for queue in queues)
    rows: list[tuple[QueueResult, str] | Span] = []
    for queue in queues:
        rows.append(Span(_queue_heading(queue, longest)))
        rows += [(queue, resource) for resource in resources_of(queue, everything=everything)]
    return table(rows, columns)


def _queue_heading(queue: QueueResult, longest: int) -> Text:
    line = Text().append(visible(queue.name).ljust(longest), "bold")
    share = 0.0 if queue.deserves_nothing else queue.held_share
    drawn = bar(share, max(queue.closed.share - queue.held_share, 0.0))
    line.append(f"  {drawn}", "red" if queue.closed.overused else "green")
    line.append(f" {share_held(queue)}")
    return line.append(visible("".join(f", {fact}" for fact in settings(queue))))


# --- jobs ------------------------------------------------------------------------------------------------------------


def _jobs(result: Simulation, *, everything: bool) -> Iterator[Part]:
    """Yield the jobs that wait, then those that lose tasks or whose pods come next, and then the others."""
    waiting = sorted((job for job in result.jobs if job.waits), key=_urgency)
    settled = [job for job in result.jobs if not job.waits]
    if waiting:
        shown = waiting if everything else waiting[:_MOST]
        wait = "wait or lose tasks" if any(map(is_evicted, result.tasks)) else "wait"
        title = f"Jobs that {wait}: {len(waiting):,} of {len(result.jobs):,}"
        title += f", the first {_MOST} here; -v shows every job" if len(shown) < len(waiting) else ""
        yield Part(title, grid=_job_grid(shown, everything=everything))
    if everything or 0 < len(settled) <= _MOST_SETTLED:
        yield Part("Other jobs" if waiting else "Jobs", grid=_job_grid(settled, everything=everything))
    elif settled:
        jobs = "other job" if waiting else "job"
        yield Part(f"{count(len(settled), jobs)} that do not wait; -v shows every job")


def _urgency(job: JobResult) -> int:
    """Put the jobs that are blocked before those that lose tasks, and these before those whose pods come next."""
    is_admitted = job.awaited is not None and job.awaited.created_next > 0
    return 2 if is_admitted else int(job.verdict is not None and job.verdict.code == VerdictCode.EVICTED)


def _job_grid(jobs: Sequence[JobResult], *, everything: bool) -> Grid:
    columns: dict[Column, Callable[[JobResult], Cell]] = {
        Column("JOB", named=True): lambda job: job.called,
        Column("QUEUE", named=True): lambda job: job.queue,
        Column("PHASE", dispensable=True): lambda job: change(job.phase_before or PENDING, job.phase),
        Column("DECISION"): lambda job: cell(
            job.says or job.decision, _DECISION_STYLES.get(job.decision, "") if job.says != NO_MORE else ""
        ),
        Column("READY", numeric=True): lambda job: f"{job.ready}/{job.min_available}",
        Column("TASKS", numeric=True, dispensable=True): lambda job: str(job.tasks),
    }
    return table(jobs, columns, "REASON", lambda job: job_reason(job, everything=everything))


# --- tasks -----------------------------------------------------------------------------------------------------------


def _tasks(result: Simulation, view: View) -> Iterator[Part]:
    """Yield the tasks; where parts can be folded away, those that have a node are."""
    tasks, everything = result.tasks, view.everything
    if len(tasks) > _MOST and not everything:
        yield _unplaced(result)
        return
    waiting = [task for task in tasks if not (is_placed(task) or is_unchanged(task))]
    if not view.folds or len(waiting) == len(tasks):
        yield Part("Tasks", grid=_task_grid(result, tasks, everything=everything))
        return
    if waiting:
        yield Part("Tasks without a node", grid=_task_grid(result, waiting, everything=everything))
    settled = [task for task in tasks if is_placed(task) or is_unchanged(task)]
    title = f"Tasks with a node ({count(len(settled), 'row')})"
    yield Part(title, grid=_task_grid(result, settled, everything=everything), folded=True)


def _task_grid(result: Simulation, tasks: Sequence[TaskResult], *, everything: bool) -> Grid:
    names = result.display_names()
    columns: dict[Column, Callable[[TaskResult], Cell]] = {
        Column("TASK", named=True): lambda task: f"{task.namespace}/{task.name}",
        Column("JOB", dispensable=True, named=True): lambda task: job_of(task, names) or None,
        Column("STATUS"): _status,
        Column("NODE"): lambda task: f"{task.node or ABSENT}{among_ties(task.tied_nodes or 0)}",
    }
    return table(tasks, columns, "REASON", lambda task: task_reason(task, everything=everything))


def _unplaced(result: Simulation) -> Part:
    """Sum up the tasks without a node: those of a job that wait for the same reason are one row."""
    tasks = result.tasks
    waiting = [task for task in tasks if not (is_placed(task) or is_unchanged(task))]
    if not waiting:
        return Part(f"All {count(len(tasks), 'task')} have a node; -v shows every task")
    groups: dict[tuple[str, ...], list[TaskResult]] = {}
    for task in sorted(waiting, key=lambda task: (is_evicted(task), not task.job)):
        groups.setdefault(_alike(task), []).append(task)
    title = f"Tasks without a node: {len(waiting):,} of {len(tasks):,}, by job and reason; -v shows every task"
    if len(groups) > _MOST:
        title += f" (the first {_MOST} of {len(groups):,} rows)"
    names = result.display_names()
    columns: dict[Column, Callable[[list[TaskResult]], Cell]] = {
        Column("TASKS", numeric=True): len,
        Column("JOB"): lambda alike: job_of(alike[0], names) or f"{alike[0].namespace}/{alike[0].name} (no job)",
        Column("FIRST TASK", dispensable=True): lambda alike: alike[0].name,
        Column("STATUS"): lambda alike: _status(alike[0]),
    }
    shown = list(groups.values())[:_MOST]
    grid = table(
        shown, columns, "REASON", lambda alike: shared_reason(alike[0]) if len(alike) > 1 else task_reason(alike[0])
    )
    return Part(title, grid=grid)


def _alike(task: TaskResult) -> tuple[str, ...]:
    """What tasks that are summed up have in common; one without a job is alike to none."""
    cause = task.verdict.code if task.verdict else task.message
    return task.namespace, task.job or f"/{task.name}", task.status_before, task.status, cause


def _status(task: TaskResult) -> Text:
    style = "green" if task.status in PLACED else {PIPELINED: "cyan", PENDING: "red"}.get(task.status, "")
    return cell(change(task.status_before, task.status), style)


# --- session after session --------------------------------------------------------------------------------------------

_NAMED: Final = 3
"""After these, pairs of jobs, and evictions without progress, are counted and not named."""

_RARE: Final = ("CREATED", "NOT CREATED")
"""Columns that are shown only where there is anything to count."""


def page_of_cycles(result: Cycles, view: View, /) -> Page:
    """Return the page on all sessions and the last one in full; evictions without progress come first, and last."""
    about = _about(result, view)
    last = page(final(result), view)
    without_progress = [f"Eviction loop: {each.text}" for each in about.eviction_loops]
    without_progress += [f"Evictions without progress: {each.text}" for each in about.evictions_without_progress]
    if not view.everything and len(without_progress) > _NAMED:
        more = f"{len(without_progress) - _NAMED:,} more eviction loops or evictions without progress; -v shows all"
        without_progress = [*without_progress[:_NAMED], more]
    if view.detail is Detail.SUMMARY:
        stops, answer = [*without_progress, *last.stops], [_headline_of_cycles(result), *last.answer]
        return replace(last, stops=stops, answer=answer, closing=without_progress)
    everything = view.everything
    cycles = [(cycle, _figures(cycle)) for cycle in result.cycles]
    titles = [title for title in cycles[0][1] if title not in _RARE or any(own[title] for _, own in cycles)]

    def figure(title: str) -> Callable[[tuple[Cycle, dict[str, int]]], Cell]:
        return lambda each: each[1][title]

    columns: dict[Column, Callable[[tuple[Cycle, dict[str, int]]], Cell]] = {
        Column("CYCLE", numeric=True): lambda each: each[0].number,
        **{Column(each, numeric=True, dispensable=each in ("GONE", "BLOCKED")): figure(each) for each in titles},
    }
    sessions = Part(
        grid=table(cycles, columns, "EVICTIONS", lambda each: _evictions(each[0].evictions, everything=everything))
    )
    heading = Part(f"Session {len(result.cycles)}:", lines=[*last.stops, last.headline])
    return replace(
        last,
        stops=without_progress,
        headline=_headline_of_cycles(result),
        parts=chain((sessions, heading), last.parts),
        closing=without_progress,
    )


def final(result: Cycles) -> Simulation:
    """Return the last session, with the first one's expectations and notes: only that one is of what was read."""
    first, last = result.cycles[0].simulation, result.cycles[-1].simulation
    new = [each for each in last.diagnostics if each not in first.diagnostics]
    return structs.replace(last, expectations=first.expectations, diagnostics=[*first.diagnostics, *new])


def _about(result: Cycles, view: View) -> Cycles:
    """Return the sessions with only those eviction loops and evictions without progress in which a job matches."""
    if not view.filters:
        return result
    simulations = (cycle.simulation for cycle in result.cycles)
    jobs = {job.uid for simulation in simulations for job in selected(simulation, view.filters).jobs}
    return structs.replace(
        result,
        eviction_loops=[each for each in result.eviction_loops if jobs.intersection(each.jobs)],
        evictions_without_progress=[each for each in result.evictions_without_progress if each.job in jobs],
    )


def _headline_of_cycles(result: Cycles) -> str:
    """Say how many sessions were run, and whether that is the end."""
    several = len(result.cycles) > 1
    ran = f"{count(len(result.cycles), 'session')} ran{', one second apart' if several else ''}"
    if not result.settled:
        return f"{ran}; the cluster is not stable yet"
    # Jobs that wait for a node, for pods that leave one, or for pods that are not created.
    last = result.cycles[-1].simulation
    tasks = {f"{task.namespace}/{task.job}" for task in last.tasks if task.status in (PENDING, PIPELINED)}
    waiting = sum(job.uid in tasks or job.awaited is not None for job in last.jobs)
    keep = f", and {count(waiting, 'job')} {'keeps' if waiting == 1 else 'keep'} waiting" if waiting else ""
    return f"{ran}; {'the last one' if several else 'it'} changed nothing: the cluster is stable{keep}"


def _figures(cycle: Cycle) -> dict[str, int]:
    summary = summarize(cycle.simulation)
    return {
        "BOUND": len(cycle.bound),
        "EVICTED": len(cycle.evictions),
        "GONE": len(cycle.gone),
        "CREATED": len(cycle.created),
        "RECREATED": len(cycle.recreated),
        "BLOCKED": len(cycle.awaiting_admission),
        "PIPELINED": summary.pipelined,
        "PENDING": summary.pending,
        "NOT CREATED": summary.not_created,
    }


def _evictions(evictions: Sequence[Eviction], *, everything: bool) -> str:
    pairs: dict[tuple[str, str, str], int] = {}
    for each in evictions:
        key = (each.evictor_display_name or each.evictor_job, each.action, each.called)
        pairs[key] = pairs.get(key, 0) + 1
    named = [f"{by} evicts {count(number, 'pod')} of {job} ({action})" for (by, action, job), number in pairs.items()]
    return first_names(named, None if everything else _NAMED)
