"""The result of `vqs explain-job`: the document that `--format json` prints.

Units are those of `vqs.explain.outcome`: cpu in cores, memory in bytes, everything else as a count; a missing resource
is absent, an unlimited one null.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from vqs.explain.jobs.remedies import FixSearch, Patch
from vqs.explain.outcome import (
    Affected,
    Blocker,
    DiagnosticResult,
    FitErrorResult,
    JobLoss,
    JobResult,
    OfJob,
    Outlook,
    Result,
    SessionInfo,
    TaskResult,
    Verdict,
)
from vqs.explain.queues.outcome import JobGate, Place
from vqs.explain.verdict_rules import Stage

# --- who goes first ---------------------------------------------------------------------------------------------------


class JobPlace(OfJob, kw_only=True, omit_defaults=False):
    """A job's place in its queue when the session opens, and what put it behind the one before it.

    `decided_by` names the plugin whose order decided (or `created`, `uid` where no plugin cared), `criterion` what it
    compares, and `values` what it found, of the job before and of this one.
    """

    position: int
    decided_by: str = ""
    criterion: str = ""
    values: list[str] = msgspec.field(default_factory=list)


class SchedulingOrder(Result, kw_only=True, omit_defaults=False):
    """Who is served before the job: the queues, and the jobs of its own queue, as far as they wait for something."""

    queues: list[Place]
    jobs: list[JobPlace]


# --- tries ------------------------------------------------------------------------------------------------------------


class AttemptStep(Result, kw_only=True, omit_defaults=False):
    """What was tried with a task, or with several of a role that all met the same.

    `node` was given to the first of them, one of `tied_nodes` equally good ones; else `verdict` says why there was
    none.
    """

    role: str
    tasks: list[str]
    placed: bool
    pipelined: bool
    """Whether the node is promised only: it has room once resources are released there."""
    node: str
    tied_nodes: int
    verdict: Verdict | None
    fit_errors: FitErrorResult | None


class PlacementAttempt(Result, kw_only=True, omit_defaults=False):
    """One try to place tasks of the job, and what became of it.

    `evicted` names the tasks of others that were to make room, `hyper_node` the HyperNode whose nodes alone were asked,
    empty where it was all nodes.
    """

    action: str
    hyper_node: str
    result: Literal["commit", "keep", "discard", "refused"]
    steps: list[AttemptStep]
    evicted: list[str]


class HyperNodeChoice(Result, kw_only=True, omit_defaults=False):
    """A HyperNode that was considered in the last try of the job.

    Attributes:
        hyper_node: its name.
        tier: its tier.
        sub_job: the sub-job that it was considered for; empty where it was the job.
        placed: how many tasks found a node there; null where it was not tried.
        score: how well it suits; null where it did not serve.
        chosen: whether it was taken.
        reason: why it was not taken; empty where it was.
    """

    hyper_node: str
    tier: int
    sub_job: str
    placed: int | None
    score: float | None
    chosen: bool
    reason: str


# --- victims ----------------------------------------------------------------------------------------------------------


class VoteOn(Result, kw_only=True, omit_defaults=False):
    """A plugin's vote on a candidate: it may be evicted, or is spared, and why."""

    plugin: str
    tier: int
    evictable: bool
    reason: str


class Candidate(OfJob, kw_only=True, omit_defaults=False):
    """A candidate for eviction, and the vote of each plugin on it.

    A candidate is `evictable` if all voting plugins of the tier that decides allow its eviction. The session evicts as
    few of these as it needs.
    """

    task: str
    queue: str
    priority: int
    evictable: bool
    evicted: bool
    votes: list[VoteOn]


class NodeVotes(Result, kw_only=True, omit_defaults=False):
    """A node on whose tasks the plugins voted.

    Attributes:
        node: its name.
        tier: the tier that decides, counted from 1; 0 if no tier does.
        spared_by: the plugin whose vote left no victim; of several tiers, that of the first one in which the others
            allow a task, and else of the last; empty if there are victims.
        insufficient: whether evicting all candidates would not free enough, so that the votes do not matter.
        candidates: the tasks that the plugins voted on.
    """

    node: str
    tier: int
    spared_by: str
    insufficient: bool
    candidates: list[Candidate]


class Search(Result, kw_only=True, omit_defaults=False):
    """A search for victims in favour of one task: how far it came, and what stopped it.

    Attributes:
        victims_from: where the victims may come from: other jobs of the queue, the job itself, or other queues.
        refusal: why the search did not start; empty if it did.
        nodes: the number of nodes on which evictions could help.
        candidates: the number of running tasks on these nodes that may be evicted, before any plugin votes.
        insufficient_nodes: the number of nodes on which evicting all candidates would not free enough.
        voted_nodes: the number of nodes on which plugins voted.
        spared_by: for each plugin, the number of nodes on which its vote left no victim, as in the votes on a node.
        node: the node reserved for the task; empty if there is none.
        victims: the tasks to evict.
        result: the outcome: a discarded search evicts no task in the end; empty if it found no victim.
        node_votes: the votes on the nodes with victims and on a few others, or on every node if all votes are asked
            for.
    """

    action: str
    task: str
    victims_from: Literal["queue", "job", "other-queues"]
    refusal: str
    nodes: int
    candidates: int
    insufficient_nodes: int
    voted_nodes: int
    spared_by: dict[str, int]
    node: str
    victims: list[str]
    result: Literal["", "commit", "keep", "discard"]
    node_votes: list[NodeVotes]


