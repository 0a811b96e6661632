"""cdp: protect pods from eviction for a while after they were given their node. No arguments.

How long is what the pod's label `volcano.sh/cooldown-time` says, or the annotation of that name: a duration as Go
writes them. Only a running pod is protected, counted from its condition PodScheduled.
Reference: pkg/scheduler/plugins/cdp/cdp.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from vqs.engine.framework import points
from vqs.engine.framework.points import DependsOn, EvictableFn
from vqs.engine.framework.session import Plugin, Session
from vqs.engine.framework.votes import Refusal, Victims
from vqs.model.codes import EvictionCode
from vqs.model.durations import parse_duration
from vqs.model.job import Task
from vqs.model.keys import COOLDOWN_TIME
from vqs.model.kubernetes import Pod
from vqs.model.moments import later, timestamp

NAME = "cdp"


class CooldownPlugin(Plugin):
    """Spare pods that were placed only a short time ago."""

    refusals = (EvictionCode.COOLING_DOWN,)

    def on_session_open(self, session: Session) -> None:
        """Add the votes."""
        self.now = session.options.now
        voter = EvictableFn(self.vote, DependsOn.NOTHING)
        session.plugins.add(points.PREEMPTABLE, NAME, voter)
        session.plugins.add(points.RECLAIMABLE, NAME, voter)

    def vote(self, _: Task, candidates: Sequence[Task]) -> Victims:
        """Spare the candidates that are protected now."""
        votes = Victims()
        for task in candidates:
            until = protected_until(task.pod)
            if until is None or until <= self.now:
                votes.take(task)
            else:
                text = timestamp(until)
                votes.spare(task, Refusal(EvictionCode.COOLING_DOWN, NAME, text=text))
        return votes


def protected_until(pod: Pod) -> datetime | None:
    """Until when a pod is protected, None where it is not at all."""
    metadata = pod.metadata
    text = metadata.labels.get(COOLDOWN_TIME, metadata.annotations.get(COOLDOWN_TIME))
    seconds = None if text is None else parse_duration(text)
    if seconds is None or pod.status.phase != "Running":
        return None
    scheduled = (each for each in pod.status.conditions if each.type == "PodScheduled" and each.status == "True")
    condition = next(scheduled, None)
    if condition is None or condition.last_transition_time is None:
        return None
    return later(condition.last_transition_time, seconds)
