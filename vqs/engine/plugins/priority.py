"""priority: jobs and tasks of higher priority come first. No arguments.

Reference: pkg/scheduler/plugins/priority/priority.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vqs.engine import points

if TYPE_CHECKING:
    from vqs.config.scheduler_conf import PluginOption
    from vqs.engine.session import Session

NAME = "priority"


class PriorityPlugin:
    """Order by priority, highest first."""

    def __init__(self, option: PluginOption) -> None:
        self.option = option

    def open(self, session: Session) -> None:
        """Add the orders."""
        session.add(points.TASK_ORDER, NAME, lambda task: -task.priority)
        session.add(points.JOB_ORDER, NAME, lambda job: -job.priority)
        session.add(points.SUB_JOB_ORDER, NAME, lambda sub_job: -sub_job.priority)

    def close(self, session: Session) -> None:
        """Nothing is left to do."""
