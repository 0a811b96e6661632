"""The result of asking whether a job fits: the document that `vqs fit --format json` prints."""

from __future__ import annotations

from typing import Literal

import msgspec

from vqs.explain.outcome import (
    Affected,
    Blocker,
    Decision,
    DiagnosticResult,
    OfJob,
    Outlook,
    Owner,
    Result,
    SessionInfo,
    Verdict,
)
from vqs.model.wording import count


class Lowered(Result, kw_only=True, omit_defaults=False):
    """A minimum that is lower than it was submitted, as fewer pods than that could not run."""

    field: str
    submitted: int
    value: int


class Largest(Result, kw_only=True, omit_defaults=False):
    """The largest number of replicas with which all of a job's tasks are placed, found by running sessions.

    `exact` tells that one more was tried and does not fit, for the reason in `limit_reason`; else the search ended
    before. `search_ended` tells how far it came where it would have had too much to do. `lowered` are the minima that
    go with this number in place of those that were submitted, `edits` what to change of the job for it, as what-if
    edits; there are none where the number is the one that was submitted.
    """

    role: str
    replicas: int
    submitted: int
    exact: bool
    sessions: int
    limit_reason: str
    lowered: list[Lowered] = msgspec.field(default_factory=list)
    edits: list[str] | msgspec.UnsetType = msgspec.UNSET
    search_ended: str | msgspec.UnsetType = msgspec.UNSET
    affected: list[Affected] = msgspec.field(default_factory=list)
    """The jobs that have fewer pods running at this number than without the new job."""
    harmless_replicas: int | None = None
    """The largest number of replicas that was found at which no job loses a pod; null where that is not known."""


class Harm(OfJob, kw_only=True):
    """A job that is worse off because another one comes: its tasks without the new job, and with it.

    `placed` tasks have a node, `pipelined` ones have room reserved; `evicted` counts those that the sessions evict.
    """

    tasks: int
    placed_before: int
    placed_after: int
    pipelined_before: int
    pipelined_after: int
    evicted_before: int
    evicted_after: int

    @property
    def text(self) -> str:
        """The job, and from how many tasks to how many."""
        figures = [f"{self.placed_before:,} → {self.placed_after:,} of {count(self.tasks, 'task')} placed"]
        if self.pipelined_before != self.pipelined_after:
            figures.append(f"{self.pipelined_before:,} → {self.pipelined_after:,} with a reserved node")
        if self.evicted_before != self.evicted_after:
            figures.append(f"{self.evicted_before:,} → {self.evicted_after:,} evicted")
        return f"{self.called}: {', '.join(figures)}"


class Fit(Result, tag_field="schema", tag="vqs/fit/v2", kw_only=True):
    """Whether a job that is not in the snapshot would run if it came now.

    `fits` is now where its minimum is placed at once; later where one of the sessions that follow places it, as
    `outlook` tells, with the pods in `waits_for` gone; else no. `blockers` is all that keeps it. `evicts` are the tasks
    of other jobs that are evicted because it comes, `evicted` its own that are placed and evicted again for others,
    `harmed_jobs` the jobs that are worse off, and `harms` by how much. `denied` tells why Volcano's webhook denies the
    job, which then does not fit, whatever a session would do with it.
    """

    volcano: str
    snapshot: str
    session: SessionInfo
    namespace: str
    name: str
    display_name: str = ""
    owner: Owner | None = None
    queue: str
    fits: Literal["now", "later", "no"]
    answer: str
    decision: Decision
    tasks: int
    min_available: int
    placed: int
    pipelined: int
    pending: int
    nodes: dict[str, int] = msgspec.field(default_factory=dict)
    waits_for: list[str] = msgspec.field(default_factory=list)
    evicts: list[str] = msgspec.field(default_factory=list)
    evicted: list[str] = msgspec.field(default_factory=list)
    harmed_jobs: list[str] = msgspec.field(default_factory=list)
    display_names: dict[str, str] = msgspec.field(default_factory=dict)
    """What the jobs that lose are called."""
    harms: list[Harm] = msgspec.field(default_factory=list)
    verdict: Verdict | None = None
    largest: Largest | None = None
    outlook: Outlook | None = None
    blockers: list[Blocker] = msgspec.field(default_factory=list)
    denied: str | msgspec.UnsetType = msgspec.UNSET
    diagnostics: list[DiagnosticResult] = msgspec.field(default_factory=list)

    @property
    def called(self) -> str:
        """What people call the job; documents of before have no such name."""
        return self.display_name or f"{self.namespace}/{self.name}"
