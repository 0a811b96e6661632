"""What became of a job, as tables say it: the code of the decision where that tells, else what happened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from vqs.explain.outcome import JobResult, TaskResult
from vqs.model.job import INQUEUE, NOT_ADMITTED
from vqs.model.wording import count
from vqs.report.simulation.summary import PIPELINED, RELEASING, is_evicted, is_unchanged

NO_MORE: Final = "no more placed"


class Decisions:
    """What happened to the tasks of all jobs, counted."""

    def __init__(self, tasks: Iterable[TaskResult]) -> None:
        self._losses: dict[tuple[str, str], Counter[str]] = {}
        self._reserved: Counter[tuple[str, str]] = Counter()
        self._terminating: Counter[tuple[str, str]] = Counter()
        self._unchanged: Counter[tuple[str, str]] = Counter()
        for task in tasks:
            job = task.namespace, task.job
            if is_unchanged(task):
                self._unchanged[job] += 1
                if task.status == RELEASING:
                    self._terminating[job] += 1
            elif is_evicted(task) and task.verdict:
                self._losses.setdefault(job, Counter())[task.verdict.action] += 1
            elif task.status == PIPELINED:
                self._reserved[job] += 1

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
        if self.ends(job):
            return f"{count(self._terminating[key], 'pod')} terminating"
        return job.decision if self.waits(job) else "nothing waits"

    def ends(self, job: JobResult) -> bool:
        """Tell whether all pods of a job were terminating before the session."""
        terminating = self._terminating[job.namespace, job.name]
        return job.awaited is None and 0 < terminating == job.tasks

    def waits(self, job: JobResult) -> bool:
        """Tell whether a job waits or loses tasks: one whose pods all exist and stay as they are does not."""
        stays = job.awaited is None and 0 < job.tasks == self._unchanged[job.namespace, job.name]
        return not stays and bool(job.verdict or job.unschedulable)


def _lost(losses: Mapping[str, int]) -> str:
    return "loses " + ", ".join(f"{number} to {action}" for action, number in losses.items())
