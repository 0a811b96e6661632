"""The page on a session: a summary, the jobs that wait, the other jobs, queues, tasks and notes.

The page on session after session has a line for each, and then how the last one ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Final

from msgspec import structs
from rich.text import Text

from vqs.explain.amounts import ABSENT, bar, change
from vqs.explain.outcome import Amounts, JobResult, QueueResult, Simulation, TaskResult
from vqs.explain.texts.queue_facts import settings, share_held
from vqs.inert import name as visible
from vqs.model.codes import VerdictCode
from vqs.model.wording import count, first_names
from vqs.report.formats import Detail, View
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
    left_line,
    lost_lines,
    next_command,
    reason_lines,
    summarize,
    usage_lines,
)

if TYPE_CHECKING:  # only sessions one after another need them
    from vqs.explain.affected import Eviction
    from vqs.explain.cycles import Cycle, Cycles

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
        decided = Decisions(result.tasks)
        if result.jobs:
            yield from _jobs(result, decided, everything=view.everything)
        yield _queue_part(result, decided, everything=view.everything)
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
