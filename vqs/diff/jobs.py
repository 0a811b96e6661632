"""The jobs whose outcome differs, and the moves of their tasks between nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import Final

from vqs.diff.outcome import JobChange, JobDifference, JobSide, TaskDifference
from vqs.diff.run import Run
from vqs.diff.tasks import State, code_of, effect_of, ordered, state_of, task_differences
from vqs.diff.why import Stories
from vqs.engine.framework.trace import Op, Operation, StatementResult
from vqs.explain.outcome import TaskResult
from vqs.model.resource import Resource

Move = tuple[str, "TaskResult", "TaskResult"]
"""A task's name, and what it is in each session, on a node each time."""

_OWN_LABELS: Final = frozenset({"kubernetes.io/hostname", "kubernetes.io/metadata.name"})
"""Labels that only say which node it is."""

_FACTORS: Final = {Op.ALLOCATE: 1, Op.PIPELINE: 3, Op.EVICT: 5}
"""So that a node on which a task is placed, waits or is evicted is not like another."""


class Moves:
    """What is known of the nodes in two sessions."""

    def __init__(self, before: Run, after: Run) -> None:
        self.before = _Nodes(before)
        self.after = _Nodes(after)

    def that_count(self, moves: Iterable[Move]) -> set[str]:
        """Return the names of the tasks whose move is a difference."""
        groups: dict[Hashable, list[Move]] = {}
        candidates = list(moves)
        pairs = {
            name: (str(before.node), str(after.node))
            for name, before, after in candidates
            if (before.tied_nodes or 0) > 1 and (after.tied_nodes or 0) > 1
        }
        even = [nodes.even(pairs) for nodes in (self.before, self.after)] if pairs else [set(), set()]
        ties = even[0] & even[1]
        for move in candidates:
            name, before, _ = move
            if name not in ties:
                likeness = self.before.run.likeness(name), self.after.run.likeness(name)
                groups.setdefault((before.namespace, before.job, before.role, *likeness), []).append(move)
        found: set[str] = set()
        for group in groups.values():
            left = Counter(str(before.node) for _, before, _ in group)
            taken = Counter(str(after.node) for *_, after in group)
            left, taken = left - taken, taken - left
            held, holds = _spread(left, self.before), _spread(taken, self.after)
            more, less = held - holds, holds - held
            odd_left = {node for node in left if more[self.before.end(node)]}
            odd_taken = {node for node in taken if less[self.after.end(node)]}
            found.update(name for name, before, after in group if before.node in odd_left or after.node in odd_taken)
        return found


def _spread(nodes: Counter[str], known: _Nodes) -> Counter[Hashable]:
    """Count the tasks on nodes that are alike, and hold the same in the end."""
    spread: Counter[Hashable] = Counter()
    for node, number in nodes.items():
        spread[known.end(node)] += number
    return spread


