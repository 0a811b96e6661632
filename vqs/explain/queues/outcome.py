"""The result of `vqs explain-queue`: the document that `--format json` prints.

Units are those of `vqs.explain.outcome`: cpu in cores, memory in bytes, everything else as a count; a missing resource
is absent, an unlimited one null.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from vqs.explain.jobs.waiting_outcome import WaitingJob
from vqs.explain.outcome import Amounts, AwaitedResult, DiagnosticResult, OfJob, QueueResult, Result, SessionInfo

# --- how deserved came about ------------------------------------------------------------------------------------------


class RoundStep(Result, kw_only=True, omit_defaults=False):
    """What one round gave one queue; each amount is made of the one before it.

    `before` + `fraction` of what remains is `offered`; cut to realCapability it is `capped`, cut to the request
    `wanted`, raised to the guarantee `deserved`. The lists name the resources of which that changed the amount.
    """

    queue: str
    weight: int
    fraction: float
    before: Amounts
    offered: Amounts
    capped: Amounts
    wanted: Amounts
    deserved: Amounts
    cut_by_real_capability: list[str]
    cut_by_request: list[str]
    raised_by_guarantee: list[str]
    met: Literal["request", "limit"] | None
    """Why the queue takes no part in later rounds: its request is met, or the round changed nothing."""


class Round(Result, kw_only=True, omit_defaults=False):
    """One round of proportion: what remains is handed out by weight among the queues that want more."""

    number: int
    remaining: Amounts
    total_weight: int
    steps: list[RoundStep]
    left: Amounts


class Division(Result, kw_only=True, tag_field="plugin", tag="proportion", omit_defaults=False):
    """How proportion divided the cluster among the queues that have jobs.

    `unguaranteed` is what the guarantees of all queues leave of the total; with its own guarantee, that is the most a
    queue may have: its realCapability, unless its capability is less.
    """

    total: Amounts
    guaranteed: Amounts
    unguaranteed: Amounts
    rounds: list[Round]


class QueueLimits(Result, kw_only=True, omit_defaults=False):
    """How capacity settled the limits of one queue.

    Attributes:
        available: what the queue above may have; in a flat list of queues the cluster's total, for the root nothing.
        guaranteed: the guarantees of all queues beside it, and its own.
        unreserved: what these leave of `available`, and its own guarantee.
        configured_capability: the capability in its spec.
        inherited_capability: the resources of which it has the capability of the queue above.
        capability: the capability in effect.
        real_capability: `unreserved` cut to `capability`.
        limited_by: for each resource, the queue of the chain whose capability, or whose neighbours' guarantees, make
            the limit as low as it is; the cluster is an empty text, and a resource without a limit absent.
        configured_deserved: what its spec says it deserves.
        children_deserved: the sum over the queues below.
        guarantee: what it is guaranteed; for the root, the sum over the queues below.
        deserved: what it deserves.
    """

    queue: str
    parent: str
    available: Amounts
    guaranteed: Amounts
    unreserved: Amounts
    configured_capability: Amounts
    inherited_capability: list[str]
    capability: Amounts
    real_capability: Amounts
    limited_by: dict[str, str]
    configured_deserved: Amounts
    children_deserved: Amounts
    guarantee: Amounts
    deserved: Amounts


class Chain(Result, kw_only=True, tag_field="plugin", tag="capacity", omit_defaults=False):
    """How capacity settled the limits of a queue and of those above it, from the root down.

    Where queues are not a tree, there is only the queue itself.
    """

    tree: bool
    total: Amounts
    queues: list[QueueLimits]


# --- the gate ---------------------------------------------------------------------------------------------------------


class GateAccount(Result, kw_only=True, omit_defaults=False):
    """The account of a job at one gate: minimum + allocated + inqueue - elastic, against the limit.

    It is drawn up as the job asks, so what entered before it counts. `min_resources` is the job's minResources; only
    what it asks for is compared. For overcommit there is no queue, and the limit is the idle part of the enlarged
    cluster.
    """

    plugin: str
    queue: str
    min_resources: Amounts
    allocated: Amounts
    inqueue: Amounts
    elastic: Amounts
    total: Amounts
    limit: Amounts
    exceeding: list[str]


class JobGate(OfJob, kw_only=True, omit_defaults=False):
    """A job that asked to enter, with the accounts in the order in which they were drawn up; the first no decides."""

    queue: str
    admitted: bool
    code: str
    """The verdict's code where it did not enter, else empty."""
    checks: list[GateAccount]


