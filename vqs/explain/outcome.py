"""The result of a simulation: the document that `vqs simulate --format json` prints.

Cpu is given in cores, memory in bytes, everything else as a count. A resource that is missing is absent from a
mapping; one without a limit is null.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NamedTuple, TypeVar

import msgspec

from vqs.model import moments
from vqs.model.job import WAITING_STATUSES, Job, Task
from vqs.model.resource import (
    CPU,
    CSI_VOLUMES,
    MEMORY,
    PODS,
    UNLIMITED,
    UNLIMITED_SCALAR,
    UNLIMITED_VOLUMES,
    Resource,
)
from vqs.model.wording import count, written

if TYPE_CHECKING:  # commands that run no session write documents, too
    from vqs.engine.framework.finished import FinishedSession

Amounts = dict[str, float | None]
"""Amount by resource name; null is unlimited."""

Decision = Literal["committed", "pipelined", "discarded", "partially-committed", "not-considered", "not-enqueued"]


class Result(msgspec.Struct, rename="camel", omit_defaults=True):
    """Base of the result's parts: camelCase in JSON, and what is unset is left out."""


class OfJob(Result, kw_only=True):
    """Base of what is about one job: `job` is the namespace/name of its PodGroup, `display_name` what it is called."""

    job: str
    display_name: str = ""

    @property
    def called(self) -> str:
        """What people call the job; documents of before have no such name."""
        return self.display_name or self.job


class Owner(Result, kw_only=True, omit_defaults=False):
    """The controller that a job is called after."""

    api_version: str
    kind: str
    name: str


class SessionInfo(Result, kw_only=True):
    """What was run, and on how much."""

    actions: list[str]
    tiers: list[list[str]]
    now: str
    seed: int | None
    nodes: int
    queues: int
    jobs: int
    tasks: int
    total_resource: Amounts
    configuration: str
    """Where the scheduler configuration came from: a file, or "built-in"."""
    standstill: str = ""
    """Why nothing at all is scheduled, where that is so."""
    sessions: int = 1
    """How many sessions this is the outcome of: more than one where pods were created in between."""
    behaviours: dict[str, str] = msgspec.field(default_factory=dict)
    """The behaviours that have another value than in the release that is modelled, and this value."""
    node_order_drawn: bool = False
    """Whether the seed has drawn an order in which nodes were walked for evictions; else it is that of their names."""


@dataclass(frozen=True)
class Figure:
    """Makes an amount of a queue a column of all tables, in a terminal and on pages: its place, and when it is shown.

    Where the queue has it when the session opens and when it closes, tables tell both.
    """

    place: int
    title: str
    shown: Literal["always", "where there is any", "where it is less than all", "with everything"] = "always"


class QueueOpened(Result, kw_only=True):
    """A queue's attributes when the session opens, as far as the queue plugin keeps them."""

    deserved: Annotated[Amounts, Figure(1, "deserved")]
    allocated: Annotated[Amounts, Figure(2, "allocated")]
    request: Annotated[Amounts, Figure(5, "request")]
    inqueue: Annotated[Amounts, Figure(6, "inqueue", "with everything")]
    elastic: Annotated[Amounts, Figure(7, "elastic", "with everything")]
    capability: Amounts
    real_capability: Annotated[Amounts, Figure(4, "limit", "where it is less than all")]
    guarantee: Annotated[Amounts, Figure(3, "guarantee", "where there is any")]
    share: float


class QueueClosed(Result, kw_only=True):
    """A queue's attributes when the session closes.

    `allocated`, `share` and `overused` are as the plugin counts: what is only `reserved` for tasks is a part of them.
    """

    allocated: Amounts
    reserved: Amounts = {}
    inqueue: Amounts
    share: float
    overused: bool


