"""The report for people at a terminal: what was simulated, queues, jobs, tasks, notes; the summary is the last line.

Colour repeats what a word already says. Only the terminal's own colours are used, so that a light background works too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.text import Text

from vqs.explain.amounts import ABSENT, amount, bar, count, percent
from vqs.report.formats import Detail
from vqs.report.grid import Column, Grid, Row, Span, cell, paragraph, written
from vqs.report.phrases import (
    change,
    diagnostic_line,
    job_reason,
    no_queues,
    queue_facts,
    resources_of,
    shared_reason,
    standstill,
    task_reason,
    ties,
    timing_line,
)
from vqs.report.simulation.expectations import expectations_line, failed_lines
from vqs.report.simulation.extras import extra_sections
from vqs.report.simulation.filters import select
from vqs.report.simulation.summary import (
    PENDING,
    PIPELINED,
    PLACED,
    awaited_lines,
    headline,
    is_evicted,
    is_placed,
    is_unchanged,
    next_command,
    summarize,
    usage_lines,
)
from vqs.report.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from vqs.explain.outcome import Amounts, JobResult, QueueResult, Simulation, TaskResult
    from vqs.report.formats import Filters, View
    from vqs.report.simulation.extras import Section

    _Figure = Callable[[QueueResult, str], str]
    """What a column says about a resource of a queue."""

_LONG: Final = 100
"""A list of more rows than these is cut to what people look for, unless they ask for everything."""

_DISPENSABLE: Final = ("GUARANTEE", "LIMIT", "INQUEUE", "ELASTIC")
"""Figures of a queue that a narrow terminal has no room for."""

_DECISION_STYLES: Final = {
    "committed": "green",
    "pipelined": "cyan",
    "partially-committed": "magenta",
    "discarded": "red",
    "not-enqueued": "red",
}


def simulation(result: Simulation, view: View, /) -> str:
    """Write the result as tables."""
    return written(_lines(result, view), view)


def _lines(result: Simulation, view: View) -> Iterator[Text]:
    yield from paragraph(standstill(result), view.width, "bold red")
    if view.detail > Detail.SUMMARY:
        yield from paragraph(headline(result), view.width, "bold")
        for title, grid in (*_sections(result, view), *extra_sections(result, view)):
            yield Text()
            yield from paragraph(title, view.width, "bold")
            yield from _laid_out(grid, view) if grid else ()
        yield from _notes(result, view)
        yield from _expectations(result, view)
        yield Text()
    summary = summarize(result)
    yield from paragraph(summary.sentence(), view.width, "bold")
    for line in awaited_lines(result):
        yield from paragraph(line, view.width, "bold")
    if view.detail > Detail.SUMMARY:
        for line in usage_lines(result):
            yield from paragraph(line, view.width)
        yield from next_command(result, summary, view).lines(view.width)


def _sections(result: Simulation, view: View) -> Iterator[Section]:
    everything = view.detail is Detail.EVERYTHING
    if view.filters:
        yield from _matching(result, view.filters, everything=everything)
        return
    if result.queues:
        yield "Queues", _queues(result.queues, everything=everything)
    else:
        yield no_queues(result), None
    if result.jobs:
        yield _jobs(result.jobs, everything=everything)
    if result.tasks:
        yield _tasks(result.tasks, everything=everything)


def _matching(result: Simulation, filters: Filters, *, everything: bool) -> Iterator[Section]:
    """Yield only what is asked for, and that whole, however long."""
    queues, jobs, tasks = select(result, filters)
    if queues:
        yield _found("Queues", queues, result.queues), _queues(queues, everything=everything)
    if jobs:
        yield _found("Jobs", jobs, result.jobs), _job_grid(jobs, everything=everything)
    yield _found("Tasks", tasks, result.tasks), _task_grid(tasks, everything=everything) if tasks else None


def _found(title: str, shown: Sequence[object], of: Sequence[object]) -> str:
    return f"{title}: {len(shown):,} of {len(of):,}"


def _laid_out(grid: Grid, view: View) -> Iterator[Text]:
    """Lay a grid out, and where every figure was asked for, say which have no room."""
    yield from grid.lines(view.width)
    left_out = grid.left_out(view.width)
    if left_out and view.detail is Detail.EVERYTHING:
        yield from paragraph(f"  no room here for {', '.join(left_out)}", view.width, "dim")


# --- queues ----------------------------------------------------------------------------------------------------------


def _queues(queues: Sequence[QueueResult], *, everything: bool) -> Grid:
    shown = _queue_columns(queues, everything=everything)
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


def _queue_columns(queues: Sequence[QueueResult], *, everything: bool) -> Mapping[str, _Figure]:
    """Return the columns that tell something: most clusters set neither guarantee nor capability."""
    guaranteed = any(any(queue.opened.guarantee.values()) for queue in queues)
    limited = any(any(queue.opened.capability.values()) for queue in queues)
    return {
        title: figure
        for title, figure, told in (
            ("DESERVED", lambda queue, name: _figure(queue.opened.deserved, name), True),
            ("ALLOCATED", lambda queue, name: _moved(queue.opened.allocated, queue.closed.allocated, name), True),
            ("REQUEST", lambda queue, name: _figure(queue.opened.request, name), True),
            ("GUARANTEE", lambda queue, name: _figure(queue.opened.guarantee, name), guaranteed or everything),
            ("LIMIT", lambda queue, name: _figure(queue.opened.real_capability, name), limited or everything),
            ("INQUEUE", lambda queue, name: _moved(queue.opened.inqueue, queue.closed.inqueue, name), everything),
            ("ELASTIC", lambda queue, name: _figure(queue.opened.elastic, name), everything),
        )
        if told
    }


def _figure(amounts: Amounts, resource: str) -> str:
    return amount(resource, amounts[resource]) if resource in amounts else ABSENT


def _moved(before: Amounts, after: Amounts, resource: str) -> str:
    return change(amount(resource, before.get(resource, 0)), amount(resource, after.get(resource, 0)))


def _queue_heading(queue: QueueResult, longest: int) -> Text:
    share = change(percent(queue.opened.share), percent(queue.closed.share))
    line = Text().append(visible(queue.name).ljust(longest), "bold")
    line.append("  " + bar(queue.closed.share), "red" if queue.closed.overused else "green")
    line.append(f" share {share}")
    return line.append(visible("".join(f", {fact}" for fact in queue_facts(queue))))


# --- jobs ------------------------------------------------------------------------------------------------------------


def _jobs(jobs: Sequence[JobResult], *, everything: bool) -> Section:
    if len(jobs) <= _LONG or everything:
        return "Jobs", _job_grid(jobs, everything=everything)
    unsettled = [job for job in jobs if job.decision != "committed" and job.ready < max(job.min_available, 1)]
    if not unsettled:
        return f"All {count(len(jobs), 'job')} are ready; -v shows every job", None
    title = f"Jobs that are not ready: {len(unsettled):,} of {len(jobs):,}; -v shows every job"
    if len(unsettled) > _LONG:
        title += f" (the first {_LONG} here)"
    return title, _job_grid(unsettled[:_LONG], everything=everything)


def _job_grid(jobs: Sequence[JobResult], *, everything: bool) -> Grid:
    columns = (
        Column("JOB"),
        Column("QUEUE"),
        Column("PHASE", dispensable=True),
        Column("DECISION"),
        Column("READY", numeric=True),
        Column("TASKS", numeric=True, dispensable=True),
    )
    return Grid(columns, [_job(job, everything=everything) for job in jobs], "REASON")


def _job(job: JobResult, *, everything: bool) -> Row:
    cells = (
        cell(f"{job.namespace}/{job.name}"),
        cell(job.queue),
        cell(change(job.phase_before or PENDING, job.phase)),
        cell(job.decision, _DECISION_STYLES.get(job.decision, "")),
        cell(f"{job.ready}/{job.min_available}"),
        cell(str(job.tasks)),
    )
    return Row(cells, job_reason(job, everything=everything))


# --- tasks -----------------------------------------------------------------------------------------------------------


def _tasks(tasks: Sequence[TaskResult], *, everything: bool) -> Section:
    if len(tasks) > _LONG and not everything:
        return _unplaced(tasks)
    return "Tasks", _task_grid(tasks, everything=everything)


def _task_grid(tasks: Sequence[TaskResult], *, everything: bool) -> Grid:
    columns = (Column("TASK"), Column("JOB", dispensable=True), Column("STATUS"), Column("NODE"))
    return Grid(columns, [_task(task, everything=everything) for task in tasks], "REASON")


def _task(task: TaskResult, *, everything: bool) -> Row:
    cells = (
        cell(f"{task.namespace}/{task.name}"),
        cell(f"{task.namespace}/{task.job}" if task.job else ABSENT),
        _status(task.status_before, task.status),
        cell(f"{task.node or ABSENT}{ties(task)}"),
    )
    return Row(cells, task_reason(task, everything=everything))


def _unplaced(tasks: Sequence[TaskResult]) -> Section:
    """Sum up the tasks without a place: those of a job that wait for the same reason are one row."""
    waiting = [task for task in tasks if not is_placed(task) and not is_unchanged(task)]
    if not waiting:
        return f"All {count(len(tasks), 'task')} have a place; -v shows every task", None
    groups: dict[tuple[str, ...], list[TaskResult]] = {}
    for task in sorted(waiting, key=lambda task: (is_evicted(task), not task.job)):
        groups.setdefault(_alike(task), []).append(task)
    title = f"Tasks without a place: {len(waiting):,} of {len(tasks):,}, by job and reason; -v shows every task"
    if len(groups) > _LONG:
        title += f" (the first {_LONG} of {len(groups):,} rows)"
    columns = (
        Column("TASKS", numeric=True),
        Column("JOB"),
        Column("FIRST TASK", dispensable=True),
        Column("STATUS"),
    )
    return title, Grid(columns, [_group(alike) for alike in list(groups.values())[:_LONG]], "REASON")


def _alike(task: TaskResult) -> tuple[str, ...]:
    """Return what tasks that are summed up have in common; one without a job is alike to none."""
    cause = task.verdict.code if task.verdict else task.message
    return task.namespace, task.job or f"/{task.name}", task.status_before, task.status, cause


def _group(alike: Sequence[TaskResult]) -> Row:
    first = alike[0]
    cells = (
        cell(f"{len(alike):,}"),
        cell(f"{first.namespace}/{first.job or f'{first.name} (no job)'}"),
        cell(first.name),
        _status(first.status_before, first.status),
    )
    return Row(cells, shared_reason(first) if len(alike) > 1 else task_reason(first))


def _status(before: str, after: str) -> Text:
    if after in PLACED:
        return cell(change(before, after), "green")
    return cell(change(before, after), {PIPELINED: "cyan", PENDING: "red"}.get(after, ""))


# --- expectations and notes -------------------------------------------------------------------------------------------


def _expectations(result: Simulation, view: View) -> Iterator[Text]:
    if line := expectations_line(result):
        yield Text()
        yield Text(line, "bold")
    for failed in failed_lines(result):
        yield from paragraph(failed, view.width, "red")


def _notes(result: Simulation, view: View) -> Iterator[Text]:
    if result.diagnostics:
        yield Text()
        yield Text("Notes", "bold")
    for diagnostic in result.diagnostics:
        style = "" if diagnostic.severity == "note" else "magenta"
        yield from paragraph(diagnostic_line(diagnostic), view.width, style)
    if result.timing:
        yield Text()
        yield from paragraph(timing_line(result.timing), view.width)
