"""What plugins answer when they are asked: a vote, the victims they agree to, and why they refuse."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from vqs.model.codes import RefusalCode
from vqs.model.job import Task


class Vote(IntEnum):
    """A plugin's answer where others may overrule it."""

    REJECT = -1
    ABSTAIN = 0
    PERMIT = 1


@dataclass(frozen=True, slots=True)
class Refusal:
    """A plugin's or an action's no.

    Attributes:
        code: names the gate, as in a verdict.
        plugin: the plugin that refused; empty where the action itself did.
        resource: the resource it was about, empty where it was about none.
        need: what there would have been with the refused one, in the scheduler's units or as a count.
        have: the limit, in the same unit.
        node: the node that came closest, where nodes refused.
        queue: the queue whose limit it was, where that may be one above the job's own.
        text: what figures cannot say.
    """

    code: RefusalCode
    plugin: str = ""
    resource: str = ""
    need: float | None = None
    have: float | None = None
    node: str = ""
    queue: str = ""
    text: str = ""


@dataclass(slots=True)
class Victims:
    """A plugin's answer to which of some tasks may be evicted; `spared` holds why not, by the task's uid."""

    vote: Vote = Vote.PERMIT
    tasks: list[Task] = field(default_factory=list)
    spared: dict[str, Refusal] = field(default_factory=dict)

    def take(self, task: Task) -> None:
        """Let a task be evicted."""
        self.tasks.append(task)

    def spare(self, task: Task, refusal: Refusal) -> None:
        """Keep a task from being evicted."""
        self.spared[task.uid] = refusal

    def refusal(self, task: Task) -> Refusal | None:
        """Why a task is spared, None where it may be evicted."""
        return self.spared.get(task.uid)