class QueueResult(Result, kw_only=True):
    """One queue the queue plugin looked at."""

    name: str
    parent: str = ""
    weight: int
    priority: int
    state: str
    reclaimable: bool
    opened: QueueOpened
    closed: QueueClosed
    facts: list[str] = msgspec.field(default_factory=list)
    """The share that it holds, in words, and what is set on it or unusual about it."""

    @property
    def held(self) -> Amounts:
        """What tasks of the queue hold when the session closes, without what is only reserved for some."""
        return without(self.closed.allocated, self.closed.reserved)

    @property
    def deserves_nothing(self) -> bool:
        """Whether its share says nothing: it deserves nothing, and holds something, or is as if it held all of that."""
        deserved = (value for name, value in self.opened.deserved.items() if name != PODS)
        tells = self.opened.share >= 1 or any(self.opened.allocated.values())
        return tells and not any(value != 0 for value in deserved)

    def largest_part(self, amounts: Amounts) -> tuple[str, float]:
        """The resource of which amounts are the largest part of what it deserves, and that part; empty for none."""
        parts = {name: (amounts.get(name) or 0.0) / of for name, of in self.opened.deserved.items() if of}
        name = max(parts, key=lambda each: parts[each], default="")
        return name, parts.get(name, 0.0)

    @property
    def held_share(self) -> float:
        """The part of what it deserves that it holds when the session closes."""
        if not self.closed.reserved:
            return self.closed.share
        _, part = self.largest_part(self.held)
        return min(part, self.closed.share)


def without(amounts: Amounts, less: Amounts) -> Amounts:
    """Some amounts without others, which are a part of them."""
    return {
        name: value if value is None else max(round(value - (less.get(name) or 0.0), 9), 0.0)
        for name, value in amounts.items()
    }


class Verdict(Result, kw_only=True):
    """Why a task is not placed: the gate that stopped it, and the figures it was judged by.

    `node` is the node that came closest, where nodes refused it. `log` is the line to look for in the scheduler's log,
    at the verbosity given with it.
    """

    code: str
    action: str = ""
    plugin: str = ""
    queue: str = ""
    resource: str = ""
    need: float | None = None
    have: float | None = None
    node: str = ""
    text: str
    log: str = ""
    verbosity: int | None = None


class AwaitedResult(Result, kw_only=True):
    """The pods of a job that do not exist yet: how many, what they ask for together, and what has to happen first.

    `created_next` counts those that the controller creates before the next session, as this one has admitted the
    PodGroup.
    """

    pods: int
    request: Amounts
    waits_for: Literal["admission", "dependencies", "order", "refused"]
    created_next: int = 0


class Outlook(Result, kw_only=True, omit_defaults=False):
    """What becomes of a job in the sessions that follow, when only the scheduler and the controllers act.

    Attributes:
        sessions: how many sessions were looked at, this one included; as many as `simulate --cycles` would run.
        starts_in_session: the first session that binds its minimum, 1 is this one; 0 where it ran before, null where
            none of them does.
        settled: whether the last of them changes nothing, so that all that follow are the same.
        pods_bound: how many of its pods have a node after the last of them, those that had one before included.
        pods_evicted: how many pods are evicted in its favour in these sessions.
        sessions_evicting: in how many of them.
        sessions_reserving: in how many of them nodes are reserved for it.
        waits_for: the pods that have to be gone before it starts; empty where there are none, or it never starts.
        says: what becomes of the job, in words that go on after its name; empty where it starts now, or ran before.
    """

    sessions: int
    starts_in_session: int | None
    settled: bool
    pods_bound: int
    pods_evicted: int = 0
    sessions_evicting: int = 0
    sessions_reserving: int = 0
    waits_for: list[str] = msgspec.field(default_factory=list)
    says: str = ""


class Blocker(Result, kw_only=True):
    """Something that would keep a job from being placed if all else were lifted.

    Attributes:
        code: what it is; `vqs rule` explains it.
        impossible: whether it would keep the job, or some of its tasks, from being placed even if nothing else ran.
        blocks_min_available: whether it is impossible, and leaves too few tasks for the job to start at all.
        owner: whose change would lift it: that of the job, the queue or the cluster; or time, as other jobs end or the
            next session comes.
        resource: which resource is short; empty where none is.
        need: how much of it is needed.
        have: how much there is.
        queue: the queue whose limit it is; empty where it is none's.
        node: the closest node that could ever hold the task; empty where none is meant.
        tasks: how many of the job's tasks it stops.
        text: the same as a sentence.
    """

    code: str
    impossible: bool = False
    blocks_min_available: bool = False
    owner: Literal["cluster", "queue", "job", "time"]
    resource: str = ""
    need: float | None = None
    have: float | None = None
    queue: str = ""
    node: str = ""
    tasks: int = 0
    text: str


