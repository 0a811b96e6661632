"""The result of comparing two sessions: the document that `vqs diff-configs --format json` prints.

Before is the base, after the candidate. Units are those of `vqs.explain.outcome`: cpu in cores, memory in bytes,
everything else as a count; a missing resource is absent, an unlimited one null. What is only on one side has null on
the other.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import msgspec

from vqs.explain.outcome import (
    Amounts,
    Decision,
    DiagnosticResult,
    OfJob,
    Owner,
    Result,
    SessionInfo,
    Utilisation,
    Verdict,
)
from vqs.lint.outcome import FindingResult

JobChange = Literal[
    "placed",
    "placed-at-once",
    "waits",
    "spared",
    "moved",
    "verdict",
    "decision",
    "phase",
    "request",
    "added",
    "taken-up",
    "evicted",
    "waits-instead",
    "no-longer-waits",
    "unplaced",
    "left-alone",
    "removed",
]
"""What became of a job, or of some of its tasks.

- placed, unplaced: tasks that stay pending in one session, have failed, or went with their node, have a place in the
  other, or hold none any more
- placed-at-once, waits-instead: tasks are placed instead of waiting for room (pipelined), or wait instead
- waits, no-longer-waits: tasks that stay pending in one session wait for room that is being made
- evicted, spared: tasks are evicted in one session only
- moved: tasks are on other nodes; between equally good nodes, only with `--placements`
- verdict: what holds the job back, or some of its tasks, is something else
- decision, phase: nothing but what became of the statement, or of the PodGroup, or of tasks that are over
- request: the job asks for something else: its number of tasks, minAvailable, queue or priority
- added, removed: the job is only in one of the snapshots
- taken-up, left-alone: the scheduler looks at the job only in one session, as in the other its queue does not exist
"""

Effect = Literal["gains", "loses", "both", "neither"]
"""Whether a job, or a queue, is better off."""

Presence = Literal["added", "removed", "changed", "same"]


# --- the sides --------------------------------------------------------------------------------------------------------


class Side(Result, kw_only=True):
    """One of the two sessions: what it is called, what was read for it, and how it was run.

    `files` are its own, without the snapshot that both sides have in common; `confFile` and `confLine` say where its
    configuration stands, if that is in one of them.
    """

    name: str
    files: list[str]
    volcano: str = ""
    """The release of Volcano that is modelled."""
    conf_file: str = ""
    conf_line: int | None = None
    edits: list[str] = msgspec.field(default_factory=list)
    session: SessionInfo
    diagnostics: list[DiagnosticResult] = msgspec.field(default_factory=list)


class Figures(Result, kw_only=True, omit_defaults=False):
    """A session in figures, tasks counted by what became of them.

    `podsLost` counts the pods that had a node and are gone because of evictions: those that are evicted, and those that
    controllers then delete. Of these, `restarted` counts the ones that are made again.
    `fullGangs` counts the jobs that have as many ready tasks as they need at least, `shareSpread` is the difference
    between the highest and the lowest share among the queues with jobs when the session closes; null where no plugin
    looks at queues, or scheduling is blocked.
    """

    placed: int
    pipelined: int
    evicted: int
    pods_lost: int = 0
    restarted: int = 0
    pending: int
    running: int
    jobs: int
    full_gangs: int
    share_spread: float | None
    utilisation: list[Utilisation]


# --- jobs -------------------------------------------------------------------------------------------------------------


class JobSide(Result, kw_only=True):
    """A job in one session.

    `statuses` counts its tasks by status when the session closes, `nodes` counts the tasks with a node by node, and
    `verdicts` counts the tasks without a node by the reason. `evicted` is the number of its tasks that the session
    evicts, `pods_lost` that of its pods that are gone then, with those that its controller deletes, and `restarted`
    that of these that are made again. `pod_group` is the name of its PodGroup: a job that is created again gets another
    one.
    """

    pod_group: str = ""

    queue: str
    decision: Decision
    phase: str
    priority: int
    min_available: int
    tasks: int
    ready: int
    evicted: int = 0
    pods_lost: int = 0
    restarted: int = 0
    statuses: dict[str, int]
    nodes: dict[str, int] = msgspec.field(default_factory=dict)
    verdicts: dict[str, int] = msgspec.field(default_factory=dict)
    verdict: Verdict | None = None
    message: str = ""
    """The message of the Unschedulable condition, where the session writes one."""
    file: str = ""
    """The file of the side in which the job stands, and the line."""
    line: int | None = None


class TaskSide(Result, kw_only=True):
    """A task in one session; its name is given where another pod stands for it in the other."""

    name: str = ""
    status: str
    node: str | None = None
    verdict: str = ""
    """The code of what holds it back."""
    evicted: bool = False


class TaskDifference(Result, kw_only=True):
    """A task of which something else becomes; of two that stand for each other, the name is the first by the alphabet.

    A side is missing where the task is not there. It counts as placed, or as no longer placed, all the same where its
    node is missing, too.
    """

    name: str
    change: JobChange
    before: TaskSide | None = None
    after: TaskSide | None = None


class Cause(Result, kw_only=True):
    """What was decided in both sessions about some tasks of a job that the first decision is not about."""

    tasks: list[str]
    before: str
    after: str


class Why(Result, kw_only=True):
    """The first decision about a job that is not the same in both sessions; `text` is the whole sentence.

    Where that decision is about some of the tasks that changed, `others` has those about the rest: one of each action,
    in favour of each job.
    """

    text: str
    before: str
    after: str
    others: list[Cause] = msgspec.field(default_factory=list)


class JobDifference(Result, kw_only=True):
    """A job of which something else becomes. `changes` has the most important one first.

    `seen_under_seeds` is under how many of the `seeds` the same changes are seen; where they are not seen under all of
    them, `tieDependent` is true: they depend on tie-breaking, not on the change. Of other jobs, `tieDependentChanges`
    are the changes that are seen in addition under some of the seeds only. `name` is that of its PodGroup, in the base
    if it is there; `displayName` is what people call it, after its `owner` if it has one.

    `caughtUpAfter` is after how many more sessions the other side has caught up: the base with what a job gains or with
    its evictions, the candidate with what it loses or no longer suffers. It is absent where that does not come about in
    the next sessions; a difference with it is one of time. `reservedNotBound` is true where nodes are reserved for it
    on one side only, and no session that follows starts it there: that is neither a gain nor a loss.
    """

    namespace: str
    name: str
    display_name: str = ""
    owner: Owner | None = None
    changes: Annotated[list[JobChange], msgspec.Meta(min_length=1)]
    effect: Effect
    before: JobSide | None = None
    after: JobSide | None = None
    why: Why
    tasks: list[TaskDifference]
    seen_under_seeds: int = 1
    tie_dependent: bool = False
    tie_dependent_changes: list[JobChange] = msgspec.field(default_factory=list)
    caught_up_after: int | None = None
    reserved_not_bound: bool = False
    behaviours: list[str] = msgspec.field(default_factory=list)
    """The behaviours of Volcano's releases without which this would be as in the base, or otherwise."""
    says: str = ""
    """What becomes of it, as a sentence."""
    remark: str = ""
    """What was changed about it, and why its outcome differs, as a sentence."""

    @property
    def uid(self) -> str:
        """The namespace and name of its PodGroup."""
        return f"{self.namespace}/{self.name}"

    @property
    def called(self) -> str:
        """What people call the job; documents of before have no such name."""
        return self.display_name or self.uid


