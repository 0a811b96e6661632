"""Steps that take effect together, or not at all. Reference: pkg/scheduler/framework/statement.go."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from vqs.engine.trace import Op, Operation, StatementResult
from vqs.model.task import TaskStatus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vqs.engine.session import Session
    from vqs.model.job import Job
    from vqs.model.task import Task


class Statement:
    """A series of changes to a session that can be rolled back, last one first."""

    def __init__(self, session: Session, job: Job) -> None:
        self.session = session
        self.job = job
        self.operations: list[Operation] = []

    def allocate(self, task: Task, column: int) -> None:
        """Place a task on idle resources of a node, for the time being."""
        self.session.place(task, column, TaskStatus.Allocated)
        self.operations.append(Operation(Op.ALLOCATE, task, self.session.nodes.names[column]))

    def pipeline(self, task: Task, column: int, *, eviction_occurred: bool = False) -> None:
        """Promise a task resources of a node that are being released."""
        task.eviction_occurred = eviction_occurred
        self.session.place(task, column, TaskStatus.Pipelined)
        self.operations.append(Operation(Op.PIPELINE, task, self.session.nodes.names[column]))

    def evict(self, task: Task, reason: str) -> None:
        """Start to evict a running task."""
        self.session.evict(task)
        self.operations.append(Operation(Op.EVICT, task, task.node or "", reason))

    def commit(self) -> None:
        """Make it final: allocated tasks are bound."""
        for operation in self.operations:
            task = operation.task
            task.last_transaction = None
            if operation.op is Op.ALLOCATE:
                self.session.jobs[task.job].set_status(task, TaskStatus.Binding)
        self.session.trace.finish(self.job.uid, StatementResult.COMMIT, self.operations)

    def keep(self) -> None:
        """Leave it standing without binding anything: its gang is complete only once resources are released."""
        self.session.trace.finish(self.job.uid, StatementResult.KEEP, self.operations)

    def discard(self) -> None:
        """Undo every step, and remember on each task what had been decided."""
        self.undo()
        self.session.trace.finish(self.job.uid, StatementResult.DISCARD, self.operations)

    def undo(self) -> None:
        """Undo every step, as after a trial that is not worth noting."""
        for operation in reversed(self.operations):
            task = operation.task
            task.remember_transaction()
            match operation.op:
                case Op.ALLOCATE | Op.PIPELINE:
                    self.session.displace(task)
                case Op.EVICT:
                    self.session.unevict(task)
                case _ as never:
                    assert_never(never)

    def repeat(self, operations: Sequence[Operation]) -> None:
        """Do again what another statement had done before it was undone."""
        for operation in operations:
            column = self.session.nodes.column[operation.node]
            match operation.op:
                case Op.ALLOCATE:
                    self.allocate(operation.task, column)
                case Op.PIPELINE:
                    self.pipeline(operation.task, column)
                case Op.EVICT:
                    self.evict(operation.task, operation.reason)
                case _ as never:
                    assert_never(never)