class JobResult(Result, kw_only=True):
    """One job. `unschedulable` is the message of the condition of that name, where this session writes one.

    `name` is that of its PodGroup, `display_name` the namespace and name that people know it by: those of `owner`, the
    controller that it comes from, where it has one. `blockers` is all that keeps it, or some of its tasks, from being
    placed, the impossible first; the first one is the headline. `outlook` is there where nodes are reserved for it.
    `never_evicting` are the configured actions that evict no task for it, as its tasks have preemptionPolicy Never.
    """

    namespace: str
    name: str
    display_name: str = ""
    owner: Owner | None = None
    queue: str
    min_available: int
    priority: int
    phase_before: str
    phase: str
    decision: Decision
    unschedulable: str | None = None
    ready: int
    tasks: int
    awaited: AwaitedResult | None = None
    verdict: Verdict | None = None
    blockers: list[Blocker] = []
    outlook: Outlook | None = None
    never_evicting: list[str] = []
    says: str = ""
    """What became of it, where that tells more than its decision, such as how many tasks it loses."""
    waits: bool = False
    """Whether it waits or loses tasks; one whose pods all exist and stay as they are does not."""
    reason: str = ""
    """Why it did not get what it wants, and what becomes of it; empty where it did."""

    @property
    def uid(self) -> str:
        """The namespace and name of its PodGroup."""
        return f"{self.namespace}/{self.name}"

    @property
    def called(self) -> str:
        """What people call the job; documents of before have no such name."""
        return self.display_name or self.uid

    def spellings(self) -> list[str]:
        """Return what people may name the job by, with its namespace; what it is called comes first."""
        after = [] if self.owner is None else [f"{self.namespace}/{self.owner.name}"]
        return list(dict.fromkeys([self.called, self.uid, *after]))


class FitErrorResult(Result, kw_only=True):
    """Why a task fits nowhere: the number of nodes that gave each reason."""

    nodes: int
    reasons: dict[str, int]


class TaskResult(Result, kw_only=True):
    """One task. `message` is what the scheduler says of this task alone; `tied_nodes` how many nodes scored alike.

    `pod_scheduled` and `pod_scheduled_reason` are message and reason of the pod's condition PodScheduled once the
    session is over, as `kubectl describe pod` shows them: where `message` is empty, what is said of the job as a whole.
    They are absent where the session writes no such condition.

    `waits_for` names what has to leave the node before a pipelined task can go there: what was evicted there for it,
    else all that is on its way out. `request` is what it asks for, only where the nodes were asked for.
    """

    namespace: str
    name: str
    job: str
    role: str = ""
    queue: str
    status_before: str
    status: str
    node: str | None = None
    message: str = ""
    pod_scheduled: str | None = None
    pod_scheduled_reason: str | None = None
    verdict: Verdict | None = None
    fit_errors: FitErrorResult | None = None
    tied_nodes: int | None = None
    waits_for: list[str] = []
    request: Amounts = {}


class OperationResult(Result, kw_only=True):
    """One step of a statement.

    Of an eviction, `evictor` is the task in whose favour it is, `tier` the tier of plugins that decided, counted from
    1, and `votes` tells by plugin that the task may go ("taken"), or the code of why it is spared.
    """

    op: Literal["allocate", "pipeline", "evict"]
    task: str
    node: str
    reason: str = ""
    evictor: str = ""
    tier: int | None = None
    votes: dict[str, str] = {}


class StatementResult(OfJob, kw_only=True):
    """Steps that take effect together, or not at all."""

    id: int
    action: str
    result: Literal["commit", "keep", "discard"]
    operations: list[OperationResult]


class DiagnosticResult(Result, kw_only=True):
    """Something the user should know about the input or the session.

    Attributes:
        elsewhere: in a report on a job or a queue, it is about others, and changes nothing for this one.
    """

    code: str
    severity: Literal["error", "warning", "note"]
    message: str
    file: str = ""
    line: int | None = None
    column: int | None = None
    path: str = ""
    help: str = ""
    elsewhere: bool = False


