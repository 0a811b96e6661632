"""The report for an issue or a chat: GitHub's markdown, the summary first, long lists folded away.

Names and messages come from the snapshot. What in them could act as markup is written as code: a backslash would not
keep GitHub from making an emoji of :warning:, or from calling @somebody.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from vqs.report.expectations import expectations_line, failed_lines
from vqs.report.extras import extra_sections
from vqs.report.filters import select
from vqs.report.formats import Detail
from vqs.report.grid import Row
from vqs.report.phrases import (
    change,
    diagnostic_line,
    job_reason,
    no_queues,
    queue_facts,
    resources_of,
    task_reason,
    ties,
    timing_line,
)
from vqs.report.summary import headline, is_placed, is_unchanged, summarize, usage_lines
from vqs.report.units import ABSENT, amount, count, percent
from vqs.report.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from vqs.explain.outcome import JobResult, QueueResult, Simulation, TaskResult
    from vqs.report.formats import View
    from vqs.report.grid import Grid

_LONG: Final = 200
"""A comment that is read has no more rows than these in a table, unless everything is asked for."""

_ACTIVE: Final = re.compile(r"[\\`*\[<~&]|_(?!\w)|(?<!\w)_|:[\w+-]+:|://|www\.|@\w|#\d")
_BAR: Final = r"\|"
_WORD: Final = re.compile(r"(\S+?)([.,;:]*)(?=\s|$)")
_FENCE: Final = re.compile(r"`+")


def simulation(result: Simulation, view: View, /) -> str:
    """Write the result as markdown."""
    return "\n".join(_lines(result, view)) + "\n"


def _lines(result: Simulation, view: View) -> Iterator[str]:
    yield f"**{_escaped(summarize(result).sentence())}**"
    if view.detail is Detail.SUMMARY:
        return
    for line in usage_lines(result):
        yield from ("", _escaped(line))
    yield ""
    yield _escaped(headline(result))
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
    yield from _section("Queues", titles, rows, numeric=("Deserved", "Allocated", "Request", "Share"))


def _queue(queue: QueueResult, *, everything: bool) -> Iterator[Sequence[str]]:
    opened, closed = queue.opened, queue.closed
    name = f"{_code(queue.name)} ({_escaped(', '.join(queue_facts(queue)))})"
    share = change(percent(opened.share), percent(closed.share))
    for resource in resources_of(queue, everything=everything):
        before, after = (amount(resource, each.allocated.get(resource, 0)) for each in (opened, closed))
        deserved, request = (
            amount(resource, each[resource]) if resource in each else ABSENT
            for each in (opened.deserved, opened.request)
        )
        yield (name, _code(resource), deserved, change(before, after), request, share)
        name = share = ""


def _jobs(jobs: Sequence[JobResult], *, everything: bool) -> Iterator[str]:
    rows = [
        (
            _code(f"{job.namespace}/{job.name}"),
            _code(job.queue),
            _escaped(change(job.phase_before or "Pending", job.phase)),
            job.decision,
            f"{job.ready}/{job.min_available}",
            str(job.tasks),
            _escaped(job_reason(job, everything=everything)),
        )
        for job in jobs
    ]
    titles = ("Job", "Queue", "Phase", "Decision", "Ready", "Tasks", "Reason")
    yield from _section("Jobs", titles, rows, numeric=("Ready", "Tasks"), everything=everything)


def _tasks(tasks: Sequence[TaskResult], *, everything: bool) -> Iterator[str]:
    settled = [task for task in tasks if is_placed(task) or is_unchanged(task)]
    waiting = [task for task in tasks if not (is_placed(task) or is_unchanged(task))]
    titles = ("Task", "Job", "Status", "Node", "Reason")

    def rows(tasks: Sequence[TaskResult]) -> Iterator[Sequence[str]]:
        return (_task(task, everything=everything) for task in tasks)

    yield from _section("Tasks without a place", titles, rows(waiting), everything=everything)
    yield from _section("Tasks with a place", titles, rows(settled), everything=everything, folded=True)


def _task(task: TaskResult, *, everything: bool) -> Sequence[str]:
    return (
        _code(f"{task.namespace}/{task.name}"),
        _code(f"{task.namespace}/{task.job}") if task.job else ABSENT,
        _escaped(change(task.status_before, task.status)),
        f"{_code(task.node) if task.node else ABSENT}{ties(task)}",
        _escaped(task_reason(task, everything=everything)),
    )


def _extra(title: str, grid: Grid | None) -> Iterator[str]:
    """Write a list that was asked for."""
    if grid is None:
        yield from ("", f"### {_escaped(title)}")
        return
    rows = [row for row in grid.rows if isinstance(row, Row)]
    remarks = any(row.remark for row in rows)
    titles = [*(_escaped(column.title) for column in grid.columns), *[grid.remark] * remarks]
    numeric = [_escaped(column.title) for column in grid.columns if column.numeric]
    texts = ([*(text.plain for text in row.cells), *[row.remark] * remarks] for row in rows)
    yield from _section(_escaped(title), titles, ([*map(_escaped, row)] for row in texts), numeric=numeric)


def _expectations(result: Simulation) -> Iterator[str]:
    if line := expectations_line(result):
        yield from ("", f"### {line}", "")
        yield from (f"- {_escaped(failed)}" for failed in failed_lines(result))


def _notes(result: Simulation) -> Iterator[str]:
    if result.diagnostics:
        yield from ("", "### Notes", "")
        yield from (f"- {_escaped(diagnostic_line(diagnostic))}" for diagnostic in result.diagnostics)
    if result.timing:
        yield from ("", _escaped(timing_line(result.timing)))


def _section(
    title: str,
    titles: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    numeric: Sequence[str] = (),
    everything: bool = True,
    folded: bool = False,
) -> Iterator[str]:
    """Write a table under its heading, or nothing where there are no rows."""
    rows = list(rows)
    if not rows:
        return
    shown = rows if everything else rows[:_LONG]
    summary = f"{title} ({count(len(rows), 'row')})"
    yield from ("", f"<details><summary>{summary}</summary>" if folded else f"### {title}", "")
    yield _row(titles)
    yield _row("--:" if title in numeric else "---" for title in titles)
    yield from map(_row, shown)
    if len(shown) < len(rows):
        yield from ("", f"… and {count(len(rows) - len(shown), 'row')} more; `-v` writes all of them.")
    if folded:
        yield from ("", "</details>")


def _row(cells: Iterable[str]) -> str:
    """Write a row; a bar ends a cell even within code, unless there is a backslash before it."""
    return f"| {' | '.join(cell.replace('|', _BAR) for cell in cells)} |"


def _code(text: str) -> str:
    """Write a name as code, between more backticks than it has in a row."""
    shown = visible(text)
    fence = "`" * (1 + max(map(len, _FENCE.findall(shown)), default=0))
    space = " " if "`" in shown else ""
    return f"{fence}{space}{shown}{space}{fence}"


def _escaped(text: str) -> str:
    """Write a text so that markdown acts on nothing in it."""
    return _WORD.sub(lambda word: f"{_code(word[1])}{word[2]}" if _ACTIVE.search(word[0]) else word[0], visible(text))