# --- evictions --------------------------------------------------------------------------------------------------------


BY_KUBERNETES: Final = "kubernetes"
"""The action of an eviction that no session makes: Kubernetes evicts the pod, for a NoExecute taint of its node."""


class EvictionDifference(OfJob, kw_only=True):
    """An eviction that is only on one of the sides: added is only on the candidate's.

    Where the action is ``kubernetes``, the pod is evicted for a NoExecute taint of its node, which the reason names,
    after the session.
    """

    change: Literal["added", "gone"]
    task: str
    queue: str
    node: str
    action: str
    evictor: str = ""
    """The task in whose favour it is, and below it the job and the queue of that."""
    evictor_job: str = ""
    evictor_queue: str = ""
    reason: str = ""
    seen_under_seeds: int = 1
    tie_dependent: bool = False


# --- queues, nodes ----------------------------------------------------------------------------------------------------


class QueueSide(Result, kw_only=True):
    """A queue in one session: what it deserves when the session opens, what it holds when the session closes.

    Where no plugin looks at it, as it has no jobs or there is no such plugin, it is not `considered`: what it deserves,
    may have, asks for and has admitted, its share and whether it is overused are then not known.
    """

    considered: bool = True
    parent: str = ""
    weight: int
    priority: int
    state: str
    reclaimable: bool
    deserved: Amounts
    guarantee: Amounts
    capability: Amounts
    real_capability: Amounts
    request: Amounts
    allocated: Amounts
    reserved: Amounts = msgspec.field(default_factory=dict)
    """What of that is only reserved for tasks."""
    inqueue: Amounts
    share: float
    overused: bool
    file: str = ""
    """The file of the side in which the queue stands, and the line."""
    line: int | None = None


