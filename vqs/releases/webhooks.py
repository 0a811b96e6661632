"""What releases decide differently in the webhooks: which objects they admit, and which defaults they write."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vqs.releases.release import Release, behaviour

_QUEUES = "pkg/webhooks/admission/queues/validate/validate_queue.go"
_JOBS = "pkg/webhooks/admission/jobs/validate/admit_job.go"


@dataclass(frozen=True, slots=True)
class WebhookBehaviours:
    """The behaviours of the webhooks for queues and for Jobs."""

    queue_own_amounts: Literal["unchecked", "checked"] = behaviour(
        "unchecked",
        {Release.V1_13: "checked"},
        decides="Whether the webhook compares capability, deserved and guarantee of a queue with each other.",
        why="A queue that deserves more than it may have was admitted.",
        source=_QUEUES,
    )
    queue_amounts: Literal["lists", "resources"] = behaviour(
        "lists",
        {Release.V1_14: "resources"},
        decides="How the webhook compares capability, deserved and guarantee of a queue: as whole lists, where a "
        "resource that a list does not name counts as 0, or resource by resource, where it has no limit.",
        why="A queue could not limit cpu alone and deserve memory (pull request 4973).",
        source=_QUEUES,
    )
    guarantee_without_deserved: Literal["admitted", "denied"] = behaviour(
        "admitted",
        {Release.V1_14_0: "denied"},
        decides="Whether the webhook admits a queue with a guarantee that deserves nothing.",
        why="A guarantee is part of what a queue deserves.",
        source=_QUEUES,
    )
    queue_quantities: Literal["unchecked", "checked"] = behaviour(
        "unchecked",
        {Release.V1_14_0: "checked"},
        decides="Whether the webhook denies amounts of a queue that are negative, or fractions of what is counted in "
        "whole numbers.",
        why="The scheduler calculated with negative amounts.",
        source=_QUEUES,
    )
    queue_parent_itself: Literal["admitted", "denied"] = behaviour(
        "admitted",
        {Release.V1_14_0: "denied"},
        decides="Whether the webhook lets a queue become its own parent.",
        why="Such a queue crashes the scheduler (pull request 4697).",
        source=_QUEUES,
    )
    queue_depth: Literal["unlimited", "limited"] = behaviour(
        "unlimited",
        {Release.V1_14: "limited"},
        decides="Whether the webhook limits how many levels below the root a queue may be (--max-queue-depth, 5).",
        why="The scheduler walks the tree in every session (pull request 4973).",
        source=_QUEUES,
    )
    root_queue_amounts: Literal["changeable", "fixed"] = behaviour(
        "changeable",
        {Release.V1_14: "fixed"},
        decides="Whether capability, deserved and guarantee of the root queue can be changed.",
        why="The scheduler calculates what the root queue has (--enable-root-queue-protection; pull request 4973).",
        source=_QUEUES,
    )
    capability_above: Literal["unchecked", "parent", "nearest-ancestor"] = behaviour(
        "unchecked",
        {Release.V1_14_0: "parent", Release.V1_14: "nearest-ancestor"},
        decides="With what the webhook compares the capability of a queue: with nothing, with that of its parent, "
        "where a resource that the parent does not name counts as 0, or with the nearest ancestor that limits the "
        "resource.",
        why="A tree with a higher capability below kept the scheduler from scheduling anything (pull request 4864); "
        "then no child of a parent without capability could have one (4973).",
        source=_QUEUES,
    )
    children_sums: Literal["unchecked", "else-capability", "own"] = behaviour(
        "unchecked",
        {Release.V1_14_0: "else-capability", Release.V1_14: "own"},
        decides="With what the webhook compares the guarantee, and what is deserved, of all children of a queue in "
        "total: with nothing, with that of the queue or, where it has none, its capability, or only with its own.",
        why="A tree with larger sums below kept the scheduler from scheduling anything (pull request 4864).",
        source=_QUEUES,
    )
    mpi_worker: Literal["required", "optional"] = behaviour(
        "required",
        {Release.V1_15: "optional"},
        decides="Whether a Job with the plugin mpi has to have the task of the workers.",
        why="An MPI Job may have a master only (pull request 4956).",
        source=_JOBS,
    )
    partition_minimum: Literal["zero", "replicas"] = behaviour(
        "zero",
        {Release.V1_14: "replicas"},
        decides="The minAvailable of a task whose partitionPolicy has no minPartitions: 0, and nothing else is "
        "admitted, or all replicas.",
        why="The task lost its gang guarantee (pull request 5402).",
        source="pkg/webhooks/admission/jobs/mutate/mutate_job.go",
    )
