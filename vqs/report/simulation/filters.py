"""Which queues, jobs and tasks of a result people are shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from msgspec import structs

from vqs.explain.outcome import JobResult, QueueResult, Simulation, TaskResult, Verdict
from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.model.task import TaskStatus
from vqs.report.formats import Filters
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