class QueueDifference(Result, kw_only=True):
    """A queue before and after; `fields` names what differs, as in the sides, and is empty for one that is the same."""

    name: str
    change: Presence
    fields: list[str] = msgspec.field(default_factory=list)
    effect: Effect = "neither"
    before: QueueSide | None = None
    after: QueueSide | None = None
    seen_under_seeds: int = 1
    tie_dependent: bool = False


class NodeSide(Result, kw_only=True):
    """A node in one session, when it closes."""

    allocatable: Amounts
    used: Amounts
    pods: int
    unschedulable: bool = False


class NodeDifference(Result, kw_only=True):
    """A node that is there only on one side, or has, or takes, something else."""

    name: str
    change: Presence
    before: NodeSide | None = None
    after: NodeSide | None = None


# --- what was changed -------------------------------------------------------------------------------------------------


class SettingDifference(Result, kw_only=True):
    """An effective setting of the scheduler's configuration that differs; what is not set counts with its default.

    `key` is ``actions``, ``tiers``, ``PLUGIN``, which is the tier of a plugin, ``PLUGIN.FLAG``, ``PLUGIN.ARGUMENT``,
    or ``ACTION.ARGUMENT``. A side where the plugin is not in use has null. `line` is its line in the candidate's
    ``confFile``, or that of what it is missing in.
    """

    key: str
    before: Any = None
    after: Any = None
    default_before: bool = False
    default_after: bool = False
    line: int | None = None


class BehaviourDifference(Result, kw_only=True):
    """A behaviour that the releases of the sides do not have in common, and what differs because of it.

    `jobs` and `queues` are those of which something else becomes in the candidate when this behaviour alone, or all of
    `together`, are as in the base: a session was run for that. Without any, the behaviour changes nothing here.
    """

    name: str
    area: str
    before: str
    after: str
    decides: str
    source: str
    jobs: list[str] = msgspec.field(default_factory=list)
    queues: list[str] = msgspec.field(default_factory=list)
    together: list[str] = msgspec.field(default_factory=list)


class ConfigurationDifference(Result, kw_only=True):
    """What became of the scheduler's configuration as a whole, and where it comes from on both sides.

    gone means that the scheduler runs with Volcano's default, new that it did; moved that it stands in another
    ConfigMap, under another key, or in another file of the revisions that are compared; beside that the candidate has
    another one, which is not the one that is compared, and is new or changed: `after` names it.
    """

    change: Literal["gone", "new", "moved", "beside"]
    before: str
    after: str


class LintDifference(Result, kw_only=True):
    """A finding of `vqs lint` that is only on one side: new is only the candidate's."""

    change: Literal["new", "gone"]
    finding: FindingResult


# --- the whole --------------------------------------------------------------------------------------------------------


STANDSTILL: Final = "standstill"
"""The condition that is always one: scheduling is blocked in the candidate, and not in the base."""


class Failure(Result, kw_only=True):
    """A condition of --fail-on that holds, and by what; `unknown` where it only counts as holding.

    So does a condition on a figure that is not known, as it is what must not be.
    """

    condition: str
    text: str
    unknown: bool = False