class ExpectationResult(Result, kw_only=True, omit_defaults=False):
    """One thing that was expected, what was found, and whether that is the same; file and line are where it stands."""

    expect: str
    found: str
    ok: bool
    file: str
    line: int


class Utilisation(Result, kw_only=True, omit_defaults=False):
    """How full a resource is, between 0 and 1, when the session opens and when it closes.

    What is stranded is the part of the idle amount, between 0 and 1, on nodes without room for the typical task.
    """

    resource: str
    total: float
    used_before: float
    used_after: float
    stranded_before: float
    stranded_after: float


class NodeResult(Result, kw_only=True):
    """A node: what it has, and what was used when the session opened and when it closed.

    Among its pods are those that wait for what is being released on it; what they ask for is not used yet. `groups`
    says where it belongs, as its labels and the HyperNodes tell: to which pool, zone, rack, HyperNode of a tier.
    """

    name: str
    groups: dict[str, str] = msgspec.field(default_factory=dict)
    unschedulable: bool = False
    allocatable: Amounts
    used_before: Amounts
    used: Amounts
    pods_before: int
    pods: int
    max_pods: int


class NodeInspection(Result, kw_only=True):
    """What a node was for a task when the task was tried: the reasons against it, else its score by plugin."""

    node: str
    reasons: list[str] = []
    idle: bool = False
    scores: dict[str, float] = {}
    total: float | None = None
    chosen: bool = False


class Inspection(Result, kw_only=True):
    """The nodes as they were when a task was tried, only for tasks that were asked for; none where it was not tried."""

    namespace: str
    name: str
    nodes: list[NodeInspection]


class Timing(Result, kw_only=True):
    """Seconds spent; session is open plus actions."""

    parse: float
    load: float
    open: float
    actions: dict[str, float]
    session: float
    report: float


class TaintEvictionResult(OfJob, kw_only=True):
    """A pod that Kubernetes evicts, not Volcano, for a NoExecute taint of its node; the session finds it running.

    `job` is the PodGroup that it names, `after_seconds` how long it tolerates the taint.
    """

    task: str
    job: str = ""
    node: str
    taint: str
    after_seconds: int = 0


class Affected(Result, kw_only=True, omit_defaults=False):
    """A job of which another number of pods is bound: without a change, and with it. `job` is what it is called."""

    job: str
    pods_before: int
    pods_after: int


class JobLoss(OfJob, kw_only=True, omit_defaults=False):
    """What a job loses by evictions: pods that had a node.

    Attributes:
        evicted: how many are evicted.
        pods_lost: how many are gone in the end: those, and the pods that the controller of the job deletes then.
        restarted: how many of these are made again, and begin anew.
        policy_action: what the policy of the job says, such as RestartJob; empty where it says nothing.
        policy_event: what the policy is for: PodEvicted, or PodFailed, which comes first where a kubelet stops the pod.
        sessions: in how many sessions, where all of this is so in several; else absent.
    """

    evicted: int
    pods_lost: int
    restarted: int
    policy_action: str = ""
    policy_event: str = ""
    sessions: int | msgspec.UnsetType = msgspec.UNSET

    @property
    def text(self) -> str:
        """The same in a sentence."""
        return self.told()

    def told(self, by: str = "") -> str:
        """The same in a sentence, with who evicts and for whom."""
        said = f"{self.called} loses {count(self.pods_lost, 'pod')}"
        said += f": {self.evicted:,} evicted" if self.pods_lost > self.evicted else " by eviction"
        said += by and f" {by}"
        if self.pods_lost > self.evicted:
            said += f", {self.pods_lost - self.evicted:,} more by its policy {self.policy_action}"
            if self.policy_event == "PodFailed":
                said += " for PodFailed (a kubelet ends a pod before it is gone)"
        if self.restarted == self.pods_lost:
            return f"{said}; all are created again, and have to be scheduled again"
        return f"{said}; {self.restarted or 'none'} of them created again"


class LeftToOthers(Result, kw_only=True, omit_defaults=False):
    """Pods without a node that ask for another scheduler, and are no job of this one.

    Attributes:
        name: the namespace and name of what controls them, or of the pod.
        pods: how many there are.
        schedulers: those that they ask for.
    """

    name: str
    pods: int
    schedulers: list[str]


