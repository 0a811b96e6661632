"""The page on a session: a summary, the jobs that wait, the other jobs, queues, tasks and notes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from rich.text import Text

from vqs.explain.amounts import ABSENT, bar
from vqs.explain.outcome import Amounts, JobResult, QueueResult, Simulation, TaskResult
from vqs.model.codes import VerdictCode
from vqs.model.wording import count
from vqs.report.formats import Detail, View
from vqs.report.grid import Column, Grid, Row, Span, cell
from vqs.report.page import Line, Page, Part
from vqs.report.phrases import (
    amount_held,
    amount_known,
    amount_moved,
    caveats,
    change,
    job_reason,
    no_queues,
    notes,
    queue_facts,
    resources_of,
    share_held,
    shared_reason,
    standstill,
    task_reason,
    ties,
    timing_line,
)
from vqs.report.simulation.decisions import NO_MORE, Decisions, reason_lines
from vqs.report.simulation.extras import extra_parts, select, selected
from vqs.report.simulation.summary import (
    PENDING,
    PIPELINED,
    PLACED,
    Summary,
    awaited_lines,
    expectations_line,
    failed_lines,
    headline,
    is_evicted,
    is_placed,
    is_unchanged,
    job_of,
    lost_lines,
    next_command,
    summarize,
    usage_lines,
)
from vqs.report.visible import visible

_Figure = Callable[[QueueResult, str], str]
"""What a column says about a resource of a queue."""

_MOST: Final = 20
"""A list of more rows than these is cut to what people look for, unless everything is asked for."""

_MOST_SETTLED: Final = 10
"""More jobs of which nothing waits than these are counted, unless everything is asked for."""

_MOST_QUEUES: Final = 8
"""Of more queues than these only those in which jobs wait are shown, a line each, unless everything is asked for."""

_DISPENSABLE: Final = ("GUARANTEE", "LIMIT", "INQUEUE", "ELASTIC")
"""Figures of a queue that a narrow terminal has no room for."""

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
    lead = _of_all(summary, about, result) if view.filters else summary.counts()
    answer = [lead, *reason_lines(about), *lost_lines(about), *awaited_lines(about)]
    return Page(
        stops=standstill(result),
        headline=headline(result),
        parts=_parts(result, view),
        answer=answer,
        conclusion=answer,
        details=usage_lines(result),
        next=next_command(about, summary, view),
        caveats=caveats(result.diagnostics),
        answer_first=True,
    )


def _of_all(summary: Summary, about: Simulation, result: Simulation) -> str:
    """Count what became of the tasks that match the filters, and say how many tasks there are in all."""
    if not (about.queues or about.jobs or about.tasks):
        return f"Nothing matches, of {count(len(result.jobs), 'job')} and {count(len(result.tasks), 'task')} in all"
    return f"{summary.counts()} ({len(about.tasks):,} of {count(len(result.tasks), 'task')} in all)"


def _parts(result: Simulation, view: View) -> Iterator[Part]:
    yield from _matching(result, view) if view.filters else _everything(result, view)
    yield from extra_parts(result, view)
    yield from notes(result.diagnostics)
    if result.timing:
        yield Part(lines=[timing_line(result.timing)])
    if line := expectations_line(result):
        yield Part(line, items=[Line(failed, "red") for failed in failed_lines(result)])


def _everything(result: Simulation, view: View) -> Iterator[Part]:
    everything = view.detail is Detail.EVERYTHING
    decided = Decisions(result.tasks)
    if result.jobs:
        yield from _jobs(result, decided, everything=everything)
    yield _queue_part(result, decided, everything=everything)
    if result.tasks:
        yield from _tasks(result, view)


def _matching(result: Simulation, view: View) -> Iterator[Part]:
    """Yield only what is asked for, and that whole, however long."""
    everything = view.detail is Detail.EVERYTHING
    queues, jobs, tasks = select(result, view.filters)
    if jobs:
        grid = _job_grid(jobs, Decisions(result.tasks), everything=everything)
        yield Part(_found("Jobs", jobs, result.jobs), grid=grid)
    if queues:
        grid = _queues(queues, result.session.total_resource, everything=everything)
        yield Part(_found("Queues", queues, result.queues), grid=grid)
    yield Part(
        _found("Tasks", tasks, result.tasks), grid=_task_grid(result, tasks, everything=everything) if tasks else None
    )


def _found(title: str, shown: Sequence[object], of: Sequence[object]) -> str:
    return f"{title}: {len(shown):,} of {len(of):,}"


# --- queues ----------------------------------------------------------------------------------------------------------


def _queue_part(result: Simulation, decided: Decisions, *, everything: bool) -> Part:
    if not result.queues:
        return Part(no_queues(result))
    if everything or len(result.queues) <= _MOST_QUEUES:
        return Part("Queues", grid=_queues(result.queues, result.session.total_resource, everything=everything))
    names = {job.queue for job in result.jobs if decided.waits(job)}
    waited_in = [queue for queue in result.queues if queue.name in names]
    title = f"Queues in which jobs wait: {len(waited_in):,} of {len(result.queues):,}"
    title += f", the first {_MOST} here" if len(waited_in) > _MOST else ""
    longest = max((len(visible(queue.name)) for queue in waited_in), default=0)
    headings = [Span(_queue_heading(queue, longest)) for queue in waited_in[:_MOST]]
    return Part(f"{title}; -v shows every queue and its figures", grid=Grid((Column("QUEUE"),), headings))


def _queues(queues: Sequence[QueueResult], total: Amounts, *, everything: bool) -> Grid:
    shown = _queue_columns(queues, total, everything=everything)
    longest = max(len(visible(queue.name)) for queue in queues)
    rows: list[Row | Span] = []
    for queue in queues:
        rows.append(Span(_queue_heading(queue, longest)))
        rows.extend(
            Row((cell(f"  {resource}"), *(cell(figure(queue, resource)) for figure in shown.values())))
            for resource in resources_of(queue, everything=everything)
        )
    columns = [Column(title, numeric=True, dispensable=title in _DISPENSABLE) for title in shown]
    return Grid((Column("  RESOURCE"), *columns), rows)


def _is_less(limit: Amounts, total: Amounts) -> bool:
    """Tell whether a limit, where there is one, is below what the cluster has of any resource."""
    return any(most is not None and most < (total.get(name) or 0.0) for name, most in limit.items())


def _queue_columns(queues: Sequence[QueueResult], total: Amounts, *, everything: bool) -> Mapping[str, _Figure]:
    """Return the columns that are worth showing: in most clusters no queue has a guarantee, or less than all as limit.

    What other queues are guaranteed limits a queue as well.
    """
    guaranteed = any(any(queue.opened.guarantee.values()) for queue in queues)
    limited = any(_is_less(queue.opened.real_capability, total) for queue in queues)
    return {
        title: figure
        for title, figure, is_shown in (
            ("DESERVED", lambda queue, name: amount_known(queue.opened.deserved, name), True),
            ("ALLOCATED", amount_held, True),
            ("REQUEST", lambda queue, name: amount_known(queue.opened.request, name), True),
            ("GUARANTEE", lambda queue, name: amount_known(queue.opened.guarantee, name), guaranteed or everything),
            ("LIMIT", lambda queue, name: amount_known(queue.opened.real_capability, name), limited or everything),
            ("INQUEUE", lambda queue, name: amount_moved(queue.opened.inqueue, queue.closed.inqueue, name), everything),
            ("ELASTIC", lambda queue, name: amount_known(queue.opened.elastic, name), everything),
        )
        if is_shown
    }


def _queue_heading(queue: QueueResult, longest: int) -> Text:
    line = Text().append(visible(queue.name).ljust(longest), "bold")
    drawn = bar(queue.held_share, queue.closed.share - queue.held_share)
    line.append(f"  {drawn}", "red" if queue.closed.overused else "green")
    line.append(f" {share_held(queue)}")
    return line.append(visible("".join(f", {fact}" for fact in queue_facts(queue))))


# --- jobs ------------------------------------------------------------------------------------------------------------


def _jobs(result: Simulation, decided: Decisions, *, everything: bool) -> Iterator[Part]:
    """Yield the jobs that wait, then those that lose tasks or whose pods come next, and then the others."""
    waiting = sorted(filter(decided.waits, result.jobs), key=_urgency)
    settled = [job for job in result.jobs if not decided.waits(job)]
    if waiting:
        shown = waiting if everything else waiting[:_MOST]
        wait = "wait or lose tasks" if any(map(is_evicted, result.tasks)) else "wait"
        title = f"Jobs that {wait}: {len(waiting):,} of {len(result.jobs):,}"
        title += f", the first {_MOST} here; -v shows every job" if len(shown) < len(waiting) else ""
        yield Part(title, grid=_job_grid(shown, decided, everything=everything))
    if everything or 0 < len(settled) <= _MOST_SETTLED:
        yield Part("Other jobs" if waiting else "Jobs", grid=_job_grid(settled, decided, everything=everything))
    elif settled:
        jobs = "other job" if waiting else "job"
        yield Part(f"{count(len(settled), jobs)} that do not wait; -v shows every job")


def _urgency(job: JobResult) -> int:
    """Put the jobs that are blocked before those that lose tasks, and these before those whose pods come next."""
    is_admitted = job.awaited is not None and job.awaited.created_next > 0
    return 2 if is_admitted else int(job.verdict is not None and job.verdict.code == VerdictCode.EVICTED)


def _job_grid(jobs: Sequence[JobResult], decided: Decisions, *, everything: bool) -> Grid:
    columns = (
        Column("JOB", named=True),
        Column("QUEUE", named=True),
        Column("PHASE", dispensable=True),
        Column("DECISION"),
        Column("READY", numeric=True),
        Column("TASKS", numeric=True, dispensable=True),
    )
    return Grid(columns, [_job(job, decided, everything=everything) for job in jobs], "REASON")


def _job(job: JobResult, decided: Decisions, *, everything: bool) -> Row:
    decision = decided.words(job)
    reason = job_reason(job, everything=everything) if everything or not decided.ends(job) else ""
    cells = (
        cell(job.called),
        cell(job.queue),
        cell(change(job.phase_before or PENDING, job.phase)),
        cell(decision, _DECISION_STYLES.get(job.decision, "") if decision != NO_MORE else ""),
        cell(f"{job.ready}/{job.min_available}"),
        cell(str(job.tasks)),
    )
    return Row(cells, reason)


# --- tasks -----------------------------------------------------------------------------------------------------------


def _tasks(result: Simulation, view: View) -> Iterator[Part]:
    """Yield the tasks; where parts can be folded away, those that have a node are."""
    tasks, everything = result.tasks, view.detail is Detail.EVERYTHING
    if len(tasks) > _MOST and not everything:
        yield _unplaced(result)
        return
    waiting = [task for task in tasks if _is_waiting(task)]
    if not view.folds or len(waiting) == len(tasks):
        yield Part("Tasks", grid=_task_grid(result, tasks, everything=everything))
        return
    if waiting:
        yield Part("Tasks without a node", grid=_task_grid(result, waiting, everything=everything))
    settled = [task for task in tasks if not _is_waiting(task)]
    title = f"Tasks with a node ({count(len(settled), 'row')})"
    yield Part(title, grid=_task_grid(result, settled, everything=everything), folded=True)


def _is_waiting(task: TaskResult) -> bool:
    return not (is_placed(task) or is_unchanged(task))


def _task_grid(result: Simulation, tasks: Sequence[TaskResult], *, everything: bool) -> Grid:
    columns = (
        Column("TASK", named=True),
        Column("JOB", dispensable=True, named=True),
        Column("STATUS"),
        Column("NODE"),
    )
    names = result.display_names()
    return Grid(columns, [_task(task, job_of(task, names), everything=everything) for task in tasks], "REASON")


def _task(task: TaskResult, job: str, *, everything: bool) -> Row:
    cells = (
        cell(f"{task.namespace}/{task.name}"),
        cell(job or ABSENT),
        _status(task.status_before, task.status),
        cell(f"{task.node or ABSENT}{ties(task)}"),
    )
    return Row(cells, task_reason(task, everything=everything))


def _unplaced(result: Simulation) -> Part:
    """Sum up the tasks without a node: those of a job that wait for the same reason are one row."""
    tasks = result.tasks
    waiting = [task for task in tasks if _is_waiting(task)]
    if not waiting:
        return Part(f"All {count(len(tasks), 'task')} have a node; -v shows every task")
    groups: dict[tuple[str, ...], list[TaskResult]] = {}
    for task in sorted(waiting, key=lambda task: (is_evicted(task), not task.job)):
        groups.setdefault(_alike(task), []).append(task)
    title = f"Tasks without a node: {len(waiting):,} of {len(tasks):,}, by job and reason; -v shows every task"
    if len(groups) > _MOST:
        title += f" (the first {_MOST} of {len(groups):,} rows)"
    columns = (
        Column("TASKS", numeric=True),
        Column("JOB"),
        Column("FIRST TASK", dispensable=True),
        Column("STATUS"),
    )
    names = result.display_names()
    rows = [_group(alike, job_of(alike[0], names)) for alike in list(groups.values())[:_MOST]]
    return Part(title, grid=Grid(columns, rows, "REASON"))


def _alike(task: TaskResult) -> tuple[str, ...]:
    """Return what tasks that are summed up have in common; one without a job is alike to none."""
    cause = task.verdict.code if task.verdict else task.message
    return task.namespace, task.job or f"/{task.name}", task.status_before, task.status, cause


def _group(alike: Sequence[TaskResult], job: str) -> Row:
    first = alike[0]
    cells = (
        cell(f"{len(alike):,}"),
        cell(job or f"{first.namespace}/{first.name} (no job)"),
        cell(first.name),
        _status(first.status_before, first.status),
    )
    return Row(cells, shared_reason(first) if len(alike) > 1 else task_reason(first))


def _status(before: str, after: str) -> Text:
    if after in PLACED:
        return cell(change(before, after), "green")
    return cell(change(before, after), {PIPELINED: "cyan", PENDING: "red"}.get(after, ""))
