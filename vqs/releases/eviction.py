"""What releases decide differently when they evict tasks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vqs.releases.behaviour import behaviour
from vqs.releases.release import Release


@dataclass(frozen=True, slots=True)
class EvictionBehaviours:
    """The behaviours of the actions that evict."""

    preempt_evictions_in_vain: Literal["kept", "rolled-back"] = behaviour(
        "kept",
        {Release.V1_15: "rolled-back"},
        decides="What becomes of the victims of preempt on a node that has no room for the task even so.",
        why="Pods were killed for nothing: the evictions were committed with what the job took elsewhere (#5010).",
        source="pkg/scheduler/actions/preempt/preempt.go",
    )
    preempt_within_job: Literal["always-committed", "committed-if-placed"] = behaviour(
        "always-committed",
        {Release.V1_15: "committed-if-placed"},
        decides="Whether preempt commits evictions within a job for a task that got no room by them.",
        why="A job lost its own pods for nothing (#5010).",
        source="pkg/scheduler/actions/preempt/preempt.go",
    )
    reclaim_evictions_in_vain: Literal["kept", "rolled-back"] = behaviour(
        "kept",
        {Release.V1_15: "rolled-back"},
        decides="What becomes of the victims of reclaim on a node that cannot be given to the task in the end.",
        why="Pods were killed for nothing; now they stay, and the next node is tried (#5067).",
        source="pkg/scheduler/actions/reclaim/reclaim.go",
    )
    reclaim_from_roomy_nodes: Literal["one-victim", "no-victim"] = behaviour(
        "one-victim",
        {Release.V1_15: "no-victim"},
        decides="How many tasks reclaim evicts on a node that has room for the task without it.",
        why="The first victim was evicted before the room was looked at (#5067).",
        source="pkg/scheduler/actions/reclaim/reclaim.go",
    )
    victims_of_equal_jobs: Literal["youngest-job", "task-order"] = behaviour(
        "youngest-job",
        {Release.V1_15: "task-order"},
        decides="Which victim goes first where the plugins take the jobs of two victims for equal.",
        why="The priority of tasks counts also between tasks of different jobs.",
        source="pkg/scheduler/framework/session_plugins.go",
    )
    capacity_candidates: Literal["as-listed", "in-victim-order"] = behaviour(
        "as-listed",
        {Release.V1_15: "in-victim-order"},
        decides="In which order the plugin capacity counts tasks off what their queue has beyond what it deserves.",
        why="Tasks that are to go last could be taken, and those spared that are to go first (#5115).",
        source="pkg/scheduler/plugins/capacity/capacity.go",
    )
    spared_victims: Literal["seen", "missed"] = behaviour(
        "seen",
        {Release.V1_15: "missed"},
        decides="Whether Kubernetes' plugins see a pod on its node whose eviction was rolled back in the session.",
        why="What fails to be reserved is not counted any more, and for pods that run that always fails.",
        source="pkg/scheduler/plugins/predicates/predicates.go",
    )
    gang_actions: Literal["unknown", "known"] = behaviour(
        "unknown",
        {Release.V1_15: "known"},
        decides="Whether there are the actions gangpreempt and gangreclaim; an unknown one is refused.",
        why="Task by task, preempt and reclaim disrupt many gangs, and may not make room for one (#5250).",
        source="pkg/scheduler/actions/factory.go",
    )
