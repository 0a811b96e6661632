"""What became of a job, as tables say it: the code of the decision where that tells, else what happened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from vqs.explain.outcome import JobResult, TaskResult
from vqs.model.job import INQUEUE, NOT_ADMITTED
from vqs.model.task import TaskStatus
from vqs.report.simulation.summary import is_evicted

NO_MORE: Final = "no more placed"


class Decisions:
    """What happened to the tasks of all jobs, counted."""

    def __init__(self, tasks: Iterable[TaskResult]) -> None:
        self._losses: dict[tuple[str, str], Counter[str]] = {}
        self._reserved: Counter[tuple[str, str]] = Counter()
        self._pending: Counter[tuple[str, str]] = Counter()
        for task in tasks:
            job = task.namespace, task.job
            if is_evicted(task) and task.verdict:
                self._losses.setdefault(job, Counter())[task.verdict.action] += 1
            self._reserved[job] += task.status == TaskStatus.Pipelined.name
            self._pending[job] += task.status == TaskStatus.Pending.name

    def words(self, job: JobResult) -> str:
        """Say what became of a job.

        A job that runs and wanted more is not discarded, and one that loses tasks or was admitted a moment ago was
        considered.
        """
        key = job.namespace, job.name
        losses = self._losses.get(key)
        if job.decision == "pipelined":
            return f"{self._reserved[key]} of {job.tasks} reserved" if self._reserved[key] else job.decision
        if job.decision not in ("discarded", "not-considered"):
            return job.decision
        if losses:
            return _lost(losses)
        if job.decision == "discarded":
            return NO_MORE if job.ready >= max(job.min_available, 1) else job.decision
        if job.phase_before in NOT_ADMITTED and job.phase == INQUEUE:
            return "admitted"
        return job.decision if self._pending[key] or job.verdict else "nothing waits"


def _lost(losses: Mapping[str, int]) -> str:
    return "loses " + ", ".join(f"{number} to {action}" for action, number in losses.items())
