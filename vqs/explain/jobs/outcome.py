"""The result of `vqs explain-job`: the document that `--format json` prints.

Units are those of `vqs.explain.outcome`: cpu in cores, memory in bytes, everything else as a count; a missing resource
is absent, an unlimited one null.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from vqs.explain.jobs.remedies import Remedies
from vqs.explain.outcome import (
    DiagnosticResult,
    FitErrorResult,
    JobResult,
    OfJob,
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

    `by` names the plugin whose order decided (or `created`, `uid` where no plugin cared), `what` what it compares, and
    `values` what it found, of the job before and of this one.
    """

    position: int
    by: str = ""
    what: str = ""
    values: list[str] = msgspec.field(default_factory=list)


class Standing(Result, kw_only=True, omit_defaults=False):
    """Who is served before the job: the queues, and the jobs of its own queue, as far as they wait for something."""

    queues: list[Place]
    jobs: list[JobPlace]


# --- tries ------------------------------------------------------------------------------------------------------------


class TryStep(Result, kw_only=True, omit_defaults=False):
    """What was tried with a task, or with several of a role that all met the same.

    `node` was given to the first of them, one of `tied` equally good ones; else `verdict` says why there was none.
    """

    role: str
    tasks: list[str]
    placed: bool
    waits: bool
    """Whether the node is promised only: it has room once resources are released there."""
    node: str
    tied: int
    verdict: Verdict | None
    fit_errors: FitErrorResult | None


class Try(Result, kw_only=True, omit_defaults=False):
    """One try to place tasks of the job, and what became of it.

    `evicted` names the tasks of others that were to make room, `hyper_node` the HyperNode whose nodes alone were asked,
    empty where it was all nodes.
    """

    action: str
    hyper_node: str
    result: Literal["commit", "keep", "discard", "refused"]
    steps: list[TryStep]
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
        why: why it was not taken; empty where it was.
    """

    hyper_node: str
    tier: int
    sub_job: str
    placed: int | None
    score: float | None
    chosen: bool
    why: str


# --- victims ----------------------------------------------------------------------------------------------------------


class VoteOn(Result, kw_only=True, omit_defaults=False):
    """A plugin's vote on a candidate: it may be evicted, or is spared, and why."""

    plugin: str
    tier: int
    taken: bool
    why: str


class Candidate(OfJob, kw_only=True, omit_defaults=False):
    """A task that could have been evicted, and who voted how on it.

    It is `agreed` on where all plugins of the tier that decided let it go; of these, as few are evicted as it takes.
    """

    task: str
    queue: str
    priority: int
    agreed: bool
    evicted: bool
    votes: list[VoteOn]


class NodePoll(Result, kw_only=True, omit_defaults=False):
    """A node on which plugins were asked.

    Attributes:
        node: its name.
        tier: the tier that decided, counted from 1; 0 is none.
        spared_by: the plugin whose vote left nobody; empty where somebody was left.
        too_small: whether all candidates together would not make room enough, so that the votes do not matter.
        candidates: whom the plugins were asked about.
    """

    node: str
    tier: int
    spared_by: str
    too_small: bool
    candidates: list[Candidate]


class Search(Result, kw_only=True, omit_defaults=False):
    """A search for tasks to evict in favour of one: how far it came, and what stopped it.

    Attributes:
        circle: among which tasks: of other jobs of the queue, of the job itself, or of other queues.
        refusal: why nothing was looked at; empty where something was.
        nodes: on how many nodes eviction could help.
        candidates: how many tasks there run and may be evicted, before any plugin is asked.
        too_small: on how many of the nodes all of these together would not make room enough.
        polled: on how many nodes plugins were asked.
        spared_by: on how many of these which plugin's vote left nobody.
        node: where room was promised; empty where nowhere.
        victims: who was to be evicted.
        result: what became of it: a discarded search evicts nobody in the end; empty where it found nothing.
        polls: the votes: on the nodes where somebody was to be evicted, and on a few others, or on all where asked for.
    """

    action: str
    task: str
    circle: Literal["queue", "job", "other-queues"]
    refusal: str
    nodes: int
    candidates: int
    too_small: int
    polled: int
    spared_by: dict[str, int]
    node: str
    victims: list[str]
    result: Literal["", "commit", "keep", "discard"]
    polls: list[NodePoll]


class Loss(Result, kw_only=True, omit_defaults=False):
    """A task of the job that is evicted: in favour of which task and job, and who voted how on it."""

    task: str
    node: str
    action: str
    evictor: str
    evictor_job: str
    evictor_display_name: str = ""
    evictor_queue: str
    tier: int
    votes: list[VoteOn]


class Appeal(Result, kw_only=True, omit_defaults=False):
    """Whether an action that evicts would do so for the job: `asked` it is, unless `why` says what came before."""

    action: str
    asked: bool
    why: str


# --- the document -----------------------------------------------------------------------------------------------------


class JobReport(Result, tag_field="schema", tag="vqs/job/v1", kw_only=True, omit_defaults=False):
    """The life of a job through a session.

    Attributes:
        answer: in a sentence or two, what became of it and why.
        stopped_at: the first gate that it, or the first of its tasks that wait, did not pass: enqueue, valid, queue,
            order, nodes or gang; empty where all passed.
        cause: the verdict that says so, or why it waits for others to leave.
        cause_of: the task that got this verdict; empty where it is the job's.
        line: its queue and the ones above it.
        gate: the accounts drawn up when it asked to enter its queue; null where it did not ask.
        standing: who is served before it.
        tries: the tries to place its tasks, in their order, of all actions.
        hyper_nodes: the HyperNodes considered in the last try of a job that asks for a network topology.
        appeals: preempt and reclaim, where they run.
        searches: the searches for tasks to evict in its favour.
        losses: its tasks that are evicted.
        remedies: the changes of one number that were tried out; null where none was.
    """

    volcano: str
    scenario: str
    session: SessionInfo
    job: JobResult
    line: list[str]
    tasks: list[TaskResult]
    answer: str
    stopped_at: Stage
    cause: Verdict | None
    cause_of: str
    gate: JobGate | None
    standing: Standing
    tries: list[Try]
    hyper_nodes: list[HyperNodeChoice]
    appeals: list[Appeal]
    searches: list[Search]
    losses: list[Loss]
    remedies: Remedies | None
    diagnostics: list[DiagnosticResult]