class _Nodes:
    """The nodes of one session: what they are, what they held when it opened, and what it put on them."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._kinds: dict[str, Hashable] = {}
        self._shapes: dict[tuple[int, int], int] = {}
        self._ends: Mapping[str, int] | None = None
        self._columns = {name: column for column, name in enumerate(run.session.nodes.names)}

    def end(self, node: str) -> Hashable:
        """Return what a node is, and holds when the session closes."""
        if self._ends is None:
            self._ends = self._loads({}, set())
        return self.kind(node), self._ends.get(node, 0)

    def kind(self, name: str) -> Hashable:
        """Return what a node is, and holds when the session opens, but for its name."""
        if name in self._kinds:
            return self._kinds[name]
        node = self.run.nodes.get(name)
        kind: Hashable = name
        if node is not None:
            given = self.run.session.nodes.nodes[self._columns[name]].object
            labels = {key: value for key, value in given.metadata.labels.items() if key not in _OWN_LABELS}
            kind = (
                tuple(sorted(node.allocatable.items())),
                tuple(sorted(node.used_before.items())),
                (node.pods_before, node.max_pods, node.unschedulable),
                tuple(sorted(labels.items())),
                repr(given.spec.taints),
            )
        self._kinds[name] = kind
        return kind

    def even(self, pairs: Mapping[str, tuple[str, str]]) -> set[str]:
        """Return the tasks for which two nodes were alike, and held the same, when they were placed."""
        even: set[str] = set()
        self._ends = self._loads(pairs, even)
        return even

    def _loads(self, pairs: Mapping[str, tuple[str, str]], even: set[str]) -> Mapping[str, int]:
        """Go through the session, and return a number for what it put on each node; look at pairs on the way."""
        loads: dict[str, int] = {}
        for session, operation in self._operations():
            task = operation.task
            pair = pairs.get(f"{task.namespace}/{task.name}") if pairs else None
            if pair is not None and operation.op is not Op.EVICT:
                one, other = pair
                if self.kind(one) == self.kind(other) and loads.get(one, 0) == loads.get(other, 0):
                    even.add(f"{task.namespace}/{task.name}")
            # What a task asks for is a number that is the same in every session.
            key = session, task.shape
            if key not in self._shapes:
                self._shapes[key] = number_of(task.request)
            loads[operation.node] = loads.get(operation.node, 0) + self._shapes[key] * _FACTORS[operation.op]
        return loads

    def _operations(self) -> Iterable[tuple[int, Operation]]:
        """Yield all operations that stand, each with the number of its session."""
        for number, session in enumerate(self.run.sessions):
            for record in session.trace.statements:
                if record.result is not StatementResult.DISCARD:
                    for operation in record.operations:
                        yield number, operation


def number_of(request: Resource) -> int:
    """Return a number for amounts, such that no sum of some of these numbers is that of others.

    Sums of Python's own hashes are often equal, and those of texts are others in each run.
    """
    amounts = request.milli_cpu, request.memory, tuple(sorted(request.scalars.items()))
    return int.from_bytes(blake2b(repr(amounts).encode(), digest_size=16).digest())


_PRESENCE: Final[frozenset[JobChange]] = frozenset({"added", "removed"})


def job_differences(
    before: Run, after: Run, *, placements: bool, interchangeable: Collection[str] = frozenset()
) -> list[JobDifference]:
    """Return the jobs whose outcome differs, by name."""
    stories = Stories(before, after)
    moves = [
        (name, task, after.tasks[name])
        for name, task in before.tasks.items()
        if name in after.tasks and task.node and after.tasks[name].node and task.node != after.tasks[name].node
    ]
    moved = {name for name, *_ in moves} if placements else Moves(before, after).that_count(moves)
    found = []
    for name in sorted({*before.jobs, *after.jobs}):
        pair = _Pair(name, before, after)
        tasks = task_differences(name, before, after, moved, interchangeable)
        changes = ordered(pair.changes(tasks))
        if changes:
            found.append(pair.difference(changes, tasks, stories))
    return found


class _Pair:
    """One job in both sessions."""

    def __init__(self, name: str, before: Run, after: Run) -> None:
        self.name = name
        self.runs = before, after
        self.before, self.after = before.jobs.get(name), after.jobs.get(name)

    def changes(self, tasks: Iterable[TaskDifference]) -> Iterator[JobChange]:
        """Yield what kinds of change there are."""
        if self.before is None:
            yield "taken-up" if self.name in self.runs[0].without_queue else "added"
            return
        if self.after is None:
            yield "left-alone" if self.name in self.runs[1].without_queue else "removed"
            return
        of_tasks = {task.change for task in tasks}
        resized = not of_tasks.isdisjoint(_PRESENCE)
        yield from of_tasks - _PRESENCE
        asked, asks = ((side.queue, side.priority, side.min_available) for side in (self.before, self.after))
        if resized or asked != asks:
            yield "request"
        if of_tasks:
            return
        if code_of(self.before) != code_of(self.after):
            yield "verdict"
        elif self.before.decision != self.after.decision:
            yield "decision"
        elif self.before.phase != self.after.phase:
            yield "phase"

    def difference(self, changes: list[JobChange], tasks: list[TaskDifference], stories: Stories) -> JobDifference:
        namespace, _, name = self.name.rpartition("/")
        shown = self.after or self.before
        moved = {task.name for task in tasks if task.change == "moved"}
        names = {side.name or task.name for task in tasks for side in (task.before, task.after) if side}
        return JobDifference(
            namespace=namespace,
            name=name,
            display_name=shown.called if shown else self.name,
            owner=shown.owner if shown else None,
            changes=changes,
            effect=effect_of(changes),
            before=job_side(self.runs[0], self.name),
            after=job_side(self.runs[1], self.name),
            why=stories.why(self.name, changes[0], moved if changes[0] == "moved" else (), names),
            tasks=tasks,
        )


def job_side(run: Run, name: str) -> JobSide | None:
    """Return a job in one session; None where it is not there."""
    job, tasks = run.jobs.get(name), run.tasks_of.get(name, {})
    if job is None:
        return None
    lost = [each for each in run.simulation.losses if run.key(each.job) == name]
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
        pods_lost=sum(each.pods_lost for each in lost),
        restarted=sum(each.restarted for each in lost),
        statuses=_counted(task.status for task in tasks.values()),
        nodes=_counted(str(task.node) for task in placed),
        verdicts=_counted(held),
        verdict=job.verdict,
        message=job.unschedulable or "",
    )


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))
