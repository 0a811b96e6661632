"""The result of holding vqs against a cluster: the document that `vqs verify --format json` prints."""

from __future__ import annotations

from typing import Literal

import msgspec

from vqs.explain.outcome import DiagnosticResult, Result, SessionInfo

Aspect = Literal["bound", "evicted", "phase", "condition", "message", "node"]

Unsaid = Literal["gone", "made-since", "new-pod-groups", "gone-pod-groups", "missing-kinds", "later-sessions", "ties"]
"""Why a decision cannot be compared: `made-since` is about pods, `later-sessions` about overwritten results."""


class Tally(Result, kw_only=True, omit_defaults=False):
    """How many decisions of a kind AFTER shows, how many vqs predicts, and in how many both agree.

    `total` is how many there are in either: pods that are bound or evicted are counted by PodGroup, whichever they are.
    """

    observed: int
    predicted: int
    matching: int
    total: int


class Tallies(Result, kw_only=True):
    """The kinds of decisions that are compared.

    `bound` and `evicted` are counted by PodGroup. `phases` are those of PodGroups, `conditions` the messages of new
    conditions Unschedulable of PodGroups, `messages` those of new conditions PodScheduled of pods. `nodes` are compared
    of pods that both bind, only where no nodes are tied.
    """

    bound: Tally
    evicted: Tally
    phases: Tally
    conditions: Tally
    messages: Tally
    nodes: Tally


class Explanation(Result, kw_only=True):
    """Whether luck, or a change that was made between the dumps, explains a difference.

    `seeds` is under how many ways to break ties vqs says what the cluster did.
    """

    kind: Literal["luck", "change", "nothing"]
    text: str
    seeds: int = 0


class Difference(Result, kw_only=True):
    """Something in which the cluster and vqs differ; `pod_group` is a namespace and name, and `job` who controls it.

    `display_name` is what people call the job.

    `pod` is there for messages and nodes, which are compared pod by pod; else pods are counted.
    """

    aspect: Aspect
    pod_group: str
    job: str = ""
    display_name: str = ""
    pod: str = ""
    observed: int | str | None
    predicted: int | str | None
    explanation: Explanation


class NotCompared(Result, kw_only=True):
    """What two dumps cannot tell, and why; the names are those of pods, PodGroups or kinds."""

    reason: Unsaid
    text: str
    names: list[str] = msgspec.field(default_factory=list)


class Change(Result, kw_only=True):
    """Something that neither the scheduler nor a controller did between the dumps."""

    object: str
    text: str


class Tried(Result, kw_only=True, omit_defaults=False):
    """How well vqs agrees after a number of sessions, in per cent."""

    sessions: int
    agreement: float


class Verification(Result, tag_field="schema", tag="vqs/verification/v2", kw_only=True):
    """What vqs predicts from BEFORE, compared with what AFTER shows.

    Attributes:
        before: what was simulated.
        after: what it is compared with.
        session: the first session that was run.
        sessions: how many sessions were run.
        tried: how well each number of sessions agrees that was tried, where the number was not given.
        seeds: under how many more ways to break ties they were run, to tell luck from the rest.
        elapsed: the seconds between the dumps, as their newest timestamps tell them.
        agreement: in per cent, over all tallies; 100 only where everything is the same.
        unexplained: the number of differences that nothing explains.
    """

    volcano: str
    before: str
    after: str
    session: SessionInfo
    sessions: int
    tried: list[Tried] = msgspec.field(default_factory=list)
    seeds: int
    elapsed: float | None
    agreement: float
    unexplained: int
    tallies: Tallies
    differences: list[Difference]
    not_compared: list[NotCompared]
    changes: list[Change]
    diagnostics: list[DiagnosticResult] = msgspec.field(default_factory=list)
