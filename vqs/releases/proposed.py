"""What is proposed for Volcano, and in no release and on no branch: values that only --behaviour switches on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vqs.releases.behaviour import behaviour


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


@dataclass(frozen=True, slots=True)
class OvercommitBehaviours:
    """The behaviours of the plugin overcommit."""

    queue_overcommit: Literal["ignored", "limits"] = behaviour(
        "ignored",
        {},
        proposals={"limits": "pull request 5810: the feature gate QueueScopedOvercommit"},
        decides="Whether the annotation volcano.sh/overcommit-factor of a queue limits what its jobs hold and are "
        "admitted for, of the resources that it deserves, to that many times of them; the argument "
        "max-queue-overcommit-factor bounds the factor.",
        why="One factor for the whole cluster fits neither queues that need predictable admission nor batch queues.",
        source="pkg/scheduler/plugins/overcommit/overcommit.go",
    )
