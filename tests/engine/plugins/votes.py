"""Ask one plugin which tasks it lets go in favour of another."""

from __future__ import annotations

from typing import Any

from tests.build import group, node, open_session, pod, queue
from tests.engine.crowds import PREEMPT, classes
from vqs.engine.framework import points
from vqs.engine.framework.votes import Victims


def ask(plugin: str, *objects: Any, preemptor: str = "want-0", of: str = "ns/held", conf: str = PREEMPT) -> Victims:
    """Let a plugin vote on the running tasks of a job, in the order of their names, for a pending one."""
    session = open_session([*classes(), node("n1", cpu=20), queue("default"), *objects], conf)
    [voter] = [each for tier in session.plugins.by_plugin(points.PREEMPTABLE) for name, each in tier if name == plugin]
    tasks = {task.name: task for job in session.jobs.values() for task in job.tasks.values()}
    held = sorted((task for task in session.jobs[of].tasks.values() if task.node), key=lambda task: task.name)
    return voter.vote(tasks[preemptor], held)


def outcome(votes: Victims) -> tuple[list[str], list[str]]:
    """Return the names of those that may go, and the codes of the refusals."""
    return [task.name for task in votes.tasks], [refusal.code for refusal in votes.spared.values()]


def with_plugin(name: str) -> str:
    """Return a configuration with one more plugin."""
    return PREEMPT + f"  - name: {name}\n"


WANT = [group("want", priorityClassName="mid"), pod("want-0", "want")]
