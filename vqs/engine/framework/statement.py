"""Steps that take effect together, or not at all. Reference: pkg/scheduler/framework/statement.go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, assert_never

from vqs.engine.framework.session import Session
from vqs.engine.framework.trace import Op, Operation, StatementResult, VictimSearch
from vqs.engine.framework.votes import Refusal
from vqs.model.job import Job
from vqs.model.task import Task, TaskStatus, Transaction


class SavedOperation(NamedTuple):
    """A step to be taken again, what its task remembered before it, and of how many equal nodes one was taken."""

    operation: Operation
    last_transaction: Transaction | None
    ties: int


class Statement:
    """A series of changes to a session that can be rolled back, last one first."""

    def __init__(self, session: Session, job: Job) -> None:
        self.session = session
        self.job = job
        self.operations: list[Operation] = []

    def allocate(self, task: Task, node: int) -> Refusal | None:
        """Place a task on idle resources of a node, for the time being; return what failed, if anything did."""
        failure = self.session.place(task, node, TaskStatus.Allocated)
        if failure is not None:
            self.session.displace(task)
        else:
            self.operations.append(Operation(Op.ALLOCATE, task, self.session.nodes.names[node]))
        return failure

    def pipeline(
        self, task: Task, node: int, *, eviction_occurred: bool = False, search: VictimSearch | None = None
    ) -> Refusal | None:
        """Promise a task resources of a node that are being released; return what failed, if anything did.

        A promise that failed is no step of the statement. Up to v1.14, it is not taken back either.
        """
        task.eviction_occurred = eviction_occurred
        failure = self.session.place(task, node, TaskStatus.Pipelined)
        if failure is None:
            self.operations.append(Operation(Op.PIPELINE, task, self.session.nodes.names[node], search=search))
        elif self.session.profile.statement.failed_pipeline == "rolled-back":
            self.session.displace(task)
        return failure

    def evict(self, task: Task, reason: str, search: VictimSearch | None = None) -> None:
        """Start to evict a running task; `search` is the search that found it, where there was one."""
        self.session.evict(task)
        self.operations.append(Operation(Op.EVICT, task, task.node or "", reason, search))
        if search is not None:
            search.victims.append(task)

    def merge(self, other: Statement) -> None:
        """Take over the steps of another statement, which has none then."""
        self.operations += other.operations
        other.operations = []

    def save(self) -> list[SavedOperation]:
        """The steps so that they can be taken again once they are undone."""
        ties = self.session.trace.ties
        return [
            SavedOperation(step, step.task.last_transaction, ties.get(step.task.uid, 1)) for step in self.operations
        ]

    def recover(self, saved: Sequence[SavedOperation]) -> bool:
        """Take steps again that were undone; True if nothing failed, and stop where something does."""
        for operation, last_transaction, ties in saved:
            task = operation.task
            task.last_transaction = last_transaction  # also where the step fails
            if operation.op is Op.EVICT:
                self.evict(task, operation.reason, operation.search)
                continue
            node = self.session.nodes.index[operation.node]
            if operation.op is Op.ALLOCATE:
                failure = self.allocate(task, node)
            else:
                evicts = task.eviction_occurred
                failure = self.pipeline(task, node, eviction_occurred=evicts, search=operation.search)
            if failure is not None:
                return False
            self.session.trace.place(task, ties)
        return True

    def undo(self) -> None:
        """Undo every step, last one first, and remember on each task what had been decided."""
        for operation in reversed(self.operations):
            task = operation.task
            task.last_transaction = Transaction(task.status, task.node, eviction_occurred=task.eviction_occurred)
            match operation.op:
                case Op.ALLOCATE | Op.PIPELINE:
                    self.session.displace(task)
                case Op.EVICT:
                    self.session.unevict(task)
                case _ as never:
                    assert_never(never)

    def end(self, result: StatementResult) -> None:
        """Commit, keep or discard it, and record it.

        Committing binds the allocated tasks. Keeping leaves the steps standing without binding anything: the gang is
        complete only once resources are released. Discarding undoes them.
        """
        match result:
            case StatementResult.COMMIT:
                for operation in self.operations:
                    task = operation.task
                    task.last_transaction = None
                    failure = self.session.bind(task) if operation.op is Op.ALLOCATE else None
                    if failure is not None:
                        self.session.trace.refuse_task(task, failure)
            case StatementResult.KEEP:
                pass
            case StatementResult.DISCARD:
                self.undo()
            case _ as never:
                assert_never(never)
        self.session.trace.finish(self.job.uid, result, self.operations)