class Holder(OfJob, kw_only=True, omit_defaults=False):
    """What a job has reserved in the queue, and what it holds beyond its minimum, which is taken off."""

    queue: str
    phase: str
    inqueue: Amounts
    elastic: Amounts


class EnqueueLedger(Result, kw_only=True, omit_defaults=False):
    """Admission to a queue: what it holds and has promised when the session closes, and the room that is left.

    `room` is realCapability - allocated - inqueue + elastic: the largest minResources that would still get in, at this
    queue alone.
    """

    allocated: Amounts
    inqueue: Amounts
    elastic: Amounts
    real_capability: Amounts
    room: Amounts
    holders: list[Holder]
    jobs: list[JobGate]


# --- what it can still take -------------------------------------------------------------------------------------------


class RoleLimit(Result, kw_only=True, omit_defaults=False):
    """One limit for the tasks of a role, and how many more of them it leaves room for.

    Attributes:
        kind: which limit: what the queue deserves, a real capability, or the idle room of suitable nodes.
        queue: whose limit; empty for nodes.
        enforced: whether it limits a task; with capacity, a queue may hold more than it deserves.
        room: what is left, at most on one node for nodes.
        excess: what the queue holds beyond it.
        tasks: how many such tasks fit; null without a limit.
        resource: what runs out first.
    """

    kind: Literal["deserved", "realCapability", "nodes"]
    queue: str
    enforced: bool
    room: Amounts
    excess: Amounts
    tasks: int | None
    resource: str


class PendingRole(OfJob, kw_only=True, omit_defaults=False):
    """The tasks of a job that have no place and ask for the same.

    Attributes:
        tasks: their number.
        request: what each asks for.
        limits: what limits them.
        fitting: how many of them the strictest enforced limit leaves room for.
        strictest: which that is, as its place in `limits`; null where none limits them.
        largest_request: the largest such task that every enforced limit would let through, of each resource it asks
            for.
    """

    queue: str
    role: str
    tasks: int
    request: Amounts
    limits: list[RoleLimit]
    fitting: int
    strictest: int | None
    largest_request: Amounts
    verdict: str


class AwaitedOfJob(AwaitedResult, kw_only=True):
    """The pods of a job of the queue, or of one below it, that do not exist yet, so that no limit applies to them.

    Attributes:
        job: the namespace/name of its PodGroup.
        display_name: what the job is called.
        queue: its queue.
    """

    job: str
    display_name: str = ""
    queue: str

    @property
    def called(self) -> str:
        """What people call the job; documents of before have no such name."""
        return self.display_name or self.job


class Excess(Result, kw_only=True, omit_defaults=False):
    """What a queue holds beyond what it may have when the session closes, and how that came about.

    Attributes:
        at_open: what it held beyond it when the session opened.
        reclaimed: what the action reclaim, which does not ask for this limit, promised to its jobs in this session.
    """

    queue: str
    excess: Amounts
    at_open: Amounts
    reclaimed: Amounts


# --- order and reclaim ------------------------------------------------------------------------------------------------


