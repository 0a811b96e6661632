"""The jobs of which something else becomes."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from vqs.diff.changes import State, balance, effect_of, ordered, state_of, step
from vqs.diff.moves import Moves
from vqs.diff.outcome import JobDifference, JobSide, TaskDifference, TaskSide
from vqs.diff.why import Stories

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence

    from vqs.diff.outcome import Effect, JobChange
    from vqs.diff.run import Run
    from vqs.explain.outcome import JobResult, TaskResult

_OUTSIDE = ""
"""Stands for the job of pods that belong to none."""


def job_differences(
    before: Run, after: Run, *, placements: bool, alike: Collection[str] = frozenset()
) -> list[JobDifference]:
    """Return the jobs of which something else becomes, by name.

    Args:
        before: the base's session.
        after: the candidate's.
        placements: whether moves between equally good nodes count.
        alike: the tasks that do not count, as `alike_tasks` returns them.
    """
    stories = Stories(before, after)
    moved = _moved(before, after, placements=placements)
    found = []
    for name in sorted({*before.jobs, *after.jobs}):
        pair = _Pair(name, before, after)
        tasks = [task for task in pair.tasks(moved) if task.name not in alike]
        changes = ordered(pair.changes(tasks))
        if changes:
            found.append(pair.difference(changes, tasks, stories))
    return found


def job_side(finished: Run, name: str) -> JobSide | None:
    """Return a job in one session; None where it is not there."""
    return _side(finished.jobs.get(name), finished.tasks_of.get(name, {}))


def alike_tasks(before: Run, after: Run) -> set[str]:
    """Return the tasks that only change places with others of their role: as many fare in each way on each node.

    Which of them is evicted, say, means nothing.
    """
    names: dict[Hashable, list[str]] = {}
    for name, task in before.tasks.items():
        other = after.tasks.get(name)
        if other is not None and _fate(task) != _fate(other):
            names.setdefault((task.namespace, task.job, task.role), []).append(name)
    return {name for group in names.values() if len(group) > 1 for name in _alike(group, before, after)}


def _alike(names: Sequence[str], before: Run, after: Run) -> Iterator[str]:
    fates = [Counter(_fate(side.tasks[name]) for name in names) for side in (before, after)]
    left, right = fates[0] - fates[1], fates[1] - fates[0]
    for name in names:
        if not left[_fate(before.tasks[name])] and not right[_fate(after.tasks[name])]:
            yield name


def _fate(task: TaskResult) -> Hashable:
    return state_of(task), task.node, _code(task)


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
        self.before, self.after = before.jobs.get(name), after.jobs.get(name)
        self.tasks_before, self.tasks_after = before.tasks_of.get(name, {}), after.tasks_of.get(name, {})

    def tasks(self, moved: set[str]) -> Iterator[TaskDifference]:
        """Yield the tasks of which something else becomes, by name."""
        for name in sorted({*self.tasks_before, *self.tasks_after}):
            before, after = self.tasks_before.get(name), self.tasks_after.get(name)
            change = _change(before, after, is_moved=name in moved)
            if change:
                yield TaskDifference(name=name, change=change, before=_task_side(before), after=_task_side(after))

    def changes(self, tasks: Iterable[TaskDifference]) -> Iterator[JobChange]:
        """Yield what kinds of change there are."""
        if self.before is None or self.after is None:
            yield "added" if self.before is None else "removed"
            return
        of_tasks = {task.change for task in tasks}
        yield from of_tasks - {"added", "removed"}
        if _asked(self.before) != _asked(self.after):
            yield "request"
        if not of_tasks and _reason(self.before) != _reason(self.after):
            yield "verdict"
        elif not of_tasks and self.before.decision != self.after.decision:
            yield "decision"
        elif not of_tasks and self.before.phase != self.after.phase:
            yield "phase"

    def difference(self, changes: list[JobChange], tasks: list[TaskDifference], stories: Stories) -> JobDifference:
        namespace, _, name = self.name.rpartition("/")
        return JobDifference(
            namespace=namespace,
            name=name,
            changes=changes,
            effect=self._effect(changes),
            before=_side(self.before, self.tasks_before),
            after=_side(self.after, self.tasks_after),
            why=stories.why(self.name, {task.name for task in tasks if task.change == "moved"}),
            tasks=tasks,
        )

    def _effect(self, changes: list[JobChange]) -> Effect:
        """Tell whether the job is better off; where it asks for something else, by how many tasks have a place.

        What a job has less because it asks for less, or more because it asks for more, makes it neither.
        """
        if "request" not in changes:
            return effect_of(changes)
        before, after = (_standings(tasks.values()) for tasks in (self.tasks_before, self.tasks_after))
        loses, gains = _falls_short(after, before), _falls_short(before, after)
        return balance(gains=gains > loses, loses=loses > gains)


class _Standings(NamedTuple):
    """How many tasks a job has, how many of them have a place, and how many have one or wait for it."""

    tasks: int
    placed: int
    with_hope: int


def _standings(tasks: Collection[TaskResult]) -> _Standings:
    states = Counter(map(state_of, tasks))
    return _Standings(len(tasks), states[State.PLACED], states[State.PLACED] + states[State.WAITS])


def _falls_short(one: _Standings, other: _Standings) -> tuple[bool, bool]:
    """Tell whether a job has fewer places than in the other session, though it asks for more than it has."""
    return one.placed < min(other.placed, one.tasks), one.with_hope < min(other.with_hope, one.tasks)


def _change(before: TaskResult | None, after: TaskResult | None, *, is_moved: bool) -> JobChange | None:
    if before is None or after is None:
        return "added" if before is None else "removed"
    change = step(state_of(before), state_of(after))
    if change:
        return change
    if is_moved:
        return "moved"
    return "verdict" if _code(before) != _code(after) else None


def _code(task: TaskResult) -> tuple[str, ...]:
    """Return what holds a task back, without the figures: those follow from all that goes on beside it."""
    verdict = task.verdict
    return (verdict.code, verdict.plugin, verdict.queue, verdict.resource) if verdict else ()


def _reason(job: JobResult) -> tuple[str, ...]:
    verdict = job.verdict
    return (verdict.code, verdict.plugin, verdict.queue, verdict.resource) if verdict else ()


def _asked(job: JobResult) -> tuple[object, ...]:
    return job.queue, job.priority, job.min_available, job.tasks


def _side(job: JobResult | None, tasks: Mapping[str, TaskResult]) -> JobSide | None:
    if job is None:
        return None
    placed = [task for task in tasks.values() if task.node]
    held = [task.verdict.code for task in tasks.values() if task.verdict is not None]
    return JobSide(
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


def _task_side(task: TaskResult | None) -> TaskSide | None:
    if task is None:
        return None
    return TaskSide(
        status=task.status,
        node=task.node,
        verdict=task.verdict.code if task.verdict else "",
        evicted=state_of(task) is State.EVICTED,
    )


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))
