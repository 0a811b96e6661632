"""The report for people at a terminal: what was simulated, queues, jobs, tasks, notes; the summary is the last line.

Colour repeats what a word already says. Only the terminal's own colours are used, so that a light background works too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.text import Text

from vqs.report.formats import Detail
from vqs.report.grid import Column, Grid, Row, Span, paragraph, written
from vqs.report.phrases import (
    change,
    diagnostic_line,
    job_reason,
    queue_facts,
    resources_of,
    shared_reason,
    task_reason,
    ties,
    timing_line,
)
from vqs.report.summary import PENDING, PIPELINED, PLACED, headline, is_placed, is_unchanged, summarize
from vqs.report.units import ABSENT, amount, bar, percent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from vqs.explain.outcome import Amounts, JobResult, QueueResult, Simulation, TaskResult
    from vqs.report.formats import View

    _Figure = Callable[[QueueResult, str], str]
    """What a column says about a resource of a queue."""

_LONG: Final = 100
"""A list of more rows than these is cut to what people look for, unless they ask for everything."""

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
    if view.detail > Detail.SUMMARY:
        yield from paragraph(headline(result), view.width, "bold")
        for title, grid in _sections(result, view):
            yield Text()
            yield Text(title, "bold")
            yield from grid.lines(view.width)
        yield from _notes(result, view)
        yield Text()
    yield from paragraph(summarize(result).sentence(), view.width, "bold")


def _sections(result: Simulation, view: View) -> Iterator[tuple[str, Grid]]:
    everything = view.detail is Detail.EVERYTHING
    if result.queues:
        yield "Queues", _queues(result.queues, everything=everything)
    if result.jobs:
        yield _jobs(result.jobs, everything=everything)
    if result.tasks:
        yield _tasks(result.tasks, everything=everything)


# --- queues ----------------------------------------------------------------------------------------------------------


def _queues(queues: Sequence[QueueResult], *, everything: bool) -> Grid:
    shown = _queue_columns(queues, everything=everything)
    longest = max(len(queue.name) for queue in queues)
    rows: list[Row | Span] = []
    for queue in queues:
        rows.append(Span(_queue_heading(queue, longest)))
        rows.extend(
            Row((Text(f"  {resource}"), *(Text(figure(queue, resource)) for figure in shown.values())))
            for resource in resources_of(queue, everything=everything)
        )
    return Grid((Column("  RESOURCE"), *(Column(title, numeric=True) for title in shown)), rows)


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
    line = Text().append(queue.name.ljust(longest), "bold")
    line.append("  " + bar(queue.closed.share), "red" if queue.closed.overused else "green")
    line.append(f" share {share}")
    return line.append("".join(f", {fact}" for fact in queue_facts(queue)))


# --- jobs ------------------------------------------------------------------------------------------------------------


def _jobs(jobs: Sequence[JobResult], *, everything: bool) -> tuple[str, Grid]:
    title, shown = "Jobs", jobs
    if len(jobs) > _LONG and not everything:
        unsettled = [job for job in jobs if job.decision != "committed" and job.ready < max(job.min_available, 1)]
        shown = unsettled[:_LONG]
        title = f"Jobs that are not ready: {len(unsettled):,} of {len(jobs):,}; -v shows every job"
        if len(shown) < len(unsettled):
            title += f" (the first {len(shown)} here)"
    columns = (
        Column("JOB"),
        Column("QUEUE"),
        Column("PHASE", dispensable=True),
        Column("DECISION"),
        Column("READY", numeric=True),
        Column("TASKS", numeric=True, dispensable=True),
    )
    return title, Grid(columns, [_job(job) for job in shown], "REASON")


def _job(job: JobResult) -> Row:
    cells = (
        Text(f"{job.namespace}/{job.name}"),
        Text(job.queue),
        Text(change(job.phase_before or PENDING, job.phase)),
        Text(job.decision, _DECISION_STYLES.get(job.decision, "")),
        Text(f"{job.ready}/{job.min_available}"),
        Text(str(job.tasks)),
    )
    return Row(cells, job_reason(job))


# --- tasks -----------------------------------------------------------------------------------------------------------


def _tasks(tasks: Sequence[TaskResult], *, everything: bool) -> tuple[str, Grid]:
    if len(tasks) > _LONG and not everything:
        return _unplaced(tasks)
    columns = (Column("TASK"), Column("JOB", dispensable=True), Column("STATUS"), Column("NODE"))
    return "Tasks", Grid(columns, [_task(task) for task in tasks], "REASON")


def _task(task: TaskResult) -> Row:
    cells = (
        Text(f"{task.namespace}/{task.name}"),
        Text(task.job or ABSENT),
        _status(task.status_before, task.status),
        Text(f"{task.node or ABSENT}{ties(task)}"),
    )
    return Row(cells, task_reason(task))


def _unplaced(tasks: Sequence[TaskResult]) -> tuple[str, Grid]:
    """Sum up the tasks without a place: those of a job that wait for the same reason are one row."""
    waiting = [task for task in tasks if not is_placed(task) and not is_unchanged(task)]
    groups: dict[tuple[str, ...], list[TaskResult]] = {}
    for task in waiting:
        cause = task.verdict.code if task.verdict else task.message
        groups.setdefault((task.job, task.status_before, task.status, cause), []).append(task)
    rows = [
        Row((Text(f"{len(alike):,}"), Text(job or ABSENT), _status(before, status)), shared_reason(alike[0]))
        for (job, before, status, _), alike in list(groups.items())[:_LONG]
    ]
    title = f"Tasks without a place: {len(waiting):,} of {len(tasks):,}, by job and reason; -v shows every task"
    if len(groups) > _LONG:
        title += f" (the first {_LONG} of {len(groups):,} rows)"
    return title, Grid((Column("TASKS", numeric=True), Column("JOB"), Column("STATUS")), rows, "REASON")


def _status(before: str, after: str) -> Text:
    if after in PLACED:
        return Text(change(before, after), "green")
    return Text(change(before, after), {PIPELINED: "cyan", PENDING: "red"}.get(after, ""))


# --- notes -----------------------------------------------------------------------------------------------------------


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