class TaskEviction(Result, kw_only=True, omit_defaults=False):
    """A task of the job that is evicted: the task and job it makes room for, and the vote of each plugin on it."""

    task: str
    node: str
    action: str
    evictor: str
    evictor_job: str
    evictor_display_name: str = ""
    evictor_queue: str
    tier: int
    votes: list[VoteOn]


class EvictionAction(Result, kw_only=True, omit_defaults=False):
    """Whether preempt or reclaim searched for victims in favour of the job; where not `searched`, `reason` says why."""

    action: str
    searched: bool
    reason: str


# --- fixes ------------------------------------------------------------------------------------------------------------


class Fix(Result, kw_only=True, omit_defaults=False):
    """A change that gets more pods of the job bound, found by running sessions with it.

    Attributes:
        edits: the change, as `--edits` reads it.
        commands: the change in a cluster, before `recreate` where that is needed; empty where no command makes it.
        patches: the same, object by object, and of what is created again: for the manifests that it is created from.
        lines: the lines of the files that change, as `file:line: text`; empty where files do not have all of it, or
            have it in a line of more than 400 characters, or in a document of more than 500,000.
        diff: the change of the files, as `patch -p0` reads it.
        outlook: what becomes of the job with it, in as many sessions as `simulate --edits --cycles` runs.
        affected: the other jobs of which another number of pods has a node after them than without it.
        losses: what other jobs lose by evictions with it, those that lose more than without it.
        recreate: what has to be deleted and created again with the change; absent where nothing has.
    """

    edits: list[str]
    commands: list[str]
    patches: list[Patch]
    lines: list[str]
    diff: str
    outlook: Outlook
    affected: list[Affected]
    losses: list[JobLoss] = msgspec.field(default_factory=list)
    recreate: str | msgspec.UnsetType = msgspec.UNSET


# --- the document -----------------------------------------------------------------------------------------------------


class JobReport(Result, tag_field="schema", tag="vqs/job/v2", kw_only=True, omit_defaults=False):
    """What each stage of a session did with a job.

    Attributes:
        answer: the outcome and its reason, in a sentence or two.
        blockers: all that keeps the job from being placed, the impossible first.
        outlook: what becomes of it in the sessions that follow; null where nothing of it waits.
        blocked_at: the stage that blocked the job, or the first of its waiting tasks: enqueue, valid, queue, order,
            nodes or gang; empty if no stage did.
        cause: the verdict of that stage, or the one on resources that others have yet to release.
        cause_task: the task with this verdict; empty if the verdict is on the job.
        queue_path: its queue and the queues above it.
        admission: the admission check of enqueue, queue by queue; null if enqueue did not check the job.
        scheduling_order: the scheduling order: the queues and jobs before it.
        attempts: the placement attempts for its tasks, of all actions, in order.
        hyper_nodes: the HyperNodes considered in the last attempt for a job that requests a network topology.
        eviction_actions: preempt and reclaim, if they are configured.
        searches: the searches for victims in its favour.
        evictions: its tasks that are evicted.
        losses_of_others: what other jobs lose by the evictions in its favour, with what their controllers delete then.
        fixes: the changes that help, the one first that costs others least; empty if there are none, or none was tried.
        fix_search: the same in detail, and what was tried and does not help; null if nothing was tried.
    """

    volcano: str
    scenario: str
    session: SessionInfo
    job: JobResult
    queue_path: list[str] = msgspec.field(default_factory=list)
    tasks: list[TaskResult]
    answer: str
    blockers: list[Blocker]
    outlook: Outlook | None = None
    blocked_at: Stage
    cause: Verdict | None
    cause_task: str = ""
    admission: JobGate | None = None
    scheduling_order: SchedulingOrder
    attempts: list[PlacementAttempt] = msgspec.field(default_factory=list)
    hyper_nodes: list[HyperNodeChoice] = msgspec.field(default_factory=list)
    eviction_actions: list[EvictionAction] = msgspec.field(default_factory=list)
    searches: list[Search] = msgspec.field(default_factory=list)
    evictions: list[TaskEviction] = msgspec.field(default_factory=list)
    losses_of_others: list[JobLoss] = msgspec.field(default_factory=list)
    fixes: list[Fix] = msgspec.field(default_factory=list)
    fix_search: FixSearch | None = None
    diagnostics: list[DiagnosticResult]


class JobReports(Result, tag_field="schema", tag="vqs/jobs/v1", kw_only=True, omit_defaults=False):
    """What became of several jobs in the same session.

    Attributes:
        answer: in a sentence, how many jobs there are, and for how many a fix was found.
        jobs: a report on each, in the order in which they were asked for; all that wait by namespace and name.
    """

    volcano: str
    scenario: str
    answer: str
    jobs: list[JobReport]

    @property
    def diagnostics(self) -> list[DiagnosticResult]:
        """What is noted of the session, once each; about others is only what is so in every report."""
        found: dict[str, DiagnosticResult] = {}
        for each in (each for report in self.jobs for each in report.diagnostics):
            key = repr(msgspec.structs.replace(each, elsewhere=False))
            found[key] = each if key not in found or not each.elsewhere else found[key]
        return list(found.values())
