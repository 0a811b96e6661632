"""shuffle: evict running tasks that a plugin wants to see elsewhere. No arguments.

Their room is promised to no task; in the next session, the first that is served takes it. The first tier in which a
plugin names a task decides.
Reference: pkg/scheduler/actions/shuffle/shuffle.go.
"""

from __future__ import annotations

from vqs.engine.framework.session import Session
from vqs.engine.framework.trace import Op, Operation, StatementResult
from vqs.model.job import TaskStatus

NAME = "shuffle"


class Shuffle:
    """Ask the plugins about all running tasks at once, and evict those that they name."""

    def execute(self, session: Session) -> None:
        """Run the action."""
        running = [
            task
            for job in session.jobs.values()
            for task in sorted(job.having(TaskStatus.Running).values(), key=lambda task: task.name)
        ]
        for task, plugins in session.plugins.victim_tasks(running):
            session.evict(task)
            session.trace.shuffled[task.uid] = plugins
            operation = Operation(Op.EVICT, task, task.node or "", NAME)
            session.trace.finish(task.job, StatementResult.COMMIT, [operation])
