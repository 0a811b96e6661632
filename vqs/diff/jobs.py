"""The jobs whose outcome differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from vqs.diff.changes import State, effect_of, ordered, state_of
from vqs.diff.moves import Moves
from vqs.diff.outcome import JobChange, JobDifference, JobSide, TaskDifference
from vqs.diff.run import Run
from vqs.diff.tasks import code_of, task_differences
from vqs.diff.why import Stories
from vqs.explain.outcome import JobResult, TaskResult

_PRESENCE: Final[frozenset[JobChange]] = frozenset({"added", "removed"})


def job_differences(
    before: Run, after: Run, *, placements: bool, interchangeable: Collection[str] = frozenset()
) -> list[JobDifference]:
    """Return the jobs whose outcome differs, by name.

    Args:
        before: the base's session.
        after: the candidate's.
        placements: whether moves between equally good nodes count.
        interchangeable: the tasks that do not count, as `interchangeable_tasks` returns them.
    """
    stories = Stories(before, after)
    moved = _moved(before, after, placements=placements)
    found = []
    for name in sorted({*before.jobs, *after.jobs}):
        pair = _Pair(name, before, after)
        tasks = task_differences(name, before, after, moved, interchangeable)
        changes = ordered(pair.changes(tasks))
        if changes:
            found.append(pair.difference(changes, tasks, stories))
    return found


def job_side(finished: Run, name: str) -> JobSide | None:
    """Return a job in one session; None where it is not there."""
    return _side(finished.jobs.get(name), finished.tasks_of.get(name, {}))


def _moved(before: Run, after: Run, *, placements: bool) -> set[str]:
    moves = [
        (name, task, after.tasks[name])
        for name, task in before.tasks.items()
        if name in after.tasks and task.node and after.tasks[name].node and task.node != after.tasks[name].node
    ]
    return {name for name, *_ in moves} if placements else Moves(before, after).that_count(moves)


class _Pair:
    """One job in both sessions."""

    def __init__(self, name: str, before: Run, after: Run) -> None:
        self.name = name
        self.runs = before, after
        self.before, self.after = before.jobs.get(name), after.jobs.get(name)
        self.tasks_before, self.tasks_after = before.tasks_of.get(name, {}), after.tasks_of.get(name, {})

    def changes(self, tasks: Iterable[TaskDifference]) -> Iterator[JobChange]:
        """Yield what kinds of change there are."""
        if self.before is None or self.after is None:
            yield self._presence()
            return
        of_tasks = {task.change for task in tasks}
        resized = not of_tasks.isdisjoint(_PRESENCE)
        yield from of_tasks - _PRESENCE
        if resized or _asked(self.before) != _asked(self.after):
            yield "request"
        if of_tasks:
            return
        if code_of(self.before) != code_of(self.after):
            yield "verdict"
        elif self.before.decision != self.after.decision:
            yield "decision"
        elif self.before.phase != self.after.phase:
            yield "phase"

    def _presence(self) -> JobChange:
        """Return whether a job that is in one session only is missing in the other, or orphaned: its queue is gone."""
        if self.before is None:
            return "taken-up" if self.name in self.runs[0].without_queue else "added"
        return "left-alone" if self.name in self.runs[1].without_queue else "removed"

    def difference(self, changes: list[JobChange], tasks: list[TaskDifference], stories: Stories) -> JobDifference:
        namespace, _, name = self.name.rpartition("/")
        shown = self.after or self.before
        return JobDifference(
            namespace=namespace,
            name=name,
            display_name=shown.called if shown else self.name,
            owner=shown.owner if shown else None,
            changes=changes,
            effect=effect_of(changes),
            before=_side(self.before, self.tasks_before),
            after=_side(self.after, self.tasks_after),
            why=stories.why(self.name, changes[0], _moved_tasks(tasks) if changes[0] == "moved" else ()),
            tasks=tasks,
        )


def _moved_tasks(tasks: Iterable[TaskDifference]) -> set[str]:
    return {task.name for task in tasks if task.change == "moved"}


def _asked(job: JobResult) -> tuple[object, ...]:
    return job.queue, job.priority, job.min_available


def _side(job: JobResult | None, tasks: Mapping[str, TaskResult]) -> JobSide | None:
    if job is None:
        return None
    placed = [task for task in tasks.values() if task.node]
    held = [task.verdict.code for task in tasks.values() if task.verdict is not None]
    return JobSide(
        pod_group=job.name,
        queue=job.queue,
        decision=job.decision,
        phase=job.phase,
        priority=job.priority,
        min_available=job.min_available,
        tasks=job.tasks,
        ready=job.ready,
        evicted=sum(state_of(task) is State.EVICTED for task in tasks.values()),
        statuses=_counted(task.status for task in tasks.values()),
        nodes=_counted(str(task.node) for task in placed),
        verdicts=_counted(held),
        verdict=job.verdict,
        message=job.unschedulable or "",
    )


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))
