"""What keeps a job from being placed: the first gate that it, or one of its tasks, did not pass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from vqs.explain.outcome import JobResult, TaskResult, Verdict
from vqs.explain.verdict_rules import VERDICT_RULES, Stage
from vqs.model.codes import VerdictCode
from vqs.model.task import TaskStatus

_WAITING: Final = (TaskStatus.Pending.name, TaskStatus.Allocated.name, TaskStatus.Pipelined.name)


def is_waiting(task: TaskResult) -> bool:
    """Tell whether a task has no node, or may not go to its node yet."""
    return task.status in _WAITING


def cause(job: JobResult, tasks: Sequence[TaskResult]) -> tuple[Verdict | None, str]:
    """Return the verdict that names the first gate, and the task that got it; empty where it is the job's.

    Verdicts that follow from what another task met come last.
    """
    met = [(task.verdict, task.name) for task in tasks if task.verdict is not None and _stage(task.verdict)]
    met.sort(key=lambda each: VERDICT_RULES[each[0].code].follows)
    if met:
        return met[0]
    if job.verdict is None or job.verdict.code == VerdictCode.EVICTED:
        return None, ""
    return job.verdict, next((task.name for task in tasks if task.verdict == job.verdict), "")


def stopped_at(job: JobResult, tasks: Sequence[TaskResult], verdict: Verdict | None) -> Stage:
    """Return the gate that the verdict stands for, if anything waits."""
    waits = any(map(is_waiting, tasks))
    if verdict is None or (tasks and not waits) or not _stage(verdict):
        return ""
    return "enqueue" if job.decision == "not-enqueued" else _stage(verdict)


def sentence(verdict: Verdict, task: str) -> str:
    """Return the verdict's sentence; some leave it to the reader which task they are about."""
    text = verdict.text.rstrip(".")
    return f"{task} {text}" if task and VERDICT_RULES[verdict.code].about_task else text


def _stage(verdict: Verdict) -> Stage:
    return VERDICT_RULES[verdict.code].stage
