"""The result of asking whether a job fits: the document that `vqs fit --format json` prints."""

from __future__ import annotations

from typing import Literal

import msgspec

from vqs.explain.outcome import Decision, DiagnosticResult, Owner, Result, SessionInfo, Verdict


class Lowered(Result, kw_only=True, omit_defaults=False):
    """A minimum that is lower than it was submitted, as fewer pods than that could not run."""

    field: str
    submitted: int
    value: int


class Largest(Result, kw_only=True, omit_defaults=False):
    """The largest number of replicas with which all of a job's tasks are placed, found by running sessions.

    `exact` tells that one more was tried and does not fit, for the reason in `beyond`; else the search ended before.
    `ended` tells how far it came where it would have had too much to do.
    `lowered` are the minima that go with this number in place of those that were submitted, `edits` what to change of
    the job for it, as what-if edits; there are none where the number is the one that was submitted.
    """

    role: str
    replicas: int
    asked: int
    exact: bool
    sessions: int
    beyond: str
    lowered: list[Lowered] = msgspec.field(default_factory=list)
    edits: list[str] | msgspec.UnsetType = msgspec.UNSET
    ended: str | msgspec.UnsetType = msgspec.UNSET


class Fit(Result, tag_field="schema", tag="vqs/fit/v1", kw_only=True):
    """Whether a job that is not in the snapshot would run if it came now.

    `fits` is now where its minimum is placed at once, later where its minimum waits for what is in `after` to leave,
    else no. `evicts` are the tasks of other jobs that are evicted because it comes, `evicted` its own that are placed
    and evicted again for others, `loses` the jobs that are worse off.
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
    after: list[str] = msgspec.field(default_factory=list)
    evicts: list[str] = msgspec.field(default_factory=list)
    evicted: list[str] = msgspec.field(default_factory=list)
    loses: list[str] = msgspec.field(default_factory=list)
    display_names: dict[str, str] = msgspec.field(default_factory=dict)
    """What the jobs that lose are called."""
    verdict: Verdict | None = None
    largest: Largest | None = None
    diagnostics: list[DiagnosticResult] = msgspec.field(default_factory=list)

    @property
    def called(self) -> str:
        """What people call the job; documents of before have no such name."""
        return self.display_name or f"{self.namespace}/{self.name}"
