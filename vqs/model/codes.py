"""The codes of verdicts and refusals, as every result publishes them.

What each verdict means stands in `vqs.explain.verdict_rules`, what each refusal to evict says in `vqs.explain.votes`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class VerdictCode(StrEnum):
    """Why a task or a job is not placed."""

    NO_POD_GROUP = "no-pod-group"
    UNKNOWN_QUEUE = "unknown-queue"
    UNKNOWN_DEVICE_CLAIM = "unknown-device-claim"
    NOT_ENQUEUED = "not-enqueued"
    LEFT_QUEUE = "left-queue"
    PODS_NOT_CREATED = "pods-not-created"
    API_SERVER_REFUSES_PODS = "api-server-refuses-pods"
    NOT_ENQUEUED_CAPABILITY = "not-enqueued-capability"
    NOT_ENQUEUED_OVERCOMMIT = "not-enqueued-overcommit"
    NOT_ENQUEUED_QUOTA = "not-enqueued-quota"
    NOT_ENQUEUED_EXTENDER = "not-enqueued-extender"
    QUEUE_CLOSED = "queue-closed"
    QUEUE_OVERUSED = "queue-overused"
    QUEUE_OVERUSED_EXTENDER = "queue-overused-extender"
    QUEUE_LIMIT = "queue-limit"
    QUEUE_CAPABILITY = "queue-capability"
    SCHEDULER_STANDS_STILL = "scheduler-stands-still"
    BEHIND_FAILED_JOB = "behind-failed-job"
    GANG_TOO_SMALL = "gang-too-small"
    GATED = "gated"
    LEFT_TO_BACKFILL = "left-to-backfill"
    PRE_PREDICATE_FAILED = "pre-predicate-failed"
    RESERVE_FAILED = "reserve-failed"
    HYPER_NODES_NOT_READY = "hyper-nodes-not-ready"
    NO_HYPER_NODE = "no-hyper-node"
    NO_NODE_FITS = "no-node-fits"
    SCORES_FAILED = "scores-failed"
    FRAGMENTED = "fragmented"
    LARGER_THAN_ANY_NODE = "larger-than-any-node"
    ROLE_FAILED = "role-failed"
    GANG_DISCARDED = "gang-discarded"
    WAITS_FOR_GANG = "waits-for-gang"
    WAITS_FOR_RELEASE = "waits-for-release"
    TAKEN_BACK = "taken-back"
    EVICTED = "evicted"
    BIND_FAILED = "bind-failed"
    NEVER_CONSIDERED = "never-considered"
    RESOURCE_ON_NO_NODE = "resource-on-no-node"
    CLUSTER_FULL = "cluster-full"
    GANG_EXCEEDS_CLUSTER = "gang-exceeds-cluster"
    GANG_EXCEEDS_QUEUE = "gang-exceeds-queue"
    OTHER_SCHEDULER = "other-scheduler"
    RESERVED_NOT_BOUND = "reserved-not-bound"


class EvictionCode(StrEnum):
    """Why an action looks for no victims, or a plugin spares a task; no task waits for these alone."""

    NOBODY_STARVES = "nobody-starves"
    NOT_STARVING = "not-starving"
    JOB_WITH_NETWORK_TOPOLOGY = "job-with-network-topology"
    EVICTIONS_NOT_TRIED = "evictions-not-tried"
    PREEMPTION_POLICY_NEVER = "preemption-policy-never"
    NOMINATED_NODE_MISSING = "nominated-node-missing"
    NOMINATED_NODE_OPEN = "nominated-node-open"
    NOMINATED_NODE_BEING_EMPTIED = "nominated-node-being-emptied"
    QUEUE_NOT_PREEMPTIVE = "queue-not-preemptive"
    GANG_DOES_NOT_FIT = "gang-does-not-fit"
    GANGS_NOT_BROKEN = "gangs-not-broken"
    NEEDED_BY_ITS_GANG = "needed-by-its-gang"
    PRIORITY_NOT_LOWER = "priority-not-lower"
    CRITICAL_POD = "critical-pod"
    SHARE_WOULD_BE_SMALLER = "share-would-be-smaller"
    QUEUE_NOT_AFTER_OTHER = "queue-not-after-other"
    QUEUE_WITHIN_DESERVED = "queue-within-deserved"
    BELOW_THE_SAME_QUEUE = "below-the-same-queue"
    NO_COMMON_RESOURCE = "no-common-resource"
    QUEUE_GUARANTEE = "queue-guarantee"
    COOLING_DOWN = "cooling-down"
    NO_LABELS = "no-labels"
    DISRUPTION_BUDGET = "disruption-budget"
    PREEMPTOR_IS_PREEMPTABLE = "preemptor-is-preemptable"
    ON_REVOCABLE_NODE = "on-revocable-node"
    NOT_RUNNING = "not-running"
    EVICTIONS_OF_JOB = "evictions-of-job"
    SPARED_BY_EXTENDER = "spared-by-extender"


EXTENDER_NOT_ASKED: Final = "extender-not-asked"
EXTENDER_FAILED: Final = "extender-failed"
NODES_SAMPLED: Final = "node-sample"
USAGE_UNKNOWN: Final = "usage-unknown"
"""The notices that decisions of the plugin extender are missing, and that they are not what its server wanted."""

UNKNOWN_PLUGIN: Final = "unknown-plugin"
NOT_MODELLED: Final = "not-built"
ACTION_LEFT_OUT: Final = "action-left-out"
MISSING_KIND: Final = "missing-kind"
VOLUMES_UNKNOWN: Final = "volumes-unknown"
NO_NODE_SHARD: Final = "no-node-shard"
"""The notices that something of the configuration is ignored, and that the scheduler's shard does not exist."""


class OwnCode(StrEnum):
    """Base of the codes of a plugin or an action from outside the package, see `vqs.extensions`."""


RefusalCode = VerdictCode | EvictionCode | OwnCode