class Place(Result, kw_only=True, omit_defaults=False):
    """A queue's place among those that have jobs, when the session opens, and what put it behind the one before it.

    `criterion` is what was compared: the queues' priority, the share, whether anything is deserved, in drf's hierarchy
    what is saturated or the share by weight, age, or the name; empty for the first. `compared_queues` are the two
    queues it was compared of: themselves, or in a tree the ones above them where their ways part, of drf's hierarchy as
    paths; `values` what was found.
    """

    queue: str
    position: int
    criterion: Literal["", "priority", "share", "deserved", "saturated", "weighted-share", "created", "name"] = ""
    compared_queues: list[str] = msgspec.field(default_factory=list)
    values: list[str] = msgspec.field(default_factory=list)


class Reclaim(Result, kw_only=True, omit_defaults=False):
    """What could be taken from the queue, and what it could ask back, when the session closes.

    Attributes:
        configured: whether the action reclaim runs.
        reclaimable: whether spec.reclaimable lets others take anything.
        surplus: what it holds beyond both what it deserves and its guarantee.
        deficit: what it deserves and does not hold.
        running: the number of its running tasks; of these, `preemptable` may be evicted.
        evicted_for_queue: the number of tasks of other queues that were evicted in its favour in this session.
        evicted_from_queue: the number of its tasks that were evicted in favour of other queues.
    """

    configured: bool
    reclaimable: bool
    surplus: Amounts
    deficit: Amounts
    running: int
    preemptable: int
    evicted_for_queue: int
    evicted_from_queue: int


# --- metrics ----------------------------------------------------------------------------------------------------------


class QueueMetrics(Result, kw_only=True):
    """What the scheduler exports of a queue when the session closes; what it does not export is left out.

    Units are the scheduler's own, unlike all others here: millicores, bytes, pods, and thousandths of everything else.
    An unlimited amount is null.
    """

    queue: str
    allocated: Amounts | None = None
    request: Amounts | None = None
    deserved: Amounts | None = None
    capacity: Amounts | None = None
    real_capacity: Amounts | None = None
    share: float | None = None
    weight: int | None = None
    overused: bool | None = None


# --- the document -----------------------------------------------------------------------------------------------------


class QueueExplanation(Result, kw_only=True, omit_defaults=False):
    """One queue, explained; `queue_path` names it and the queues above it, `excesses` those of them that hold too much.

    `pending` are the tasks that there are and that have no place; those of `awaited` come later. `jobs` are the jobs
    that wait, with all that keeps them, as `vqs explain-job` lists them.
    """

    name: str
    queue_path: list[str]
    excesses: list[Excess]
    derivation: Division | Chain
    admission: EnqueueLedger
    pending: list[PendingRole]
    jobs: list[WaitingJob] = msgspec.field(default_factory=list)
    awaited: list[AwaitedOfJob] = msgspec.field(default_factory=list)
    queue_order: list[Place]
    reclaim: Reclaim


class QueueSpec(Result, kw_only=True, omit_defaults=False):
    """What the spec of a queue says; amounts that it does not give are missing."""

    name: str
    parent: str
    weight: int
    priority: int
    state: str
    reclaimable: bool
    capability: Amounts
    deserved: Amounts
    guarantee: Amounts


class QueueReport(Result, tag_field="schema", tag="vqs/queues/v2", kw_only=True):
    """The queues of a snapshot, and one of them explained.

    `queues` are those the queue plugin looked at, the ones below a queue right after it. `plugin` is empty where
    neither proportion nor capacity is configured. `metrics` has all queues. A queue that was asked for and that no
    plugin looked at is not `explained`; then `spec` is all that is known of it. `awaited` are the pods, of
    all queues, that do not exist yet. `answer` says in a few sentences what the queue gets and what it is short of, or
    without a queue, which queues are full and which are short.
    """

    volcano: str
    scenario: str
    session: SessionInfo
    answer: str = ""
    plugin: str
    tree: bool
    queues: list[QueueResult]
    explained: QueueExplanation | None = None
    spec: QueueSpec | None = None
    awaited: list[AwaitedOfJob] = msgspec.field(default_factory=list)
    metrics: list[QueueMetrics]
    diagnostics: list[DiagnosticResult]