class Differences(Result, kw_only=True, omit_defaults=False):
    """How much differs, without what depends on tie-breaking and figures that follow; jobs count by their first change.

    Under several `seeds`, every number is the smallest that was seen: at least this many jobs lose however ties are
    broken, even where tie-breaking decides which. `tieDependent` counts how many of the differences that are listed are
    not seen, or not whole, under all of them. `both` is part of `gain` and of `lose`; `queuesAdded` and `queuesRemoved`
    are part of `queues`.
    """

    jobs: int
    gain: int
    lose: int
    both: int = 0
    changes: dict[str, int]
    evictions_added: int
    evictions_gone: int
    queues: int
    queues_added: int
    queues_removed: int
    settings: int
    findings_new: int
    findings_gone: int
    tie_dependent: int


class NotRead(Result, kw_only=True):
    """How many objects of a kind, or fields such as ``Deployment image``, a change adds, changes or deletes unread."""

    kind: str
    new: int = 0
    changed: int = 0
    gone: int = 0


class JobSince(Result, kw_only=True, omit_defaults=False):
    """What becomes of a job in an earlier comparison and in this one; empty where it is as in the base."""

    name: str
    before: str
    after: str


class Since(Result, kw_only=True, omit_defaults=False):
    """What is otherwise than in an earlier comparison: jobs, and the conditions of --fail-on that hold.

    `settings` are the keys of those that differ from the base otherwise than before, or no longer, or that did not.
    Findings are those of lint that only the candidate has, each as its code and its message.
    """

    jobs: list[JobSince]
    failures_new: list[str]
    failures_gone: list[str]
    settings: list[str] = msgspec.field(default_factory=list)
    findings_new: list[str] = msgspec.field(default_factory=list)
    findings_gone: list[str] = msgspec.field(default_factory=list)


class Diff(Result, tag_field="schema", tag="vqs/diff/v2", kw_only=True):
    """What becomes of a cluster under one configuration, and what under another.

    `differs` tells whether anything does that does not depend on tie-breaking, `failed` whether a condition of
    --fail-on holds, or, where there are none, whether anything differs. A candidate in which scheduling is blocked
    always fails. `silences` counts the silences that only the candidate has, which are among the `findings` and silence
    nothing; `silenced` the findings of the candidate that are left out, as both sides silence them.
    """

    volcano: str
    before: Side
    after: Side
    differs: bool
    failed: bool
    seeds: int = 1
    """The number of ways in which ties were broken; figures, nodes and what the sessions decided are of the first."""
    node_order_drawn: bool = False
    """Whether a seed has drawn an order in which nodes were walked for evictions, in any of these ways."""
    placements: bool = False
    """Whether moves between equally good nodes count."""
    summary: Differences
    figures_before: Figures
    figures_after: Figures
    jobs: list[JobDifference]
    evictions: list[EvictionDifference]
    queues: list[QueueDifference]
    nodes: list[NodeDifference]
    settings: list[SettingDifference]
    behaviours: list[BehaviourDifference] = msgspec.field(default_factory=list)
    configuration: ConfigurationDifference | None = None
    findings: list[LintDifference]
    silences: int = 0
    silenced: int = 0
    not_read: list[NotRead] = msgspec.field(default_factory=list)
    """What only one side has, or what differs, that vqs does not read; it is no difference here."""
    unknown: list[str] = msgspec.field(default_factory=list)
    """What the candidate hangs on, and the base does not, and vqs leaves out or assumes: conditions on what becomes of
    the cluster hold."""
    first_divergence: str = ""
    """What the sessions decided where their traces first differ."""
    fail_on: list[str] = msgspec.field(default_factory=list)
    failures: list[Failure] = msgspec.field(default_factory=list)
    tie_dependent_failures: list[Failure] = msgspec.field(default_factory=list)
    """The conditions that hold under some of the ways to break ties only: they make nothing fail."""
    since: Since | None = None
    """What is otherwise than in the earlier comparison that `vqs render --since` names."""
