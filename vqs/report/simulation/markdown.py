"""The report for an issue or a chat: GitHub's markdown, the summary first, long lists folded away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vqs.explain.amounts import ABSENT, amount, count, percent
from vqs.report.formats import Detail
from vqs.report.grid import Row
from vqs.report.lint.summary import lint_sentence, place_of, with_denier
from vqs.report.markdown import code, document, escaped, section
from vqs.report.phrases import (
    change,
    diagnostic_line,
    job_reason,
    no_queues,
    queue_facts,
    resources_of,
    standstill,
    task_reason,
    ties,
    timing_line,
)
from vqs.report.simulation.expectations import expectations_line, failed_lines
from vqs.report.simulation.extras import extra_sections
from vqs.report.simulation.filters import select
from vqs.report.simulation.summary import awaited_lines, headline, is_placed, is_unchanged, summarize, usage_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from vqs.explain.outcome import JobResult, QueueResult, Simulation, TaskResult
    from vqs.lint.outcome import FindingResult, Lint
    from vqs.report.formats import View
    from vqs.report.grid import Grid


def simulation(result: Simulation, view: View, /) -> str:
    """Write the result as markdown."""
    return document(_lines(result, view))


def lint(result: Lint, view: View, /) -> str:
    """Write findings as markdown."""
    return document(_lint_lines(result, view))


def _lines(result: Simulation, view: View) -> Iterator[str]:
    if stopped := standstill(result):
        yield from (f"**{escaped(stopped)}**", "")
    yield f"**{escaped(summarize(result).sentence())}**"
    for line in awaited_lines(result):
        yield from ("", escaped(line))
    if view.detail is Detail.SUMMARY:
        return
    for line in usage_lines(result):
        yield from ("", escaped(line))
    yield ""
    yield escaped(headline(result))
    everything = view.detail is Detail.EVERYTHING
    queues, jobs, tasks = select(result, view.filters)
    if queues or view.filters:
        yield from _queues(queues, everything=everything)
    else:
        yield from ("", f"{no_queues(result)}.")
    yield from _jobs(jobs, everything=everything)
    yield from _tasks(tasks, everything=everything)
    if view.filters:
        yield from ("", f"Only a part is shown: {len(tasks):,} of {count(len(result.tasks), 'task')}.")
    for title, grid in extra_sections(result, view):
        yield from _extra(title, grid)
    yield from _notes(result)
    yield from _expectations(result)


def _queues(queues: Sequence[QueueResult], *, everything: bool) -> Iterator[str]:
    rows = [row for queue in queues for row in _queue(queue, everything=everything)]
    titles = ("Queue", "Resource", "Deserved", "Allocated", "Request", "Share")
    yield from section("Queues", titles, rows, numeric=("Deserved", "Allocated", "Request", "Share"))


def _queue(queue: QueueResult, *, everything: bool) -> Iterator[Sequence[str]]:
    opened, closed = queue.opened, queue.closed
    name = f"{code(queue.name)} ({escaped(', '.join(queue_facts(queue)))})"
    share = change(percent(opened.share), percent(closed.share))
    for resource in resources_of(queue, everything=everything):
        before, after = (amount(resource, each.allocated.get(resource, 0)) for each in (opened, closed))
        deserved, request = (
            amount(resource, each[resource]) if resource in each else ABSENT
            for each in (opened.deserved, opened.request)
        )
        yield (name, code(resource), deserved, change(before, after), request, share)
        name = share = ""


def _jobs(jobs: Sequence[JobResult], *, everything: bool) -> Iterator[str]:
    rows = [
        (
            code(f"{job.namespace}/{job.name}"),
            code(job.queue),
            escaped(change(job.phase_before or "Pending", job.phase)),
            job.decision,
            f"{job.ready}/{job.min_available}",
            str(job.tasks),
            escaped(job_reason(job, everything=everything)),
        )
        for job in jobs
    ]
    titles = ("Job", "Queue", "Phase", "Decision", "Ready", "Tasks", "Reason")
    yield from section("Jobs", titles, rows, numeric=("Ready", "Tasks"), everything=everything)


def _tasks(tasks: Sequence[TaskResult], *, everything: bool) -> Iterator[str]:
    settled = [task for task in tasks if is_placed(task) or is_unchanged(task)]
    waiting = [task for task in tasks if not (is_placed(task) or is_unchanged(task))]
    titles = ("Task", "Job", "Status", "Node", "Reason")

    def rows(tasks: Sequence[TaskResult]) -> Iterator[Sequence[str]]:
        return (_task(task, everything=everything) for task in tasks)

    yield from section("Tasks without a place", titles, rows(waiting), everything=everything)
    yield from section("Tasks with a place", titles, rows(settled), everything=everything, folded=True)


def _task(task: TaskResult, *, everything: bool) -> Sequence[str]:
    return (
        code(f"{task.namespace}/{task.name}"),
        code(f"{task.namespace}/{task.job}") if task.job else ABSENT,
        escaped(change(task.status_before, task.status)),
        f"{code(task.node) if task.node else ABSENT}{ties(task)}",
        escaped(task_reason(task, everything=everything)),
    )


def _extra(title: str, grid: Grid | None) -> Iterator[str]:
    """Write a list that was asked for."""
    if grid is None:
        yield from ("", f"### {escaped(title)}")
        return
    rows = [row for row in grid.rows if isinstance(row, Row)]
    remarks = any(row.remark for row in rows)
    titles = [*(escaped(column.title) for column in grid.columns), *[grid.remark] * remarks]
    numeric = [escaped(column.title) for column in grid.columns if column.numeric]
    texts = ([*(text.plain for text in row.cells), *[row.remark] * remarks] for row in rows)
    yield from section(escaped(title), titles, ([*map(escaped, row)] for row in texts), numeric=numeric)


def _expectations(result: Simulation) -> Iterator[str]:
    if line := expectations_line(result):
        yield from ("", f"### {line}", "")
        yield from (f"- {escaped(failed)}" for failed in failed_lines(result))


def _notes(result: Simulation) -> Iterator[str]:
    if result.diagnostics:
        yield from ("", "### Notes", "")
        yield from (f"- {escaped(diagnostic_line(diagnostic))}" for diagnostic in result.diagnostics)
    if result.timing:
        yield from ("", escaped(timing_line(result.timing)))


# --- findings --------------------------------------------------------------------------------------------------------


def _lint_lines(result: Lint, view: View) -> Iterator[str]:
    yield f"**{escaped(lint_sentence(result))}**"
    if view.detail is Detail.SUMMARY:
        return
    everything = view.detail is Detail.EVERYTHING
    for severity, title in (("error", "Errors"), ("warning", "Warnings"), ("note", "Notes")):
        found = [each for each in result.findings if each.severity == severity and each.silenced is None]
        yield from _findings(title, found, everything=everything)
    if everything:
        yield from _findings("Silenced", [each for each in result.findings if each.silenced], everything=True)
    if result.notes:
        yield from ("", *(f"- {escaped(note)}" for note in result.notes))


def _findings(title: str, findings: Sequence[FindingResult], *, everything: bool) -> Iterator[str]:
    rows = [
        (
            code(place_of(each)) if each.file else ABSENT,
            code(each.code),
            escaped(
                ". ".join([with_denier(each.message, each.denied), *(evidence.text for evidence in each.evidence)])
            ),
            escaped(f"silenced: {each.silenced.reason}" if each.silenced else each.help),
        )
        for each in findings
    ]
    yield from section(title, ("Place", "Code", "What is wrong", "What to do"), rows, everything=everything)
