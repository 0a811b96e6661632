"""conformance: never evict what keeps the cluster itself running. No arguments.

That is everything in the namespace kube-system, and pods of the two priority classes that Kubernetes keeps for it.
Reference: pkg/scheduler/plugins/conformance/conformance.go.
"""

from __future__ import annotations

from collections.abc import Sequence

from vqs.engine.framework import points
from vqs.engine.framework.points import DependsOn, EvictableFn
from vqs.engine.framework.session import Plugin, Session
from vqs.engine.framework.votes import Refusal, Victims
from vqs.model.codes import EvictionCode
from vqs.model.job import Task

NAME = "conformance"


SYSTEM_NAMESPACE = "kube-system"
CRITICAL_CLASSES = frozenset({"system-cluster-critical", "system-node-critical"})


class ConformancePlugin(Plugin):
    """Spare critical pods."""

    refusals = (EvictionCode.CRITICAL_POD,)

    def on_session_open(self, session: Session) -> None:
        """Add the votes."""
        voter = EvictableFn(lambda _, candidates: spare_critical(candidates), DependsOn.NOTHING)
        session.plugins.add(points.PREEMPTABLE, NAME, voter)
        session.plugins.add(points.RECLAIMABLE, NAME, voter)
        session.plugins.add(points.UNIFIED_EVICTABLE, NAME, lambda _, candidates: spare_critical(candidates))


def spare_critical(candidates: Sequence[Task]) -> Victims:
    """Let all go but critical pods."""
    votes = Victims()
    for task in candidates:
        name = task.pod.spec.priority_class_name
        if name in CRITICAL_CLASSES:
            votes.spare(task, Refusal(EvictionCode.CRITICAL_POD, NAME, text=f"priority class {name}"))
        elif task.namespace == SYSTEM_NAMESPACE:
            votes.spare(task, Refusal(EvictionCode.CRITICAL_POD, NAME, text=f"namespace {SYSTEM_NAMESPACE}"))
        else:
            votes.take(task)
    return votes
