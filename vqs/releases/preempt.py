"""What releases decide differently in the action preempt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vqs.releases.behaviour import behaviour
from vqs.releases.release import Release

_SOURCE = "pkg/scheduler/actions/preempt/preempt.go"


@dataclass(frozen=True, slots=True)
class PreemptBehaviours:
    """The behaviours of the action preempt."""

    preempt_queue_order: Literal["any", "queue-order"] = behaviour(
        "queue-order",
        {Release.V1_14_0: "any", Release.V1_14: "queue-order"},
        decides="In which order preempt serves the queues: in any, or in the one that the plugins give them.",
        why="Which queue came first was left to chance (#5268).",
        source=_SOURCE,
    )
    intra_job_preemption: Literal["after-every-queue", "after-own-queue"] = behaviour(
        "after-own-queue",
        {Release.V1_14_0: "after-every-queue", Release.V1_14: "after-own-queue"},
        decides=(
            "When the tasks of a starving job take from each other: after every queue, so that tasks which failed "
            "are not tried again when the job's own queue is served, or after its own queue only."
        ),
        why="The tasks that a queue still had to serve were lost to the round of another queue.",
        source=_SOURCE,
    )
    reprieve_order: Literal["first-victim-first", "last-victim-first"] = behaviour(
        "first-victim-first",
        {Release.V1_14: "last-victim-first"},
        decides=(
            "Which victim topology-aware preemption tries to spare first: the one that it took first, "
            "of the lowest priority, or the one that it took last."
        ),
        why="Pods of a high priority were evicted so that pods of a low one could stay.",
        source=_SOURCE,
    )
    preemptors_with_network_topology: Literal["served", "left-out"] = behaviour(
        "served",
        {Release.V1_14_0: "left-out"},
        decides="Whether preempt evicts for a starving job that asks for a network topology.",
        why="What is evicted need not be in the HyperNodes that the job may use (#4374).",
        source=_SOURCE,
    )
    preempt_evictions_in_vain: Literal["kept", "rolled-back"] = behaviour(
        "kept",
        {Release.V1_15: "rolled-back"},
        decides="What becomes of the victims of preempt on a node that has no room for the task even so.",
        why="Pods were killed for nothing: the evictions were committed with what the job took elsewhere (#5010).",
        source=_SOURCE,
    )
    preempt_within_job: Literal["always-committed", "committed-if-placed"] = behaviour(
        "always-committed",
        {Release.V1_15: "committed-if-placed"},
        decides="Whether preempt commits evictions within a job for a task that got no room by them.",
        why="A job lost its own pods for nothing (#5010).",
        source=_SOURCE,
    )
