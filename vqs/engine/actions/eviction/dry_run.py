"""What topology-aware preemption simulates before it evicts anything.

On a node, victims are taken away one by one until the task would fit, into its queue as well. Then they are put back
one by one, in the order of the release, as long as the task still fits: who can stay is reprieved. Of the nodes found
so, up to a number of candidates, the one is taken whose victims matter least. Neither the session's state nor any
ledger is changed.

As in the reference, of all that may keep a task from a node only affinities between pods and room are looked at again,
and a task that does not fit into its queue even with all victims gone still takes all of them.

Reference: pkg/scheduler/actions/preempt/preempt.go (SelectVictimsOnNode, SelectCandidate).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vqs.config.arguments import Arguments
from vqs.engine.actions.eviction.search import Attempt, VictimFinder
from vqs.engine.framework.trace import VictimDecision
from vqs.model.resource import Resource
from vqs.model.task import Task

ENABLED = "enableTopologyAwarePreemption"
WORKERS = "topologyAwarePreemptWorkerNum"
LEAST_PERCENT = "minCandidateNodesPercentage"
LEAST = "minCandidateNodesAbsolute"
MOST = "maxCandidateNodesAbsolute"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A node, the votes on it, and who would have to go there, the most important one first."""

    node: int
    decision: VictimDecision
    victims: Sequence[Task]


@dataclass(frozen=True, slots=True)
class Limits:
    """How many candidates are enough; how many workers look for them only matters where there are none."""

    percent: int
    least: int
    most: int
    workers: int

    @classmethod
    def of(cls, arguments: Arguments) -> Limits:
        """Read them from the arguments of the action."""
        return cls(
            percent=arguments.int(LEAST_PERCENT),
            least=arguments.int(LEAST),
            most=arguments.int(MOST),
            workers=arguments.int(WORKERS),
        )

    def enough(self, nodes: int) -> int:
        """Return how many candidates are enough for a number of potential nodes; with 0, none is looked for."""
        if self.workers < 1:
            return 0
        return max(min(max(nodes * self.percent // 100, self.least), self.most, nodes), 0)


class DryRun:
    """Tries out who would have to go for one task."""

    def __init__(self, finder: VictimFinder, attempt: Attempt) -> None:
        self.finder = finder
        self.task = attempt.task
        self.queue = attempt.queue
        self.future_fit = finder.future_fit(attempt.task)
        self.last_first = finder.session.profile.preempt.reprieve_order == "last-victim-first"

    def candidate(self, node: int, decision: VictimDecision) -> Candidate | None:
        """Return the victims on a node, None where evicting does not help or none is needed."""
        taken = self._take(node, decision.victims)
        if not taken or not self.finder.session.plugins.simulate_predicate(self.task, node, taken):
            return None
        victims = self._reprieve(node, taken)
        return Candidate(node, decision, victims) if victims else None

    def _take(self, node: int, victims: Iterable[Task]) -> list[Task]:
        """Return who is taken away until the task fits, all of them if it does not."""
        queue = self.finder.orders.victims(victims, self.task)
        taken: list[Task] = []
        while queue:
            taken.append(queue.pop())
            if self._fits(node, taken):
                break
        return taken

    def _reprieve(self, node: int, taken: list[Task]) -> list[Task]:
        """Put back who can stay; return the others."""
        gone, victims = list(taken), []
        for task in reversed(taken) if self.last_first else taken:
            gone.remove(task)
            if not self._fits(node, gone):
                gone.append(task)
                victims.append(task)
        return victims

    def _fits(self, node: int, gone: Sequence[Task]) -> bool:
        """Tell whether the task fits into its queue and on a node with some tasks gone."""
        session = self.finder.session
        freed = Resource()
        for task in gone:
            freed.add(task.request)
        if not session.plugins.simulate_allocatable(self.queue, self.task, freed):
            return False
        return self.future_fit.has_room(node, gone) and session.plugins.simulate_predicate(self.task, node, gone)


def best(candidates: Sequence[Candidate], now: float) -> list[Candidate]:
    """Return the candidates whose victims matter least; the reference takes any of them.

    What counts, in this order: the priority of the first victim, the sum of all priorities, the number of victims, and
    how late the victims of the highest priority were started, by the one that was first.
    """
    weights = [_weight(each.victims, now) for each in candidates]
    least = min(weights, default=None)
    return [each for each, weight in zip(candidates, weights, strict=True) if weight == least]


def _weight(victims: Sequence[Task], now: float) -> tuple[int, int, int, float]:
    priorities = [_priority(task) for task in victims]
    highest = [task for task, priority in zip(victims, priorities, strict=True) if priority == max(priorities)]
    started = min(_started(task, now) for task in highest)
    return priorities[0], sum(priority + 2**31 for priority in priorities), len(victims), -started


def _priority(task: Task) -> int:
    return task.pod.spec.priority or 0


def _started(task: Task, now: float) -> float:
    """Return when a pod was started; one that was not yet is taken to start now."""
    start = task.pod.status.start_time
    return now if start is None else start.timestamp()
