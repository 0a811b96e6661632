"""What became of a job, as tables say it, and why jobs wait: the reasons that concern most tasks come first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from vqs.explain.amounts import amount_of
from vqs.explain.outcome import Blocker, JobResult, Simulation, TaskResult, Verdict
from vqs.explain.texts.headline import blocked_by
from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.model.job import INQUEUE, NOT_ADMITTED
from vqs.model.wording import and_more, count, first_names
from vqs.report.simulation.summary import PENDING, PIPELINED, RELEASING, UNEXPLAINED, is_evicted, is_unchanged

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


_MOST: Final = 3
"""A summary gives no more reasons than these."""


@dataclass
class Reason:
    """Why some jobs wait.

    Attributes:
        code: the verdict on them.
        jobs: what they are called.
        tasks: how many of their tasks are pending.
        awaited: how many of their pods are not created before they are admitted.
        lonely: how many of the tasks belong to no job.
        judged: of what has this code, the queue, the resource and the limit that it names.
    """

    code: str
    jobs: list[str] = field(default_factory=list)
    tasks: int = 0
    awaited: int = 0
    lonely: int = 0
    judged: list[tuple[str, str, float | None]] = field(default_factory=list)

    def line(self) -> str:
        """Say which jobs wait, with how many tasks, and why."""
        waiting = [count(self.tasks, "pending task")] if self.tasks else []
        waiting += [f"{count(self.awaited, 'pod')} not created yet"] if self.awaited else []
        why = self._why()
        return f"{self._who()} ({', '.join(waiting)}): {why}" if waiting else f"{self._who()}: {why}"

    def _why(self) -> str:
        rule = VERDICT_RULES.get(self.code)
        if rule is None:
            return self.code
        return f"{rule.summary.format(queues=self._queues(), limit=self._limit())} ({self.code})"

    def _queues(self) -> str:
        """Name the queues of the verdicts."""
        names = sorted({queue for queue, _, _ in self.judged if queue})
        if not names:
            return "the queue"
        return f"{'queue' if len(names) == 1 else 'queues'} {first_names(names)}"

    def _limit(self) -> str:
        """Write the figure that all verdicts were judged by; empty where they differ."""
        judged = set(self.judged)
        if len(judged) != 1:
            return ""
        [(_, resource, have)] = judged
        return f": {amount_of(resource, have)}" if resource and have is not None else ""

    def _who(self) -> str:
        if not self.jobs:
            return (
                count(self.lonely, "pod outside of any job")
                if self.lonely == 1
                else f"{self.lonely:,} pods outside of any job"
            )
        return first_names(self.jobs) + (and_more(self.lonely, "pod outside of any job") if self.lonely else "")


def reason_lines(result: Simulation) -> list[str]:
    """Return a line for each of the reasons that concern most, and one that names the others."""
    reasons = _reasons(result)
    lines = [reason.line() for reason in reasons[:_MOST]]
    others = [reason.code for reason in reasons[_MOST:]]
    return [*lines, f"{count(len(others), 'more reason')}: {', '.join(others)}"] if others else lines


def _reasons(result: Simulation) -> list[Reason]:
    """Return why jobs wait, what concerns most tasks and pods first."""
    pending: dict[tuple[str, str], list[TaskResult]] = {}
    for task in result.tasks:
        if task.status == PENDING:
            pending.setdefault((task.namespace, task.job), []).append(task)
    found: dict[str, Reason] = {}
    for job in result.jobs:
        tasks = pending.pop((job.namespace, job.name), [])
        awaited = job.awaited.pods if job.awaited and not job.awaited.created_next else 0
        if code := _cause(job, tasks, awaited):
            reason = found.setdefault(code, Reason(code))
            reason.jobs.append(job.called)
            reason.tasks += len(tasks)
            reason.awaited += awaited
            verdicts = (job.verdict, *(task.verdict for task in tasks))
            named: list[Blocker | Verdict] = [
                *job.blockers[:1],
                *(each for each in verdicts if each and not job.blockers),
            ]
            reason.judged += [(each.queue, each.resource, each.have) for each in named if each.code == code]
    for task in (task for tasks in pending.values() for task in tasks):
        reason = found.setdefault(_code(task), Reason(_code(task)))
        reason.tasks += 1
        reason.lonely += 1
        said = task.verdict
        reason.judged += [(said.queue, said.resource, said.have)] if said else []
    return sorted(found.values(), key=lambda each: (-each.tasks - each.awaited, -len(each.jobs), each.code))


def _cause(job: JobResult, tasks: Iterable[TaskResult], awaited: int) -> str:
    """Return the code of the first thing that keeps a job waiting; empty if none of it waits."""
    codes = Counter(map(_code, tasks))
    if not codes:
        waits = (
            job.verdict is not None and (awaited or not job.tasks) and not (job.awaited and job.awaited.created_next)
        )
        return blocked_by(job)[0] if waits else ""
    if job.blockers:
        return job.blockers[0].code
    return min(codes, key=lambda code: (code in VERDICT_RULES and VERDICT_RULES[code].follows, -codes[code], code))


def _code(task: TaskResult) -> str:
    return task.verdict.code if task.verdict else UNEXPLAINED
