"""What releases decide differently in actions: which there are, what they place and evict, and statements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vqs.releases.release import Release, behaviour


@dataclass(frozen=True, slots=True)
class ActionBehaviours:
    """The behaviours of the list of actions."""

    unknown_action: Literal["skipped", "refused"] = behaviour(
        "skipped",
        {Release.V1_14_0: "refused"},
        decides="What becomes of a configuration with an action that does not exist: the action is left out, or the "
        "whole configuration is refused.",
        why="A misspelt action went unnoticed.",
        source="pkg/scheduler/util.go",
    )
    gang_actions: Literal["unknown", "known"] = behaviour(
        "unknown",
        {Release.V1_15: "known"},
        decides="Whether there are the actions gangpreempt and gangreclaim; an unknown one is refused.",
        why="Task by task, preempt and reclaim disrupt many gangs, and may not make room for one (#5250).",
        source="pkg/scheduler/actions/factory.go",
    )


_ALLOCATE = "pkg/scheduler/actions/allocate/allocate.go"


@dataclass(frozen=True, slots=True)
class AllocateBehaviours:
    """The behaviours of the action allocate."""

    incomplete_gangs: Literal["tried-again", "left"] = behaviour(
        "tried-again",
        {Release.V1_14_0: "left"},
        decides=(
            "What becomes of a job whose gang stays incomplete, and that has tasks which were not tried: it is tried "
            "again with these, or it waits for the next session."
        ),
        why="A try without the tasks that were placed before hardly ever completes the gang.",
        source=_ALLOCATE,
    )
    role_failed_message: Literal["absent", "given"] = behaviour(
        "absent",
        {Release.V1_14_0: "given"},
        decides="Whether a task that is not tried, as no node fits an earlier task of its role, is given that reason.",
        why="Such a pod said nothing about why it waits.",
        source=_ALLOCATE,
    )
    pre_predicate_failure: Literal["ends-the-try", "next-task"] = behaviour(
        "ends-the-try",
        {Release.V1_14: "next-task"},
        decides=(
            "What follows when a task is refused before any node is asked: the try of its job ends, or it goes on "
            "with the next task where the gang can still become complete."
        ),
        why="One task whose volume is missing kept all others of an elastic job waiting.",
        source=_ALLOCATE,
    )
    ready_job_summary: Literal["not-ready", "ready"] = behaviour(
        "not-ready",
        {Release.V1_14_0: "ready"},
        decides=(
            "How the summary begins that pods of a job with a complete gang show while they wait: "
            "pod group is not ready, or pod group is ready."
        ),
        why="Pods beyond the minimum of a running job said that their pod group is not ready.",
        source="pkg/scheduler/api/job_info.go",
    )
    nominated_node_room: Literal["idle", "future-idle"] = behaviour(
        "idle",
        {Release.V1_13: "future-idle"},
        decides="When the node that an earlier session chose for a task is tried before all others: while it has room "
        "now, or also while the task waits there for others to leave.",
        why="A task that had preempted others was placed elsewhere, and took the room of other tasks.",
        source=_ALLOCATE,
    )
    nominated_node: Literal["anywhere", "in-hypernode"] = behaviour(
        "anywhere",
        {Release.V1_15: "in-hypernode"},
        decides="Whether a task takes the node that an earlier session chose for it outside the HyperNode tried.",
        why="A gang with a network topology was spread beyond the HyperNode it was placed in (#5250).",
        source=_ALLOCATE,
    )


_PREEMPT = "pkg/scheduler/actions/preempt/preempt.go"


@dataclass(frozen=True, slots=True)
class PreemptBehaviours:
    """The behaviours of the action preempt."""

    topology_aware_preemption: Literal["unknown", "enableTopologyAwarePreemption"] = behaviour(
        "unknown",
        {Release.V1_13: "enableTopologyAwarePreemption"},
        decides="Whether preempt has the argument enableTopologyAwarePreemption: victims are chosen by trying out "
        "whether affinities between pods let the task on the node without them.",
        why="Tasks that affinities keep from a node could not preempt there (#3845).",
        source=_PREEMPT,
    )
    nominated_preemptors: Literal["served", "checked"] = behaviour(
        "served",
        {Release.V1_13: "checked"},
        decides="Whether preempt evicts again for a task that an earlier session chose a node for: always; or only "
        "where that node is there, and not open to the task, and no pod is leaving it for the task.",
        why="Pods were evicted for a task while others were leaving for it.",
        source=_PREEMPT,
    )
    preempt_queue_order: Literal["any", "queue-order"] = behaviour(
        "queue-order",
        {Release.V1_14_0: "any", Release.V1_14: "queue-order"},
        decides="In which order preempt serves the queues: in any, or in the one that the plugins give them.",
        why="Which queue came first was left to chance (#5268).",
        source=_PREEMPT,
    )
    intra_job_preemption: Literal["after-every-queue", "after-own-queue"] = behaviour(
        "after-own-queue",
        {Release.V1_14_0: "after-every-queue", Release.V1_14: "after-own-queue"},
        decides=(
            "When the tasks of a starving job take from each other: after every queue, so that tasks which failed "
            "are not tried again when the job's own queue is served, or after its own queue only."
        ),
        why="The tasks that a queue still had to serve were lost to the round of another queue.",
        source=_PREEMPT,
    )
    queue_preemptable: Literal["ignored", "read"] = behaviour(
        "ignored",
        {},
        proposals={"read": "pull request 5373: a field preemptable of queues, here the annotation of that name"},
        decides="Whether preempt and gangpreempt leave out a queue that is not preemptable. As no schema has the "
        'field, it is the annotation volcano.sh/preemptable: "false" of the queue.',
        why="Preemption within a queue is on for all queues, or for none.",
        source=_PREEMPT,
    )
    evictions_end: Literal["with-room", "with-predicates"] = behaviour(
        "with-room",
        {},
        heads={Release.V1_15: "with-predicates"},
        decides="When preempt, node by node, stops evicting for a task: once the node and the queue have room for it, "
        "or once the predicates let it on the node, too; if they never do, the node is not promised to it.",
        why="A node may have room enough in sum, and no single GPU or NPU that a task fits on (#5843).",
        source=_PREEMPT,
    )
    reprieve_order: Literal["first-victim-first", "last-victim-first"] = behaviour(
        "first-victim-first",
        {Release.V1_14: "last-victim-first"},
        heads={Release.V1_13: "last-victim-first"},
        decides=(
            "Which victim topology-aware preemption tries to spare first: the one that it took first, "
            "of the lowest priority, or the one that it took last."
        ),
        why="Pods of a high priority were evicted so that pods of a low one could stay.",
        source=_PREEMPT,
    )
    preemptors_with_network_topology: Literal["served", "left-out"] = behaviour(
        "served",
        {Release.V1_14_0: "left-out"},
        decides="Whether preempt evicts for a starving job that asks for a network topology.",
        why="What is evicted need not be in the HyperNodes that the job may use (#4374).",
        source=_PREEMPT,
    )
    preempt_evictions_in_vain: Literal["kept", "rolled-back"] = behaviour(
        "kept",
        {Release.V1_15: "rolled-back"},
        decides="What becomes of the victims of preempt on a node that has no room for the task even so.",
        why="Pods were killed for nothing: the evictions were committed with what the job took elsewhere (#5010).",
        source=_PREEMPT,
    )
    preempt_within_job: Literal["always-committed", "committed-if-placed"] = behaviour(
        "always-committed",
        {Release.V1_15: "committed-if-placed"},
        decides="Whether preempt commits evictions within a job for a task that got no room by them.",
        why="A job lost its own pods for nothing (#5010).",
        source=_PREEMPT,
    )


_RECLAIM = "pkg/scheduler/actions/reclaim/reclaim.go"


@dataclass(frozen=True, slots=True)
class ReclaimBehaviours:
    """The behaviours of the action reclaim."""

    reclaim_unit: Literal["task", "gang"] = behaviour(
        "task",
        {Release.V1_14_0: "gang"},
        decides=(
            "What reclaim evicts for at a time: one task, after which the next queue is served and nothing is taken "
            "back, or a whole job, for which all evictions are taken back where its gang stays incomplete."
        ),
        why=(
            "Tasks were evicted for gangs that could not start, and a job that had enough kept the others of its "
            "queue waiting (#3738)."
        ),
        source=_RECLAIM,
    )
    room_after_reclaim: Literal["victims-only", "with-idle"] = behaviour(
        "victims-only",
        {Release.V1_14_0: "with-idle"},
        decides=(
            "When enough is evicted on a node: when the victims alone hold what the task asks for, or when they do "
            "together with what is idle there."
        ),
        why="More tasks were evicted than needed.",
        source=_RECLAIM,
    )
    reclaim_evictions_in_vain: Literal["kept", "rolled-back"] = behaviour(
        "kept",
        {Release.V1_15: "rolled-back"},
        decides="What becomes of the victims of reclaim on a node that cannot be given to the task in the end.",
        why="Pods were killed for nothing; now they stay, and the next node is tried (#5067).",
        source=_RECLAIM,
    )
    reclaim_from_roomy_nodes: Literal["one-victim", "no-victim"] = behaviour(
        "one-victim",
        {Release.V1_15: "no-victim"},
        decides="How many tasks reclaim evicts on a node that has room for the task already.",
        why="The first victim was evicted before the room was looked at (#5067).",
        source=_RECLAIM,
    )


@dataclass(frozen=True, slots=True)
class EvictionBehaviours:
    """The behaviours of evictions, whichever action asks for them."""

    victims_of_equal_jobs: Literal["youngest-job", "task-order"] = behaviour(
        "youngest-job",
        {Release.V1_15: "task-order"},
        decides="Which victim goes first where the plugins take the jobs of two victims for equal.",
        why="The priority of tasks counts also between tasks of different jobs.",
        source="pkg/scheduler/framework/session_plugins.go",
    )
    spared_victims: Literal["seen", "missed"] = behaviour(
        "seen",
        {Release.V1_15: "missed"},
        decides="Whether Kubernetes' plugins see a pod on its node whose eviction was rolled back in the session.",
        why="A pod is not counted on a node any more where reserving something for it fails, as it always does for a "
        "running pod.",
        source="pkg/scheduler/plugins/predicates/predicates.go",
    )


@dataclass(frozen=True, slots=True)
class StatementBehaviours:
    """The behaviours of statements."""

    failed_pipeline: Literal["stands", "rolled-back"] = behaviour(
        "stands",
        {Release.V1_15: "rolled-back"},
        decides="What becomes of a task that is promised room where a plugin then fails to reserve what it needs.",
        why="The task took up room on the node until the session ended, and its job counted it (#5073).",
        source="pkg/scheduler/framework/statement.go",
    )


@dataclass(frozen=True, slots=True)
class EnqueueBehaviours:
    """The behaviours of the action enqueue, and of what takes jobs out of their queues again."""

    inqueue_jobs: Literal["stay", "leave-at-once", "leave-after-timeout", "leave-to-others"] = behaviour(
        "stay",
        {},
        proposals={
            "leave-at-once": "pull request 5777: an action dequeue after all others, and 5 minutes away",
            "leave-after-timeout": "pull request 5101: a plugin inqueuetimeout, here with the 10 minutes of issue 5006",
            "leave-to-others": "pull request 5529: the action enqueue takes out what is Inqueue for 5 minutes",
        },
        decides="What becomes of a job that was admitted to its queue and cannot be placed: it stays Inqueue and keeps "
        "its room in the queue, it is Pending again at the end of the session and may not come back for 5 minutes, "
        "it is Pending again once it was Inqueue for 10 minutes without a pod that is placed, or the action enqueue "
        "begins with making each job Pending that was Inqueue for 5 minutes, and then admits jobs in their order. The "
        "annotation volcano.sh/inqueue-timeout of a PodGroup sets another time, for the last one in seconds.",
        why="Jobs that never fit block their queue for all others (issues 4471, 5006 and 5330).",
        source="pkg/scheduler/actions/enqueue/enqueue.go",
    )


@dataclass(frozen=True, slots=True)
class DequeueBehaviours:
    """The behaviours of queues that the action allocate takes jobs from."""

    jobs_behind_failed: Literal["tried", "by-strategy"] = behaviour(
        "tried",
        {},
        proposals={"by-strategy": "pull request 4580: dequeueStrategy is read, and may be priorityfifo, too"},
        decides="Whether allocate looks at the dequeueStrategy of a queue. Where a job gets no place in one that is "
        "fifo, no job of the same or a lower priority is tried there in this session; where it is priorityfifo, no job "
        "of a lower one. As no schema has that value, it is the annotation volcano.sh/dequeue-strategy: priorityfifo "
        "of the queue.",
        why="Large jobs at the head of a queue starve while smaller ones behind them take what becomes free (#4572).",
        source="pkg/scheduler/actions/allocate/allocate.go",
    )
