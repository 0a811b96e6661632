"""What a session decided, recorded once, as data, where it was decided. Explanations are derived from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vqs.model.task import Task


@dataclass(frozen=True, slots=True)
class Refusal:
    """A plugin's or an action's no.

    Attributes:
        code: names the gate, as in a verdict.
        plugin: who said no; empty where the action itself did.
        resource: the resource it was about, empty where it was about none.
        need: what there would have been with the refused one, in the scheduler's units or as a count.
        have: the limit, in the same unit.
        node: the node that came closest, where nodes refused.
        text: what cannot be told in figures.
    """

    code: str
    plugin: str = ""
    resource: str = ""
    need: float | None = None
    have: float | None = None
    node: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class NodeView:
    """What a node was for a task: the reasons against it, else whether its room is idle now and its score by plugin."""

    node: str
    reasons: tuple[str, ...]
    idle: bool
    scores: dict[str, float]
    chosen: bool


class Op(Enum):
    """A step of a statement."""

    ALLOCATE = "allocate"
    PIPELINE = "pipeline"
    EVICT = "evict"


@dataclass(frozen=True, slots=True)
class Operation:
    """One step: what was done to a task on a node, and why where it is an eviction."""

    op: Op
    task: Task
    node: str
    reason: str = ""


class StatementResult(Enum):
    """What became of a statement: a kept one is neither committed nor rolled back, as its tasks wait for room."""

    COMMIT = "commit"
    KEEP = "keep"
    DISCARD = "discard"


@dataclass(frozen=True, slots=True)
class StatementRecord:
    """A finished statement."""

    action: str
    job: str
    result: StatementResult
    operations: tuple[Operation, ...]


@dataclass(slots=True)
class Trace:
    """The decisions of one session.

    Attributes:
        statements: in the order in which they were finished.
        jobs: the last refusal of a job as a whole (at the enqueue gate, by the check of the gang), with the action.
        tasks: the last refusal of a task, with the action, by uid.
        queues: the last refusal that took a queue out of an action, with that action.
        tried: the jobs of which a task was looked at.
        ties: of how many equal nodes a task was given one, by uid; only where there were several.
        views: the nodes as they were when a task was tried last, by uid; only for tasks that are watched.
        action: the action that runs now.
    """

    action: str = ""
    statements: list[StatementRecord] = field(default_factory=list)
    jobs: dict[str, tuple[str, Refusal]] = field(default_factory=dict)
    tasks: dict[str, tuple[str, Refusal]] = field(default_factory=dict)
    queues: dict[str, tuple[str, Refusal]] = field(default_factory=dict)
    tried: set[str] = field(default_factory=set)
    views: dict[str, list[NodeView]] = field(default_factory=dict)
    ties: dict[str, int] = field(default_factory=dict)

    def refuse_job(self, job: str, refusal: Refusal) -> None:
        """Note that the running action refused a job."""
        self.jobs[job] = (self.action, refusal)

    def refuse_task(self, task: Task, refusal: Refusal) -> None:
        """Note that the running action refused a task."""
        self.tried.add(task.job)
        self.tasks[task.uid] = (self.action, refusal)

    def refuse_queue(self, queue: str, refusal: Refusal) -> None:
        """Note that the running action left a queue out."""
        self.queues[queue] = (self.action, refusal)

    def place(self, task: Task, ties: int) -> None:
        """Note that a task was given one of so many equally good nodes, whatever was said of it before."""
        self.tasks.pop(task.uid, None)
        self.ties.pop(task.uid, None)
        if ties > 1:
            self.ties[task.uid] = ties

    def finish(self, job: str, result: StatementResult, operations: list[Operation]) -> None:
        """Note a statement with what became of it; one without a step is not worth noting."""
        if operations:
            self.statements.append(StatementRecord(self.action, job, result, tuple(operations)))
