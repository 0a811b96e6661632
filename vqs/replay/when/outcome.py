"""When jobs that wait will start: the document that `vqs when --format json` prints.

Times are in seconds from now, which is the time of the snapshot; those that end in `At` are points in time in RFC 3339,
and null where nothing says when the snapshot was taken.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from vqs.explain.outcome import DiagnosticResult, Result, SessionInfo

Source = Literal[
    "durations", "scenario", "service", "history", "limit", "default", "other-scheduler", "clock", "workload"
]

Fate = Literal["starts", "never", "not-within", "running"]


class Assumption(Result, kw_only=True, omit_defaults=False):
    """Something that the times rest on.

    Attributes:
        source: what says how long pods run: `durations` is the file of --durations, `scenario` the snapshot itself,
            `history` pods like them that have ended, `limit` their activeDeadlineSeconds, `default` the distribution
            for pods of which nothing is known. A `service` runs without end, as do the pods of an `other-scheduler`.
            `clock` is about times in whole seconds, `workload` is about what comes to the cluster and leaves it.
        pods: how many pods it is about.
        overdue: how many of them have run longer than that already, and are taken to end now.
        text: the same as a sentence.
    """

    source: Source
    pods: int
    overdue: int
    text: str


class JobStart(Result, kw_only=True, omit_defaults=False):
    """When a job starts, that is, when `min_available` of its pods run.

    Attributes:
        namespace: its namespace.
        name: the name of its PodGroup.
        display_name: the namespace and name that people know it by.
        queue: its queue.
        fate: whether it `starts` within the horizon in any run, does so in none (`not-within`), can `never` start as
            everything is, or is `running` already, with fewer pods than it could have.
        started: in how many runs it starts within the horizon.
        earliest: the earliest of the times at which it starts; null where it starts in none.
        median: the median of all runs; null where it does not start in about half of them.
        latest: the latest time; null where it does not start in all runs.
        starts: the time in each run, in the order of the seeds; null where it does not start.
        code: the code of what keeps it waiting now, or for good; empty where the session gives no reason.
        why: the same as a sentence.
    """

    namespace: str
    name: str
    display_name: str
    queue: str
    fate: Fate
    started: int
    earliest: float | None
    median: float | None
    latest: float | None
    earliest_at: str | None
    median_at: str | None
    latest_at: str | None
    starts: list[float | None]
    code: str
    why: str


class When(Result, tag_field="schema", tag="vqs/when/v1", kw_only=True, omit_defaults=False):
    """When the jobs that wait will start.

    Attributes:
        snapshot: what was read.
        session: the session that says which jobs wait, and why.
        now: the time of the snapshot; null where nothing says it.
        within: how many seconds the replays last at most.
        runs: how many there are.
        seeds: their seeds.
        stopped: how many of them were stopped before that time, as more happened than a replay may take.
        answer: in a sentence, when the job starts, or how many do.
        jobs: the jobs that wait, by namespace and name.
        assumptions: what the times rest on.
    """

    volcano: str
    snapshot: str
    session: SessionInfo
    now: str | None
    within: float
    runs: int
    seeds: list[int]
    stopped: int
    answer: str
    jobs: list[JobStart]
    assumptions: list[Assumption]
    diagnostics: list[DiagnosticResult] = msgspec.field(default_factory=list)