class Simulation(Result, tag_field="schema", tag="vqs/simulation/v2", kw_only=True):
    """One scheduling session on one snapshot."""

    volcano: str
    scenario: str
    session: SessionInfo
    queues: list[QueueResult]
    jobs: list[JobResult]
    tasks: list[TaskResult]
    trace: list[StatementResult]
    diagnostics: list[DiagnosticResult]
    utilisation: list[Utilisation] = []
    nodes: list[NodeResult] = []
    """Only where they were asked for."""
    inspections: list[Inspection] = []
    taint_evictions: list[TaintEvictionResult] = []
    losses: list[JobLoss] = []
    """What each job loses by the evictions of the session."""
    left_to_others: list[LeftToOthers] = []
    """What waits for another scheduler."""
    expectations: list[ExpectationResult] = []
    timing: Timing | None = None

    def display_names(self) -> dict[str, str]:
        """Return what the jobs are called, by the namespace/name of their PodGroups."""
        return {job.uid: job.called for job in self.jobs}


class PodCondition(NamedTuple):
    """The reason and the message of a condition PodScheduled whose status is False."""

    reason: str
    message: str


GATED: Final = PodCondition("SchedulingGated", "Scheduling is blocked due to non-empty scheduling gates")


def pod_condition(session: FinishedSession, job: Job, task: Task) -> PodCondition | None:
    """The condition PodScheduled that the pod of a task shows after a session, None where the session writes none.

    When a session closes, the scheduler writes the condition of every task that is pending, allocated without being
    bound, or pipelined. Where nothing in particular is known of a task, its message is the sentence about its job as a
    whole. Of a pod with scheduling gates the scheduler leaves what the API server wrote when the pod was created.
    References: RecordJobStatusEvent in pkg/scheduler/cache/cache.go; pkg/registry/core/pod/strategy.go of Kubernetes.
    """
    if task.status not in WAITING_STATUSES:
        return None
    if task.scheduling_gated:
        return GATED
    reason, message = job.scheduling_reason(task)
    return PodCondition(reason, message or session.fit_error(job))


# --- from the scheduler's units to the user's: cores, bytes, counts; unlimited is None --------------------------------

Part = TypeVar("Part", bound=Result)

_THOUSANDTHS = 1000.0

NEARLY_UNLIMITED = UNLIMITED_SCALAR / 2
"""A capability of so much, in the scheduler's units, is no limit, whatever the resource."""


def amount(name: str, value: float | None) -> float | None:
    """Return an amount of a resource in the user's unit."""
    if value is not None and name.startswith(CSI_VOLUMES):
        return None if value >= UNLIMITED_VOLUMES else value
    if value is None or value >= (UNLIMITED if name in (CPU, MEMORY) else NEARLY_UNLIMITED):
        return None
    return value if name in (MEMORY, PODS) else value / _THOUSANDTHS


def amounts(resource: Resource) -> Amounts:
    """Return a resource in the user's units, cpu and memory first, then by name."""
    return {name: amount(name, resource.get(name)) for name in resource.dimensions()}


def given(resource: Resource | None) -> Amounts:
    """Return what a spec names of a resource, in the user's units: nothing of what it leaves out, or sets to zero."""
    return {} if resource is None else {name: value for name, value in amounts(resource).items() if value != 0}


def part_of(kind: type[Part], source: object, **own: Any) -> Part:
    """Return a part of the result: what is not its `own` is what the source calls so, in the user's units."""
    fields: dict[str, Any] = {name: getattr(source, name) for name in kind.__struct_fields__ if name not in own}
    return kind(**{name: amounts(each) if isinstance(each, Resource) else each for name, each in fields.items()}, **own)


def figure(resource: str, value: float | None) -> float | None:
    """Return an amount in the user's unit; where no resource is named, a count as it is."""
    return amount(resource, value) if resource else value


def in_words(name: str, value: float | None) -> str:
    """Return an amount as one would write it in a manifest."""
    return written(name, figure(name, value))


def timestamp(seconds: float) -> str:
    """Write a point in time, in seconds since 1970, in RFC 3339 and UTC."""
    return moments.timestamp(datetime.fromtimestamp(seconds, UTC))
