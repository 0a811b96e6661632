"""The page on a session: a summary, the jobs that wait, the other jobs, queues, tasks and notes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from rich.text import Text

from vqs.explain.amounts import ABSENT, bar, percent
from vqs.explain.outcome import Amounts, JobResult, QueueResult, Simulation, TaskResult
from vqs.inert import name as visible
from vqs.model.codes import VerdictCode
from vqs.model.wording import count
from vqs.report.formats import View
from vqs.report.page import Cell, Column, Grid, Line, Page, Part, Span, cell, table
from vqs.report.phrases import (
    among_ties,
    caveats,
    change,
    job_reason,
    no_queues,
    notes,
    queue_facts,
    queue_figures,
    resources_of,
    shared_reason,
    standstill,
    task_reason,
    timing_line,
)
from vqs.report.simulation.extras import extra_parts, select, selected
from vqs.report.simulation.summary import (
    NO_MORE,
    PENDING,
    PIPELINED,
    PLACED,
    Decisions,
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
    reason_lines,
    summarize,
    usage_lines,
)

_MOST: Final = 20
"""A list of more rows than these is cut to what people look for, unless everything is asked for."""

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


def _parts(result: Simulation, view: View) -> Iterator[Part]:
    yield from _matching(result, view) if view.filters else _everything(result, view)
    yield from extra_parts(result, view)
    yield from notes(result.diagnostics)
    if result.timing:
        yield Part(lines=[timing_line(result.timing)])
    if line := expectations_line(result):
        yield Part(line, items=[Line(failed, "red") for failed in failed_lines(result)])


def _everything(result: Simulation, view: View) -> Iterator[Part]:
    decided = Decisions(result.tasks)
    if result.jobs:
        yield from _jobs(result, decided, everything=view.everything)
    yield _queue_part(result, decided, everything=view.everything)
    if result.tasks:
        yield from _tasks(result, view)


def _matching(result: Simulation, view: View) -> Iterator[Part]:
    """Yield only what is asked for, and that whole, however long."""
    everything = view.everything
    queues, jobs, tasks = select(result, view.filters)
    if jobs:
        grid = _job_grid(jobs, Decisions(result.tasks), everything=everything)
        yield Part(f"Jobs: {len(jobs):,} of {len(result.jobs):,}", grid=grid)
    if queues:
        grid = _queues(queues, result.session.total_resource, everything=everything)
        yield Part(f"Queues: {len(queues):,} of {len(result.queues):,}", grid=grid)
    shown = _task_grid(result, tasks, everything=everything) if tasks else None
    yield Part(f"Tasks: {len(tasks):,} of {len(result.tasks):,}", grid=shown)


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
    """Return the figures of queues: in most clusters no queue has a guarantee, or less than all as limit.

    What other queues are guaranteed limits a queue as well.
    """
    guaranteed = everything or any(any(queue.opened.guarantee.values()) for queue in queues)
    limited = everything or any(
        most is not None and most < (total.get(name) or 0.0)
        for queue in queues
        for name, most in queue.opened.real_capability.items()
    )
    columns: dict[Column, Callable[[tuple[QueueResult, str]], Cell]] = {
        Column("  RESOURCE"): lambda each: f"  {each[1]}",
        **queue_figures("DESERVED", "ALLOCATED", "REQUEST"),
        **queue_figures(*["GUARANTEE"] * guaranteed, *["LIMIT"] * limited, dispensable=True),
        **queue_figures(*["INQUEUE", "ELASTIC"] * everything, dispensable=True),
    }
    longest = max(len(visible(queue.name)) for queue in queues)
    rows: list[tuple[QueueResult, str] | Span] = []
    for queue in queues:
        rows.append(Span(_queue_heading(queue, longest)))
        rows += [(queue, resource) for resource in resources_of(queue, everything=everything)]
    return table(rows, columns)


def _queue_heading(queue: QueueResult, longest: int) -> Text:
    share = change(percent(queue.opened.share), percent(queue.closed.share))
    line = Text().append(visible(queue.name).ljust(longest), "bold")
    line.append("  " + bar(queue.closed.share), "red" if queue.closed.overused else "green")
    line.append(f" holds {share} of what it deserves")
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
    def decision(job: JobResult) -> Text:
        words = decided.words(job)
        return cell(words, _DECISION_STYLES.get(job.decision, "") if words != NO_MORE else "")

    columns: dict[Column, Callable[[JobResult], Cell]] = {
        Column("JOB", named=True): lambda job: job.called,
        Column("QUEUE", named=True): lambda job: job.queue,
        Column("PHASE", dispensable=True): lambda job: change(job.phase_before or PENDING, job.phase),
        Column("DECISION"): decision,
        Column("READY", numeric=True): lambda job: f"{job.ready}/{job.min_available}",
        Column("TASKS", numeric=True, dispensable=True): lambda job: str(job.tasks),
    }
    return table(
        jobs,
        columns,
        "REASON",
        lambda job: job_reason(job, everything=everything) if everything or not decided.ends(job) else "",
    )


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
