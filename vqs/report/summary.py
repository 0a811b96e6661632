"""The result in a sentence: how many tasks found a place, and what holds the others back."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from vqs.report.units import count

if TYPE_CHECKING:
    from vqs.explain.outcome import Simulation, TaskResult

PENDING: Final = "Pending"
PIPELINED: Final = "Pipelined"
RELEASING: Final = "Releasing"
PLACED: Final = frozenset({"Allocated", "Binding", "Bound"})
UNEXPLAINED: Final = "unexplained"


def is_placed(task: TaskResult) -> bool:
    """Tell whether this session gave the task a node."""
    return task.status in PLACED and task.status_before == PENDING


def is_evicted(task: TaskResult) -> bool:
    """Tell whether this session takes the task off its node."""
    return task.status == RELEASING != task.status_before


def is_unchanged(task: TaskResult) -> bool:
    """Tell whether the session left a task that has a node alone."""
    return task.status == task.status_before != PENDING


@dataclass(frozen=True)
class Summary:
    """The tasks, counted by what became of them."""

    placed: int
    pipelined: int
    evicted: int
    unchanged: int
    pending: int
    by_verdict: tuple[tuple[str, int], ...]
    """What holds the pending ones back, the most frequent first."""

    def sentence(self) -> str:
        """Return the most important line of a report."""
        parts = [f"{self.placed:,} placed", f"{self.pipelined:,} pipelined"]
        if self.evicted:
            parts.append(f"{self.evicted:,} evicted")
        parts.append(f"{self.pending:,} still pending")
        verdicts = ", ".join(f"{number:,} {code}" for code, number in self.by_verdict)
        return ", ".join(parts) + (f": {verdicts}" if verdicts else "")


def summarize(simulation: Simulation) -> Summary:
    """Count the tasks of a simulation."""
    tasks = simulation.tasks
    pending = [task for task in tasks if task.status == PENDING]
    verdicts = Counter(task.verdict.code if task.verdict else UNEXPLAINED for task in pending)
    return Summary(
        placed=sum(map(is_placed, tasks)),
        pipelined=sum(task.status == PIPELINED for task in tasks),
        evicted=sum(map(is_evicted, tasks)),
        unchanged=sum(map(is_unchanged, tasks)),
        pending=len(pending),
        by_verdict=tuple(sorted(verdicts.items(), key=lambda item: (-item[1], item[0]))),
    )


def headline(simulation: Simulation) -> str:
    """Say what was simulated."""
    session = simulation.session
    sizes = [
        count(session.nodes, "node"),
        count(session.queues, "queue"),
        count(session.jobs, "job"),
        count(session.tasks, "task"),
    ]
    return (
        f"Volcano {simulation.volcano} on {simulation.scenario or 'an unnamed snapshot'}: "
        f"{', '.join(session.actions)} over {', '.join(sizes)}; configuration: {session.configuration}"
    )
